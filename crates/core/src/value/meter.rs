//! A view of a value that counts what the schema validator looks at.
//!
//! A schema and a value together can ask for far more work than either is long: alternatives that
//! refer back to the schema try every branch at every level. The validator knows no budget, so the
//! value has one: when it is spent the value shows nothing more, the validator comes to its end,
//! and its answer is thrown away.

use std::borrow::Cow;
use std::cell::Cell;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, Node, NodeIdentity, Object};
use serde_json::{Map, Number, Value as Tree};

use super::unique;

/// Steps that are left of a budget.
pub(super) struct Meter {
    left: Cell<u64>,
}

impl Meter {
    pub(super) fn new(steps: u64) -> Self {
        Self {
            left: Cell::new(steps),
        }
    }

    /// Takes `steps` off. Returns whether there were as many.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let left = self.left.get().saturating_sub(steps);
        self.left.set(left);
        left > 0
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
}

impl<'a> View<'a> {
    pub(super) fn new(tree: &'a Tree, meter: &'a Meter) -> Self {
        Self {
            tree,
            meter: Some(meter),
        }
    }

    fn spend(&self, steps: usize) -> bool {
        self.meter.is_none_or(|meter| meter.spend(steps))
    }
}

/// What looking at a text costs: a pattern walks it.
fn text_steps(text: &str) -> usize {
    1 + text.len() / 16
}

/// What looking at a number costs: comparing it exactly may take as many digits as its exponent
/// says, in a library whose division takes their square.
fn number_steps(number: &Number) -> usize {
    let written = number.as_str();
    let Some((_, exponent)) = written.split_once(['e', 'E']) else {
        return 1 + written.len() / 4;
    };
    let zeros = exponent.parse::<i64>().map_or(usize::MAX / 2, |zeros| {
        usize::try_from(zeros.unsigned_abs()).unwrap_or(usize::MAX / 2)
    });
    // Past some thousands of digits the library compares in linear time.
    let digits = written.len() + zeros.min(10_000);
    1 + digits / 4
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
        })
    }
}

impl<'a> Node<'a, Metered> for View<'a> {
    type Object = Members<'a>;
    type Array = Items<'a>;
    type Number = &'a Number;

    fn as_object(&self) -> Option<Members<'a>> {
        let map = self.tree.as_object()?;
        self.spend(1).then_some(Members {
            map,
            meter: self.meter,
        })
    }

    fn as_array(&self) -> Option<Items<'a>> {
        let items = self.tree.as_array()?;
        self.spend(1).then_some(Items {
            items,
            meter: self.meter,
        })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.tree.as_str()?;
        self.spend(text_steps(text)).then_some(Cow::Borrowed(text))
    }

    fn as_number(&self) -> Option<&'a Number> {
        let number = self.tree.as_number()?;
        self.spend(number_steps(number)).then_some(number)
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
            Tree::String(text) => text_steps(text),
            Tree::Array(items) => 1 + items.len(),
            Tree::Object(map) => 1 + map.len(),
        };
        self.spend(steps) && unique::equal(self.tree, expected)
    }

    fn to_value(&self) -> Cow<'a, Tree> {
        Cow::Borrowed(self.tree)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref(self.tree).addr()))
    }
}

/// The members of an object under a budget.
pub(super) struct Members<'a> {
    map: &'a Map<String, Tree>,
    meter: Option<&'a Meter>,
}

impl<'a> Object<'a, Metered> for Members<'a> {
    type Node = View<'a>;
    type MemberName = &'a str;
    type MembersIter = MemberViews<'a>;

    fn len(&self) -> usize {
        self.map.len()
    }

    fn get(&self, key: &String) -> Option<View<'a>> {
        let meter = self.meter;
        let is_affordable = meter.is_none_or(|meter| meter.spend(1));
        self.map
            .get(key)
            .filter(|_| is_affordable)
            .map(|tree| View { tree, meter })
    }

    fn members(&self) -> MemberViews<'a> {
        MemberViews {
            members: self.map.iter(),
            meter: self.meter,
        }
    }
}

/// Goes through the members of an object until the budget is spent.
pub(super) struct MemberViews<'a> {
    members: serde_json::map::Iter<'a>,
    meter: Option<&'a Meter>,
}

impl<'a> Iterator for MemberViews<'a> {
    type Item = (&'a str, View<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, tree) = self.members.next()?;
        let meter = self.meter;
        let is_affordable = meter.is_none_or(|meter| meter.spend(text_steps(key)));
        is_affordable.then_some((key.as_str(), View { tree, meter }))
    }
}

/// The items of an array under a budget.
pub(super) struct Items<'a> {
    items: &'a [Tree],
    meter: Option<&'a Meter>,
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
            meter: self.meter,
        }
    }

    fn is_unique(&self) -> bool {
        unique::is_unique(self.items, |steps| {
            self.meter.is_none_or(|meter| meter.spend(steps))
        })
    }
}

/// Goes through the items of an array until the budget is spent.
pub(super) struct ItemViews<'a> {
    items: std::slice::Iter<'a, Tree>,
    meter: Option<&'a Meter>,
}

impl<'a> Iterator for ItemViews<'a> {
    type Item = View<'a>;

    fn next(&mut self) -> Option<View<'a>> {
        let tree = self.items.next()?;
        let meter = self.meter;
        meter
            .is_none_or(|meter| meter.spend(1))
            .then_some(View { tree, meter })
    }
}
