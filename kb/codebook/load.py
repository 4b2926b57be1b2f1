"""Loads the codebook's files into the database: idempotent, in one transaction, with all errors reported at once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pydantic
import yaml
from django.db import transaction

from kb.codebook.claim_checks import wrong_claims
from kb.codebook.claims import ClaimsFile, misplaced_claims, read_claims
from kb.codebook.format import (
    HouseFile,
    NodeFile,
    StudyFile,
    StudyNodeFile,
    dangling_crosswalks,
    dangling_overlaps,
    read_house,
    read_study,
    study_nodes,
    walk,
)
from kb.codebook.hints import (
    CausesFile,
    Hints,
    SymptomsFile,
    misplaced_hints,
    read_cause_hints,
    read_symptom_hints,
)
from kb.codebook.playbooks import PlaybookFile, PlaybooksFile, misplaced_playbooks, read_playbooks
from kb.codebook.published import table_specs
from kb.codebook.tables import TablesFile, misplaced_tables, read_tables
from kb.core.yaml_faults import problems_of
from kb.models import Node, Scheme
from kb.services import codebook as write
from kb.services.labels import refresh_all_label_terms
from kb.services.published import save_tables
from kb.services.rows import Changes, FieldValues

HERE = Path(__file__).parent
STUDY_FIELDS = (
    "code", "title", "year", "url", "licence", "sample_total", "sample", "method", "completeness", "trust_note",
)  # fmt: skip
STUDY_TEXTS = ("authors", "venue", "doi", "data_url", "period")

File = TypeVar("File")


class CodebookInvalidError(ValueError):
    """The files have errors; `problems` has one sentence for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class CodebookReport:
    """The changes of all nodes, crosswalks, playbooks and tables; nodes are never removed."""

    version: str
    studies: int
    changes: Changes


@dataclass(frozen=True)
class Codebook:
    """The files' contents: the house codebook, its playbooks by fix pattern, the studies, their tables and claims."""

    house: HouseFile
    playbooks: Mapping[str, PlaybookFile]
    studies: tuple[StudyFile, ...]
    tables: Mapping[str, TablesFile]
    claims: Mapping[str, ClaimsFile]


def read_codebook(root: Path = HERE) -> Codebook:
    """Read and check `house.yaml`, `hints/`, `playbooks/`, `studies/`, and their `tables/` and `claims/`.

    Raises `CodebookInvalidError` with every mistake found.
    """
    problems: list[str] = []
    houses = _read_files([root / "house.yaml"], read_house, HouseFile, problems)
    playbooks = _read_files(sorted(root.glob("playbooks/*.yaml")), read_playbooks, PlaybooksFile, problems)
    studies = list(_read_files(sorted(root.glob("studies/*.yaml")), read_study, StudyFile, problems).values())
    tables = list(_read_files(sorted(root.glob("studies/tables/*.yaml")), read_tables, TablesFile, problems).values())
    claims = list(_read_files(sorted(root.glob("studies/claims/*.yaml")), read_claims, ClaimsFile, problems).values())
    found = _read_hints(root, problems)
    for house in houses.values():
        problems += wrong_claims(claims, house)
        problems += misplaced_playbooks(playbooks, house)
        # Hints are read from disk where they are shown: here they are only checked.
        if found is not None:
            problems += misplaced_hints(found, house)
        for study in studies:
            problems += dangling_crosswalks(study, house)
    problems += dangling_overlaps(studies) + misplaced_tables(tables, studies)
    problems += misplaced_claims(claims, studies)
    if problems:
        raise CodebookInvalidError(problems)
    by_pattern: dict[str, PlaybookFile] = {}
    for file in playbooks.values():
        by_pattern |= file
    return Codebook(
        house=houses["house.yaml"],
        playbooks=by_pattern,
        studies=tuple(studies),
        tables={file.study: file for file in tables},
        claims={file.study: file for file in claims},
    )


def _read_hints(root: Path, problems: list[str]) -> Hints | None:
    """The hints; None where there are none or they have errors, which are added to `problems`."""
    causes = _read_files(root.glob("hints/causes.yaml"), read_cause_hints, CausesFile, problems)
    symptoms = _read_files(root.glob("hints/symptoms.yaml"), read_symptom_hints, SymptomsFile, problems)
    return Hints(causes["causes.yaml"], symptoms["symptoms.yaml"]) if causes and symptoms else None


def _read_files(
    paths: Iterable[Path], read: Callable[[Path], File], model: type[pydantic.BaseModel], problems: list[str]
) -> dict[str, File]:
    """The valid files by name; the errors of the others are added to `problems`."""
    files = {}
    for path in paths:
        try:
            files[path.name] = read(path)
        except (pydantic.ValidationError, UnicodeDecodeError, OSError, yaml.YAMLError) as error:
            problems += [f"{path.name}:{line}: {reason}" for line, reason in problems_of(error, path, model)]
        except ValueError as error:
            problems.append(f"{path.name}: {error}")
    return files


