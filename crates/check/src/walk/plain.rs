//! What is plain: annotations that are types, templates without attributes, padding that is small.

use stockade_syntax::ast::{Expr, InterpolatedStringElement, Operator};
use stockade_syntax::text::Ranged;

use super::Walk;
use crate::rule::Rule;

/// A number that a template asks for with more digits is a large one.
const DIGITS_MAX: usize = 18;

/// Whether no field of a template for `str.format` reads an attribute or an item.
pub(super) fn is_template(text: &str) -> bool {
    // What is within braces, and before the format: one entry a level.
    let mut names = Vec::new();
    for c in text.chars() {
        match c {
            '{' => names.push(true),
            '}' => drop(names.pop()),
            ':' | '!' => {
                if let Some(last) = names.last_mut() {
                    *last = false;
                }
            }
            '.' | '[' if names.last() == Some(&true) => return false,
            _ => {}
        }
    }
    true
}

/// Whether an annotation is a type: names, dots, subscripts, `|`, literals.
fn is_type(expr: &Expr) -> bool {
    match expr {
        Expr::Name(_) | Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => true,
        // As `Literal` has them.
        literal if literal.is_literal_expr() && !literal.is_string_literal_expr() => true,
        // It is evaluated like the rest, when somebody asks for types.
        Expr::StringLiteral(text) => {
            let of_type = |c: char| c.is_alphanumeric() || " _.,|[]-:/".contains(c);
            let text = text.value.to_str();
            text.chars().all(of_type) && !text.contains("__")
        }
        Expr::Attribute(attribute) => is_type(&attribute.value),
        Expr::Subscript(subscript) => is_type(&subscript.value) && is_type(&subscript.slice),
        Expr::BinOp(binary) => {
            binary.op == Operator::BitOr && is_type(&binary.left) && is_type(&binary.right)
        }
        Expr::UnaryOp(unary) => matches!(unary.operand.as_ref(), Expr::NumberLiteral(_)),
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_type),
        Expr::List(list) => list.elts.iter().all(is_type),
        Expr::Starred(starred) => is_type(&starred.value),
        _ => false,
    }
}

impl Walk<'_, '_, '_> {
    pub(super) fn annotation(&mut self, expr: &Expr) {
        if !is_type(expr) {
            let message = "an annotation that is more than a type";
            self.report(Rule::Annotation, expr.range(), message);
        }
    }

    /// `f'{x:>99999999999}'` is as long as it says.
    pub(super) fn padding(&mut self, element: &InterpolatedStringElement) {
        let InterpolatedStringElement::Interpolation(field) = element else {
            return;
        };
        let parts = field.format_spec.iter().flat_map(|spec| &*spec.elements);
        for part in parts {
            let InterpolatedStringElement::Literal(literal) = part else {
                continue;
            };
            let numbers = literal.value.split(|c: char| !c.is_ascii_digit());
            let most = self.policy.limits.repeat;
            let large = |digits: &str| {
                let digits = digits.trim_start_matches('0');
                digits.len() > DIGITS_MAX || digits.parse::<u64>().is_ok_and(|n| n > most)
            };
            if numbers.into_iter().any(large) {
                let message = format!("padding of more than {most}");
                self.report(Rule::HugeRepeat, literal.range(), message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_that_reads_attributes_is_not_plain() {
        for plain in [
            "",
            "{}",
            "{0:.2f}",
            "{name!r:>{width}}",
            "a.b [c] {{x}}",
            "{:%Y.%m}",
        ] {
            assert!(is_template(plain), "{plain}");
        }
        for reads in [
            "{0.__class__}",
            "{x[0]}",
            "{:{0.x}}",
            "{a:>{b[0]}}",
            "{a!r:{c.d}}",
        ] {
            assert!(!is_template(reads), "{reads}");
        }
    }
}
