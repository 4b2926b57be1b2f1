"""The issues that a study cites: all of them are listed, and which are held is said."""

import pytest
from django.test import Client

from kb.codebook.examples import cited, examples_of
from kb.codebook.format import read_study, study_nodes
from kb.codebook.load import HERE
from kb.models import RepositoryAlias
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_issue, make_node, make_repository, make_study

pytestmark = pytest.mark.django_db
P5 = "p5-llm-challenges"
ADDRESS = f"/studies/{P5}/examples/"


def test_the_file_has_every_reference_of_the_paper_under_categories_of_the_study() -> None:
    examples = cited()[P5]
    by_url = {example.url: example for example in examples}
    codes = {node.code for node in study_nodes(read_study(HERE / "studies" / "p5.yaml"))}
    assert {example.code for example in examples} <= codes
    assert len(by_url) == 68
    # What was counted when the data was read first, see the study's facts.
    assert sum(example.row is not None for example in by_url.values()) == 19
    assert sum(example.agrees for example in by_url.values()) == 2


def test_a_group_has_the_examples_below_it() -> None:
    assert {example.code for example in examples_of(P5, "C.1")} == {"C.1.i", "C.1.iii", "C.1.iv", "C.1.v", "C.1.vi"}


def test_the_page_says_which_are_held(client: Client) -> None:
    make_study(P5, code="P5")
    held = make_issue(129, repository=make_repository("vllm-project/vllm", "vllm"), heading="Which CUDA fits")
    page = visit(client, ADDRESS)
    assert "68 addresses. Held here: 1, of these 0 as a record" in page.words
    assert held.get_absolute_url() in page.links
    assert page.links["/issues/github.com/deepspeedai/DeepSpeed/4036"] == "DeepSpeed#4036"
    assert page.links["https://github.com/NVIDIA/TensorRT-LLM/discussions/52"] == "TensorRT-LLM#52"


def test_one_whose_repository_was_renamed_is_held(client: Client) -> None:
    make_study(P5, code="P5")
    held = make_issue(5898)
    RepositoryAlias.objects.create(repository=held.repository, host="github.com", full_name="microsoft/DeepSpeed")
    assert held.get_absolute_url() in visit(client, ADDRESS).links


def test_a_category_shows_its_own(client: Client) -> None:
    study = make_study(P5, code="P5")
    node = make_node("C.2.ii", axis=make_axis("theme", scheme=study.slug, study=study))
    assert (
        "DeepSpeed#4036 (not held) reference 75; in the study’s rows: C.2"
        in visit(client, node.get_absolute_url()).words
    )


def test_a_study_without_examples_has_no_such_page(client: Client) -> None:
    make_study("another")
    assert client.get("/studies/another/examples/").status_code == 404
