"""Questions of one's own in the browser: founding, adding, files, a study's scheme, the ballot, agreement, mapping."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from kb.models import Study
from labeling.ballots import Choice
from labeling.models import Answer, Item, Member, Project, ProjectAxis, Revision
from labeling.questions import faults
from labeling.refusals import RefusedError
from labeling.selectors.axes import scheme_questions, study_scheme
from labeling.selectors.codebooks import axes_of
from labeling.services.codebooks import revise_question
from tests.kb.web.reading import read
from tests.labeling.factories import make_axes, make_founder, take
from tests.labeling.own_questions import HOURS, QUESTIONS, WHO, at_work, ballot, found, voted
from tests.labeling.test_settling import lead_of
from tests.support.factories import make_axis, make_node, make_study

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
FILE = b"questions:\n- code: lesson\n  name: Lesson\n  kind: text\n"


def new(client: Client, query: str = "", **fields: object) -> Project | None:
    """Send the form of a new project; the project, if one was founded."""
    client.force_login(make_founder())
    values = {"name": "Ours", "question": "What do we see?", "questions": "1"} | fields
    client.post(reverse("labeling:new-project") + query, values)
    return Project.objects.filter(name="Ours").first()


def asked(project: Project) -> list[tuple[str, str]]:
    axes = axes_of(codebook=project.codebooks.latest("number"))
    return [(each.axis.code, each.axis.kind) for each in axes]


def test_a_project_is_founded_with_house_axes_questions_and_a_file(client: Client) -> None:
    symptom, _ = make_axes()
    question = {"question-0-name": "How bad", "question-0-kind": "scale", "question-0-answers": "Mild: a bit\nFatal"}
    project = new(client, axes=[symptom.pk], file=SimpleUploadedFile("ours.yaml", FILE), **question)
    assert project is not None
    assert asked(project) == [("symptom", "several"), ("lesson", "text"), ("how_bad", "scale")]


def test_another_question_keeps_what_was_written_and_founds_nothing(client: Client) -> None:
    client.force_login(make_founder())
    values = {"name": "Ours", "question": "What?", "questions": "1", "question-0-name": "How bad", "more": "yes"}
    response = client.post(reverse("labeling:new-project"), values)
    shown = response.content.decode()
    assert 'value="How bad"' in shown
    assert 'name="question-1-name"' in shown
    assert "This field is required" not in shown
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, "Choose at least one axis, or ask a question of your own"),
        ({"question-0-name": "How bad", "question-0-kind": "scale", "question-0-answers": "Mild"}, "needs 2 to 300"),
        ({"file": SimpleUploadedFile("a.yaml", b"questions:\n- code: x\n  name: X\n  kind: y\n")}, "Line 4: the kind"),
    ],
)
def test_what_makes_no_question_is_told(client: Client, fields: dict[str, object], problem: str) -> None:
    client.force_login(make_founder())
    values = {"name": "Ours", "question": "What?", "questions": "1", "question-0-kind": "one"} | fields
    assert problem in client.post(reverse("labeling:new-project"), values).content.decode()


def test_a_study_is_labelled_with_by_one_press(client: Client) -> None:
    study = make_study("p9")
    axis = make_axis("root_cause", scheme="p9", study=study)
    for code in ("config", "memory"):
        make_node(code, axis=axis)
    address = f"{reverse('labeling:new-project')}?scheme={study.slug}"
    assert address in client.get(study.get_absolute_url()).content.decode()
    project = new(client, f"?scheme={study.slug}")
    assert project is not None
    assert asked(project) == [("root_cause", "several" if axis.several else "one")]
    assert client.get(f"{reverse('labeling:new-project')}?scheme=nothing").status_code == 404


def test_a_form_that_nobody_has_sent_says_nothing_wrong(client: Client) -> None:
    client.force_login(make_founder())
    assert "This field is required" not in client.get(reverse("labeling:new-project")).content.decode()


@pytest.mark.usefixtures("codebook")
def test_every_published_scheme_that_is_offered_can_be_labelled_with() -> None:
    offered = {study.slug: study_scheme(slug=study.slug) for study in Study.objects.all()}
    schemes = {slug: scheme for slug, scheme in offered.items() if scheme is not None}
    assert "p5-llm-challenges" in schemes
    assert {slug: faults(scheme_questions(scheme=scheme), ()) for slug, scheme in schemes.items()} == dict.fromkeys(
        schemes, ""
    )


def test_a_lead_adds_a_question_and_a_file_of_them(browser_of: BrowserOf) -> None:
    lead = found(WHO)
    browser, slug = browser_of(lead), lead.project.slug
    values = {"name": "Hours lost", "kind": "number", "question": "", "answers": ""}
    browser.post(reverse("labeling:new-question", args=[slug]), values)
    file = SimpleUploadedFile("ours.yaml", FILE)
    browser.post(reverse("labeling:upload-questions", args=[slug]), {"file": file})
    assert asked(lead.project) == [("noticed", "one"), ("hours_lost", "number"), ("lesson", "text")]
    text = browser.get(reverse("labeling:questions-file", args=[slug])).content
    again = browser.post(
        reverse("labeling:upload-questions", args=[slug]), {"file": SimpleUploadedFile("same.yaml", text)}
    )
    assert "There is no new question in it" in again.content.decode()
    assert "Who noticed" in read(browser.get(reverse("labeling:codebook", args=[slug]))).words


def test_a_lead_changes_a_question_in_its_place_and_leaves_one_out_until_somebody_votes(
    browser_of: BrowserOf,
) -> None:
    lead = found(WHO, HOURS)
    browser, slug = browser_of(lead), lead.project.slug
    address = reverse("labeling:question", args=[slug, "noticed"])
    assert "User: It is user." in browser.get(address).content.decode()
    values = {"name": "Who saw it", "kind": "one", "question": "Who?", "answers": "User\nMonitor"}
    assert browser.post(address, values | {"answers": "User"}).status_code == 422
    browser.post(address, values)
    assert asked(lead.project) == [("noticed_2", "one"), ("hours", "number")]
    assert browser.get(address).status_code == 404
    browser.post(reverse("labeling:question", args=[slug, "hours"]), {"leave-out": "yes"})
    assert asked(lead.project) == [("noticed_2", "one")]
    with pytest.raises(RefusedError, match="the only question"):
        revise_question(lead=lead, code="noticed_2", question=None)


def test_a_question_that_votes_answer_stays_as_it_is() -> None:
    round_ = voted([(ballot(), ballot())])
    with pytest.raises(RefusedError, match="they answer the question as it is"):
        revise_question(lead=lead_of(round_), code="hours", question=None)


def test_every_kind_is_answered_on_the_ballot_page(browser_of: BrowserOf) -> None:
    round_, member = at_work(*QUESTIONS)
    browser, item = browser_of(member), Item.objects.get(pk=take(member, round_).item_id)
    address = reverse("labeling:label", args=[round_.project.slug, round_.number, item.position])
    shown = browser.get(address).content.decode()
    assert 'name="text-lesson"' in shown
    assert 'inputmode="decimal"' in shown
    answers = {
        "axis-noticed": "user", "axis-touched": ["memory", "disk"], "axis-severity": "bad", "text-hours": "2 h",
        "text-lesson": "Test <b>it</b>\r\nfirst", "confidence": "2", "active": "1", "bases": "",
    }  # fmt: skip
    again = browser.post(address, answers).content.decode()
    assert "“2 h” is not a number" in again
    assert "Test &lt;b&gt;it&lt;/b&gt;\nfirst</textarea>" in again
    browser.post(address, answers | {"text-hours": "2.50", "bases": _bases(again)})
    assert Answer.objects.get(axis__code="lesson").text == "Test <b>it</b>\nfirst"
    assert Answer.objects.get(axis__code="hours").text == "2.50"


def _bases(page: str) -> str:
    return page.partition('name="bases"')[2].partition('value="')[2].partition('"')[0]


def test_numbers_are_revised_and_texts_are_read_on_the_page_of_a_disagreement(browser_of: BrowserOf) -> None:
    round_ = voted([(ballot(hours="2", lesson="One."), ballot(hours="7", lesson="Two."))])
    member = Member.objects.filter(votes__item__round=round_).earliest("pk")
    browser, args = browser_of(member), [round_.project.slug, round_.number, 1]
    shown = read(browser.get(reverse("labeling:disagreement", args=args))).words
    for words in ("One.", "Two.", "none is decided on", "7"):
        assert words in shown
    browser.post(reverse("labeling:axis-revise", args=[*args, "hours"]), {"hours-revise-codes": "7"})
    assert Revision.objects.get().number_text == "7"


def test_the_page_of_agreement_measures_each_kind_in_its_way(browser_of: BrowserOf) -> None:
    round_ = voted(
        [(ballot(), ballot(hours="3")), (ballot("test", "fatal"), ballot(lesson=Choice(is_undecidable=True)))]
    )
    member = Member.objects.filter(votes__item__round=round_).earliest("pk")
    address = reverse("labeling:agreement", args=[round_.project.slug, round_.number])
    shown = read(browser_of(member).get(address, {"axis": "severity"})).words
    assert "Krippendorff's alpha, ordinal" in shown
    assert "Lesson: 3 of 4 votes answer it, in words" in shown
    shown = read(browser_of(member).get(address, {"axis": "hours"})).words
    assert "Krippendorff's alpha, interval" in shown
    assert "Not for numbers" in shown


def test_answers_are_mapped_on_a_page(browser_of: BrowserOf) -> None:
    make_axes()
    lead = found(WHO, HOURS)
    browser, address = browser_of(lead), reverse("labeling:mapping", args=[lead.project.slug])
    assert 'value="symptom/hang"' in browser.get(address).content.decode()
    browser.post(address, {"axis": "noticed", "node-user": "symptom/hang"})
    node = ProjectAxis.objects.get(code="noticed").nodes.get(code="user").node
    assert node is not None
    assert node.code == "hang"
    shown = browser.post(address, {"axis": "hours"}, follow=True)
    assert "This question has no answers to map." in read(shown).words
