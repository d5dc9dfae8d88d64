//! A view of a value that counts what the schema validator looks at.
//!
//! A schema and a value together can ask for far more work than either is long: alternatives that
//! refer back to the schema try every branch at every level. The validator knows no budget, so the
//! value has one: when it is spent the value shows nothing more, the validator comes to its end,
//! and its answer is thrown away.

use std::borrow::Cow;
use std::cell::Cell;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use serde_json::{Map, Number, Value as Tree};

use super::decimal::Decimal;
use super::unique;

/// Stack that the validator may take. Threads have 2 MiB by default.
const STACK_BYTES_MAX: usize = 1 << 20;

/// About where the stack stands.
fn stack() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here).addr()
}

/// Steps that are left of a budget.
pub(super) struct Meter {
    left: Cell<u64>,
    text_weight: usize,
    /// Where the stack stood at the start.
    stack: usize,
}

impl Meter {
    /// A budget of `steps`, of which 16 bytes of a text cost `text_weight`.
    pub(super) fn new(steps: u64, text_weight: usize) -> Self {
        Self {
            left: Cell::new(steps),
            text_weight,
            stack: stack(),
        }
    }

    /// Takes `steps` off. Returns whether there were as many. A validator that has gone too deep
    /// into the stack has spent everything.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let steps = if self.stack.abs_diff(stack()) > STACK_BYTES_MAX {
            u64::MAX
        } else {
            u64::try_from(steps).unwrap_or(u64::MAX)
        };
        let left = self.left.get().saturating_sub(steps);
        self.left.set(left);
        left > 0
    }

    fn spend_text(&self, text: &str) -> bool {
        self.spend(1 + (text.len() / 16).saturating_mul(self.text_weight))
    }

    /// Whether the budget is spent, so that the validator's answer means nothing.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }
}

/// The representation of JSON that the validator is compiled for.
pub(super) struct Metered;

/// One value under a budget.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    tree: &'a Tree,
    /// Missing for the name of a property, whose work was counted with its object.
    meter: Option<&'a Meter>,
    /// Bytes of the keys on the way here: a fault below writes them down.
    path_bytes: usize,
}

impl<'a> View<'a> {
    pub(super) fn new(tree: &'a Tree, meter: &'a Meter) -> Self {
        Self {
            tree,
            meter: Some(meter),
            path_bytes: 0,
        }
    }

    /// The number by its value, if this is one and the budget is not spent.
    pub(super) fn decimal(&self) -> Option<Decimal> {
        let number = self.tree.as_number()?;
        self.spend(number_steps(number))
            .then(|| Decimal::new(number))
    }

    pub(super) fn spend(&self, steps: usize) -> bool {
        self.meter.is_none_or(|meter| meter.spend(steps))
    }

    /// The view of a part of this, whose key has `key_bytes`.
    fn below(&self, tree: &'a Tree, key_bytes: usize) -> Option<Self> {
        let path_bytes = self.path_bytes + key_bytes;
        let view = Self {
            tree,
            meter: self.meter,
            path_bytes,
        };
        self.spend(1 + path_bytes / 64).then_some(view)
    }
}

/// What taking a number apart costs.
fn number_steps(number: &Number) -> usize {
    3 + number.as_str().len() / 16
}

/// A number whose wholeness is decided by its digits: the library divides fractions for it, which
/// takes 3 ms for `1e-9000`.
pub(super) struct Exact<'a>(&'a Number);

impl JsonNumber for Exact<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0.as_str())
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Borrowed(self.0)
    }

    fn is_integer(&self) -> bool {
        Decimal::new(self.0).is_integer()
    }
}

impl Json for Metered {
    type Node<'a> = View<'a>;
    type PreparedKey = String;
    type StringBuffer = Tree;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut Tree, string: &str, f: impl FnOnce(View<'_>) -> T) -> T {
        *buffer = Tree::String(string.to_owned());
        f(View {
            tree: buffer,
            meter: None,
            path_bytes: 0,
        })
    }
}

