"""The demo project for pictures: its pages by account, first while the pilot round is blind, then up to a release.

The way is walked by the services, in one process; that people can walk it is shown by the journeys.
"""

from collections.abc import Mapping

from django.contrib.auth.models import User

from labeling.demo import ACCOUNTS, FIRST, LEAD, SECOND, SLUG
from labeling.demo.create import curated_choices, demo_ballot, make_demo
from labeling.models import Decision, Item, Job, Member, Proposal, Round
from labeling.releases import build as making
from labeling.rights import Right
from labeling.selectors.codebooks import axes_of
from labeling.services import jobs
from labeling.services.assignment import next_slot
from labeling.services.decisions import accept
from labeling.services.oversight import give_rights
from labeling.services.proposals import propose, put_to_vote
from labeling.services.publication_requests import publish_demo
from labeling.services.rounds import close_round, open_round
from labeling.services.settling import say
from labeling.services.voting import submit
from labeling.tasks import WORK
from labeling.wordings import Wording

PASSWORD = "three demo accounts"
PROJECT = f"/labeling/{SLUG}/"
PILOT, MAIN = f"{PROJECT}rounds/1/", f"{PROJECT}rounds/2/"

Pages = Mapping[str, Mapping[str, str]]

BLIND: Pages = {
    SECOND: {
        "projects": "/labeling/",
        "project": PROJECT,
        "mine": f"{PROJECT}mine/",
        "next": f"{PILOT}label/",
        "label": f"{PILOT}issues/6/label",
        "guide": f"{PILOT}label/guide",
        "guidelines": f"{PROJECT}guidelines/",
        "me": f"{PROJECT}people/me/",
        "account": "/account/",
    },
    LEAD: {
        "project": PROJECT,
        "new": "/labeling/new/",
        "settings": f"{PROJECT}settings/",
        "people": f"{PROJECT}people/",
        "invite": f"{PROJECT}people/invite/",
        "write-guidelines": f"{PROJECT}guidelines/write/",
        "codebook": f"{PROJECT}codebook/",
        "rules": f"{PROJECT}codebook/rules/",
        "rounds": f"{PROJECT}rounds/",
        "new-round": f"{PROJECT}rounds/new/",
        "round": PILOT,
        "round-gated": MAIN,
        "edit-round": f"{MAIN}edit/",
        "sample": f"{MAIN}sample/",
        "sample-issues": f"{MAIN}sample/issues/",
        "close": f"{PILOT}close/",
        "exchange": f"{PROJECT}exchange/",
    },
}


def begin() -> Pages:
    """Make the demo project; its accounts all have the password `PASSWORD`, and its lead may found others.

    Returns the pages of its blind pilot round, by account and name.
    """
    make_demo(passwords=dict.fromkeys(ACCOUNTS, PASSWORD))
    give_rights(user=User.objects.get(username=LEAD), rights=[Right.FOUND])
    return BLIND


def go_on() -> Pages:
    """Vote on the rest, close the pilot, talk about a disagreement, propose a change, publish and release.

    Returns the pages that are there since then, by account and name.
    """
    lead, first, second = (
        Member.objects.get(project__slug=SLUG, user__username=name) for name in (LEAD, FIRST, SECOND)
    )
    pilot, main = Round.objects.filter(project__slug=SLUG).order_by("number")
    axes = axes_of(codebook=pilot.codebook)
    while slot := next_slot(member=second, round_=pilot):
        item = Item.objects.select_related("round", "snapshot").get(pk=slot.item_id)
        submit(member=second, item=item, ballot=demo_ballot(item, curated_choices(item, axes)))
    close_round(lead=lead, round_=pilot)
    accept(lead=lead, round_=pilot, how=Decision.How.UNANIMOUS)
    open_round(lead=lead, round_=main)
    symptom = next(one for one in axes if one.axis.code == "symptom")
    disputed = Item.objects.select_related("round").get(round=pilot, position=2)
    say(member=first, item=disputed, axis=symptom.axis, text="The log ends in a wait, so I would call it a hang.")
    node = symptom.versions[0].node
    proposal = propose(
        author=first, axis=symptom.axis, kind=Proposal.Kind.RENAME, nodes=[node],
        wording=[Wording(node.code, "Hang or deadlock", "Nothing goes on, and nothing is said.")],
        reason="Both words are in the reports.",
    )  # fmt: skip
    put_to_vote(member=first, proposal=proposal)
    publishing = publish_demo(lead=lead, pilots=True)
    _do(publishing)
    _do(making.ask(lead=lead, title="Why runs fail", authors=["Doe, Jo"], licence="CC-BY-4.0", note=""))
    return _released(proposal, publishing)


def _released(proposal: Proposal, publishing: Job) -> Pages:
    return {
        SECOND: {
            "disagreements": f"{PILOT}disagreements/",
            "disagreement": f"{PILOT}issues/2/disagreement/",
            "agreement": f"{PILOT}agreement/",
            "results": f"{PROJECT}results/",
            "proposals": f"{PROJECT}proposals/",
            "propose": f"{PROJECT}proposals/new/",
            "ballot": f"{PROJECT}proposals/{proposal.pk}/",
        },
        LEAD: {
            "disagreement-rounds": f"{PROJECT}disagreements/",
            "adjudication": f"{PROJECT}adjudication/",
            "opinion": f"{PILOT}issues/3/disagreement/",
            "effects": f"{PILOT}disagreements/effects/",
            "publish": f"{PROJECT}publish/",
            "releases": f"{PROJECT}releases/",
            "release": f"{PROJECT}releases/1/",
            "job": f"{PROJECT}jobs/{publishing.pk}/",
        },
    }


def _do(job: Job) -> None:
    jobs.run(job_id=job.pk, work=WORK[Job.Kind(job.kind)])
