"""Conditions that narrow nothing, or that shut out the very set-up which their record reports. Pure.

What a condition may say is in `kb.core.setups.conditions`.
"""

from collections.abc import Iterator
from itertools import product

from kb.core.frameworks import package_of
from kb.core.setups.answers import Answer
from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Fact, Package, Place, Setup
from kb.core.versions import as_version, exactly
from kb.starter.format import Record

RECORD = Place("record")
# What is not called as the package that it runs from.
ENGINES = {"llama-cpp-python": "llama.cpp"}
# `transformers` is everywhere, whatever generates.
NO_ENGINES = frozenset({"transformers"})
DEVICES = {
    "nvidia": "cuda",
    "older-nvidia": "cuda",
    "hopper": "cuda",
    "blackwell-datacenter": "cuda",
    "blackwell-consumer": "cuda",
    "amd": "rocm",
    "ascend": "npu",
    "tpu": "tpu",
    "apple-silicon": "mps",
    "intel-gpu": "xpu",
    "cpu": "cpu",
}


def condition_faults(record: Record) -> Iterator[str]:
    """A sentence for each fault of the record's condition."""
    if not record.affects_when or record.affects_when in ("any", "as_described"):
        return
    test = compiled(record.affects_when)
    packages = {row.package for row in record.affects} or {package_of("/".join(record.url.split("/")[3:5]))}
    if all(_is_met(test(_running(package))) for package in packages):
        yield (
            f"affects_when: '{record.affects_when}' is true wherever {' and '.join(sorted(packages))} runs: write what "
            "else must be so, or as_described alone, or any if every such set-up has the fault"
        )
    answers = [test(setup) for setup in _reported(record)]
    if all(answer.holds is False for answer in answers):
        reason = "; ".join(answers[0].because)
        yield f"affects_when: '{record.affects_when}' leaves out the record's own set-up: {reason}"


def _is_met(answer: Answer) -> bool:
    """Whether nothing else must be so, but for what no set-up shows."""
    return answer.holds is not False and set(answer.missing) <= {"as_described"}


def _running(package: str) -> Setup:
    """A set-up of which only this package is known, and that it runs."""
    engine = ENGINES.get(package, package.rpartition("/")[2])
    facts = {} if engine in NO_ENGINES else {"engine": Fact(engine, RECORD)}
    return Setup(packages={package: Package(package, None, RECORD)}, facts=facts)


def _reported(record: Record) -> Iterator[Setup]:
    """The set-ups that the record names: each device with each model and the versions that reports name."""
    devices = {DEVICES[label.node] for label in record.labels.hardware if label.node in DEVICES}
    versions = [[(row.package, text) for text in row.reported] for row in record.affects if row.reported]
    for device, model, *named in product(devices or {""}, record.models or ("",), *versions):
        facts = {"device": str(device), "model": str(model).lower().replace(" ", "-")}
        packages = {}
        for package, text in named:
            version = as_version(text)
            packages[package] = Package(package, exactly(version, text) if version else None, RECORD)
        yield Setup(packages=packages, facts={name: Fact(value, RECORD) for name, value in facts.items() if value})
