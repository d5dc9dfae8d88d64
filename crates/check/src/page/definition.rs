//! Pages of the rules for functions, classes and what is bound.

use super::{Page, Sample};

pub(crate) static DECORATOR: Page = Page {
    summary: "a decorator that is not in the policy's `decorators`",
    why: "A decorator is a call, with a function that was just made, at a place where few look \
          for one.",
    bad: Sample::of("@print\ndef total():\n    return 1\n"),
    good: "import functools\n\n\n@functools.lru_cache(maxsize=None)\ndef total():\n    return 1\n",
    blind: "A listed name that was bound to something else.",
};

pub(crate) static EXCEPTION_TEXT: Page = Page {
    summary: "an exception class with a `__str__`, `__repr__` or the like of its own",
    why: "Whoever catches and prints it runs that method, at a place that expects text.",
    bad: Sample::of("class Late(Exception):\n    def __str__(self):\n        return 'too late'\n"),
    good: "class Late(Exception):\n    pass\n\n\nraise Late('too late')\n",
    blind: "A class whose base is not known by its name to be an exception; objects that are an \
            exception's argument.",
};

pub(crate) static CLASS_HOOK: Page = Page {
    summary: "a special method that is not in the policy's `classes.methods`",
    why: "`__del__` runs after everything is over, `__init_subclass__`, `__mro_entries__` and \
          `__getattribute__` where nothing is called, and `__class__` makes a value lie about \
          what it is.",
    bad: Sample::of("class Trap:\n    def __del__(self):\n        print('later')\n"),
    good: "class Basket:\n    def __init__(self, items):\n        self.items = items\n\n    def \
           __len__(self):\n        return len(self.items)\n",
    blind: "Hooks by other names: `_missing_` of an enum, callbacks of a library.",
};

pub(crate) static METACLASS: Page = Page {
    summary: "a metaclass: `metaclass=`, a subclass of `type`, or `type` with three arguments",
    why: "It decides what a class is, and runs when one is made.",
    bad: Sample::of("Made = type('Made', (), {})\n"),
    good: "class Made:\n    pass\n\n\nprint(type(Made()))\n",
    blind: "A metaclass that comes with a base class.",
};

pub(crate) static CLASS_PATTERN: Page = Page {
    summary: "a class pattern, but for a plain builtin with one value at most",
    why: "`case point(x=y)` reads the attribute `x` of whatever comes.",
    bad: Sample::of(
        "def base(value):\n    match value:\n        case tuple(__class__=kind):\n            \
         return kind\n",
    ),
    good: "def double(value):\n    match value:\n        case int(number):\n            return \
           number * 2\n        case [first, *_]:\n            return first\n",
    blind: "A builtin's name that was bound to another class.",
};

pub(crate) static ANNOTATION: Page = Page {
    summary: "an annotation that is more than a type",
    why: "Annotations are expressions. From Python 3.14 on they run when somebody asks for them, \
          which may be whoever inspects the function.",
    bad: Sample::of("def total(rows: print('read')) -> int:\n    return len(rows)\n"),
    good: "def total(rows: list[dict[str, int]], scale: int | None = None) -> int:\n    return \
           len(rows)\n",
    blind: "A class that is a type and does something when it is subscripted.",
};

pub(crate) static PROTECTED_NAME: Page = Page {
    summary: "a protected name is bound: a parameter, a walrus, `as`, `global`, `del`, anything",
    why: "Names like `_getattr_` belong to whoever runs this, and names like `getattr` mean one \
          thing to a reader. Bound to something else they defeat a guard or a review.",
    bad: Sample::of("def read(_getattr_, /, row):\n    return row\n"),
    good: "def read(getter, row):\n    return getter(row)\n",
    blind: "Names that a policy does not list (`names.protected`).",
};
