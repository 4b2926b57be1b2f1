"""Reading playbooks and the list of a pattern's real fixes. How many there are of each is in `fix_patterns`."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, BooleanField, Exists, F, Func, OuterRef, Prefetch, Q, QuerySet, Value
from django.db.models.expressions import OrderBy

from kb.models import HOUSE, Fix, Issue, IssueFacts, IssueQuerySet, Node, Playbook, WithoutSecrets
from kb.selectors.fix_patterns import PatternFacts

NEWEST = F("merged_on").desc(nulls_last=True)
ORDERS: Mapping[str, tuple[OrderBy | str, ...]] = {
    "newest": (NEWEST, "url"),
    "smallest": (F("lines_changed").asc(nulls_last=True), NEWEST, "url"),
    "largest": (F("lines_changed").desc(nulls_last=True), NEWEST, "url"),
}
MOST_WORDS = 8


class IsAmong(Func):
    """Is a value one of an array's?"""

    template = "%(expressions)s)"
    arg_joiner = " = ANY ("
    arity = 2
    output_field = BooleanField()


def playbooks() -> QuerySet[Playbook]:
    """Every playbook of an active pattern, in the codebook's order."""
    return (
        Playbook.objects.filter(node__status=Node.Status.ACTIVE)
        .select_related("node__axis__scheme", "node__parent")
        .order_by("node__position")
    )


def playbook_detail(*, code: str) -> Playbook:
    """The playbook of the house's fix pattern `code`. Raises `Playbook.DoesNotExist`."""
    found = Playbook.objects.select_related("node__axis__scheme", "node__parent", "node__merged_into__axis__scheme")
    return found.get(node__code=code, node__axis__code="fix_pattern", node__axis__scheme__study=None)


def real_fixes(
    *, facts: PatternFacts, words: str = "", framework: int | None = None, order: str = "newest"
) -> QuerySet[Fix]:
    """The pattern's fixes, each with its issues that carry the pattern; those of a framework's issues if one is given.

    `words`: all of them occur in the fix's address or our words of it, or in what is shown as an issue's title.
    `order`: a key of `ORDERS`.
    """
    carrying = _carrying(facts.answers, framework)
    shown = carrying.select_related("repository__framework").defer("body", "search_vector", "label_terms")
    # Thousands of fixes are one value here; as a value each they would take longer to send than to find.
    ids = Value([fix.id for fix in facts.count.fixes], output_field=ArrayField(BigIntegerField()))
    fixes = Fix.objects.filter(IsAmong(F("pk"), ids))
    if framework is not None:
        fixes = fixes.filter(Exists(carrying.filter(fixes=OuterRef("pk"))))
    for word in words.split()[:MOST_WORDS]:
        titled = carrying.filter(fixes=OuterRef("pk")).alias(searched=WithoutSecrets("title"))
        # The quick look first: what is no word of the title as written is none of it without secrets.
        in_title = Q(heading__icontains=word) | Q(heading="", title__icontains=word, searched__icontains=word)
        fixes = fixes.filter(Q(url__icontains=word) | Q(description__icontains=word) | Exists(titled.filter(in_title)))
    return fixes.prefetch_related(Prefetch("issues", shown, to_attr="shown_issues")).order_by(*ORDERS[order])


def _carrying(answers: Sequence[str], framework: int | None) -> IssueQuerySet:
    where: dict[str, Any] = {"framework_id": framework} if framework is not None else {}
    facts = IssueFacts.objects.filter(issue_id=OuterRef("pk"), holder=HOUSE, is_pull=False, fix__in=answers, **where)
    return Issue.objects.filter(Exists(facts))