@transaction.atomic
def load_codebook(root: Path = HERE) -> CodebookReport:
    """Load every file under `root`. Raises `CodebookInvalidError` before anything is written."""
    files = read_codebook(root)
    changes = load_house(files.house)
    if changes.created or changes.changed:
        refresh_all_label_terms()
    changes += load_playbooks(files.playbooks)
    house_nodes = {f"{node.axis.code}/{node.code}": node for node in Node.objects.house().select_related("axis")}
    for study in files.studies:
        changes += load_study(study, house_nodes)
        changes += save_tables(study=study.slug, specs=table_specs(files.tables.get(study.slug), study))
    write.save_overlaps(overlaps={study.slug: study.overlaps for study in files.studies})
    return CodebookReport(files.house.version, len(files.studies), changes)


def load_house(house: HouseFile) -> Changes:
    """Load the house codebook."""
    scheme = write.save_scheme(slug=house.scheme, name=house.name, version=house.version, study=None)
    changes = Changes()
    for position, axis_file in enumerate(house.axes):
        axis = write.save_axis(
            scheme=scheme,
            code=axis_file.code,
            values={
                "name": axis_file.name,
                "question": axis_file.question,
                "several": axis_file.several,
                "rules": list(axis_file.rules),
                "position": position,
            },
        )
        specs = [_house_spec(node, parent, i) for i, (node, parent) in enumerate(walk(axis_file.nodes))]
        changes += write.save_nodes(axis=axis, specs=specs)
    return changes


def load_playbooks(playbooks: Mapping[str, PlaybookFile]) -> Changes:
    """Make the house's playbooks exactly these, by the codes of their fix patterns."""
    patterns = Node.objects.house().filter(axis__code="fix_pattern", code__in=playbooks)
    changes = write.save_playbooks(wanted={node: _playbook_values(playbooks[node.code]) for node in patterns})
    return changes + write.remove_playbooks(scheme=Scheme.objects.get(study=None), keep=playbooks.keys())


def _playbook_values(playbook: PlaybookFile) -> FieldValues:
    return {
        "applies_when": playbook.applies_when,
        "steps": list(playbook.steps),
        "caveats": list(playbook.caveats),
        "before": playbook.example.before,
        "after": playbook.example.after,
        "example_note": playbook.example.note,
        "example_language": playbook.example.language,
    }


def _house_spec(node: NodeFile, parent: str | None, position: int) -> write.NodeSpec:
    values = {
        "code": node.code,
        "name": node.name,
        "definition": node.definition,
        "include": list(node.include),
        "exclude": list(node.exclude),
        "examples": list(node.examples),
        "aliases": list(node.aliases),
        "specific_to_distributed": node.specific_to_distributed,
        "position": position,
    }
    if node.status == "active":
        values |= {"status": Node.Status.ACTIVE, "merged_into_id": None}
    return write.NodeSpec(node.code, parent, values, node.merged_into, is_retired=node.status == "retired")


def load_study(study: StudyFile, house_nodes: dict[str, Node]) -> Changes:
    """Load one study, its scheme, and the crosswalk from its nodes to the house codebook."""
    row, changes = write.save_study(slug=study.slug, values=_study_values(study))
    scheme = write.save_scheme(slug=study.slug, name=f"{study.code} categories", version="1", study=row)
    for position, axis_file in enumerate(study.axes):
        axis = write.save_axis(
            scheme=scheme, code=axis_file.code, values={"name": axis_file.name, "position": position}
        )
        specs = [
            write.NodeSpec(node.code, parent, _study_node_values(node, i))
            for i, (node, parent) in enumerate(walk(axis_file.nodes))
        ]
        changes += write.save_nodes(axis=axis, specs=specs)
    return changes + write.save_crosswalks(scheme=scheme, specs=_crosswalks(study, scheme, house_nodes))


def _study_values(study: StudyFile) -> FieldValues:
    values = {name: getattr(study, name) for name in STUDY_FIELDS}
    values |= {name: getattr(study, name) or "" for name in STUDY_TEXTS}
    values["not_found"] = list(study.not_found)
    values["facts"] = [fact.model_dump(exclude_none=True) for fact in study.facts]
    return values


def _study_node_values(node: StudyNodeFile, position: int) -> FieldValues:
    return {
        "code": node.code,
        "name": node.name,
        "definition": node.definition,
        "published_count": node.count,
        "published_percent": node.percent,
        "percent_of": node.percent_of or "",
        "published_trust": node.trust or "",
        "note": node.note or "",
        "no_crosswalk_reason": node.no_crosswalk or "",
        "position": position,
    }


def _crosswalks(study: StudyFile, scheme: Scheme, house_nodes: Mapping[str, Node]) -> list[write.CrosswalkSpec]:
    nodes = {node.code: node for node in Node.objects.filter(axis__scheme=scheme)}
    specs = []
    for file in study_nodes(study):
        for relation in file.crosswalk:
            to_node = house_nodes[relation.to]
            specs.append(write.CrosswalkSpec(nodes[file.code], to_node, relation.relation, relation.note or ""))
    return specs
