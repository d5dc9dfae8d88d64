//! f-strings.

use stockade_syntax::ast::{
    ConversionFlag, ExprFString, FStringPart, InterpolatedElement, InterpolatedStringElement,
    InterpolatedStringFormatSpec,
};

use super::lower::{Lowering, shared};
use crate::error::{Code, Fallible, Fault};
use crate::format::Format;
use crate::tree::{Node, Part, place};

impl Lowering<'_> {
    pub(super) fn template(&mut self, template: &ExprFString) -> Fallible<Node> {
        let mut parts = Vec::new();
        for part in template.value.as_slice() {
            match part {
                FStringPart::Literal(text) => parts.push(Part::Text(shared(text.as_str()))),
                FStringPart::FString(inner) => {
                    for element in &*inner.elements {
                        parts.push(self.element(element)?);
                    }
                }
            }
        }
        let start = place(self.tree.parts.len());
        self.tree.parts.extend(parts);
        Ok(Node::Template(start..place(self.tree.parts.len())))
    }

    fn element(&mut self, element: &InterpolatedStringElement) -> Fallible<Part> {
        match element {
            InterpolatedStringElement::Literal(text) => Ok(Part::Text(shared(text))),
            InterpolatedStringElement::Interpolation(field) => {
                let span = self.span(field);
                let value = self.lower(&field.expression)?;
                let format = format(field).map_err(|fault| fault.at(span))?;
                Ok(Part::Value(value, format))
            }
        }
    }
}

fn format(field: &InterpolatedElement) -> Fallible<Format> {
    let plain = match field.conversion {
        ConversionFlag::None | ConversionFlag::Str => field.debug_text.is_none(),
        ConversionFlag::Ascii | ConversionFlag::Repr => false,
    };
    if !plain {
        return Err(
            Fault::new(Code::Format, "there are no `!r`, `!a` and `=` in f-strings")
                .hint("write `{x}` alone"),
        );
    }
    match field.format_spec.as_deref() {
        None => Ok(Format::default()),
        Some(spec) => Format::parse(&literal(spec)?),
    }
}

/// The format's text, which no value takes part in.
fn literal(spec: &InterpolatedStringFormatSpec) -> Fallible<String> {
    let mut text = String::new();
    for element in &*spec.elements {
        match element {
            InterpolatedStringElement::Literal(part) => text.push_str(part),
            InterpolatedStringElement::Interpolation(_) => {
                return Err(Fault::new(Code::Format, "a format is fixed")
                    .hint("write the width as a number: `{x:>10}`"));
            }
        }
    }
    Ok(text)
}
