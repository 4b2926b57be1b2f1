"""Everything in `kb.core` can be imported where there is no Django, no database driver and no HTTP client."""

import subprocess
import sys

from config.embedded.layout import ROOT

PROGRAM = """
import importlib, pkgutil, sys
for name in ("django", "rest_framework", "celery", "psycopg", "redis", "httpx"):
    sys.modules[name] = None
import kb.core
names = [module.name for module in pkgutil.walk_packages(kb.core.__path__, "kb.core.")]
for name in names:
    importlib.import_module(name)
others = {name.split(".")[1] for name in sys.modules if name.startswith("kb.")} - {"core"}
assert len(names) > 50, names
assert not others, others
"""


def test_every_module_is_imported_without_it() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
