//! Counts nesting and chains over the parser's own tokens, before anything recursive sees them.
//! Counts too much rather than too little. A scanner of our own would differ from the parser's in
//! corners (`1f"{'`, `not` and a no-break space), and each of them is a way past the bounds.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::lexer::lex;

use crate::{Grammar, Wrong};

/// How deep a tree may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Levels of brackets, blocks, signs, `not`, `else`, `lambda` and the like, one in another.
    pub nesting_max: usize,
    /// Operators, calls, dots and subscripts in one chain, those of the levels around it included.
    pub chain_max: usize,
}

/// A longer source is counted token by token at once.
const SHORT_BYTES: usize = 1 << 10;

/// Where counting stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excess {
    pub(crate) kind: Wrong,
    grammar: Grammar,
    /// Tokens before the one that is too much.
    solid: usize,
}

impl Excess {
    /// The place in bytes. The lexer tells no places, so it is searched for: the shortest start of
    /// the source that has so many tokens.
    pub(crate) fn at(self, source: &str) -> usize {
        let (mut low, mut high) = (0, source.len());
        while low < high {
            let middle = source.floor_char_boundary(usize::midpoint(low, high));
            let enough = source
                .get(..middle)
                .is_some_and(|head| solid(head, self.grammar) >= self.solid);
            if enough {
                high = middle;
            } else {
                low = source.ceil_char_boundary(middle + 1);
            }
        }
        high
    }
}

/// Tokens up to the first that is none, without those that the end of a source makes up.
fn solid(source: &str, grammar: Grammar) -> usize {
    let mut lexer = lex(source, grammar.mode());
    let mut count = 0;
    loop {
        let kind = lexer.next_token();
        if matches!(kind, TokenKind::EndOfFile | TokenKind::Unknown) {
            return count;
        }
        count += usize::from(is_solid(kind));
    }
}

fn is_solid(kind: TokenKind) -> bool {
    let made_up = matches!(kind, TokenKind::Newline | TokenKind::NonLogicalNewline);
    !made_up && !matches!(kind, TokenKind::Indent | TokenKind::Dedent)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opened {
    Source,
    Round,
    Square,
    Curly,
    Text,
}

struct Level {
    opened: Opened,
    /// Tokens that make the tree deeper by recursion of the parser.
    deep: usize,
    /// Tokens that make it deeper to the left.
    chain: usize,
}

struct Count {
    grammar: Grammar,
    levels: Vec<Level>,
    blocks: usize,
    deep: usize,
    chain: usize,
    /// Whether the last token ends an operand: a bracket then calls, a sign is between two.
    operand: bool,
}

/// At most so many tokens are in `source`: what is no letter, digit or space is a token at most,
/// and so is each run of letters or of digits.
fn tokens_max(source: &str) -> usize {
    let mut count = 0;
    let mut last = b' ';
    for byte in source.bytes() {
        let class = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => b'a',
            b'0'..=b'9' => b'0',
            b' ' | b'\t' | b'\x0c' => b' ',
            other => other,
        };
        count += usize::from(class != b' ' && (class != last || !matches!(class, b'a' | b'0')));
        last = class;
    }
    count
}

/// Refuses a source whose tree would be deeper than `bounds`, or whose brackets do not match.
pub(crate) fn bound(source: &str, grammar: Grammar, bounds: Bounds) -> Result<(), Excess> {
    // Each level takes a token. Most formulas end here.
    if source.len() <= SHORT_BYTES && tokens_max(source) <= bounds.nesting_max.min(bounds.chain_max)
    {
        return Ok(());
    }
    let mut lexer = lex(source, grammar.mode());
    let mut count = Count {
        grammar,
        levels: vec![level(Opened::Source)],
        blocks: 0,
        deep: 0,
        chain: 0,
        operand: false,
    };
    let mut tokens = 0;
    loop {
        let kind = lexer.next_token();
        if kind == TokenKind::EndOfFile {
            return Ok(());
        }
        let wrong = if count.token(kind) {
            count.excess(bounds)
        } else {
            Some(Wrong::Syntax)
        };
        if let Some(kind) = wrong {
            return Err(Excess {
                kind,
                grammar,
                solid: tokens,
            });
        }
        tokens += usize::from(is_solid(kind));
    }
}

fn level(opened: Opened) -> Level {
    Level {
        opened,
        deep: 0,
        chain: 0,
    }
}

impl Count {
    fn excess(&self, bounds: Bounds) -> Option<Wrong> {
        if self.deep + self.levels.len() - 1 + self.blocks > bounds.nesting_max {
            Some(Wrong::TooDeep)
        } else if self.chain > bounds.chain_max {
            Some(Wrong::ChainTooLong)
        } else {
            None
        }
    }

    /// Whether the token can stand here. After one that cannot, the parser guesses what was meant,
    /// and reads other tokens than these.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "the parser's tokens: those that are not named make a chain longer, which is the \
                  most that a token between two operands can do"
    )]
    fn token(&mut self, kind: TokenKind) -> bool {
        use TokenKind as T;
        match kind {
            T::Unknown | T::IpyEscapeCommand | T::Question => return false,
            T::Comment | T::NonLogicalNewline | T::FStringMiddle | T::TStringMiddle => {}
            T::Newline | T::Comma | T::Semi => self.beside(),
            T::Indent => self.blocks += 1,
            T::Dedent => self.blocks = self.blocks.saturating_sub(1),
            T::Lpar => self.open(Opened::Round),
            T::Lsqb => self.open(Opened::Square),
            T::Lbrace => self.open(Opened::Curly),
            T::FStringStart | T::TStringStart => self.open(Opened::Text),
            T::Rpar => return self.close(Opened::Round),
            T::Rsqb => return self.close(Opened::Square),
            T::Rbrace => return self.close(Opened::Curly),
            T::FStringEnd | T::TStringEnd => return self.close(Opened::Text),
            T::Name
            | T::Int
            | T::Float
            | T::Complex
            | T::String
            | T::Ellipsis
            | T::True
            | T::False
            | T::None
            | T::Case
            | T::Lazy
            | T::Match
            | T::Type => self.operand = true,
            // In a program a block can stand behind it, or what the parser takes for one.
            T::Colon if self.grammar == Grammar::Expression => self.operand = false,
            T::Colon
            | T::Not
            | T::Lambda
            | T::Await
            | T::Yield
            | T::Else
            | T::For
            | T::Async
            | T::DoubleStar => self.deeper(),
            T::Plus | T::Minus | T::Tilde | T::Star if !self.operand => self.deeper(),
            _ => {
                self.add(0, 1);
                self.operand = false;
            }
        }
        true
    }

    fn add(&mut self, deep: usize, chain: usize) {
        self.deep += deep;
        self.chain += chain;
        if let Some(level) = self.levels.last_mut() {
            level.deep += deep;
            level.chain += chain;
        }
    }

    fn deeper(&mut self) {
        self.add(1, 0);
        self.operand = false;
    }

    /// The next part begins, beside the last one.
    fn beside(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.deep -= std::mem::take(&mut level.deep);
            self.chain -= std::mem::take(&mut level.chain);
        }
        self.operand = false;
    }

    fn open(&mut self, opened: Opened) {
        // Text beside text is one string.
        if self.operand && opened != Opened::Text {
            self.add(0, 1);
        }
        self.levels.push(level(opened));
        self.operand = false;
    }

    fn close(&mut self, opened: Opened) -> bool {
        if self.levels.last().map(|level| level.opened) != Some(opened) {
            return false;
        }
        self.beside();
        self.levels.pop();
        self.operand = true;
        true
    }
}
