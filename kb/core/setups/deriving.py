"""What follows from what was read: settings, packages and machines in the words of the vocabulary.

Which setting says which fact stands in `derivations.yaml`; what takes more than one setting, in `inferring.py`.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from kb.core.setups.facts import Place, Value
from kb.core.setups.inferring import GOVERNED, RULES, is_given, yes
from kb.core.setups.lookups import heads
from kb.core.setups.readers.draft import Claim, Draft, Rank, agreed
from kb.core.setups.vocabulary import vocabulary
from kb.core.yaml_files import Strict, read_yaml

DERIVATIONS = Path(__file__).with_name("derivations.yaml")

Convert = Literal["bool", "opposite", "int", "text", "given"]


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


class Derivation(Strict):
    """How a setting becomes a fact."""

    fact: str
    convert: Convert | dict[str, Value] | None = Field(None, alias="as")
    default: Value | None = None


class _Table(Strict):
    kinds: dict[str, dict[str, Annotated[tuple[Derivation, ...], BeforeValidator(_listed)]]]


@cache
def derivations() -> dict[str, tuple[Derivation, ...]]:
    """What each setting says, by kind and key. Raises `pydantic.ValidationError`."""
    kinds = _Table.model_validate({"kinds": read_yaml(DERIVATIONS)}).kinds
    return {f"{kind}.{key}": rules for kind, keys in kinds.items() for key, rules in keys.items()}


@cache
def _defaults() -> dict[str, list[tuple[str, str, Value]]]:
    """By kind: setting, fact and what holds where the setting is absent."""
    defaults: dict[str, list[tuple[str, str, Value]]] = {}
    for setting, rules in derivations().items():
        for rule in rules:
            if rule.default is not None:
                defaults.setdefault(setting.partition(".")[0], []).append((setting, rule.fact, rule.default))
    return defaults


CONVERSIONS: dict[str, Callable[[Value], Value | None]] = {
    "bool": yes,
    "opposite": lambda value: None if (answer := yes(value)) is None else not answer,
    "int": lambda value: _int(value),
    "text": lambda value: str(value).strip().lower() or None,
    "given": is_given,
}


def _int(value: Value) -> int | None:
    """A count: what is `auto`, -1 or a variable is not known."""
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return int(number) if number.is_integer() and 0 <= number < 10**6 and not isinstance(value, bool) else None


def converted(rule: Derivation, value: Value) -> Value | None:
    """The fact's value; None where the setting says nothing of it."""
    if isinstance(rule.convert, dict):
        word = str(value).strip().lower()
        return rule.convert.get(word, word if "*" in rule.convert else None)
    kind = vocabulary()[rule.fact].type
    if rule.convert is not None:
        return CONVERSIONS[rule.convert](value)
    if isinstance(kind, tuple):
        word = str(value).strip().lower()
        return word if word in kind else None
    return CONVERSIONS.get(kind, CONVERSIONS["text"])(value)


def derive(draft: Draft) -> None:
    """Add to the draft what follows from its settings, variables and packages."""
    _drop_what_references_replace(draft)
    _deepspeed_by_accelerate(draft)
    _from_settings(draft)
    _from_variables(draft)
    for rule in RULES:
        rule(draft)
    _from_defaults(draft)


# What Accelerate writes into the DeepSpeed configuration that it makes, and what holds where its own key is not set.
MADE_BY_ACCELERATE: dict[str, tuple[str, Value]] = {
    "zero_stage": ("stage", 2),
    "offload_optimizer_device": ("offload_optimizer.device", "none"),
    "offload_param_device": ("offload_param.device", "none"),
    "zero3_save_16bit_model": ("stage3_gather_16bit_weights_on_model_save", False),
}


def _deepspeed_by_accelerate(draft: Draft) -> None:
    """Without a file of DeepSpeed's, Accelerate makes the configuration from its own keys."""
    kind = agreed(draft.settings.get("accelerate.distributed_type", []))
    names_file = any(reference.kind == "deepspeed" for reference in draft.references)
    is_made = kind is not None and str(kind.value).lower() == "deepspeed" and "zero_stage" not in draft.unread
    if kind is None or not is_made or names_file or "deepspeed" in draft.read_kinds:
        return
    draft.read_kinds.add("deepspeed")
    for key, (setting, default) in MADE_BY_ACCELERATE.items():
        claim = agreed(draft.settings.get(f"accelerate.deepspeed_config.{key}", []))
        claim = claim or Claim(default, kind.place, Rank.DEFAULT)
        draft.add_setting("deepspeed", f"zero_optimization.{setting}", claim.value, claim.place, claim.rank)


def _from_settings(draft: Draft) -> None:
    sections = _sections(draft)
    for setting, rules in derivations().items():
        claim = agreed(draft.settings.get(setting, [])) or sections.get(setting)
        if claim is None:
            continue
        for rule in rules:
            value = converted(rule, claim.value)
            if value is not None:
                draft.add_fact(rule.fact, value, claim.place, claim.rank)
            else:
                draft.unread.add(setting)


def _sections(draft: Draft) -> dict[str, Claim]:
    """Keys that hold keys of their own: something is set there."""
    sections: dict[str, Claim] = {}
    for setting, claims in draft.settings.items():
        head, _, last = setting.rpartition(".")
        if head.count(".") > 0 and last and head not in draft.settings:
            sections.setdefault(head, Claim("a section", claims[0].place, claims[0].rank))
    return sections


def _from_variables(draft: Draft) -> None:
    for name, claims in draft.variables.items():
        for rule in derivations().get(f"environment.{name}", ()):
            value = converted(rule, claims[-1].value)
            if value is not None:
                draft.add_fact(rule.fact, value, claims[-1].place, claims[-1].rank)


def _from_defaults(draft: Draft) -> None:
    for kind in sorted(draft.read_kinds):
        for setting, fact, default in _defaults().get(kind, []):
            is_open = fact in draft.unread or not draft.unread.isdisjoint(heads(setting))
            if setting not in draft.settings and not is_open:
                draft.add_fact(fact, default, Place(f"default of {kind}"), Rank.DEFAULT)


# References: a configuration that another one names


CONFIGURATION = re.compile(r"\.(?:json|ya?ml|toml)$", re.IGNORECASE)


def _drop_what_references_replace(draft: Draft) -> None:
    """Of several files of a kind the one that is named counts; where it was not handed over, its facts are unknown."""
    for kind, facts in GOVERNED.items():
        named = {_base(reference.path) for reference in draft.references if reference.kind == kind}
        if not named:
            continue
        settings = {key: claims for key, claims in draft.settings.items() if key.startswith(f"{kind}.")}
        files = {claim.place.file for claims in settings.values() for claim in claims if claim.rank == Rank.FILE}
        fitting = {file for file in files if _base(file) in named or not CONFIGURATION.search(file)}
        for key, claims in settings.items():
            kept = [claim for claim in claims if claim.rank != Rank.FILE or claim.place.file in fitting]
            if kept:
                draft.settings[key] = kept
            else:
                del draft.settings[key]
        if not fitting:
            draft.read_kinds.discard(kind)
            draft.unread.update(facts)


def _base(path: str) -> str:
    return re.split(r"[/\\]", path.strip())[-1].lower()
