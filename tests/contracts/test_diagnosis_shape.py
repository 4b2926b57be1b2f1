"""The shape of a diagnosis is documented to its last key, kept under review, and every diagnosis has it.

`make openapi` renews the kept one, `diagnosis.schema.json`: a JSON Schema to hold answers of the API and what
`manage.py diagnose --json` prints against.
"""

import json
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
import pytest
from drf_spectacular.generators import SchemaGenerator

from kb.core.diagnosis.schema import SCHEMA
from kb.diagnose.immediate import Waiting, answer_at_once
from tests.contracts.test_openapi import HOW_TO_UPDATE
from tests.kb.core.diagnosis.dumps import data_parallel
from tests.kb.core.diagnosis.generators import generate, tuning_specs
from tests.kb.diagnose.runs import FAILED, as_tar, handed_in, steps

pytestmark = [pytest.mark.contract, pytest.mark.django_db]
SNAPSHOT = Path(__file__).parent / "diagnosis.schema.json"
UPDATE = os.environ.get("UPDATE_OPENAPI", "") not in ("", "0")
PREFIX = "#/components/schemas/"
PATIENT = Waiting(sent=1 << 40, text=1 << 40, seconds=600)
# Of the grid of made-up runs, one job in so many.
EVERY = 60


def schema() -> dict[str, Any]:
    """The documented shape as a JSON Schema that stands alone and allows no other key."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    shapes = json.loads(json.dumps(document["components"]["schemas"]))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"Diagnosis, version {SCHEMA}"}
    body: dict[str, Any] = _standing_alone(shapes["Diagnosis"], shapes)
    return head | body


def _standing_alone(shape: Any, shapes: Mapping[str, Any]) -> Any:
    if isinstance(shape, list):
        return [_standing_alone(one, shapes) for one in shape]
    if not isinstance(shape, dict):
        return shape
    if "$ref" in shape:
        return _standing_alone(shapes[shape["$ref"].removeprefix(PREFIX)], shapes)
    found = {key: _standing_alone(one, shapes) for key, one in shape.items()}
    if isinstance(found.get("properties"), dict) and found.get("type") == "object":
        found["additionalProperties"] = False
    return found


def diagnosis_of(files: Mapping[str, bytes]) -> Any:
    handed = [handed_in(data, name) for name, data in files.items()]
    return orjson.loads(orjson.dumps(answer_at_once(files=handed, waiting=PATIENT)))


def held_against_it(diagnosis: Any) -> list[str]:
    """Where a diagnosis is not of the documented shape."""
    validator = jsonschema_rs.Draft202012Validator(schema())
    return [f"{list(error.instance_path)}: {error.message}" for error in validator.iter_errors(diagnosis)]


def test_it_is_the_one_under_review() -> None:
    now = json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
    if UPDATE:
        SNAPSHOT.write_text(now, encoding="utf-8")
    assert SNAPSHOT.read_text(encoding="utf-8") == now, HOW_TO_UPDATE


@pytest.mark.parametrize(
    "files",
    [
        {"job.log": FAILED.encode()},
        {"job.log": steps(3_000).encode()},
        {"job.log": b"Nothing of the kind\n"},
        {"logs.tar.gz": as_tar({"r3.log": FAILED.encode(), "../out.log": b"x", "a.png": bytes(range(32)) * 9})},
    ],
    ids=["a failure", "healthy", "no evidence", "partly read"],
)
def test_a_diagnosis_has_it(files: Mapping[str, bytes]) -> None:
    assert held_against_it(diagnosis_of(files)) == []


def test_diagnoses_of_runs_of_every_kind_have_it() -> None:
    jobs = [generate(spec) for spec in list(tuning_specs())[::EVERY]]
    found = [diagnosis_of(job.files) for job in jobs]
    assert {one["verdict"] for one in found} >= {"failure", "cancelled"}
    assert [held_against_it(one) for one in found] == [[] for _ in found]


def test_a_diagnosis_beside_dumps_has_it() -> None:
    world = data_parallel()
    dumps = {f"nccl_trace_rank_{rank}": pickle.dumps(world.content(rank), 2) for rank in world.calls}
    found = diagnosis_of({"job.log": FAILED.encode(), **dumps})
    assert found["recorded"]
    assert held_against_it(found) == []


def test_what_is_not_documented_is_noticed() -> None:
    found = diagnosis_of({"job.log": FAILED.encode()})
    assert held_against_it(found | {"new": 1})
    found["lines"][0]["new"] = 1
    assert held_against_it(found)
