"""What the version that a log names says of a known issue: whether it has the fault, or the fix already."""

from collections.abc import Mapping

from kb.core.setups.facts import Package, Place
from kb.core.setups.judging import Standing
from kb.core.setups.known_faults import KnownFault
from kb.core.setups.wording import first_fixed
from kb.core.versions import allowed_by, within
from kb.search.cards import Card
from kb.selectors.affected import known

# How much a version that surely, or perhaps, has the fault speaks for the issue, and one with the fix against it.
IN_RANGE, PERHAPS, FIXED = 0.1, 0.05, -0.1
LOG = Place("log")


class NamedVersions:
    """The versions that a log names, by framework, beside what is known of issues."""

    def __init__(self, versions: Mapping[str, str]) -> None:
        self._versions = versions
        self._faults = known().by_url if any(versions.values()) else {}

    def of(self, card: Card) -> tuple[float, str]:
        """What the framework's version adds to an issue's score, and says beside it."""
        return on_version(self._faults.get(card.url), self._versions.get(card.framework, ""))


def on_version(fault: KnownFault | None, version: str) -> tuple[float, str]:
    """What the version of the issue's own package adds to its score, and says beside it; nothing where unknown."""
    allowed = allowed_by(version) if version else None
    versions = fault.by_package.get(fault.package) if fault else None
    if versions is None or allowed is None:
        return 0.0, ""
    standing = Standing(versions, Package(versions.name, allowed, LOG), within(versions.ranges, allowed))
    fixed = first_fixed(standing)
    if standing.is_fixed:
        return FIXED, f": fixed in {fixed}, you run {version}"
    if standing.is_in is True or standing.is_named:
        return IN_RANGE, f": fixed in {fixed}, you run {version}" if fixed else f" ({version}, too)"
    if standing.is_in is None and standing.is_below_fix:
        return PERHAPS, f": fixed in {fixed}, you run {version}"
    return 0.0, ""
