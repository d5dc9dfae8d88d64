# The second: sandboxes, as they are usually written. Each takes the task, runs it, and leaves what
# it set in `task.names`; `Refused` is the sandbox's own word before anything ran.
import ast


class Refused(Exception):
    """The sandbox did not let it begin."""


class Inapplicable(Exception):
    """The technique cannot be written here at all."""


class Task:
    """One submission and what it is handed."""

    def __init__(self, request, host):
        self.source = request["source"]
        self.context = request["context"]
        self.given = handed_in(host, self.context)
        self.builtins = named_builtins(self.context)
        self.names = {}

    def program(self):
        """What the interpreter compiles: bytes where the submission is a file."""
        return self.source.encode() if self.context == "file" else self.source

    def code(self):
        return compile(self.program(), "<submission>", "exec")

    def run(self, code, names):
        self.names = names
        self.ran = code
        exec(code, names)


def fresh_namespace(task):
    task.run(task.code(), {"__name__": "submission", **task.given})


BLOCKED = (
    "import os", "import sys", "import subprocess", "import socket", "import shutil",
    "import ctypes", "from os", "from sys", "from subprocess", "__import__", "importlib",
    "eval(", "exec(", "compile(", "open(", "globals(", "locals(", "getattr(", "os.system",
    "__subclasses__", "__globals__", "__builtins__",
)


def blocklist(task):
    for word in BLOCKED:
        if word in task.source:
            raise Refused(f"the source has `{word}`")
    fresh_namespace(task)


def emptied_builtins(task):
    names = dict(task.builtins)
    if task.context.startswith("import "):
        names["__import__"] = guarded_import
    task.run(task.code(), {"__builtins__": names, "__name__": "submission", **task.given})


SAFE = (
    "abs all any bool bytes chr dict divmod enumerate filter float format frozenset hash hex int "
    "isinstance issubclass iter len list map max min next oct ord pow print range repr reversed "
    "round set slice sorted str sum tuple type zip object property staticmethod classmethod super "
    "Exception BaseException ValueError TypeError KeyError IndexError AttributeError "
    "ZeroDivisionError StopIteration ArithmeticError LookupError RuntimeError __build_class__"
).split()
CALLS = (
    "eval exec compile open input getattr setattr delattr vars globals locals breakpoint "
    "__import__"
).split()


class Filter(ast.NodeVisitor):
    """Double underscores, names of reflection, imports off the list."""

    def visit_Attribute(self, node):
        if node.attr.startswith("__"):
            raise Refused(f"the attribute `{node.attr}`")
        self.generic_visit(node)

    def visit_Name(self, node):
        if node.id.startswith("__"):
            raise Refused(f"the name `{node.id}`")

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in CALLS:
            raise Refused(f"a call of `{node.func.id}`")
        self.generic_visit(node)

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.partition(".")[0] not in IMPORTS:
                raise Refused(f"the allowlist does not have `{alias.name}`")

    def visit_ImportFrom(self, node):
        if (node.module or "").partition(".")[0] not in IMPORTS:
            raise Refused(f"the allowlist does not have `{node.module}`")


def ast_filter(task):
    tree = ast.parse(task.source)
    Filter().visit(tree)
    names = {name: getattr(builtins, name) for name in SAFE}
    names.update(task.builtins, __import__=guarded_import)
    code = compile(tree, "<submission>", "exec")
    task.run(code, {"__builtins__": names, "__name__": "submission", **task.given})


# Names that RestrictedPython writes into the code it compiles, and nobody else here.
GUARDED = ("escape/046", "escape/047")


def inplace(operation, left, right):
    """What `a += b` becomes: the embedder writes it, as the documents say."""
    import operator

    known = {"+=": operator.iadd, "-=": operator.isub, "*=": operator.imul}
    if operation not in known:
        raise NotImplementedError(f"`{operation}`")
    return known[operation](left, right)


def restrictedpython(task):
    from RestrictedPython import Eval, Guards, compile_restricted_exec
    from RestrictedPython import limited_builtins, safe_builtins, utility_builtins

    compiled = compile_restricted_exec(task.source, "<submission>")
    if compiled.errors:
        raise Refused(compiled.errors[0])
    names = {**safe_builtins, **limited_builtins, **utility_builtins}
    names.update(__import__=guarded_import)
    task.run(compiled.code, {
        "__builtins__": names,
        "__name__": "submission",
        "__metaclass__": type,
        "_getattr_": Guards.safer_getattr,
        "_inplacevar_": inplace,
        "_getitem_": Eval.default_guarded_getitem,
        "_getiter_": Eval.default_guarded_getiter,
        "_iter_unpack_sequence_": Guards.guarded_iter_unpack_sequence,
        "_unpack_sequence_": Guards.guarded_unpack_sequence,
        "_write_": Guards.full_write_guard,
        **task.given,
    })


def asteval(task):
    from asteval import Interpreter

    silent = io.StringIO()
    interpreter = Interpreter(user_symbols=task.given, writer=silent, err_writer=silent)
    interpreter(task.source, show_errors=False)
    task.names = {"leak": interpreter.symtable.get("leak")}
    if interpreter.error:
        kind, why = interpreter.error[0].exc, interpreter.error[0].msg
        # It unparses the program first: what it does not know is refused there.
        raise Refused(f"{getattr(kind, '__name__', kind)}: {why}")


def simpleeval(task):
    from simpleeval import EvalWithCompoundTypes

    body = ast.parse(task.source).body
    if len(body) != 1 or not isinstance(body[0], ast.Assign):
        raise Inapplicable("it needs statements; simpleeval evaluates one expression")
    expression = ast.get_source_segment(task.source, body[0].value)
    functions = {name: given for name, given in task.given.items() if name == "fetch_row"}
    evaluator = EvalWithCompoundTypes(functions=functions, names=dict(task.given))
    task.names = {"leak": evaluator.eval(expression)}


SANDBOXES = {
    "exec": fresh_namespace,
    "blocklist": blocklist,
    "emptied-builtins": emptied_builtins,
    "ast-filter": ast_filter,
    "restrictedpython": restrictedpython,
    "asteval": asteval,
    "simpleeval": simpleeval,
}
PACKAGES = {
    "restrictedpython": "RestrictedPython",
    "asteval": "asteval",
    "simpleeval": "simpleeval",
}
