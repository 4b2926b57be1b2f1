"""Set-ups and known faults for tests, made by hand."""

from collections.abc import Mapping

from packaging.version import Version

from kb.core.setups.facts import Fact, Package, Place, Setup, Value
from kb.core.setups.known_faults import Bound, Certainty, KnownFault, Row
from kb.core.versions import allowed_by

FREEZE = Place("pip-freeze.txt", 1)
CONFIGURATION = Place("ds.json", 2)


def setup(
    packages: Mapping[str, str] | None = None,
    facts: Mapping[str, Value] | None = None,
    *,
    is_whole: bool = False,
    kinds: tuple[str, ...] = (),
) -> Setup:
    """A set-up with these packages, by version or requirement (`?` for a branch), and these facts."""
    named = {
        name: Package(name, None if text == "?" else allowed_by(text), FREEZE)
        for name, text in (packages or {}).items()
    }
    known = {name: Fact(value, CONFIGURATION) for name, value in (facts or {}).items()}
    return Setup(packages=named, facts=known, lists_all_packages=is_whole, read_kinds=frozenset(kinds))


def bound(version: str, by: Certainty = "git") -> Bound | None:
    """A bound at this version; none where it is empty."""
    return Bound(Version(version), by) if version else None


def row(
    introduced: str = "",
    fixed: str = "",
    *,
    package: str = "deepspeed",
    by: Certainty = "git",
    last_affected: str = "",
    oldest: str = "",
    is_of_record: bool = True,
) -> Row:
    """What is said of a package; `by` is of the beginning."""
    return Row(
        package=package,
        is_of_record=is_of_record,
        introduced=bound(introduced, by),
        oldest=Version(oldest) if oldest else None,
        fixed=bound(fixed),
        last_affected=bound(last_affected),
        reported=(Version(introduced),) if introduced and by == "reported" else (),
    )


def fault(*rows: Row, condition: str = "", **other: object) -> KnownFault:
    """A known fault with these rows."""
    return KnownFault("https://github.com/deepspeedai/DeepSpeed/issues/1", "A fault", rows, condition, **other)  # type: ignore[arg-type]
