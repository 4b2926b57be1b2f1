"""What notices say, and where they lead: names of projects and rounds, and nothing of reports, votes or answers."""

from dataclasses import dataclass

from django.urls import reverse

from labeling.models import Notice


@dataclass(frozen=True)
class NoticeText:
    """A notice in words, and the address of what it is about."""

    notice: Notice
    text: str
    path: str


def notice_text(notice: Notice) -> NoticeText:
    """The notice for its member. `member__project` and `round` should be selected."""
    slug, number = notice.member.project.slug, notice.number or 0
    round_ = notice.round
    if round_ is None:
        texts = {
            Notice.Kind.JOINED: ("Somebody joined by your invitation.", "people", []),
            Notice.Kind.BALLOT: ("A change of the codebook is put to the vote.", "proposal", [number]),
            Notice.Kind.RELEASE: (f"Release {number} is made.", "release", [number]),
        }
    else:
        called, place = round_.called, [round_.number]
        texts = {
            Notice.Kind.OPENED: (f"{called} is open: you can label.", "next", place),
            Notice.Kind.DEADLINE: (f"{called} ends soon, and you have issues left.", "next", place),
            Notice.Kind.FLAG: (f"An issue of {called} is flagged.", "flags", place),
            Notice.Kind.ANSWER: (f"Your flag in {called} is answered.", "mine", []),
            Notice.Kind.DISCUSSION: (f"Discussions of {called} wait for your answer.", "disagreements", place),
        }
    text, page, args = texts[Notice.Kind(notice.kind)]
    return NoticeText(notice, text, reverse(f"labeling:{page}", args=[slug, *args]))
