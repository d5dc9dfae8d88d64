//! Formulas made up by a seed: of the part of the language that Python has too.

use std::fmt::Write as _;

/// xorshift64*: small, and the same everywhere.
pub(crate) struct Generator(u64);

/// What a made-up expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Float,
    Str,
    Bool,
    Ints,
    Strs,
}

pub(crate) const KINDS: [Kind; 6] = [
    Kind::Int,
    Kind::Float,
    Kind::Str,
    Kind::Bool,
    Kind::Ints,
    Kind::Strs,
];

/// The inputs that the expressions use, as JSON and as a signature.
pub(crate) const INPUTS: &str = r#"{"a": 7, "b": -3, "z": 0, "big": 9007199254740993,
"f": 2.5, "g": -0.125, "s": "añb C", "t": "b", "xs": [3, -1, 4, 1, 5], "ws": ["one", "", "two"],
"row": {"n": 12, "w": "abc"}}"#;
pub(crate) const SIGNATURE: &str = "a: int, b: int, z: int, big: int, f: float, g: float, \
    s: str[8], t: str[2], xs: list[int, 5], ws: list[str[3], 3], row: {n: int, w: str[3]}";

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        let at = usize::try_from(self.below(texts.len() as u64)).unwrap();
        texts[at]
    }

    /// An expression of any kind.
    pub(crate) fn formula(&mut self, depth: u32) -> String {
        let at = usize::try_from(self.below(6)).unwrap();
        self.of(KINDS[at], depth)
    }

    pub(crate) fn of(&mut self, kind: Kind, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(kind);
        }
        let depth = depth - 1;
        if self.below(9) == 0 {
            let (a, test, b) = (
                self.of(kind, depth),
                self.of(Kind::Bool, depth),
                self.of(kind, depth),
            );
            return format!("({a} if {test} else {b})");
        }
        match kind {
            Kind::Int => self.int(depth),
            Kind::Float => self.float(depth),
            Kind::Str => self.str(depth),
            Kind::Bool => self.bool(depth),
            Kind::Ints => self.ints(depth),
            Kind::Strs => self.strs(depth),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Int => {
                let number = self.below(100).to_string();
                self.pick(&["a", "b", "z", "row['n']", "big", "2", &number, &number])
                    .to_owned()
            }
            Kind::Float => {
                let number = format!("{}.{}", self.below(50), self.below(1000));
                self.pick(&["f", "g", "0.1", "1e10", "0.5", "1e-3", &number, &number])
                    .to_owned()
            }
            Kind::Str => self
                .pick(&[
                    "s",
                    "t",
                    "''",
                    "'x'",
                    "'añ😀'",
                    "row['w']",
                    "' lo Wér '",
                    "'b'",
                ])
                .to_owned(),
            Kind::Bool => self
                .pick(&["True", "False", "a > b", "f <= g", "s == t", "t in s"])
                .to_owned(),
            Kind::Ints => self
                .pick(&["xs", "[]", "[1, 2, 3]", "[5]", "range(4)", "[a, b, z]"])
                .to_owned(),
            Kind::Strs => self.pick(&["ws", "[]", "['x', 'y']", "[s, t]"]).to_owned(),
        }
    }

    fn int(&mut self, depth: u32) -> String {
        let a = self.of(Kind::Int, depth);
        match self.below(18) {
            0..6 => {
                let operator = self.pick(&["+", "-", "*", "//", "%"]);
                format!("({a} {operator} {})", self.of(Kind::Int, depth))
            }
            6 => format!("({a} ** {})", self.below(4)),
            7 => format!("-{a}"),
            8 => format!("abs({a})"),
            9 => format!("len({})", self.of(Kind::Str, depth)),
            10 => format!("len({})", self.of(Kind::Strs, depth)),
            11 => format!("sum({})", self.of(Kind::Ints, depth)),
            12 => format!(
                "{}({})",
                self.pick(&["min", "max"]),
                self.of(Kind::Ints, depth)
            ),
            13 => format!(
                "{}({a}, {})",
                self.pick(&["min", "max"]),
                self.of(Kind::Int, depth)
            ),
            14 => format!("round({})", self.of(Kind::Float, depth)),
            15 => format!("{}[{}]", self.of(Kind::Ints, depth), self.leaf(Kind::Int)),
            16 => format!(
                "find({}, {})",
                self.of(Kind::Str, depth),
                self.leaf(Kind::Str)
            ),
            _ => {
                let operator = self.pick(&["+", "-", "*"]);
                let inside = format!("(x {operator} {})", self.leaf(Kind::Int));
                format!(
                    "sum({inside} for x in {} if x != {})",
                    self.of(Kind::Ints, depth),
                    self.below(5)
                )
            }
        }
    }

    fn float(&mut self, depth: u32) -> String {
        let a = self.of(Kind::Float, depth);
        match self.below(10) {
            0..4 => {
                let operator = self.pick(&["+", "-", "*", "/", "//", "%"]);
                format!("({a} {operator} {})", self.of(Kind::Float, depth))
            }
            4 => {
                let operator = self.pick(&["+", "-", "*", "/", "//", "%"]);
                format!("({a} {operator} {})", self.of(Kind::Int, depth))
            }
            5 => format!(
                "({} / {})",
                self.of(Kind::Int, depth),
                self.of(Kind::Int, depth)
            ),
            6 => format!("round({a}, {})", self.below(6)),
            7 => format!("float({})", self.of(Kind::Int, depth)),
            8 => format!("-{a}"),
            _ => format!("sum([{a}, {}])", self.of(Kind::Float, depth)),
        }
    }

    fn str(&mut self, depth: u32) -> String {
        let a = self.of(Kind::Str, depth);
        match self.below(14) {
            0..2 => format!("({a} + {})", self.of(Kind::Str, depth)),
            2 => format!("{}({a})", self.pick(&["upper", "lower", "strip"])),
            3 => format!(
                "replace({a}, {}, {})",
                self.leaf(Kind::Str),
                self.leaf(Kind::Str)
            ),
            4 => format!("{a}[{}]", self.leaf(Kind::Int)),
            5 => self.slice(&a),
            6 => format!("str({})", self.of(Kind::Int, depth)),
            7 => format!("str({})", self.of(Kind::Float, depth)),
            8 => format!("str({})", self.of(Kind::Ints, depth)),
            9 => format!(
                "join({}, {})",
                self.of(Kind::Strs, depth),
                self.leaf(Kind::Str)
            ),
            10 => {
                // Python 3.11 has no quotes within quotes.
                let a = if a.contains('"') {
                    self.leaf(Kind::Str)
                } else {
                    a
                };
                let spec = self.pick(&["", ":>6", ":<9", ":^7", ":*^8", ":.2", ":s"]);
                format!("f\"<{{{a}{spec}}}>\"")
            }
            11 => {
                let spec = self.pick(&[
                    "", ":d", ":>12", ":,", ":+d", ":012d", ":012,", ":<9,", ":.1%",
                ]);
                let int = self.of(Kind::Int, depth.min(1));
                let int = if int.contains('"') {
                    self.leaf(Kind::Int)
                } else {
                    int
                };
                format!("f\"{{({int}){spec}}}\"")
            }
            12 => {
                let spec = self.pick(&[
                    "", ":.2f", ":,.3f", ":>14.1f", ":+.0f", ":012.3f", ":.1%", ":012,.2f", ":<20",
                ]);
                let float = self.of(Kind::Float, depth.min(1));
                let float = if float.contains('"') {
                    self.leaf(Kind::Float)
                } else {
                    float
                };
                format!("f\"{{({float}){spec}}}\"")
            }
            _ => format!("str({})", self.of(Kind::Strs, depth)),
        }
    }

    fn slice(&mut self, of: &str) -> String {
        let mut text = format!("{of}[");
        for part in 0..3 {
            if part > 0 {
                text.push(':');
            }
            if self.below(2) == 0 {
                let bound = i64::try_from(self.below(9)).unwrap() - 4;
                let bound = if part == 2 && bound == 0 { 1 } else { bound };
                write!(text, "{bound}").unwrap();
            }
        }
        text + "]"
    }

    fn bool(&mut self, depth: u32) -> String {
        match self.below(12) {
            0..2 => {
                let (a, b, c) = (
                    self.of(Kind::Int, depth),
                    self.of(Kind::Float, depth),
                    self.of(Kind::Int, depth),
                );
                let operators = ["<", "<=", ">", ">=", "==", "!="];
                format!(
                    "({a} {} {b} {} {c})",
                    self.pick(&operators),
                    self.pick(&operators)
                )
            }
            2 => {
                let operator = self.pick(&["<", "<=", ">", ">=", "==", "!=", "in", "not in"]);
                format!(
                    "({} {operator} {})",
                    self.of(Kind::Str, depth),
                    self.of(Kind::Str, depth)
                )
            }
            3 => format!(
                "({} in {})",
                self.of(Kind::Int, depth),
                self.of(Kind::Ints, depth)
            ),
            4 => format!(
                "({} not in {})",
                self.of(Kind::Str, depth),
                self.of(Kind::Strs, depth)
            ),
            5 => format!("(not {})", self.of(Kind::Bool, depth)),
            6 => format!(
                "({} and {})",
                self.of(Kind::Bool, depth),
                self.of(Kind::Bool, depth)
            ),
            7 => format!(
                "({} or {})",
                self.of(Kind::Bool, depth),
                self.of(Kind::Bool, depth)
            ),
            8 => format!("bool({})", self.of(Kind::Ints, depth)),
            9 => format!(
                "{}({}, {})",
                self.pick(&["startswith", "endswith"]),
                self.of(Kind::Str, depth),
                self.leaf(Kind::Str)
            ),
            10 => format!(
                "{}(x > {} for x in {})",
                self.pick(&["any", "all"]),
                self.leaf(Kind::Int),
                self.of(Kind::Ints, depth)
            ),
            _ => format!(
                "({} == {})",
                self.of(Kind::Ints, depth),
                self.of(Kind::Ints, depth)
            ),
        }
    }

    fn ints(&mut self, depth: u32) -> String {
        let a = self.of(Kind::Ints, depth);
        match self.below(9) {
            0 => format!(
                "[{}, {}]",
                self.of(Kind::Int, depth),
                self.of(Kind::Int, depth)
            ),
            1 => format!("({a} + {})", self.of(Kind::Ints, depth)),
            2 => self.slice(&a),
            3 => format!("sorted({a})"),
            4 => format!("unique({a})"),
            5 => format!(
                "range({}, {}, {})",
                self.below(5),
                self.below(20),
                1 + self.below(4)
            ),
            6 => format!(
                "[x * {} for x in {a} if x > {}]",
                self.leaf(Kind::Int),
                self.leaf(Kind::Int)
            ),
            7 => format!("[x - y for x in {a} for y in {}]", self.leaf(Kind::Ints)),
            _ => format!("[len(w) for w in {}]", self.of(Kind::Strs, depth)),
        }
    }

    fn strs(&mut self, depth: u32) -> String {
        let a = self.of(Kind::Strs, depth);
        match self.below(7) {
            0 => format!(
                "[{}, {}]",
                self.of(Kind::Str, depth),
                self.of(Kind::Str, depth)
            ),
            1 => format!("({a} + {})", self.of(Kind::Strs, depth)),
            2 => format!(
                "split({}, {})",
                self.of(Kind::Str, depth),
                self.pick(&["'b'", "' '", "'ñ'"])
            ),
            3 => format!("split({})", self.of(Kind::Str, depth)),
            4 => format!("sorted({a})"),
            5 => format!("[c for c in {}]", self.of(Kind::Str, depth)),
            _ => format!("[upper(w) for w in {a} if w != {}]", self.leaf(Kind::Str)),
        }
    }
}
