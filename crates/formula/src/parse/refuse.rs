//! What is Python and not in the language: a code each, and what to write instead.

use stockade_syntax::ast::{Expr, Operator, Stmt};
use stockade_syntax::text::Ranged;

use super::span_of;
use crate::error::{Code, Fault};

/// The code of a source that is a program: that of its first statement that is no expression.
pub(super) fn statement(source: &str, offset: u32) -> Option<Box<Fault>> {
    let body = stockade_syntax::statements(source).ok()?;
    let odd = body
        .iter()
        .find(|statement| !matches!(statement, Stmt::Expr(_)));
    let (code, message, hint) = match odd {
        Some(Stmt::Import(_) | Stmt::ImportFrom(_)) => (
            Code::Import,
            "a formula imports nothing",
            "the functions are all there; `len(x)`",
        ),
        Some(Stmt::Assign(_) | Stmt::AugAssign(_) | Stmt::AnnAssign(_)) => (
            Code::Assignment,
            "a formula assigns nothing",
            "write the expression alone; for a part used twice: `[y for y in [a * b] if y > 1]`",
        ),
        Some(_) => (
            Code::Statement,
            "a formula is one expression, not a program",
            "`a if x else b`",
        ),
        None if body.len() > 1 => (
            Code::Statement,
            "a formula is one expression, not several lines",
            "use parentheses",
        ),
        None => return None,
    };
    let place = odd.or(body.get(1))?.range();
    Some(
        Fault::new(code, message)
            .hint(hint)
            .at(span_of(place, offset)),
    )
}

/// The code of an expression that is not in the language.
#[allow(
    clippy::match_same_arms,
    reason = "every arm is listed, so that a new one is noticed"
)]
pub(super) fn expression(expr: &Expr) -> Box<Fault> {
    let (code, message, hint): (Code, &str, String) = match expr {
        Expr::Attribute(attribute) => {
            return self::attribute(attribute.attr.as_str());
        }
        Expr::Lambda(_) => (
            Code::Lambda,
            "a formula defines no functions",
            "use a comprehension, as in `[x * 2 for x in items]`".to_owned(),
        ),
        Expr::Named(_) => (
            Code::Walrus,
            "a formula assigns nothing",
            "repeat the expression, or bind it: `[y for y in [a * b]]`".to_owned(),
        ),
        Expr::Starred(_) => (
            Code::Starred,
            "`*` in front of a value",
            "add lists: `a + b`".to_owned(),
        ),
        Expr::Await(_) => (
            Code::Await,
            "a formula waits for nothing",
            "drop `await`".to_owned(),
        ),
        Expr::Yield(_) | Expr::YieldFrom(_) => (
            Code::Yield,
            "a formula gives one value",
            "use a list".to_owned(),
        ),
        Expr::Tuple(_) => (
            Code::Tuple,
            "there are no tuples",
            "use a list: `[a, b]`".to_owned(),
        ),
        Expr::Set(_) | Expr::SetComp(_) => (
            Code::Set,
            "there are no sets",
            "use `unique([a, b])`".to_owned(),
        ),
        Expr::Generator(_) => (
            Code::Generator,
            "a generator stands alone in the call of a function that takes a list",
            "use a list: `[x for x in items]`".to_owned(),
        ),
        Expr::BytesLiteral(_) | Expr::EllipsisLiteral(_) | Expr::TString(_) => (
            Code::Literal,
            "no value of the language",
            "use a string: `'text'`".to_owned(),
        ),
        Expr::Slice(_) | Expr::IpyEscapeCommand(_) => cannot_stand_here(),
        // These are in the language, and never refused.
        Expr::BoolOp(_) | Expr::BinOp(_) | Expr::UnaryOp(_) | Expr::If(_) | Expr::Dict(_) => {
            cannot_stand_here()
        }
        Expr::ListComp(_) | Expr::DictComp(_) | Expr::Compare(_) | Expr::Call(_) => {
            cannot_stand_here()
        }
        Expr::FString(_) | Expr::StringLiteral(_) | Expr::NumberLiteral(_) => cannot_stand_here(),
        Expr::BooleanLiteral(_) | Expr::NoneLiteral(_) | Expr::Subscript(_) => cannot_stand_here(),
        Expr::Name(_) | Expr::List(_) => cannot_stand_here(),
    };
    Fault::new(code, message).hint(hint)
}

fn cannot_stand_here() -> (Code, &'static str, String) {
    (
        Code::Syntax,
        "this cannot stand here",
        "as in `price * qty`".to_owned(),
    )
}

fn attribute(name: &str) -> Box<Fault> {
    let shown = crate::value::text::excerpt(name);
    let hint = match name {
        "append" | "extend" => "add lists: `a + [b]`".to_owned(),
        "items" => "use `keys(map)` and `map[key]`".to_owned(),
        "format" => "use an f-string: `f'{x:.2f}'`".to_owned(),
        "join" => "use `join(list, ', ')`".to_owned(),
        _ if crate::function::Function::named(name).is_some() => {
            format!("use the function: `{name}(x)`")
        }
        _ if name.starts_with('_') => "names that begin with `_` lead nowhere here".to_owned(),
        _ => format!("a field of a map is `x[\"{shown}\"]`"),
    };
    Fault::new(
        Code::Attribute,
        format!("a value has no attributes: `.{shown}`"),
    )
    .hint(hint)
}

/// The code of a binary operator that is not in the language.
pub(super) fn operator(operator: Operator) -> Box<Fault> {
    let (symbol, hint) = match operator {
        Operator::BitAnd => ("&", "use `and`"),
        Operator::BitOr => ("|", "use `or`"),
        Operator::BitXor => ("^", "use `!=` between bools, or `**` for powers"),
        Operator::LShift => ("<<", "use `* 2 ** n`"),
        Operator::RShift => (">>", "use `// 2 ** n`"),
        Operator::MatMult => ("@", "use `sum(...)`"),
        Operator::Add
        | Operator::Sub
        | Operator::Mult
        | Operator::Div
        | Operator::Mod
        | Operator::Pow
        | Operator::FloorDiv => ("", "use it between two values"),
    };
    Fault::new(Code::Operator, format!("there is no operator `{symbol}`")).hint(hint)
}
