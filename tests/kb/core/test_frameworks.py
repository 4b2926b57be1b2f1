"""The frameworks' file: what it may say, and which framework a stack trace speaks of."""

import pytest
from pydantic import ValidationError

from kb.core.frameworks import FrameworksFile, frameworks_named, read_frameworks

PACKAGES = [(package, framework.slug) for framework in read_frameworks().frameworks for package in framework.packages]


@pytest.mark.parametrize(("package", "slug"), PACKAGES)
def test_a_stack_trace_speaks_of_the_framework_of_its_packages(package: str, slug: str) -> None:
    trace = f'  File "/opt/venv/lib/python3.11/site-packages/{package}/engine.py", line 12, in step'
    assert frameworks_named(trace) == {slug}
    assert frameworks_named(f"{package}.errors.StepError: failed") == {slug}


@pytest.mark.parametrize("text", ["", "a deepspeed run with torch", "/data/torchvision/x.py", "mytransformers.models"])
def test_other_words_speak_of_none(text: str) -> None:
    assert frameworks_named(text) == set()


def test_a_package_belongs_to_one_framework() -> None:
    entry = {"name": "One", "packages": ["one"], "repositories": [{"name": "a/one"}]}
    other = {"name": "Two", "packages": ["one"], "repositories": [{"name": "a/two"}]}
    with pytest.raises(ValidationError, match="package one stands in the entry of one already"):
        FrameworksFile.model_validate({"frameworks": [entry | {"slug": "one"}, other | {"slug": "two"}]})
