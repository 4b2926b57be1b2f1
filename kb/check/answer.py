"""The check that page, API and command show."""

from collections.abc import Iterable

from kb.core.check import answer
from kb.core.check.schema import CheckData
from kb.core.check.texts import NamedText
from kb.selectors.affected import known


def check(texts: Iterable[NamedText]) -> CheckData:
    """Which known faults affect, or may affect, the set-up that these texts are of. Raises `NotCheckedError`."""
    all_known = known()
    return answer.check(texts, all_known.faults, all_known.without_history)
