//! The formats of f-strings: a bounded part of Python's.

use crate::error::{Code, Fallible, Fault};
use crate::value::{Decimal, Value, text};

/// Widest field.
pub(crate) const WIDTH_MAX: u16 = 200;
/// Most places after the point.
pub(crate) const PLACES_MAX: u16 = 30;

/// Most units that a format takes besides its bytes.
pub(crate) const FORMAT_TOIL_MAX: u64 = 100;

/// `[[fill]align][sign][0][width][,][.places][type]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format {
    fill: Option<char>,
    align: Option<Align>,
    plus: bool,
    zero: bool,
    width: u16,
    comma: bool,
    places: Option<u16>,
    style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Right,
    Centre,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Style {
    #[default]
    Plain,
    Text,
    Whole,
    Fixed,
    Percent,
}

fn refused(spec: &str) -> Box<Fault> {
    let shown = text::excerpt(spec);
    Fault::new(Code::Format, format!("there is no format `{shown}`")).hint(format!(
        "fill and align (`*^`, `<`, `>`), `+`, `0`, width up to {WIDTH_MAX}, `,`, `.places` up to \
         {PLACES_MAX}, then `d`, `f`, `%` or `s`: `{{x:>10,.2f}}`"
    ))
}

impl Format {
    pub(crate) fn parse(spec: &str) -> Fallible<Self> {
        let mut format = Self::default();
        let mut rest = spec;
        let mut chars = spec.chars();
        let (first, second) = (chars.next(), chars.next());
        if let (Some(fill), Some(align)) = (first, second.and_then(align)) {
            format.fill = Some(fill);
            format.align = Some(align);
            rest = chars.as_str();
        } else if let Some(align) = first.and_then(align) {
            format.align = Some(align);
            rest = &spec[1..];
        }
        if let Some(after) = rest.strip_prefix('+') {
            format.plus = true;
            rest = after;
        }
        if let Some(after) = rest.strip_prefix('0') {
            format.zero = true;
            rest = after;
        }
        format.width = number(&mut rest, WIDTH_MAX, spec)?.unwrap_or(0);
        if let Some(after) = rest.strip_prefix(',') {
            format.comma = true;
            rest = after;
        }
        if let Some(after) = rest.strip_prefix('.') {
            rest = after;
            format.places =
                Some(number(&mut rest, PLACES_MAX, spec)?.ok_or_else(|| refused(spec))?);
        }
        format.style = match rest {
            "" => Style::Plain,
            "s" => Style::Text,
            "d" => Style::Whole,
            "f" => Style::Fixed,
            "%" => Style::Percent,
            _ => return Err(refused(spec)),
        };
        let odd = match format.style {
            Style::Plain => format.places.is_some() && (format.comma || format.zero),
            Style::Text => format.comma || format.plus || format.zero,
            Style::Whole => format.places.is_some(),
            Style::Fixed | Style::Percent => false,
        };
        if odd { Err(refused(spec)) } else { Ok(format) }
    }

    /// Whether there is nothing but the value.
    pub(crate) fn is_plain(self) -> bool {
        self == Self::default()
    }

    /// More bytes than the field adds to the value's own.
    pub(crate) fn extra_bytes(self) -> u64 {
        // A fill takes up to 4 bytes, a float before the point up to 309 digits and their commas.
        if self.is_plain() {
            0
        } else {
            u64::from(self.width) * 4 + u64::from(PLACES_MAX) + 450
        }
    }

    /// Units for digits that are worked out one by one: far beyond the point, or of large floats.
    pub(crate) fn toil(self, value: &Value) -> u64 {
        let many = self.places.is_some_and(|places| places > 17);
        let large = matches!(value, Value::Float(value) if value.abs() >= 1e16);
        if many || large { FORMAT_TOIL_MAX } else { 0 }
    }

    /// Appends the value in this format.
    pub(crate) fn write(self, out: &mut String, value: &Value) -> Fallible<()> {
        let body = match (self.style, value) {
            (Style::Plain | Style::Text, Value::Str(text))
                if !self.comma && !self.plus && !self.zero =>
            {
                let kept = match self.places {
                    Some(places) => cut(text, usize::from(places)),
                    None => text,
                };
                self.pad(out, kept, Align::Left);
                return Ok(());
            }
            (Style::Plain, Value::Int(value)) if self.places.is_none() => value.to_string(),
            (Style::Whole, Value::Int(value)) => value.to_string(),
            (Style::Plain, Value::Float(value)) if self.places.is_none() => {
                let mut body = String::new();
                text::float(&mut body, *value);
                body
            }
            (Style::Plain, Value::Decimal(value)) if self.places.is_none() => value.to_string(),
            (Style::Fixed | Style::Percent, _) => self.fixed(value)?,
            (
                Style::Plain,
                Value::Bool(_)
                | Value::Null
                | Value::Date(_)
                | Value::DateTime(_)
                | Value::Duration(_),
            ) if self.places.is_none() && !self.comma && !self.plus && !self.zero => {
                let mut body = String::new();
                text::write(&mut body, value, &mut crate::value::order::free)?;
                self.pad(out, &body, Align::Left);
                return Ok(());
            }
            _ => return Err(self.unfit(value)),
        };
        self.number(out, &body);
        Ok(())
    }

