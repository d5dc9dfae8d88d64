//! Constants that are huge when they are worked out, by their logarithms.

use stockade_syntax::ast::{
    Expr, ExprBinOp, ExprCall, ExprNumberLiteral, Number, Operator, UnaryOp,
};
use stockade_syntax::text::Ranged;

use super::Walk;
use crate::rule::Rule;

/// Constants of constants are followed so deep.
const DEPTH_MAX: usize = 8;
/// Bits of a decimal digit.
const BITS_A_DIGIT: f64 = 3.33;
/// Methods and builtins that make as much as they are told.
const MAKERS: [&str; 6] = ["bytes", "bytearray", "ljust", "rjust", "center", "zfill"];

/// How large a constant of integers is.
#[derive(Clone, Copy)]
struct Size {
    bits: f64,
    value: f64,
}

fn size(expr: &Expr, depth: usize) -> Option<Size> {
    if depth > DEPTH_MAX {
        return None;
    }
    match expr {
        Expr::NumberLiteral(number) => literal(number),
        Expr::UnaryOp(unary) if matches!(unary.op, UnaryOp::USub | UnaryOp::UAdd) => {
            size(&unary.operand, depth + 1)
        }
        Expr::BinOp(binary) => {
            let (left, right) = (
                size(&binary.left, depth + 1)?,
                size(&binary.right, depth + 1)?,
            );
            match binary.op {
                Operator::Add => Some(of(left.value + right.value)),
                Operator::Mult => Some(Size {
                    bits: left.bits + right.bits,
                    value: left.value * right.value,
                }),
                Operator::Pow => Some(Size {
                    bits: left.bits * right.value,
                    value: left.value.powf(right.value),
                }),
                Operator::LShift => Some(Size {
                    bits: left.bits + right.value,
                    value: left.value * right.value.exp2(),
                }),
                // Not larger than the left one, which is looked at by itself.
                Operator::Sub | Operator::Div | Operator::Mod | Operator::FloorDiv => Some(left),
                Operator::RShift | Operator::BitOr | Operator::BitXor | Operator::BitAnd => {
                    Some(left)
                }
                Operator::MatMult => None,
            }
        }
        _ => None,
    }
}

fn of(value: f64) -> Size {
    Size {
        bits: value.max(1.0).log2(),
        value,
    }
}

fn literal(number: &ExprNumberLiteral) -> Option<Size> {
    match &number.value {
        #[allow(
            clippy::cast_precision_loss,
            reason = "a size is compared with a limit, not kept"
        )]
        Number::Int(int) => {
            let digits = number.range().len().to_u32();
            let large = Size {
                bits: f64::from(digits) * BITS_A_DIGIT,
                value: f64::INFINITY,
            };
            Some(int.as_u64().map_or(large, |value| of(value as f64)))
        }
        Number::Float(_) | Number::Complex { .. } => None,
    }
}

fn repeats(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::List(_) | Expr::Tuple(_) | Expr::StringLiteral(_) | Expr::BytesLiteral(_)
    ) || matches!(expr, Expr::FString(_) | Expr::ListComp(_))
}

impl Walk<'_, '_, '_> {
    pub(super) fn number(&mut self, number: &ExprNumberLiteral) {
        let most = self.policy.limits.constant_bits;
        if literal(number).is_some_and(|size| size.bits > f64::from(most)) {
            let message = format!("an integer of more than {most} bits");
            self.report(Rule::HugeConstant, number.range(), message);
        }
    }

    pub(super) fn arithmetic(&mut self, binary: &ExprBinOp) {
        if binary.op == Operator::Mult {
            for (one, other) in [(&binary.left, &binary.right), (&binary.right, &binary.left)] {
                if repeats(one) && self.is_huge(other) {
                    let most = self.policy.limits.repeat;
                    let message = format!("repeated more than {most} times");
                    self.report(Rule::HugeRepeat, binary.range(), message);
                }
            }
        }
        if !matches!(binary.op, Operator::Pow | Operator::LShift) {
            return;
        }
        let most = self.policy.limits.constant_bits;
        let both = size(&binary.left, 1).zip(size(&binary.right, 1));
        let bits = both.map(|(left, right)| match binary.op {
            Operator::Pow => left.bits * right.value,
            _ => left.bits + right.value,
        });
        if bits.is_some_and(|bits| bits > f64::from(most)) {
            let message = format!("an integer of more than {most} bits");
            self.report(Rule::HugeConstant, binary.range(), message);
        }
    }

    pub(super) fn call(&mut self, call: &ExprCall) {
        self.class_by_call(call);
        let name = super::last_name(&call.func).unwrap_or_default();
        let Some(first) = call.arguments.args.first() else {
            return;
        };
        if MAKERS.contains(&name) && self.is_huge(first) {
            let message = format!("`{name}` of more than {}", self.policy.limits.repeat);
            self.report(Rule::HugeRepeat, call.range(), message);
        }
    }

    fn is_huge(&self, expr: &Expr) -> bool {
        #[allow(
            clippy::cast_precision_loss,
            reason = "limits are far below what a float keeps exactly"
        )]
        let most = self.policy.limits.repeat as f64;
        size(expr, 0).is_some_and(|size| size.value > most)
    }
}
