//! Indexes, slices and fields.

use std::sync::Arc;

use super::{Env, Held, Machine, SITES, TEXT_BYTES};
use crate::error::{Code, Fallible, Fault};
use crate::tree::Id;
use crate::value::{List, VALUE_BYTES, Value, text};

#[cold]
pub(crate) fn missing_key(key: &str) -> Box<Fault> {
    let shown = text::excerpt(key);
    Fault::new(Code::MissingKey, format!("there is no key `{shown}`"))
        .hint(format!("use `get(x, '{shown}')`, which is `None` then"))
}

#[cold]
fn outside(index: i64, len: usize, what: &str) -> Box<Fault> {
    Fault::new(Code::Index, format!("index {index} of {what} of {len}"))
        .hint("test `len(x)` first, or use a slice: `x[:1]`")
}

#[cold]
fn no_items(value: &Value, index: &Value) -> Box<Fault> {
    let (value, index) = (value.kind().phrase(), index.kind().phrase());
    Fault::new(
        Code::OperandsMet,
        format!("{value} cannot be indexed by {index}"),
    )
    .hint("lists and strings are indexed by ints, maps by strings")
}

/// Where in `len` items a position from either end is.
fn place(index: i64, len: usize) -> Option<usize> {
    if index < 0 {
        len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
    } else {
        usize::try_from(index).ok().filter(|at| *at < len)
    }
}

impl Machine<'_> {
    /// A key that is known: most often where it was in the map before.
    #[inline]
    #[allow(
        clippy::needless_pass_by_value,
        reason = "what it holds decides where the result is held"
    )]
    pub(super) fn field<'e>(
        &self,
        base: Held<'e>,
        key: &Arc<str>,
        site: u32,
    ) -> Fallible<Held<'e>> {
        let Value::Map(map) = &*base else {
            return Err(no_items(&base, &Value::Str(Arc::clone(key))));
        };
        self.lookup(map.len(), key)?;
        let site = &self.sites[site as usize % SITES];
        let hint = usize::from(site.get());
        let at = match map.entries().get(hint) {
            Some((name, _)) if **name == **key => hint,
            Some(_) | None => {
                let at = map.position(key).ok_or_else(|| missing_key(key))?;
                site.set(u16::try_from(at).unwrap_or(0));
                at
            }
        };
        Ok(match base {
            Held::Ref(Value::Map(map)) => Held::Ref(&map.entries()[at].1),
            Held::Ref(_) | Held::Own(_) => Held::Own(match &*base {
                Value::Map(map) => map.entries()[at].1.clone(),
                _ => Value::Null,
            }),
        })
    }

    #[allow(clippy::needless_pass_by_value, reason = "as in `field`")]
    pub(super) fn index<'e>(&self, base: Held<'e>, index: &Value) -> Fallible<Held<'e>> {
        match (&*base, index) {
            (Value::List(list), Value::Int(index)) => {
                let len = list.items().len();
                let at = place(*index, len).ok_or_else(|| outside(*index, len, "a list"))?;
                Ok(match base {
                    Held::Ref(Value::List(list)) => Held::Ref(&list.items()[at]),
                    Held::Ref(_) | Held::Own(_) => Held::Own(list.items()[at].clone()),
                })
            }
            (Value::Map(map), Value::Str(key)) => {
                self.lookup(map.len(), key)?;
                let at = map.position(key).ok_or_else(|| missing_key(key))?;
                Ok(match base {
                    Held::Ref(Value::Map(map)) => Held::Ref(&map.entries()[at].1),
                    Held::Ref(_) | Held::Own(_) => Held::Own(map.entries()[at].1.clone()),
                })
            }
            (Value::Str(text), Value::Int(index)) => {
                self.scan(text.len())?;
                let ascii = text.is_ascii();
                let len = if ascii {
                    text.len()
                } else {
                    text.chars().count()
                };
                let at = place(*index, len).ok_or_else(|| outside(*index, len, "a string"))?;
                self.build(TEXT_BYTES + 4)?;
                let letter = if ascii { text.get(at..=at) } else { None };
                Ok(Held::Own(match letter {
                    Some(letter) => Value::str(letter),
                    None => text
                        .chars()
                        .nth(at)
                        .map_or(Value::Null, |c| Value::str(c.encode_utf8(&mut [0; 4]))),
                }))
            }
            (value, index) => Err(no_items(value, index)),
        }
    }

    #[inline(never)]
    pub(super) fn slice<'e>(
        &'e self,
        base: Id,
        bounds: &[Option<Id>; 3],
        env: Option<&'e Env<'e>>,
    ) -> Fallible<Held<'e>> {
        let base = self.eval(base, env)?;
        let mut ints = [None; 3];
        for (slot, id) in ints.iter_mut().zip(bounds) {
            let Some(id) = id else { continue };
            *slot = match &*self.eval(*id, env)? {
                Value::Null => None,
                Value::Int(value) => Some(*value),
                other => {
                    let kind = other.kind().phrase();
                    return Err(Fault::new(
                        Code::OperandsMet,
                        format!("{kind} as a bound of a slice"),
                    )
                    .hint("bounds are ints, as in `x[1:3]`"));
                }
            };
        }
        match &*base {
            Value::List(list) => {
                let picked = picks(ints, list.items().len())?;
                self.charge(picked.len as u64)?;
                self.build(picked.len as u64 * VALUE_BYTES)?;
                let items = picked.places().map(|at| list.items()[at].clone()).collect();
                Ok(Held::Own(Value::List(List::new(items)?)))
            }
            Value::Str(text) => self.slice_text(text, ints).map(Held::Own),
            other => {
                let kind = other.kind().phrase();
                Err(
                    Fault::new(Code::OperandsMet, format!("{kind} cannot be sliced"))
                        .hint("lists and strings can"),
                )
            }
        }
    }

    fn slice_text(&self, text: &str, ints: [Option<i64>; 3]) -> Fallible<Value> {
        self.scan(text.len())?;
        let len = if text.is_ascii() {
            text.len()
        } else {
            text.chars().count()
        };
        let picked = picks(ints, len)?;
        // The letters, and the text made of them.
        self.build(text.len() as u64)?;
        let sliced: String = if picked.step == 1 {
            text.chars().skip(picked.start).take(picked.len).collect()
        } else {
            self.build(len as u64 * 4)?;
            let letters: Vec<char> = text.chars().collect();
            picked.places().map(|at| letters[at]).collect()
        };
        crate::function::shared(self, &sliced)
    }
}

