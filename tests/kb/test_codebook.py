"""The codebook's files: complete, consistent, and loaded without loss."""

import json
from io import StringIO
from pathlib import Path
from shutil import copytree

import pytest
import yaml
from django.core.management import call_command

from kb.codebook.format import AXIS_CODES, walk
from kb.codebook.load import HERE, Codebook, CodebookInvalidError, load_codebook, read_codebook
from kb.models import Crosswalk, Node, Playbook, Scheme, Study
from kb.services.codebook import save_overlaps
from tests.support.factories import make_issue, make_label, make_study

TAXONOMIES = Path(__file__).parents[3] / "shared/facts/taxonomies.json"
DISTRIBUTED = {"allocation", "communication", "distributed-tensor", "concurrency"}


@pytest.fixture(scope="module")
def files() -> Codebook:
    return read_codebook()


class TestHouse:
    def test_it_has_every_axis(self, files: Codebook) -> None:
        assert tuple(axis.code for axis in files.house.axes) == AXIS_CODES

    def test_every_node_has_rules_and_two_examples(self, files: Codebook) -> None:
        for axis in files.house.axes:
            for node, _ in walk(axis.nodes):
                assert node.include, f"{axis.code}/{node.code} has no include rule"
                assert node.exclude, f"{axis.code}/{node.code} has no exclude rule"
                assert len(node.examples) >= 2, f"{axis.code}/{node.code} needs two examples"

    def test_an_axis_of_many_answers_says_how_to_choose(self, files: Codebook) -> None:
        assert all(axis.rules for axis in files.house.axes if axis.several)

    def test_an_alias_belongs_to_one_node_of_its_axis(self, files: Codebook) -> None:
        for axis in files.house.axes:
            owners: dict[str, str] = {}
            for node, _ in walk(axis.nodes):
                for alias in node.aliases:
                    owner = owners.setdefault(alias.lower(), node.code)
                    assert owner == node.code, f"{axis.code}: “{alias}” is on {owner} and {node.code}"

    def test_the_distributed_causes_are_marked(self, files: Codebook) -> None:
        (causes,) = [axis for axis in files.house.axes if axis.code == "root_cause"]
        marked = {node.code for node in causes.nodes if node.specific_to_distributed}
        assert marked == DISTRIBUTED

    def test_every_fix_pattern_has_a_playbook(self, files: Codebook) -> None:
        (patterns,) = [axis for axis in files.house.axes if axis.code == "fix_pattern"]
        assert files.playbooks.keys() == {node.code for node, _ in walk(patterns.nodes)}

    def test_a_hang_is_never_a_cause(self, files: Codebook) -> None:
        (causes,) = [axis for axis in files.house.axes if axis.code == "root_cause"]
        names = " ".join(node.name.lower() for node, _ in walk(causes.nodes))
        assert not {"hang", "timeout", "crash"} & set(names.split())

    def test_the_theme_axis_is_p5s(self, files: Codebook) -> None:
        (themes,) = [axis for axis in files.house.axes if axis.code == "theme"]
        assert len(themes.nodes) == 18
        assert sum(len(theme.children) for theme in themes.nodes) == 70


class TestStudies:
    def test_every_category_is_related_to_the_house_or_says_why_not(self, files: Codebook) -> None:
        for study in files.studies:
            for axis in study.axes:
                for node, _ in walk(axis.nodes):
                    assert bool(node.crosswalk) != bool(node.no_crosswalk), f"{study.slug} {node.code}"

    @pytest.mark.real_data
    @pytest.mark.skipif(not TAXONOMIES.exists(), reason="../shared/facts is not here")
    def test_nothing_published_is_lost_or_invented(self, files: Codebook) -> None:
        ours = {
            node.code.rstrip("*"): node
            for study in files.studies
            for axis in study.axes
            for node, _ in walk(axis.nodes)
        }
        for study in json.loads(TAXONOMIES.read_text())["studies"]:
            for node in study["nodes"]:
                mine = ours[node["code"].rstrip("*")]
                assert (mine.name, mine.count, mine.percent) == (node["name"], node.get("count"), node.get("percent"))

    def test_overlaps_name_known_studies(self, files: Codebook) -> None:
        slugs = {study.slug for study in files.studies}
        assert all(set(study.overlaps) <= slugs for study in files.studies)


