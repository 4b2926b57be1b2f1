"""The description of the labeling API is complete and kept under review; the public one knows nothing of it."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from labeling.api.schema import LabelingGenerator, document
from tests.contracts.test_openapi import HOW_TO_UPDATE, UPDATE

pytestmark = [pytest.mark.contract, pytest.mark.django_db]
SNAPSHOT = Path(__file__).parents[2] / "contracts" / "labeling.yaml"


def test_the_description_is_the_one_under_review(client: Client) -> None:
    now = document().decode()
    if UPDATE:
        SNAPSHOT.write_text(now, encoding="utf-8")
    assert SNAPSHOT.read_text(encoding="utf-8") == now, HOW_TO_UPDATE
    assert client.get("/api/v1/labeling/openapi.yaml").content.decode() == now


def test_nothing_in_it_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    LabelingGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    assert capsys.readouterr().err == ""


def test_every_verb_parameter_and_key_is_described() -> None:
    described: Any = yaml.load(document(), yaml.CSafeLoader)
    silent = []
    for path, verbs in described["paths"].items():
        for verb, operation in verbs.items():
            silent += [f"{verb} {path}"] if not operation["summary"] or not operation["description"] else []
            silent += [
                f"{verb} {path} {one['name']}"
                for one in operation.get("parameters", [])
                if one["in"] == "query" and not one.get("description")
            ]
            assert {"401", "404"} <= set(operation["responses"]), path
    for name, shape in described["components"]["schemas"].items():
        silent += [f"{name}.{key}" for key, one in shape.get("properties", {}).items() if "description" not in one]
    assert [one for one in silent if not one.endswith(".results")] == []


def test_the_public_description_has_none_of_it() -> None:
    public = (Path(__file__).parents[2] / "contracts" / "openapi.yaml").read_text(encoding="utf-8")
    assert "/labeling/" not in public
