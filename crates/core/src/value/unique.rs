//! Equality of JSON values as JSON Schema means it: numbers by their value, objects whatever the
//! order of their keys.
//!
//! Equal values have equal keys, and a key is made in one walk. The validator's own `uniqueItems`
//! hashes numbers as floats and lists without their shape, so a hostile array can make it compare
//! every item with every other.

use std::collections::HashSet;

use serde_json::Value as Tree;

use super::decimal::Decimal;

/// Whether no two items are equal. Asks `spend` for steps in proportion to the items' size, and
/// says yes when it is told no: the caller throws the answer away.
pub(super) fn is_unique(items: &[Tree], spend: impl Fn(usize) -> bool) -> bool {
    let mut seen = HashSet::with_capacity(items.len());
    for item in items {
        let key = key(item);
        if !spend(1 + key.len() / 8) {
            return true;
        }
        if !seen.insert(key) {
            return false;
        }
    }
    true
}

/// Whether two values are equal.
pub(super) fn equal(left: &Tree, right: &Tree) -> bool {
    match (left, right) {
        (Tree::Number(left), Tree::Number(right)) => {
            // Rounding makes equal numbers of equal numbers, and is cheaper.
            left.as_f64() == right.as_f64() && Decimal::new(left) == Decimal::new(right)
        }
        (Tree::String(left), Tree::String(right)) => left == right,
        (Tree::Bool(left), Tree::Bool(right)) => left == right,
        (Tree::Null, Tree::Null) => true,
        (Tree::Array(left), Tree::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| equal(a, b))
        }
        (Tree::Object(left), Tree::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, a)| right.get(key).is_some_and(|b| equal(a, b)))
        }
        (
            Tree::Null
            | Tree::Bool(_)
            | Tree::Number(_)
            | Tree::String(_)
            | Tree::Array(_)
            | Tree::Object(_),
            _,
        ) => false,
    }
}

/// Bytes that are the same for equal values and for no others.
fn key(value: &Tree) -> Box<[u8]> {
    let mut out = Vec::new();
    push(&mut out, value);
    out.into_boxed_slice()
}

/// Recursion: as deep as the value, which the reader bounds.
fn push(out: &mut Vec<u8>, value: &Tree) {
    match value {
        Tree::Null => out.push(b'n'),
        Tree::Bool(false) => out.push(b'f'),
        Tree::Bool(true) => out.push(b't'),
        Tree::Number(number) => Decimal::new(number).push_key(out),
        Tree::String(text) => {
            out.push(b's');
            push_text(out, text);
        }
        Tree::Array(items) => {
            out.push(b'[');
            for item in items {
                push(out, item);
            }
            out.push(b']');
        }
        Tree::Object(map) => {
            let mut members: Vec<_> = map.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            out.push(b'{');
            for (key, item) in members {
                push_text(out, key);
                push(out, item);
            }
            out.push(b'}');
        }
    }
}

/// With its length before it, so that no text can look like what follows it.
fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.len().to_string().as_bytes());
    out.push(b':');
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        let rules = crate::value::Rules {
            bytes_max: 1 << 20,
            depth_max: 64,
        };
        crate::value::read(text.as_bytes(), &rules)
            .unwrap()
            .tree()
            .clone()
    }

    fn unique(text: &str) -> bool {
        is_unique(tree(text).as_array().unwrap(), |_| true)
    }

    #[test]
    fn numbers_are_equal_by_value() {
        for equal in [
            "[1, 1.0]",
            "[100, 1e2]",
            "[0, -0.0]",
            "[0.1, 0.10]",
            "[1e-3, 0.001]",
            "[-5, -50e-1]",
            "[1180591620717411303424, 1180591620717411303424.0]",
        ] {
            assert!(!unique(equal), "{equal}");
            let tree = tree(equal);
            assert!(super::equal(&tree[0], &tree[1]), "{equal}");
        }
        for different in [
            "[1, -1]",
            "[9007199254740992, 9007199254740993]",
            "[1, true]",
            "[1, \"1\"]",
        ] {
            assert!(unique(different), "{different}");
            let tree = tree(different);
            assert!(!super::equal(&tree[0], &tree[1]), "{different}");
        }
    }

    #[test]
    fn shape_and_keys_tell_values_apart() {
        assert!(unique(
            r#"[[], [[]], [[], []], {}, null, "", [""], {"a": 1}, {"b": 1}, {"a": "1"}]"#
        ));
        assert!(unique(r#"[["a", "b"], ["ab"], ["a1:b"], [["a"], "b"]]"#));
        assert!(!unique(r#"[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]"#));
    }

    #[test]
    fn a_spent_budget_ends_the_walk() {
        let items = tree("[1, 1]");
        assert!(is_unique(items.as_array().unwrap(), |_| false));
    }
}
