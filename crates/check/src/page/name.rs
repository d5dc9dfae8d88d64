//! Pages of the rules for attributes and names.

use super::{Page, Sample};

pub(crate) static PRIVATE_ATTRIBUTE: Page = Page {
    summary: "an attribute whose name begins with `_`",
    why: "From any value such attributes lead to its class, to every loaded class, to the \
          globals of functions and to modules that were not imported.",
    bad: Sample::of("classes = ().__class__.__base__.__subclasses__()\n"),
    good: "class Cache:\n    def __init__(self):\n        super().__init__()\n        \
           self._rows = {}\n\n    def name(self):\n        return type(self).__name__\n",
    blind: "A name that is put together when it runs; `self` and `cls` (`attributes.private-of`) \
            that are something else.",
};

pub(crate) static INTERNAL_ATTRIBUTE: Page = Page {
    summary: "an attribute of frames, code objects, tracebacks, generators or coroutines",
    why: "A frame leads to its caller's, and so to the globals and locals of whoever runs this.",
    bad: Sample::of(
        "def walk():\n    frame = steps.gi_frame.f_back\n    yield frame.f_globals\n\n\nsteps = \
         walk()\n",
    ),
    good: "def walk(rows):\n    for row in rows:\n        yield row\n",
    blind: "Frames that a module hands out under another name.",
};

pub(crate) static REVEALING_ATTRIBUTE: Page = Page {
    summary: "an attribute that hands out what is behind a value: `.obj`, `.func`, `.mro`",
    why: "`AttributeError.obj` is the object itself, and `.func` of a `partial` the function that \
          was wrapped.",
    bad: Sample::of("def unwrap(part):\n    return part.func\n"),
    good: "def apply(part, value):\n    return part(value)\n",
    blind: "Attributes of other libraries that do the same.",
};

pub(crate) static DUNDER_NAME: Page = Page {
    summary: "a name like `__builtins__` is read",
    why: "`__builtins__`, `__loader__` and `__spec__` are there without an import and lead \
          everywhere.",
    bad: Sample::of("everything = __builtins__\n"),
    good: "if __name__ == '__main__':\n    print('hello')\n",
    blind: "The same objects by another way.",
};

pub(crate) static REFLECTIVE_NAME: Page = Page {
    summary: "a builtin that evaluates, imports, opens files or reaches attributes by name",
    why: "What it does is decided by text that nobody has checked. It is found whether it is \
          called or not, because it can be handed on.",
    bad: Sample::of("read = getattr\nprint(read(3, 'real'))\n"),
    good: "print((3).real)\n",
    blind: "A function of a module, or one that was handed in, that does the same.",
};

pub(crate) static FORMAT_METHOD: Page = Page {
    summary: "`format`, `format_map` or `string.Formatter` with a text that is not plain",
    why: "A format string reads attributes and items: `{0.__class__}` is an attribute access that \
          no rule for attributes sees.",
    bad: Sample::of("def show(template, row):\n    return template.format(row)\n"),
    good: "def show(row):\n    return 'total {:>8.2f}, {name}'.format(row, name='sum')\n",
    blind: "`%` and `string.Template` read no attributes and are not looked at.",
};

pub(crate) static GETTER_FUNCTION: Page = Page {
    summary: "`operator.attrgetter` or `operator.methodcaller`",
    why: "They reach attributes by a text, dots included.",
    bad: Sample::of("import operator\n\nby_size = operator.attrgetter('size')\n"),
    good: "def by_size(row):\n    return row.size\n",
    blind: "Getters of other libraries.",
};

pub(crate) static TEMPLATE_STRING: Page = Page {
    summary: "a template string, `t'…'`",
    why: "It keeps the objects themselves, not their text, and hands them to whoever reads it.",
    bad: Sample::of("name = 'Ada'\ngreeting = t'hello {name}'\n"),
    good: "name = 'Ada'\ngreeting = f'hello {name}'\n",
    blind: "Templates that a library makes.",
};
