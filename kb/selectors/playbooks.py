"""Playbooks, and the list of a pattern's real fixes. The counts are in `fix_patterns`."""

from collections.abc import Mapping

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, BooleanField, Exists, F, Func, OuterRef, Prefetch, Q, QuerySet, Value
from django.db.models.expressions import OrderBy

from kb.models import HOUSE, Fix, Issue, IssueFacts, Node, Playbook, WithoutSecrets
from kb.selectors.fix_patterns import PatternFacts

NEWEST = F("merged_on").desc(nulls_last=True)
ORDERS: Mapping[str, tuple[OrderBy | str, ...]] = {
    "newest": (NEWEST, "url"),
    "smallest": (F("lines_changed").asc(nulls_last=True), NEWEST, "url"),
    "largest": (F("lines_changed").desc(nulls_last=True), NEWEST, "url"),
}
MOST_WORDS = 8


class IsAmong(Func):
    """Whether a value is in an array."""

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
    rows = Playbook.objects.select_related("node__axis__scheme", "node__parent", "node__merged_into__axis__scheme")
    return rows.get(node__code=code, node__axis__code="fix_pattern", node__axis__scheme__study=None)


def real_fixes(
    *, facts: PatternFacts, words: str = "", framework: int | None = None, order: str = "newest"
) -> QuerySet[Fix]:
    """The pattern's fixes with its issues as `shown_issues`; with `framework`, only fixes and issues of that framework.

    `words`: each occurs in the fix's URL or description, or in an issue's title as shown. `order`: a key of `ORDERS`.
    """
    carried = IssueFacts.objects.filter(issue_id=OuterRef("pk"), holder=HOUSE, is_pull=False, fix__in=facts.answers)
    if framework is not None:
        carried = carried.filter(framework_id=framework)
    carrying = Issue.objects.filter(Exists(carried))
    shown = carrying.select_related("repository__framework").defer("body", "search_vector", "label_terms")
    # One array: sending thousands of parameters would take longer than finding the rows.
    ids = Value([fix.id for fix in facts.count.fixes], output_field=ArrayField(BigIntegerField()))
    fixes = Fix.objects.filter(IsAmong(F("pk"), ids))
    if framework is not None:
        fixes = fixes.filter(Exists(carrying.filter(fixes=OuterRef("pk"))))
    for word in words.split()[:MOST_WORDS]:
        titled = carrying.filter(fixes=OuterRef("pk")).alias(searched=WithoutSecrets("title"))
        # The cheap condition first: a word that is not in the title is not in the title without secrets.
        in_title = Q(heading__icontains=word) | Q(heading="", title__icontains=word, searched__icontains=word)
        fixes = fixes.filter(Q(url__icontains=word) | Q(description__icontains=word) | Exists(titled.filter(in_title)))
    return fixes.prefetch_related(Prefetch("issues", shown, to_attr="shown_issues")).order_by(*ORDERS[order])
