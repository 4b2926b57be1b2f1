"""Makes the package that is built: `kb/core` of the checkout goes into it as `faultbook/core`, under that name."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DATA = "faultbook-client.json.zst"
INSIDE, OUTSIDE = "kb.core", "faultbook.core"
NOT_SHIPPED = shutil.ignore_patterns("__pycache__", "*.pyc")


class CustomBuildHook(BuildHookInterface[Any]):
    """Copies the package and the core, renamed, to where they are built from."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Make the package; an unpacked source distribution has the core in it already."""
        here = Path(self.root)
        self.made = Path(tempfile.mkdtemp(prefix="faultbook-"))
        package = self.made / "faultbook"
        shutil.copytree(here / "faultbook", package, ignore=NOT_SHIPPED)
        core = here.parent / "kb" / "core"
        if core.is_dir():
            shutil.copytree(core, package / "core", ignore=NOT_SHIPPED)
        data = os.environ.get("FAULTBOOK_CLIENT_DATA")
        if data:
            shutil.copyfile(data, package / DATA)
        elif not (package / DATA).exists():
            raise FileNotFoundError(f"{DATA} is missing. `make client` makes it and builds.")
        for module in package.rglob("*.py"):
            module.write_text(module.read_text(encoding="utf-8").replace(INSIDE, OUTSIDE), encoding="utf-8")
        build_data["force_include"][str(package)] = "faultbook"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Take away what was made."""
        shutil.rmtree(self.made)