    fn unfit(self, value: &Value) -> Box<Fault> {
        let style = match self.style {
            Style::Plain => "of this form",
            Style::Text => "`s`",
            Style::Whole => "`d`",
            Style::Fixed => "`f`",
            Style::Percent => "`%`",
        };
        let kind = value.kind().phrase();
        Fault::new(
            Code::ArgumentMet,
            format!("a format {style} is not for {kind}"),
        )
        .hint("`d` is for ints, `f` and `%` for numbers, `s` for strings")
    }

    fn fixed(self, value: &Value) -> Fallible<String> {
        let places = self.places.unwrap_or(6);
        let percent = self.style == Style::Percent;
        let mut body = match value {
            #[allow(clippy::cast_precision_loss, reason = "as in Python")]
            Value::Int(value) if percent => {
                format!("{:.*}", usize::from(places), *value as f64 * 100.0)
            }
            Value::Int(value) => Decimal::from_int(*value).fixed(u32::from(places))?,
            Value::Float(value) => {
                let value = if percent { *value * 100.0 } else { *value };
                if !value.is_finite() {
                    return Err(Fault::new(
                        Code::NotFinite,
                        "the percentage is beyond the range",
                    ));
                }
                format!("{:.*}", usize::from(places), value)
            }
            Value::Decimal(value) if percent => value
                .mul(Decimal::from_int(100))?
                .fixed(u32::from(places))?,
            Value::Decimal(value) => value.fixed(u32::from(places))?,
            Value::Null
            | Value::Bool(_)
            | Value::Str(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Date(_)
            | Value::DateTime(_)
            | Value::Duration(_) => {
                return Err(self.unfit(value));
            }
        };
        if percent {
            body.push('%');
        }
        Ok(body)
    }

    /// A number's digits with sign, commas and padding.
    fn number(self, out: &mut String, body: &str) {
        let (sign, digits) = match body.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None if self.plus => ("+", body),
            None => ("", body),
        };
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        let (whole, rest) = digits.split_at(end);
        let mut whole = whole.to_owned();
        if self.zero && self.align.is_none() {
            let used = sign.len() + rest.len();
            let target = usize::from(self.width).saturating_sub(used);
            whole = zeros(&whole, target, self.comma);
        } else if self.comma {
            whole = grouped(&whole);
        }
        let text = format!("{sign}{whole}{rest}");
        let zero = Self {
            fill: self.fill.or(self.zero.then_some('0')),
            ..self
        };
        zero.pad(out, &text, Align::Right);
    }

    fn pad(self, out: &mut String, body: &str, usual: Align) {
        let missing = usize::from(self.width).saturating_sub(body.chars().count());
        let before = match self.align.unwrap_or(usual) {
            Align::Left => 0,
            Align::Right => missing,
            Align::Centre => missing / 2,
        };
        let fill = self.fill.unwrap_or(' ');
        out.extend(std::iter::repeat_n(fill, before));
        out.push_str(body);
        out.extend(std::iter::repeat_n(fill, missing - before));
    }
}

fn align(c: char) -> Option<Align> {
    match c {
        '<' => Some(Align::Left),
        '>' => Some(Align::Right),
        '^' => Some(Align::Centre),
        _ => None,
    }
}

/// The digits in front, if there are any, as a number up to `max`.
fn number(rest: &mut &str, max: u16, spec: &str) -> Fallible<Option<u16>> {
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    if digits.is_empty() {
        return Ok(None);
    }
    match digits.parse() {
        Ok(number) if number <= max => Ok(Some(number)),
        Ok(_) | Err(_) => Err(refused(spec)),
    }
}

fn cut(text: &str, chars: usize) -> &str {
    text.char_indices()
        .nth(chars)
        .map_or(text, |(at, _)| &text[..at])
}

fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Zeros in front up to `target` characters, the commas among them counted.
fn zeros(digits: &str, target: usize, comma: bool) -> String {
    let mut padded = digits.to_owned();
    loop {
        let shown = if comma {
            grouped(&padded)
        } else {
            padded.clone()
        };
        if shown.len() >= target {
            return shown;
        }
        padded.insert(0, '0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(spec: &str, value: &Value) -> String {
        let mut out = String::new();
        Format::parse(spec).unwrap().write(&mut out, value).unwrap();
        out
    }

    #[test]
    fn formats_are_those_of_python() {
        let int = Value::Int(1_234_567);
        let float = Value::Float(-1234.565);
        for (spec, value, text) in [
            (",", &int, "1,234,567"),
            ("+012,d", &int, "+001,234,567"),
            ("012,", &Value::Int(1), "0,000,000,001"),
            ("*^12", &int, "**1234567***"),
            (",.2f", &float, "-1,234.57"),
            ("012.1f", &float, "-000001234.6"),
            (".1%", &Value::Float(0.256), "25.6%"),
            (">6", &Value::str("añb"), "   añb"),
            (".2s", &Value::str("añb"), "añ"),
            ("", &Value::Bool(true), "True"),
        ] {
            assert_eq!(shown(spec, value), text, "{spec}");
        }
    }

    #[test]
    fn wide_and_unknown_formats_are_refused() {
        for spec in [
            "999999999d",
            "201",
            ".31f",
            "x",
            "e",
            "!r",
            ".",
            "{w}",
            "=10",
            "0.2s",
        ] {
            assert_eq!(
                Format::parse(spec).unwrap_err().code,
                Code::Format,
                "{spec}"
            );
        }
    }
}
