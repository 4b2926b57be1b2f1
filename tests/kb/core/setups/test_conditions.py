"""Conditions are total, keep Kleene's laws, and telling more never takes an answer back."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.setups.answers import ConditionError
from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Fact, Package, Place, Setup, Value
from kb.core.setups.vocabulary import vocabulary
from kb.core.versions import allowed_by
from tests.kb.core.setups.setups import setup

PLACE = Place("a.txt", 3)
TEXTS = ["2", "2.6.0+cu124", ">=2.1", "auto", "true", "nan", "", "1e400", "9" * 400, "llama-3-8b", "\0"]
VALUES = st.one_of(st.booleans(), st.integers(-2, 5), st.floats(), st.sampled_from(TEXTS), st.just(10**400))
ATOMS = [
    "lora",
    "zero_stage == 3",
    "zero_stage in (1, 2)",
    "zero_stage >= 2",
    "'llama' in model",
    'cuda < "12.4"',
    'cuda in ">=12.1,<12.6"',
    'version("torch") < "2.7"',
    'version("torch") != "2.6.0"',
    'version("torch") in (">=2.1,<2.4", "2.6")',
    'installed("torchao")',
    'uses("DPOTrainer")',
    'flag("--dtype") == "half"',
    'flag("--enforce-eager")',
    'env("NCCL_P2P_DISABLE") == "1"',
    'env("OMP_NUM_THREADS") > 4',
    'setting("deepspeed.zero_optimization.stage") == 3',
    "any",
]
CONDITIONS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
    ),
    max_leaves=6,
)
FACTS = st.builds(Fact, VALUES, st.just(PLACE))
NAMES = ["lora", "zero_stage", "model", "cuda"]
KEYS = {
    "flags": ["dtype", "enforce-eager"],
    "variables": ["NCCL_P2P_DISABLE", "OMP_NUM_THREADS"],
    "settings": ["deepspeed.zero_optimization.stage"],
}


def _some(names: list[str]) -> st.SearchStrategy[dict[str, Fact]]:
    return st.dictionaries(st.sampled_from(names), FACTS)


PACKAGES = st.dictionaries(
    st.sampled_from(["torch", "torchao"]),
    st.sampled_from(["?", "2.6.0", "2.7.0a0", ">=2.1", "<2.3", "==2.6.*", "<1,>=3"]).map(
        lambda text: Package("torch", allowed_by(text), PLACE)
    ),
)
SETUPS = st.builds(
    Setup,
    packages=PACKAGES,
    facts=_some(NAMES),
    flags=_some(KEYS["flags"]),
    variables=_some(KEYS["variables"]),
    settings=_some(KEYS["settings"]),
    names=st.sampled_from([frozenset(), frozenset({"DPOTrainer"})]),
    read_kinds=st.sampled_from([frozenset(), frozenset({"deepspeed"})]),
    lists_all_packages=st.booleans(),
    lists_all_variables=st.booleans(),
    has_command=st.booleans(),
    has_script=st.booleans(),
)


def holds(condition: str, of: Setup) -> bool | None:
    return compiled(condition)(of).holds


@given(CONDITIONS, SETUPS)
def test_every_condition_answers_of_every_set_up(condition: str, of: Setup) -> None:
    answer = compiled(condition)(of)
    assert answer.missing if answer.holds is None else True


@given(CONDITIONS, CONDITIONS, SETUPS)
def test_kleenes_laws(first: str, second: str, of: Setup) -> None:
    left, right = holds(first, of), holds(second, of)
    both, either = holds(f"{first} and {second}", of), holds(f"{first} or {second}", of)
    assert both == (False if False in (left, right) else None if None in (left, right) else True)
    assert either == (True if True in (left, right) else None if None in (left, right) else False)
    assert holds(f"not ({first} and {second})", of) == holds(f"not {first} or not {second}", of)
    assert holds(f"not not {first}", of) == left
    assert both == holds(f"{second} and {first}", of)


@given(CONDITIONS, SETUPS, SETUPS)
def test_telling_more_never_takes_an_answer_back(condition: str, of: Setup, more: Setup) -> None:
    fuller = replace(
        of,
        packages=of.packages if of.lists_all_packages else {**more.packages, **of.packages},
        facts={**more.facts, **of.facts},
        flags=of.flags if of.has_command else {**more.flags, **of.flags},
        variables=of.variables if of.lists_all_variables else {**more.variables, **of.variables},
        settings=of.settings if of.read_kinds else {**more.settings, **of.settings},
        names=of.names if of.has_script else of.names | more.names,
        lists_all_packages=of.lists_all_packages or more.lists_all_packages,
        lists_all_variables=of.lists_all_variables or more.lists_all_variables,
        has_command=of.has_command or more.has_command,
        has_script=of.has_script or more.has_script,
        read_kinds=of.read_kinds | more.read_kinds,
    )
    before = holds(condition, of)
    assert before is None or holds(condition, fuller) == before


@given(st.text(max_size=80))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    with suppress(ConditionError):
        compiled(text)(setup())


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("zero_stages == 3", "not in vocabulary.yaml"),
        ("zero_stage == 'three'", "number"),
        ("zero_stage", "compare it with a value"),
        ("lora < 1 < 2", "one comparison at a time"),
        ("precision == 'int4'", "one of fp32"),
        ("cuda < 12.1", "in quotes"),
        ('version("torch") < ">=2"', "write a version"),
        ('version("torch") < 2.7', "write a version"),
        ('version("torch") in "!=2.6"', "write a version"),
        ('version("torch")', "no yes or no"),
        ('uses("A") == 1', "yes or no"),
        ("__import__('os')", "no function"),
        ("lora.x", "no condition"),
        ("model > 'a'", "order"),
        ("zero_stage > " + "9" * 400, "order"),
        ("not " * 13 + "lora", "deep"),
        ("lora and " * 80 + "lora", "characters"),
        ("", "not an expression"),
        ("(" * 300, "not an expression"),
    ],
)
def test_what_is_no_condition_is_refused(condition: str, part: str) -> None:
    with pytest.raises(ConditionError, match=part):
        compiled(condition)


@pytest.mark.parametrize(
    ("version", "condition", "expected"),
    [
        ("2.6.0+cu124", 'version("torch") < "2.7"', True),
        ("2.7.0a0", 'version("torch") < "2.7"', None),
        ("2.7.0", 'version("torch") <= "2.7"', True),
        (">=2.1,<2.4", 'version("torch") in ">=2.0,<2.5"', True),
        (">=2.1", 'version("torch") < "2.4"', None),
        (">=2.4", 'version("torch") < "2.4"', False),
        ("?", 'version("torch") < "2.4"', None),
        ("2.6.0", 'version("torch") == "2.6"', True),
        ("2.6.1", 'version("torch") == "2.6.*"', True),
    ],
)
def test_versions_are_compared_as_what_they_allow(version: str, condition: str, expected: bool | None) -> None:
    assert holds(condition, setup({"torch": version})) is expected


@pytest.mark.parametrize(("value", "expected"), [("3", True), (3, True), (3.0, True), ("auto", False), (True, False)])
def test_a_value_is_the_same_however_a_file_writes_it(value: Value, expected: bool) -> None:
    configured = Setup(settings={"deepspeed.zero_optimization.stage": Fact(value, PLACE)})
    assert holds('setting("deepspeed.zero_optimization.stage") == 3', configured) is expected


def test_every_fact_can_be_asked_for() -> None:
    examples = {"bool": "{}", "int": "{} > 1", "number": "{} > 1", "version": '{} > "1"', "text": "{} == 'a'"}
    for name, kind in vocabulary().items():
        template = examples[kind.type] if isinstance(kind.type, str) else f"{{}} == '{kind.type[0]}'"
        answer = compiled(template.format(name))(Setup())
        assert (answer.holds, answer.missing) == (None, (name,))
