//! Pages of the rules for bytes and grammar.

use super::{Page, Sample};

pub(crate) static ENCODING_COOKIE: Page = Page {
    summary: "a comment in the first two lines names an encoding that is not UTF-8",
    why: "Python decodes the file as the comment says, so it runs another program than the one \
          that was read here.",
    bad: Sample::of("# -*- coding: raw_unicode_escape -*-\nx = 1\n# \\u000aprint(2)\n"),
    good: "# -*- coding: utf-8 -*-\nx = 1\n",
    blind: "Nothing known: a cookie is looked for where Python looks for it.",
};

pub(crate) static NOT_UTF8: Page = Page {
    summary: "the file is not UTF-8",
    why: "Bytes that are no text are read differently by every reader.",
    bad: Sample {
        part: b"name = 'caf\xe9'\n",
        times: 1,
    },
    good: "name = 'café'\n",
    blind: "Text that was decoded wrongly before it was saved as UTF-8.",
};

pub(crate) static CONTROL_CHARACTER: Page = Page {
    summary: "a NUL, a lone carriage return, another control character or one that reorders text",
    why: "What a person sees in a review is then not what runs. Bidirectional controls can move \
          code into what looks like a comment.",
    bad: Sample::of("access = 'user\u{202e} \u{2066}# admin\u{2069} \u{2066}'\n"),
    good: "access = 'user'  # admin\n",
    blind: "Letters that look alike (`а` and `a`), and zero-width characters.",
};

pub(crate) static TOO_LARGE: Page = Page {
    summary: "the file is larger than the policy's `limits.source-bytes`",
    why: "Nobody reviews it, and checking takes time in proportion.",
    bad: Sample {
        part: b"total = 1 + 2 + 3\n",
        times: 60_000,
    },
    good: "total = 1 + 2 + 3\n",
    blind: "A small program that builds a large one.",
};

pub(crate) static TOO_DEEP: Page = Page {
    summary: "brackets, blocks or operators deeper than `limits.nesting` or `limits.chain`",
    why: "A parser's tree of a hundred thousand levels overflows the stack of whoever holds it. \
          The levels are counted before there is a tree.",
    bad: Sample {
        part: b"[",
        times: 300,
    },
    good: "rows = [[1, 2], [3, 4]]\n",
    blind: "Data that a program nests when it runs.",
};

pub(crate) static INVALID_SYNTAX: Page = Page {
    summary: "the file is not Python",
    why: "What cannot be read cannot be judged. Only the first mistake is told: what comes behind \
          one is guessed.",
    bad: Sample::of("total = = 1\n"),
    good: "total = 1\n",
    blind: "What Python itself finds only when it compiles or runs: `return` outside of a \
            function, `nonlocal` without a name, a name that does not exist.",
};

pub(crate) static NEWER_SYNTAX: Page = Page {
    summary: "syntax that the interpreter of the policy's `python` cannot read yet",
    why: "It would fail at the first line that is run, and not say why.",
    bad: Sample::of("def first[T](items: list[T]) -> T:\n    return items[0]\n"),
    good: "def first(items):\n    return items[0]\n",
    blind: "Modules and functions that are newer than the interpreter.",
};

pub(crate) static UNLISTED_NODE: Page = Page {
    summary: "a kind of syntax that is not in the policy's `nodes`",
    why: "The list says what may be there, not what may not: syntax that a new Python brings is \
          refused until somebody has thought about it.",
    bad: Sample::of("async def fetch(source):\n    return await source\n"),
    good: "def fetch(source):\n    return source()\n",
    blind: "What listed syntax can be made to mean.",
};