impl<'a> Node<'a, Metered> for View<'a> {
    type Object = Members<'a>;
    type Array = Items<'a>;
    type Number = Exact<'a>;

    fn as_object(&self) -> Option<Members<'a>> {
        let map = self.tree.as_object()?;
        self.spend(1).then_some(Members { map, parent: *self })
    }

    fn as_array(&self) -> Option<Items<'a>> {
        let items = self.tree.as_array()?;
        self.spend(1).then_some(Items {
            items,
            parent: *self,
        })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.tree.as_str()?;
        self.meter
            .is_none_or(|meter| meter.spend_text(text))
            .then_some(Cow::Borrowed(text))
    }

    fn as_number(&self) -> Option<Exact<'a>> {
        let number = self.tree.as_number()?;
        self.spend(number_steps(number)).then_some(Exact(number))
    }

    fn as_boolean(&self) -> Option<bool> {
        self.tree.as_bool()
    }

    fn is_null(&self) -> bool {
        self.tree.is_null()
    }

    fn is_number(&self) -> bool {
        self.tree.is_number()
    }

    fn is_string(&self) -> bool {
        self.tree.is_string()
    }

    fn json_type(&self) -> JsonType {
        match self.tree {
            Tree::Null => JsonType::Null,
            Tree::Bool(_) => JsonType::Boolean,
            Tree::Number(_) => JsonType::Number,
            Tree::String(_) => JsonType::String,
            Tree::Array(_) => JsonType::Array,
            Tree::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Tree) -> bool {
        let steps = match self.tree {
            Tree::Null | Tree::Bool(_) => 1,
            Tree::Number(number) => number_steps(number),
            Tree::String(text) => 1 + text.len() / 16,
            Tree::Array(items) => 1 + items.len(),
            Tree::Object(map) => 1 + map.len(),
        };
        self.spend(steps) && unique::equal(self.tree, expected)
    }

    /// Nothing of the value: this is asked for when a fault is written down, and each alternative
    /// of a schema would keep a copy of all that it did not fit.
    fn to_value(&self) -> Cow<'a, Tree> {
        Cow::Owned(Tree::Null)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref(self.tree).addr()))
    }
}

/// The members of an object under a budget.
pub(super) struct Members<'a> {
    map: &'a Map<String, Tree>,
    parent: View<'a>,
}

impl<'a> Object<'a, Metered> for Members<'a> {
    type Node = View<'a>;
    type MemberName = &'a str;
    type MembersIter = MemberViews<'a>;

    fn len(&self) -> usize {
        self.map.len()
    }

    fn get(&self, key: &String) -> Option<View<'a>> {
        let tree = self.map.get(key)?;
        self.parent.below(tree, key.len())
    }

    fn members(&self) -> MemberViews<'a> {
        MemberViews {
            members: self.map.iter(),
            parent: self.parent,
        }
    }
}

/// Goes through the members of an object until the budget is spent.
pub(super) struct MemberViews<'a> {
    members: serde_json::map::Iter<'a>,
    parent: View<'a>,
}

impl<'a> Iterator for MemberViews<'a> {
    type Item = (&'a str, View<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, tree) = self.members.next()?;
        let is_affordable = self.parent.meter.is_none_or(|meter| meter.spend_text(key));
        let view = self.parent.below(tree, key.len())?;
        is_affordable.then_some((key.as_str(), view))
    }
}

/// The items of an array under a budget.
pub(super) struct Items<'a> {
    items: &'a [Tree],
    parent: View<'a>,
}

impl<'a> Array<'a, Metered> for Items<'a> {
    type Node = View<'a>;
    type ElementsIter = ItemViews<'a>;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn elements(&self) -> ItemViews<'a> {
        ItemViews {
            items: self.items.iter(),
            parent: self.parent,
        }
    }

    fn is_unique(&self) -> bool {
        unique::is_unique(self.items, |steps| self.parent.spend(steps))
    }
}

/// Goes through the items of an array until the budget is spent.
pub(super) struct ItemViews<'a> {
    items: std::slice::Iter<'a, Tree>,
    parent: View<'a>,
}

impl<'a> Iterator for ItemViews<'a> {
    type Item = View<'a>;

    fn next(&mut self) -> Option<View<'a>> {
        let tree = self.items.next()?;
        self.parent.below(tree, 0)
    }
}
