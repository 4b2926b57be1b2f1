"""Words of error lines that tell no fault from another: everybody's, and those of Python's own sentences."""

import builtins

COMMON = frozenset(
    {
        "the", "and", "for", "with", "not", "from", "that", "this", "was", "has", "are", "but", "your", "you", "can",
        "could", "cannot", "when", "none", "true", "false", "got", "only", "one", "new", "use", "all", "any", "error",
        "exception", "runtimeerror", "valueerror", "typeerror", "assertionerror", "attributeerror", "keyerror",
        "importerror", "oserror", "file", "line", "failed", "failure", "rank", "python", "info", "warning", "raise",
        "traceback", "most", "recent", "call", "last", "expected",
    }
)  # fmt: skip
# Python's own sentences, such as "No module named" and "list index out of range": any program ends with them.
PYTHONS = frozenset(
    {
        *(name.lower() for name, value in vars(builtins).items() if isinstance(value, type) and "Error" in name),
        "module", "named", "name", "defined", "import", "object", "attribute", "nonetype", "index", "range", "out",
        "list", "tuple", "string", "dict", "int", "float", "str", "division", "modulo", "zero", "argument", "arguments",
        "missing", "positional", "unexpected", "keyword", "required", "subscriptable", "iterable", "callable",
        "maximum", "recursion", "depth", "exceeded", "such", "directory", "permission", "denied", "type", "instances",
        "between", "supported",
    }
)  # fmt: skip
