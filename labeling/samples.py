"""Draws reproducible samples: the same seed and addresses give the same issues. Pure.

Addresses are ordered by the SHA-256 of seed and address, so that neither the order of rows nor a growing knowledge base
moves what was drawn before.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict
from urllib.parse import urlencode, urlsplit

SHORT_NAME = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")


class Sample(TypedDict, total=False):
    """How a round got its issues, as `Round.sample` keeps it; `kind` says which of the other keys are there."""

    kind: str
    # Drawn from a search: best, random, stratified.
    size: int
    query: str
    seed: str
    fresh: bool
    in_text: bool  # every word of the search stands in the title or the text
    with_text: bool  # issues without text beside the title were left out
    without_text: int  # how many the search found of these
    population: int
    strata: dict[str, list[int]]  # framework -> how many were drawn, of how many
    # The project's own items: own, with size, seed, fresh and population as above; without a seed, all.
    # A list of addresses: urls.
    left_out: int
    # What a screening kept: screened.
    round: int
    kept: int
    excluded: int
    # What a change of the codebook touches: recheck.
    proposal: int
    items: list[int]
    # Votes from a file: import.
    file: str
    sha256: str
    # How many were left out because nothing of their thread is mirrored: a search, screened, recheck.
    unmirrored: int
    # Issues whose gold answers are known, added to those that were drawn; all of them were shuffled then.
    gold: int
    # How many issues the round got, of all but screened and recheck.
    drawn: int


def limits(sample: Sample) -> list[str]:
    """Which issues could not be drawn, in sentences."""
    sentences = []
    if sample.get("in_text") and sample.get("query"):
        sentences.append("Every word of the search had to stand in an issue's title or text.")
    if number := sample.get("unmirrored", 0):
        sentences.append(f"Left out because nothing of their threads was mirrored: {number:,}.")
    if number := sample.get("without_text", 0):
        verb = "Left out because their reports" if sample.get("with_text") else "Issues found whose reports"
        sentences.append(f"{verb} have no text beside the title: {number:,}.")
    return sentences


def shuffled(addresses: Iterable[str], seed: str) -> list[str]:
    """The addresses, each once, in the order of this seed."""

    def place(address: str) -> tuple[bytes, str]:
        return hashlib.sha256(f"{seed}\n{address}".encode()).digest(), address

    return sorted(set(addresses), key=place)


def random_sample(addresses: Iterable[str], *, size: int, seed: str) -> list[str]:
    """Simple random sample without replacement; all of them where there are not more than `size`."""
    return shuffled(addresses, seed)[:size]


def stratified_sample(strata: Mapping[str, Sequence[str]], *, size: int, seed: str) -> list[str]:
    """A sample with each stratum's share of the whole, drawn at random within each, in the order of the seed."""
    shares = proportional({name: len(set(addresses)) for name, addresses in strata.items()}, size)
    drawn: list[str] = []
    for name, share in shares.items():
        drawn += random_sample(strata[name], size=share, seed=seed)
    return shuffled(drawn, seed)


def proportional(sizes: Mapping[str, int], places: int) -> dict[str, int]:
    """`places` shared out by size, by Hamilton's method of largest remainders; ties go by name.

    Nobody gets more places than their size.
    """
    total = sum(sizes.values())
    places = min(places, total)
    if not total:
        return dict.fromkeys(sizes, 0)
    whole = {name: divmod(places * size, total) for name, size in sizes.items()}
    shares = {name: share for name, (share, _) in whole.items()}
    by_remainder = sorted(whole, key=lambda name: (-whole[name][1], name))
    for name in by_remainder[: places - sum(shares.values())]:
        shares[name] += 1
    return shares


def search_query(text: str) -> str:
    """The query string of a search: from the address of a search page, from a query string, or from plain words."""
    text = text.strip().replace("\x00", "")
    if "://" in text or text.startswith("/"):
        return urlsplit(text).query
    if re.match(r"\??\w+=", text) and " " not in text:
        return text.removeprefix("?")
    return urlencode({"q": text}) if text else ""


def tidy_address(text: str) -> str:
    """An issue's address as the knowledge base writes it: no fragment, query, or slash at the end.

    `owner/name#12` is taken for an issue on GitHub; any other text is returned unchanged.
    """
    text = text.strip().strip("<>,;\"'")
    if short := SHORT_NAME.fullmatch(text):
        return f"https://github.com/{short[1]}/issues/{short[2]}"
    match = re.match(r"(?:https?://)?(?:www\.)?((?:github|gitee)\.com/[^?#\s]+)", text)
    return f"https://{match[1].rstrip('/')}" if match else text
