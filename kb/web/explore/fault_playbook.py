"""The playbook of a common fault: its checks as a tree, what each shows, what to do then, and the records behind it."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.codebook.hints import hints
from kb.core.fault_playbooks import FaultPlaybook, Outcome, Step, Trial, fault_playbook
from kb.models import Node
from kb.selectors.issue_links import IssueLink, issue_links
from kb.web.hints import short_hints
from kb.web.parameters import reads


@dataclass(frozen=True)
class OutcomeRow:
    """What a check may show, the number of the check that follows (None at an end), and links to its records."""

    outcome: Outcome
    commands_id: str
    then: int | None
    records: tuple[IssueLink, ...]


@dataclass(frozen=True)
class StepRow:
    """A check with its number."""

    step: Step
    number: int
    outcomes: tuple[OutcomeRow, ...]


@dataclass(frozen=True)
class TrialRow:
    """A thread that the tree was walked with, and the check and outcome where it ended."""

    trial: Trial
    link: IssueLink
    step: Step
    number: int
    see: str


@reads()
@require_safe
def playbook_of_fault(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of one common fault."""
    playbook = fault_playbook(slug)
    if playbook is None:
        raise Http404("There is no such playbook.")
    links = issue_links((*playbook.records, *(trial.url for trial in playbook.tried)))
    numbers = {step.id: number for number, step in enumerate(playbook.steps, start=1)}
    symptoms = Node.objects.house().filter(axis__code="symptom", code=playbook.symptom or "")
    context = {
        "playbook": playbook,
        "symptom": symptoms.select_related("axis__scheme").first(),
        "hints": short_hints(hints().of_fault(slug)),
        "trail": [("Playbooks", reverse("playbooks"))],
        "steps": [_step(step, numbers, links) for step in playbook.steps],
        "trials": [_trial(trial, playbook, numbers, links) for trial in playbook.tried],
        "fitting": sum(trial.fits for trial in playbook.tried),
    }
    return render(request, "kb/explore/fault_playbook.html", context)


def _step(step: Step, numbers: Mapping[str, int], links: Mapping[str, IssueLink]) -> StepRow:
    outcomes = []
    for place, outcome in enumerate(step.outcomes, start=1):
        then = numbers[outcome.next] if outcome.next else None
        records = tuple(links[url] for url in outcome.records)
        outcomes.append(OutcomeRow(outcome, f"{step.id}-{place}-commands", then, records))
    return StepRow(step, numbers[step.id], tuple(outcomes))


def _trial(
    trial: Trial, playbook: FaultPlaybook, numbers: Mapping[str, int], links: Mapping[str, IssueLink]
) -> TrialRow:
    step_id, _, place = trial.ends.partition("/")
    step = playbook.steps[numbers[step_id] - 1]
    return TrialRow(trial, links[trial.url], step, numbers[step_id], step.outcomes[int(place) - 1].see)
