"""The axes as they stand on the page: in the tree's order, numbered, with a letter each."""

import pytest

from kb.models import Axis, Node
from labeling.ballots import Choice
from labeling.models import Codebook, Member
from labeling.services.codebooks import adopt_axes
from labeling.services.people import found_project
from labeling.web.work.axes import axes_markup, confidence_letter
from tests.labeling.factories import make_founder, make_project
from tests.support.factories import make_axis, make_node

pytestmark = pytest.mark.django_db


def project_over(*axes: Axis) -> Codebook:
    """The codebook of a new project over these axes."""
    lead: Member = found_project(user=make_founder(), slug="axes", name="Axes", question="What?")
    return adopt_axes(lead=lead, axes=axes)


def test_children_follow_their_parents_and_count_on() -> None:
    axis = make_axis("stage")
    last = make_node("z-last", axis=axis, position=9)
    first = make_node("first", axis=axis, position=1)
    make_node("below", axis=axis, position=10, parent=first)
    (found,) = axes_markup(project_over(axis).pk)
    assert list(found.names) == ["first", "below", "z-last"]
    assert 'choice-1" data-code="below"' in found.html
    assert '<kbd aria-hidden="true">3</kbd> Z last' in found.html
    assert last.pk


def test_each_axis_has_a_letter_of_its_own() -> None:
    codebook = Codebook.objects.get(project=make_project().project)
    axes = axes_markup(codebook.pk)
    letters = [axis.letter for axis in axes]
    assert letters == ["s", "i"]
    assert confidence_letter(axes) not in letters


def test_what_is_chosen_is_ticked_and_nothing_else() -> None:
    codebook = Codebook.objects.get(project=make_project().project)
    symptom, kind = axes_markup(codebook.pk)
    assert symptom.ticked(Choice(("hang",))).count(" checked") == 1
    assert 'value="hang" checked' in symptom.ticked(Choice(("hang",)))
    assert 'value="" checked' in kind.ticked(Choice(is_undecidable=True))
    assert symptom.chosen(Choice(("hang", "crash"))) == ["Hang", "Crash"]
    assert " checked" not in symptom.ticked(Choice())


def test_names_are_text_and_not_markup() -> None:
    axis = make_axis("stage")
    make_node("odd", axis=axis, name='<b>"Odd"</b>', definition="1 < 2")
    (found,) = axes_markup(project_over(axis).pk)
    assert "<b>" not in found.html
    assert "1 &lt; 2" in found.html
    assert Node.objects.filter(code="odd").exists()
