//! The rules: a closed list, each with a code, a name, a severity and a page.

use std::fmt;

use crate::page::{self, Page};
use crate::severity::Severity;

macro_rules! rules {
    ($($variant:ident $code:literal $slug:literal $severity:ident $page:path;)+) => {
        /// What can be found. The first digit of the code is the family: 0 the bytes, 1 the
        /// grammar, 2 the language, 3 modules, 4 control and size.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = concat!("`", $code, "` ", $slug)] $variant,)+
        }

        impl Rule {
            /// Every rule, in the order of the codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code, as in `PY201`: never used again for something else.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            /// The name in words, as in `private-attribute`.
            #[must_use]
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug),+ }
            }

            /// The severity where the policy says nothing.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),+ }
            }

            /// What a person should know of it.
            #[must_use]
            pub const fn page(self) -> &'static Page {
                match self { $(Self::$variant => &$page),+ }
            }
        }
    };
}

rules! {
    EncodingCookie "PY001" "encoding-cookie" Error page::source::ENCODING_COOKIE;
    NotUtf8 "PY002" "not-utf8" Error page::source::NOT_UTF8;
    ControlCharacter "PY003" "control-character" Error page::source::CONTROL_CHARACTER;
    TooLarge "PY004" "too-large" Error page::source::TOO_LARGE;
    TooDeep "PY005" "too-deep" Error page::source::TOO_DEEP;
    InvalidSyntax "PY101" "invalid-syntax" Error page::source::INVALID_SYNTAX;
    NewerSyntax "PY102" "newer-syntax" Error page::source::NEWER_SYNTAX;
    UnlistedNode "PY103" "unlisted-syntax" Error page::source::UNLISTED_NODE;
    PrivateAttribute "PY201" "private-attribute" Error page::name::PRIVATE_ATTRIBUTE;
    InternalAttribute "PY202" "internal-attribute" Error page::name::INTERNAL_ATTRIBUTE;
    RevealingAttribute "PY203" "revealing-attribute" Error page::name::REVEALING_ATTRIBUTE;
    DunderName "PY204" "dunder-name" Error page::name::DUNDER_NAME;
    ReflectiveName "PY210" "reflective-name" Error page::name::REFLECTIVE_NAME;
    FormatMethod "PY211" "format-method" Error page::name::FORMAT_METHOD;
    GetterFunction "PY212" "getter-function" Error page::name::GETTER_FUNCTION;
    TemplateString "PY213" "template-string" Error page::name::TEMPLATE_STRING;
    Decorator "PY220" "decorator" Error page::definition::DECORATOR;
    ExceptionText "PY221" "exception-text" Error page::definition::EXCEPTION_TEXT;
    ClassHook "PY222" "class-hook" Error page::definition::CLASS_HOOK;
    Metaclass "PY223" "metaclass" Error page::definition::METACLASS;
    ClassPattern "PY230" "class-pattern" Error page::definition::CLASS_PATTERN;
    Annotation "PY231" "annotation" Error page::definition::ANNOTATION;
    ProtectedName "PY240" "protected-name" Error page::definition::PROTECTED_NAME;
    ModuleWrite "PY250" "module-write" Error page::module::MODULE_WRITE;
    UnlistedModule "PY310" "unlisted-module" Error page::module::UNLISTED_MODULE;
    UnlistedMember "PY311" "unlisted-member" Error page::module::UNLISTED_MEMBER;
    Deserialiser "PY312" "deserialiser" Error page::module::DESERIALISER;
    StarImport "PY313" "star-import" Error page::module::STAR_IMPORT;
    BareExcept "PY401" "bare-except" Warning page::control::BARE_EXCEPT;
    ExceptStar "PY402" "except-star" Warning page::control::EXCEPT_STAR;
    EndlessLoop "PY410" "endless-loop" Warning page::control::ENDLESS_LOOP;
    HugeConstant "PY420" "huge-constant" Error page::control::HUGE_CONSTANT;
    HugeRepeat "PY421" "huge-repeat" Error page::control::HUGE_REPEAT;
}

impl Rule {
    /// The rule of that code or name, letters of either case.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        let same = |rule: &&Self| {
            rule.code().eq_ignore_ascii_case(text) || rule.slug().eq_ignore_ascii_case(text)
        };
        Self::ALL.iter().find(same).copied()
    }

    /// Whether a source that breaks it is not read any further. Such a finding cannot be
    /// suppressed: nothing is known of what comes behind it.
    #[must_use]
    pub const fn stops_reading(self) -> bool {
        self.is_of_bytes() || matches!(self, Self::TooDeep | Self::InvalidSyntax)
    }

    const fn is_of_bytes(self) -> bool {
        matches!(
            self,
            Self::EncodingCookie | Self::NotUtf8 | Self::ControlCharacter | Self::TooLarge
        )
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
