"""What a record says of versions, as a form.

How versions compare is in `kb.core.versions`, what a condition may say in `kb.core.setups.conditions`; the rows that
follow are made in `range_rows`.
"""

from typing import Annotated, Literal

from packaging.version import Version
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from kb.core.setups.answers import ConditionError
from kb.core.setups.conditions import compiled
from kb.core.versions import as_version, package_name
from kb.core.yaml_files import Strict

Certainty = Literal["git", "package", "stated", "lines", "date"]


def _version(text: str) -> str:
    if as_version(text) is None:
        raise ValueError(
            f"'{text}' is no version: write 0.14.2, 2.6.0rc1 or a build as b9310; words go into range_unknown"
        )
    return text


def _package(text: str) -> str:
    if text != package_name(text):
        raise ValueError(
            f"write the package as '{package_name(text)}': its name on PyPI, else owner/name of its repository"
        )
    return text


def _condition(text: str) -> str:
    try:
        compiled(text)
    except ConditionError as error:
        raise ValueError(str(error)) from error
    return text


def _link(text: str) -> str:
    if not text.startswith("https://"):
        raise ValueError("write a full https:// link")
    return text


VersionText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=60), AfterValidator(_version)]
PackageName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120), AfterValidator(_package)]
Condition = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3), AfterValidator(_condition)]
Link = Annotated[str, StringConstraints(max_length=300), AfterValidator(_link)]


class RecordBound(Strict):
    """A version, what it rests on, and the link that shows it."""

    version: VersionText
    by: Certainty
    evidence: Link


class RecordAffects(Strict):
    """Versions of one package that the fault is in, from `introduced` on, up to `fixed` or up to and with the last."""

    package: PackageName
    introduced: RecordBound | None = None
    fixed: RecordBound | None = None
    last_affected: RecordBound | None = None
    reported: tuple[VersionText, ...] = Field(default=(), max_length=12, description="Versions that reports name.")

    @model_validator(mode="after")
    def says_something(self) -> "RecordAffects":
        """One end at most, bounds in order, and at least one version."""
        if self.fixed and self.last_affected:
            raise ValueError("either fixed or last_affected: where the fixed version is known, it says more")
        if not (self.introduced or self.fixed or self.last_affected or self.reported):
            raise ValueError("write at least one of introduced, fixed, last_affected, reported")
        first, end = self.introduced, self.fixed or self.last_affected
        if first and end and ordered(first.version) > ordered(end.version):
            raise ValueError(f"introduced {first.version} is after {end.version}")
        if self.fixed and any(ordered(version) >= ordered(self.fixed.version) for version in self.reported):
            raise ValueError(f"reported on the fixed version {self.fixed.version}, or on a later one")
        return self


def ordered(text: str) -> Version:
    """The version, which was checked before."""
    version = as_version(text)
    if version is None:
        raise ValueError(f"'{text}' is no version")
    return version
