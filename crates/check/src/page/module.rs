//! Pages of the rules for modules.

use super::{Page, Sample};

pub(crate) static MODULE_WRITE: Page = Page {
    summary: "an attribute of a module is assigned or deleted",
    why: "A module is shared: the next one who calls `json.dumps` gets what was put there.",
    bad: Sample::of("import json\n\njson.dumps = len\n"),
    good: "import json\n\ndumps = json.dumps\nprint(dumps([1]))\n",
    blind: "A module that has passed through a value; objects of a module that are changed.",
};

pub(crate) static UNLISTED_MODULE: Page = Page {
    summary: "an import of a module that is not in the policy's `modules`",
    why: "The list says what a program of this kind needs.",
    bad: Sample::of("import subprocess\n"),
    good: "import statistics\n\nprint(statistics.mean([1, 2, 3]))\n",
    blind: "What a listed module does; a module that is there without an import.",
};

pub(crate) static UNLISTED_MEMBER: Page = Page {
    summary: "a name of a module that the policy does not list for it",
    why: "Modules hold other modules: `json.codecs.builtins` is everything, without one \
          underscore. So each module has a list of names, also by an alias and by `from`.",
    bad: Sample::of("import json as j\n\neverything = j.codecs.builtins\n"),
    good: "import json as j\nfrom collections import abc\n\nprint(j.dumps([1]), abc.Mapping)\n",
    blind: "A module that has passed through a value: `[json][0].codecs`, a parameter, another \
            name (`j = json`).",
};

pub(crate) static DESERIALISER: Page = Page {
    summary: "a module or function that makes objects from bytes: pickle and its kin",
    why: "Such bytes are a program, which runs when they are read, on whichever side reads them.",
    bad: Sample::of("import pickle\n"),
    good: "import json\n\nprint(json.loads('[1, 2]'))\n",
    blind: "Libraries that use one inside, and files that are read later.",
};

pub(crate) static STAR_IMPORT: Page = Page {
    summary: "`from module import *`",
    why: "Nobody can see which names it binds.",
    bad: Sample::of("from math import *\n"),
    good: "from math import floor, sqrt\n\nprint(floor(sqrt(17)))\n",
    blind: "Nothing known.",
};