@pytest.mark.django_db
class TestLoading:
    def test_loading_twice_changes_nothing(self) -> None:
        first = load_codebook()
        second = load_codebook()
        assert first.changes.created > 600
        assert (second.changes.created, second.changes.changed) == (0, 0)
        assert Node.objects.count() >= 600
        assert Playbook.objects.count() >= 40
        assert Crosswalk.objects.count() >= 300
        assert Study.objects.count() == Scheme.objects.exclude(study=None).count() == first.studies

    def test_every_mistake_is_reported_at_once_and_nothing_is_loaded(self, tmp_path: Path) -> None:
        house = yaml.load((HERE / "house.yaml").read_text(), yaml.CSafeLoader)
        house["axes"][0]["nodes"][0]["definition"] = "Two. Sentences."
        house["axes"][1]["nodes"][0]["colour"] = "red"
        (tmp_path / "studies").mkdir()
        (tmp_path / "house.yaml").write_text(yaml.dump(house, Dumper=yaml.CSafeDumper))
        (tmp_path / "studies/broken.yaml").write_text("slug: [")
        with pytest.raises(CodebookInvalidError) as caught:
            load_codebook(tmp_path)
        text = "\n".join(caught.value.problems)
        assert "one sentence" in text
        assert "colour" in text
        assert "broken.yaml" in text
        assert not Node.objects.exists()

    def test_a_playbook_that_left_the_file_is_removed_and_the_summary_says_so(self, tmp_path: Path) -> None:
        load_codebook()
        before = Playbook.objects.count()
        copytree(HERE / "playbooks", tmp_path / "playbooks")
        (tmp_path / "house.yaml").write_text((HERE / "house.yaml").read_text())
        (tmp_path / "playbooks/revert.yaml").unlink()
        out = StringIO()
        call_command("load_codebook", root=tmp_path, stdout=out)
        assert "1 removed." in out.getvalue()
        assert Playbook.objects.count() == before - 1
        assert not Playbook.objects.filter(node__code="revert").exists()
        assert Node.objects.house().get(axis__code="fix_pattern", code="revert").status == "active"
        assert load_codebook(tmp_path).changes.removed == 0

    def test_new_words_of_a_category_are_searched_and_a_retired_one_is_out_of_use(self, tmp_path: Path) -> None:
        load_codebook()
        issue = make_issue()
        make_label(issue, Node.objects.house().get(axis__code="symptom", code="hang"))
        house = yaml.load((HERE / "house.yaml").read_text(), yaml.CSafeLoader)
        symptoms = next(axis["nodes"] for axis in house["axes"] if axis["code"] == "symptom")
        next(node for node in symptoms if node["code"] == "hang")["aliases"].append("petrified")
        retired = next(node for axis in house["axes"] if axis["code"] == "stage" for node in axis["nodes"])
        retired["status"] = "retired"
        (tmp_path / "house.yaml").write_text(yaml.dump(house, Dumper=yaml.CSafeDumper))
        load_codebook(tmp_path)
        issue.refresh_from_db()
        assert "petrified" in issue.label_terms
        assert Node.objects.house().get(axis__code="stage", code=retired["code"]).status == "retired"

    def test_an_overlap_goes_both_ways_and_goes_when_no_file_names_it(self) -> None:
        one, two = make_study("one"), make_study("two")
        save_overlaps(overlaps={"one": ["two"]})
        assert (list(one.overlaps.all()), list(two.overlaps.all())) == ([two], [one])
        save_overlaps(overlaps={})
        assert not one.overlaps.exists()

    def test_an_overlap_with_nothing_is_a_mistake(self, tmp_path: Path) -> None:
        (tmp_path / "studies").mkdir()
        (tmp_path / "house.yaml").write_text((HERE / "house.yaml").read_text())
        study = yaml.safe_load((HERE / "studies/p1.yaml").read_text())
        (tmp_path / "studies/p1.yaml").write_text(yaml.safe_dump(study | {"overlaps": ["no-such-study"]}))
        with pytest.raises(CodebookInvalidError, match="overlaps with no-such-study"):
            load_codebook(tmp_path)

    def test_a_crosswalk_to_nowhere_is_a_mistake(self, tmp_path: Path) -> None:
        (tmp_path / "studies").mkdir()
        (tmp_path / "house.yaml").write_text((HERE / "house.yaml").read_text())
        study = yaml.safe_load((HERE / "studies/p1.yaml").read_text())
        study["axes"][0]["nodes"][0]["crosswalk"] = [{"to": "symptom/explosion", "relation": "exact"}]
        (tmp_path / "studies/p1.yaml").write_text(yaml.safe_dump(study))
        with pytest.raises(CodebookInvalidError, match="symptom/explosion"):
            load_codebook(tmp_path)
