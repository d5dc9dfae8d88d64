//! Pages of the rules for control and size.

use super::{Page, Sample};

pub(crate) static BARE_EXCEPT: Page = Page {
    summary: "`except:` or `except BaseException`",
    why: "It swallows what is meant to end the program: a time limit's exception, an interrupt.",
    bad: Sample::of("try:\n    print(1 / 0)\nexcept:\n    pass\n"),
    good: "try:\n    print(1 / 0)\nexcept ZeroDivisionError:\n    print('none')\n",
    blind: "`contextlib.suppress`, `__exit__` and `finally` with a `return` do the same.",
};

pub(crate) static EXCEPT_STAR: Page = Page {
    summary: "`except*`",
    why: "It takes exceptions out of a group, so that what is meant to end the program can be \
          lost in one.",
    bad: Sample::of("try:\n    print(1 / 0)\nexcept* ValueError:\n    pass\n"),
    good: "try:\n    print(1 / 0)\nexcept (ValueError, ZeroDivisionError):\n    print('none')\n",
    blind: "Groups that are split by their methods.",
};

pub(crate) static ENDLESS_LOOP: Page = Page {
    summary: "a loop that is always true, or over what never ends, without a way out in it",
    why: "It ends by a limit only.",
    bad: Sample::of("count = 0\nwhile True:\n    count += 1\n"),
    good: "count = 0\nwhile True:\n    count += 1\n    if count > 10:\n        break\n",
    blind: "Nearly everything: whether a loop ends cannot be seen. Limits end it.",
};

pub(crate) static HUGE_CONSTANT: Page = Page {
    summary: "an integer of more bits than `limits.constant-bits`, written out or by a power",
    why: "It takes memory and time before anything else is done.",
    bad: Sample::of("big = 9 ** 9 ** 9\n"),
    good: "big = 10 ** 30\n",
    blind: "The same with a variable in it. Limits end it.",
};

pub(crate) static HUGE_REPEAT: Page = Page {
    summary: "a list, text or padding of more than `limits.repeat` parts, by a constant",
    why: "It takes all memory at one stroke.",
    bad: Sample::of("rows = [0] * 10 ** 12\n"),
    good: "rows = [0] * 1000\n",
    blind: "The same with a variable in it, and calls of libraries. Limits end it.",
};
