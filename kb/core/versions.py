"""Versions of packages: what a tag or a text names, what a requirement allows, and whether it lies in a range.

Ordered by PEP 440 (`packaging`). A build's number, such as llama.cpp's b9310, is a version of one part. Which ranges
are known stands elsewhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

# What projects write before the version in a tag: v1.2, core_v0.17.0, release-1.2, version/1.2.
TAG_PREFIX = re.compile(r"^(?:core_|release[-_/]|version[-_/])?v?(?=\d)", re.IGNORECASE)
BUILD_TAG = re.compile(r"^b(\d{2,6})$")
# The packaging revision of NCCL's tags: v2.27.3-1.
REVISION = re.compile(r"-\d{1,2}$")
# Longer texts are no versions, however much of them could be read as one.
MOST_CHARACTERS = 100


def package_name(name: str) -> str:
    """The normalised name of a package, by PEP 503; owner/name of a repository in lower case."""
    return name.strip().lower() if "/" in name else canonicalize_name(name.strip())


def as_version(text: str) -> Version | None:
    """The version that a text names, without its local part (`+cu124`); None where it names none."""
    if len(text) > MOST_CHARACTERS:
        return None
    build = BUILD_TAG.fullmatch(text.strip())
    try:
        version = Version(build.group(1) if build else text.strip())
    except InvalidVersion:
        return None
    return Version(version.public)


def version_of_tag(tag: str) -> Version | None:
    """The version that a release's tag names; None for a tag that is none, such as `NVLM-1.0` or `fa4-v4.0`."""
    return as_version(REVISION.sub("", TAG_PREFIX.sub("", tag)))


@dataclass(frozen=True)
class Allowed:
    """The versions that an installation may have: from `low` on, up to `high`; None is no bound.

    An exact version is allowed alone: both bounds are that version, and both belong to it.
    """

    low: Version | None = None
    high: Version | None = None
    has_low: bool = True
    has_high: bool = False
    text: str = ""

    @cached_property
    def exact(self) -> Version | None:
        """The only version that is allowed, if there is one."""
        return self.low if self.low is not None and self.low == self.high and self.has_high else None

    @cached_property
    def prerelease_of(self) -> Version | None:
        """The release that the only allowed version comes before, where it is a prerelease or development build."""
        exact = self.exact
        return Version(exact.base_version) if exact is not None and exact.is_prerelease else None

    def is_below(self, version: Version) -> bool:
        """Whether all allowed versions are below this one."""
        if self.high is None:
            return False
        return self.high < version or (self.high == version and not self.has_high)

    def is_from(self, version: Version) -> bool:
        """Whether all allowed versions are this one or above it."""
        return self.low is not None and self.low >= version


def exactly(version: Version, text: str = "") -> Allowed:
    """One version, installed or pinned."""
    return Allowed(version, version, has_high=True, text=text or str(version))


def allowed_by(requirement: str) -> Allowed | None:
    """What a version (`2.6.0+cu124`) or a requirement (`>=2.1,<2.4`, `~=1.4`, `==2.5.*`) allows; None if it is neither.

    Exclusions (`!=`) are passed over: they make no bound.
    """
    text = requirement.strip()
    version = as_version(text)
    if version is not None:
        return exactly(version, text)
    try:
        specifiers = SpecifierSet(text)
    except InvalidSpecifier:
        return None
    low, high, has_low, has_high = None, None, True, False
    for specifier in specifiers:
        bounds = _bounds(specifier)
        if bounds is None:
            return None
        if bounds.low is not None and (low is None or bounds.low > low):
            low, has_low = bounds.low, bounds.has_low
        if bounds.high is not None and (high is None or bounds.high < high):
            high, has_high = bounds.high, bounds.has_high
    return Allowed(low, high, has_low, has_high, text)


def _bounds(specifier: Specifier) -> Allowed | None:
    """The bounds of one clause; None where its version is none."""
    if specifier.operator == "!=":
        return Allowed()
    is_prefix = specifier.version.endswith(".*")
    version = as_version(specifier.version.removesuffix(".*"))
    if version is None:
        return None
    if is_prefix:
        return Allowed(version, _after(version, len(version.release)))
    if specifier.operator == "~=":
        return Allowed(version, _after(version, len(version.release) - 1))
    bounds = {
        "==": Allowed(version, version, has_high=True),
        "===": Allowed(version, version, has_high=True),
        ">=": Allowed(low=version),
        ">": Allowed(low=version, has_low=False),
        "<=": Allowed(high=version, has_high=True),
        "<": Allowed(high=version),
    }
    return bounds[specifier.operator]


def _after(version: Version, parts: int) -> Version:
    """The first version after all those that begin with the first `parts` numbers of this one."""
    numbers = [*version.release[: parts - 1], version.release[parts - 1] + 1]
    return Version(f"{version.epoch}!" + ".".join(str(number) for number in numbers))


@dataclass(frozen=True)
class Range:
    """Versions with a fault, by what is certain of its beginning and end. None is not known.

    Below `absent_below` no version has it; from `present_from` on all have it, up to `fixed` or, where no fix is known,
    up to and with `last_affected`. Where a commit or the thread says when the fault came, both beginnings are that
    version. Lines that the fix removed give two: since when the oldest and the youngest of them stand. A report gives
    `present_from` alone.
    """

    absent_below: Version | None = None
    present_from: Version | None = None
    fixed: Version | None = None
    last_affected: Version | None = None

    def holds(self, allowed: Allowed) -> bool | None:
        """Whether the allowed versions are in the range: all (True), none (False), or not known (None).

        A development build or release candidate of a bound may lie on either side of it.
        """
        has_begun, has_ended = self._has_begun(allowed), self._has_ended(allowed)
        if has_begun is False or has_ended is True:
            return False
        return True if has_begun and has_ended is False else None

    def _has_begun(self, allowed: Allowed) -> bool | None:
        first = self.absent_below
        if first is not None and allowed.is_below(first) and not is_almost(allowed, first):
            return False
        return True if self.present_from is not None and allowed.is_from(self.present_from) else None

    def _has_ended(self, allowed: Allowed) -> bool | None:
        if self.fixed is not None:
            if allowed.is_from(self.fixed):
                return True
            return False if allowed.is_below(self.fixed) and not is_almost(allowed, self.fixed) else None
        if self.last_affected is not None and allowed.high is not None and allowed.high <= self.last_affected:
            return False
        return None


def is_almost(allowed: Allowed, version: Version) -> bool:
    """Whether what is installed is a development build or release candidate of this version."""
    base = allowed.prerelease_of
    return base is not None and not version.is_prerelease and base == Version(version.base_version)


def within(ranges: Sequence[Range], allowed: Allowed) -> bool | None:
    """Whether the allowed versions are in one of the ranges, three-valued as `Range.holds`. No range: not known."""
    answers = [each.holds(allowed) for each in ranges]
    if any(answers):
        return True
    return None if None in answers or not answers else False