/// Which places a slice takes.
struct Picked {
    start: usize,
    step: i64,
    len: usize,
}

impl Picked {
    fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let (start, step) = (self.start, self.step);
        let magnitude = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
        (0..self.len).map(move |n| {
            // Below the length, so that the product fits.
            if step > 0 {
                start + n * magnitude
            } else {
                start - n * magnitude
            }
        })
    }
}

/// By Python's rules: bounds beyond the ends are the ends.
fn picks(ints: [Option<i64>; 3], len: usize) -> Fallible<Picked> {
    let step = ints[2].unwrap_or(1);
    if step == 0 {
        return Err(Fault::new(Code::ArgumentMet, "the step of a slice is 0")
            .hint("give a step of 1 or -1"));
    }
    let size = i64::try_from(len).unwrap_or(i64::MAX);
    let (least, most) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let bound = |at: i64| {
        let at = if at < 0 { at.saturating_add(size) } else { at };
        at.clamp(least, most)
    };
    let (low, high) = if step > 0 {
        (least, most)
    } else {
        (most, least)
    };
    let from = ints[0].map_or(low, bound);
    let end = ints[1].map_or(high, bound);
    let distance = if step > 0 { end - from } else { from - end };
    let taken = if distance > 0 {
        distance.unsigned_abs().div_ceil(step.unsigned_abs())
    } else {
        0
    };
    Ok(Picked {
        start: usize::try_from(from).unwrap_or(0),
        step,
        len: usize::try_from(taken).unwrap_or(0),
    })
}
