"""Telling members what concerns them: once for each event, whoever tells it and however often.

Services tell what they did; what comes by itself (a deadline, a discussion that waits) is found by `tell_what_is_due`.
Annotators and adjudicators are told of nothing that would tell of others' votes.
"""

import datetime as dt
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from labeling.models import Member, Notice, NoticeChoice, Pass, Project, Role, Round
from labeling.selectors import visible
from labeling.selectors.disputes import Waits, all_disputes
from labeling.selectors.notices import Wish, to_mail
from labeling.selectors.to_do import open_places

NEAR = dt.timedelta(days=3)


def tell(
    *, members: Iterable[Member], kind: Notice.Kind, event: str, round_: Round | None = None, number: int | None = None
) -> None:
    """Tell these members of an event, which `event` names within its kind; who was told already is not told again."""
    key = f"{kind.value}-{event}"
    rows = [
        Notice(member=member, kind=kind, key=key, round=round_, number=number) for member in members if member.is_active
    ]
    Notice.objects.bulk_create(rows, ignore_conflicts=True)


def tell_of_flag(*, flag: Pass, round_: Round) -> None:
    """Tell the leads who may know of others' flags: not those who label, too."""
    leads = Member.objects.filter(project=round_.project_id, left_at=None, roles__contains=[Role.LEAD])
    seeing = [lead for lead in leads if not visible.is_blind(lead) and lead.pk != flag.member_id]
    tell(members=seeing, kind=Notice.Kind.FLAG, event=str(flag.pk), round_=round_)


def tell_of_answer(*, flag: Pass, round_: Round) -> None:
    """Tell whoever flagged an issue that a lead answered."""
    tell(members=[flag.member], kind=Notice.Kind.ANSWER, event=str(flag.pk), round_=round_)


def tell_of_opening(*, round_: Round, by: Member) -> None:
    """Tell who labels in a round that it is open."""
    annotators = Member.objects.filter(project=round_.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
    chosen = set(round_.annotators.values_list("pk", flat=True))
    if chosen:
        annotators = annotators.filter(pk__in=chosen)
    tell(members=annotators.exclude(pk=by.pk), kind=Notice.Kind.OPENED, event=str(round_.pk), round_=round_)


def tell_what_is_due() -> None:
    """Tell of deadlines that are near and of discussions that wait: of these once a week, as long as they wait."""
    today = timezone.localdate()
    projects = Project.objects.filter(archived_at=None, suspended_at=None)
    ending = Round.objects.filter(
        state=Round.State.OPEN, project__in=projects, deadline__gte=today, deadline__lte=today + NEAR
    )
    for round_ in ending:
        _tell_of_deadline(round_)
    discussed = Round.objects.filter(
        rule=Round.Rule.DISCUSSION, project__in=projects, items__released_at__isnull=False
    ).distinct()
    year, week, _ = today.isocalendar()
    for project in projects.filter(rounds__in=discussed).distinct():
        _tell_of_discussions(project, f"{year}-{week}")


def _tell_of_deadline(round_: Round) -> None:
    annotators = Member.objects.filter(project=round_.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
    places = open_places(members=[member.pk for member in annotators])
    late = [member for member in annotators if round_ in places.get(member.pk, ())]
    tell(members=late, kind=Notice.Kind.DEADLINE, event=f"{round_.pk}-{round_.deadline}", round_=round_)


def _tell_of_discussions(project: Project, week: str) -> None:
    rounds = {round_.number: round_ for round_ in Round.objects.filter(project=project)}
    waited_for: dict[int, set[int]] = {}
    for dispute in all_disputes(project_id=project.pk):
        if dispute.waits is Waits.ANNOTATORS:
            waited_for.setdefault(dispute.round, set()).update(dispute.missing)
    for number, people in waited_for.items():
        round_ = rounds[number]
        tell(
            members=Member.objects.filter(pk__in=people), kind=Notice.Kind.DISCUSSION, event=f"{round_.pk}-{week}",
            round_=round_,
        )  # fmt: skip


def read_all(*, user: User) -> None:
    """Mark all of the person's notices as read."""
    Notice.objects.filter(member__user=user, read_at=None).update(read_at=timezone.now())


@transaction.atomic
def choose(*, user: User, wishes: Iterable[Wish]) -> None:
    """Keep where the person wants notices of which kind."""
    for wish in wishes:
        NoticeChoice.objects.update_or_create(
            user=user, kind=wish.kind, defaults={"on_site": wish.on_site, "by_mail": wish.by_mail}
        )


def take_for_mail(*, user_id: int) -> list[Notice]:
    """The person's notices that wait to be mailed, now counted as mailed; in a transaction that ends with the mail."""
    waiting: QuerySet[Notice] = (
        to_mail().filter(member__user=user_id).select_related("member__project", "member__user", "round")
    )
    notices = list(waiting.select_for_update(of=("self",), skip_locked=True))
    Notice.objects.filter(pk__in=[notice.pk for notice in notices]).update(mailed_at=timezone.now())
    return notices
