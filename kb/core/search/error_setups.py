"""What the set-up in a log says of a known issue: whether it has the fault or the fix, and what the fault needs."""

from collections.abc import Callable, Mapping

from kb.core.search.cards import Card
from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Package, Place, Setup
from kb.core.setups.judging import EVERY_SETUP, Standing
from kb.core.setups.known_faults import KnownFault
from kb.core.setups.wording import first_fixed
from kb.core.versions import Allowed, allowed_by, within

# How much a version that surely, or perhaps, has the fault speaks for the issue, and one with the fix against it.
IN_RANGE, PERHAPS, FIXED = 0.1, 0.05, -0.1
# The same of the settings, flags and packages that the fault needs.
FITS, FITS_NOT = 0.05, -0.15
LOG = Place("log")
# What an issue's score gains, and what is said beside it.
Judgement = tuple[float, str]
NOTHING: Judgement = (0.0, "")


class LogSetup:
    """The set-up that a log tells of, and its versions by framework, beside what is known of issues."""

    def __init__(
        self, versions: Mapping[str, str], setup: Setup, faults: Callable[[], Mapping[str, KnownFault]]
    ) -> None:
        self._versions, self._setup = versions, setup
        is_told = any(versions.values()) or setup.packages or setup.facts or setup.flags
        self._faults = faults() if is_told else {}

    def on_version(self, card: Card) -> Judgement:
        """What the version of the issue's own package says."""
        fault = self._faults.get(card.url)
        package = self._setup.packages.get(fault.package) if fault else None
        installed = package.allowed if package else None
        named = self._versions.get(card.framework)
        return on_version(fault, allowed_by(named) if named else installed)

    def on_condition(self, card: Card) -> Judgement:
        """What the settings, flags and packages say that the fault needs."""
        return on_condition(self._faults.get(card.url), self._setup)


def on_version(fault: KnownFault | None, allowed: Allowed | None) -> Judgement:
    """What the version of the issue's own package adds to its score, and says beside it; nothing where unknown."""
    versions = fault.by_package.get(fault.package) if fault else None
    if versions is None or allowed is None:
        return NOTHING
    standing = Standing(versions, Package(versions.name, allowed, LOG), within(versions.ranges, allowed))
    fixed = first_fixed(standing)
    if standing.is_fixed:
        return FIXED, f": fixed in {fixed}, you run {allowed.text}"
    if standing.is_in is True or standing.is_named:
        return IN_RANGE, f": fixed in {fixed}, you run {allowed.text}" if fixed else f" ({allowed.text}, too)"
    if standing.is_in is None and standing.is_below_fix:
        return PERHAPS, f": fixed in {fixed}, you run {allowed.text}"
    return NOTHING


def on_condition(fault: KnownFault | None, setup: Setup) -> Judgement:
    """What the issue's condition adds to its score, and says beside it; nothing where the log does not decide it."""
    if fault is None or fault.condition in ("", EVERY_SETUP):
        return NOTHING
    answer = compiled(fault.condition)(setup)
    if answer.holds is None or not answer.because:
        return NOTHING
    if answer.holds:
        return FITS, f"your set-up is of its kind: {answer.because[0]}"
    return FITS_NOT, f"your set-up is not of its kind: {answer.because[0]}"
