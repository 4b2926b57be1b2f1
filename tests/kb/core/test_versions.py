"""Versions of packages, what requirements allow, and ranges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from kb.core.versions import Range, allowed_by, as_version, package_name, version_of_tag, within

KNOWN = Range(Version("0.14"), Version("0.14.1"), Version("0.15.1"))


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ("0.13.9", False),
        ("0.14.0", None),
        ("0.14.1", True),
        ("0.15.0.post1", True),
        ("0.15.1.dev0", None),
        ("0.15.1rc2", None),
        ("0.14.1rc1", None),
        ("0.15.1", False),
        ("0.15.1+cu124", False),
        ("0.14.2+cpu", True),
        (">=0.14.1,<0.15", True),
        (">=0.14.1,<=0.15.1", None),
        ("<0.14", False),
        ("<=0.14", None),
        (">=0.15.1", False),
        ("==0.14.*", None),
        ("~=0.14.2", True),
        ("", None),
        ("!=0.14.2", None),
    ],
)
def test_what_is_allowed_lies_in_a_range_outside_or_may_do_either(installed: str, expected: bool | None) -> None:
    allowed = allowed_by(installed)
    assert allowed is not None
    assert KNOWN.holds(allowed) is expected


@pytest.mark.parametrize("installed", ["2.7.0a0+git1", "2.7.dev20250101", "2.7rc1", "2.7.0.dev0+cu126"])
@pytest.mark.parametrize("fixed", ["2.7", "2.7.0"])
def test_a_build_before_a_release_may_have_its_fix_however_the_release_is_written(installed: str, fixed: str) -> None:
    allowed = allowed_by(installed)
    assert allowed is not None
    assert Range(None, Version("2.0"), Version(fixed)).holds(allowed) is None


def test_without_a_fix_no_version_is_surely_in_range() -> None:
    allowed = allowed_by("0.15")
    assert allowed is not None
    assert within([Range(Version("0.14"), Version("0.14"))], allowed) is None
    assert within([], allowed) is None


@pytest.mark.parametrize(
    ("tag", "version"),
    [
        ("v1.2", "1.2"),
        ("core_v0.17.0", "0.17.0"),
        ("release-1.2", "1.2"),
        ("b9310", "9310"),
        ("v2.27.3-1", "2.27.3"),
        ("v0.6.3.post1", "0.6.3.post1"),
        ("NVLM-1.0", None),
        ("fa4-v4.0", None),
        ("9" * 5000, None),
    ],
)
def test_tags(tag: str, version: str | None) -> None:
    assert version_of_tag(tag) == (Version(version) if version else None)


def test_names_are_normalised() -> None:
    assert [package_name(name) for name in (" Flash_Attn", "NVIDIA/Megatron-LM")] == [
        "flash-attn",
        "nvidia/megatron-lm",
    ]


@given(st.text(max_size=40) | st.from_regex(r"[<>=!~]{0,2}[0-9]{1,9000}(\.[0-9*]{1,3}){0,99}", fullmatch=True))
def test_any_text_is_read_or_refused(text: str) -> None:
    as_version(text)
    allowed = allowed_by(text)
    if allowed is not None:
        KNOWN.holds(allowed)


@pytest.mark.parametrize(("text", "low", "high"), [("~=1!2.0", "1!2.0", "1!3"), ("==1!2.1.*", "1!2.1", "1!2.2")])
def test_epochs_stay(text: str, low: str, high: str) -> None:
    allowed = allowed_by(text)
    assert allowed is not None
    assert (allowed.low, allowed.high) == (Version(low), Version(high))
