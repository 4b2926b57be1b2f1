"""What of a project's answers somebody means: all, or chosen axes and categories of the house codebook.

A scope is a list of codes: `symptom` is an axis, `symptom/hang` one category of it; an empty list is everything. Which
actions of curators stand against which answers is told here, too. Knows no database.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Answered:
    """The axis of an answer and its categories, by their codes; none where the report does not say."""

    axis: str
    categories: frozenset[str] = frozenset()

    @property
    def keys(self) -> list[str]:
        """Its categories as a scope names them."""
        return sorted(f"{self.axis}/{code}" for code in self.categories)


def holds(scope: Collection[str], answered: Answered) -> bool:
    """Whether the whole answer is within the scope: its axis, or each of its categories."""
    if not scope or answered.axis in scope:
        return True
    return bool(answered.categories) and all(key in scope for key in answered.keys)


@dataclass(frozen=True)
class Action:
    """What a curator did to a scope: withdrew it, or allowed it again; and why."""

    withdraws: bool
    scope: tuple[str, ...]
    reason: str = ""


def withdrawal(actions: Sequence[Action], answered: Answered) -> Action | None:
    """The action that keeps the answer out of public, or None. Of several on one category, the newest counts.

    `actions` begin with the oldest. An answer stays out as a whole if one of its categories does.
    """
    for key in answered.keys or [""]:
        for action in reversed(actions):
            if not action.scope or answered.axis in action.scope or key in action.scope:
                if action.withdraws:
                    return action
                break
    return None


def answered_by(entry: str) -> Answered:
    """An answer that an entry of a scope is about; an empty one is about none in particular."""
    axis, _, category = entry.partition("/")
    return Answered(axis, frozenset([category] if category else []))


def still_withdrawn(actions: Sequence[Action]) -> bool:
    """Whether anything at all is kept out of public."""
    named = {"", *(entry for action in actions for entry in action.scope)}
    return any(withdrawal(actions, answered_by(entry)) for entry in named)
