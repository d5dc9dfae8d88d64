//! The kinds of syntax, by the names of Python's `ast`. Every match here is exhaustive: a kind that
//! a new parser brings stops the build until somebody has named it, and no policy lists it.

use serde::Deserialize;
use stockade_syntax::ast::{Expr, Pattern, Stmt, TypeParam};

macro_rules! nodes {
    ($($name:ident)+) => {
        /// A kind of syntax.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[allow(missing_docs, reason = "each is called as in Python's `ast`")]
        pub enum Node {
            $($name),+
        }

        impl Node {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The name, as in Python's `ast`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }
        }
    };
}

nodes! {
    FunctionDef AsyncFunctionDef ClassDef Return Delete TypeAlias Assign AugAssign AnnAssign For
    AsyncFor While If With AsyncWith Match Raise Try TryStar Assert Import ImportFrom LazyImport
    Global Nonlocal Expr Pass Break Continue IpyEscapeCommand
    BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict Set ListComp SetComp DictComp GeneratorExp
    AsyncComprehension Await Yield YieldFrom Compare Call JoinedStr TemplateStr Constant Attribute
    Subscript Starred Name List Tuple Slice
    MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr
    TypeVar TypeVarTuple ParamSpec
}

impl Node {
    pub(crate) fn of_stmt(stmt: &Stmt) -> Self {
        match stmt {
            Stmt::FunctionDef(def) if def.is_async => Self::AsyncFunctionDef,
            Stmt::FunctionDef(_) => Self::FunctionDef,
            Stmt::ClassDef(_) => Self::ClassDef,
            Stmt::Return(_) => Self::Return,
            Stmt::Delete(_) => Self::Delete,
            Stmt::TypeAlias(_) => Self::TypeAlias,
            Stmt::Assign(_) => Self::Assign,
            Stmt::AugAssign(_) => Self::AugAssign,
            Stmt::AnnAssign(_) => Self::AnnAssign,
            Stmt::For(loop_) if loop_.is_async => Self::AsyncFor,
            Stmt::For(_) => Self::For,
            Stmt::While(_) => Self::While,
            Stmt::If(_) => Self::If,
            Stmt::With(with) if with.is_async => Self::AsyncWith,
            Stmt::With(_) => Self::With,
            Stmt::Match(_) => Self::Match,
            Stmt::Raise(_) => Self::Raise,
            Stmt::Try(try_) if try_.is_star => Self::TryStar,
            Stmt::Try(_) => Self::Try,
            Stmt::Assert(_) => Self::Assert,
            Stmt::Import(import) if import.is_lazy => Self::LazyImport,
            Stmt::Import(_) => Self::Import,
            Stmt::ImportFrom(import) if import.is_lazy => Self::LazyImport,
            Stmt::ImportFrom(_) => Self::ImportFrom,
            Stmt::Global(_) => Self::Global,
            Stmt::Nonlocal(_) => Self::Nonlocal,
            Stmt::Expr(_) => Self::Expr,
            Stmt::Pass(_) => Self::Pass,
            Stmt::Break(_) => Self::Break,
            Stmt::Continue(_) => Self::Continue,
            Stmt::IpyEscapeCommand(_) => Self::IpyEscapeCommand,
        }
    }

    pub(crate) fn of_expr(expr: &Expr) -> Self {
        match expr {
            Expr::BoolOp(_) => Self::BoolOp,
            Expr::Named(_) => Self::NamedExpr,
            Expr::BinOp(_) => Self::BinOp,
            Expr::UnaryOp(_) => Self::UnaryOp,
            Expr::Lambda(_) => Self::Lambda,
            Expr::If(_) => Self::IfExp,
            Expr::Dict(_) => Self::Dict,
            Expr::Set(_) => Self::Set,
            Expr::ListComp(_) => Self::ListComp,
            Expr::SetComp(_) => Self::SetComp,
            Expr::DictComp(_) => Self::DictComp,
            Expr::Generator(_) => Self::GeneratorExp,
            Expr::Await(_) => Self::Await,
            Expr::Yield(_) => Self::Yield,
            Expr::YieldFrom(_) => Self::YieldFrom,
            Expr::Compare(_) => Self::Compare,
            Expr::Call(_) => Self::Call,
            Expr::FString(_) => Self::JoinedStr,
            Expr::TString(_) => Self::TemplateStr,
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_) => Self::Constant,
            Expr::Attribute(_) => Self::Attribute,
            Expr::Subscript(_) => Self::Subscript,
            Expr::Starred(_) => Self::Starred,
            Expr::Name(_) => Self::Name,
            Expr::List(_) => Self::List,
            Expr::Tuple(_) => Self::Tuple,
            Expr::Slice(_) => Self::Slice,
            Expr::IpyEscapeCommand(_) => Self::IpyEscapeCommand,
        }
    }

    pub(crate) fn of_pattern(pattern: &Pattern) -> Self {
        match pattern {
            Pattern::MatchValue(_) => Self::MatchValue,
            Pattern::MatchSingleton(_) => Self::MatchSingleton,
            Pattern::MatchSequence(_) => Self::MatchSequence,
            Pattern::MatchMapping(_) => Self::MatchMapping,
            Pattern::MatchClass(_) => Self::MatchClass,
            Pattern::MatchStar(_) => Self::MatchStar,
            Pattern::MatchAs(_) => Self::MatchAs,
            Pattern::MatchOr(_) => Self::MatchOr,
        }
    }

    pub(crate) fn of_type_param(param: &TypeParam) -> Self {
        match param {
            TypeParam::TypeVar(_) => Self::TypeVar,
            TypeParam::TypeVarTuple(_) => Self::TypeVarTuple,
            TypeParam::ParamSpec(_) => Self::ParamSpec,
        }
    }
}
