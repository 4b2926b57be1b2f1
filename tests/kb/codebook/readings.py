"""The numbers that were read of each study, where `../shared` has them: facts, papers, and counts of published data.

What was read elsewhere is named here with the place, since no file beside the project holds it.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

SHARED = Path(__file__).parents[4] / "shared"
FACTS = SHARED / "facts/studies.md"
TAXONOMIES = SHARED / "facts/taxonomies.json"
NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")

# By study: the beginnings of its headings in the facts, its name in the taxonomies, and its papers among the seeds.
HEADINGS = {
    "p1-distributed-frameworks": ("## P1.",),
    "p2-distributed-dl-systems": ("## P2.",),
    "p3-training-systems": ("## P3.",),
    "p4-l4-logs": ("## P4.",),
    "p5-llm-challenges": ("## P5.",),
    "open-llm-failures": ("### P6.1",),
    "inference-engines": ("### P6.2",),
}
TAXONOMY = {
    "p1-distributed-frameworks": "P1",
    "p2-distributed-dl-systems": "P2",
    "p3-training-systems": "P3",
    "p4-l4-logs": "P4",
    "p5-llm-challenges": "P5",
    "open-llm-failures": "P6.open-llm-failures",
    "inference-engines": "P6.inference-engines",
}
SEEDS = {
    "p1-distributed-frameworks": ("001", "002"),
    "p3-training-systems": ("000",),
    "p4-l4-logs": ("003",),
    "p5-llm-challenges": ("004",),
}
# Data whose rows are counted: the file, and the columns whose values, alone and in pairs, are. The owner is that of
# the repository in the address.
DATA = {
    "dl-compiler-bugs": (
        "dl-compiler-bugs/dataset.csv",
        ("project", "symptoms", "stages", "root causes", "sub_causes", "link", "front framework"),
    ),
    "open-llm-failures": ("open-llm-failures/open_llm_failures.csv", ("owner", "STAGE", "architecture")),
    "silent-bugs-keras": ("silent-bugs-keras/issues_voting.csv", ("reviewer1", "reviewer2", "reviewer3", "votes")),
}
# The paper beside the data: sections 3.1 and 3.2, Figure 7, Finding 1, and the bugs that its test generator found.
COMPILERS_PAPER = (1361, 15, 30, 85, 95, 0.8, 0.74, 0.76, 19.23, 8)
# README and Artifacts/data.csv of the replication package at commit e6d6413: 77 bugs by scenario, impact, component.
SILENT_BUGS = (83, 77, 70, 48, 23, 16, 15, 10, 6, 4, 3, 13, 9, 21, 27, 14, 7, 5, 2, 1)
ELSEWHERE = {
    # 10.1 % of 849, and 100 less the five shares of the inference stage.
    "p2-distributed-dl-systems": (86,),
    # Sections 3.4 and 7 of the paper; the last one is written in words.
    "p4-l4-logs": (89.9, 46.1),
    "dl-compiler-bugs": COMPILERS_PAPER,
    # The phrases of the three types together.
    "p5-llm-challenges": (2637,),
    # 557 records to 149, and 223 + 130 to 46.
    "open-llm-failures": (3.7, 7.7),
    # The abstract's number of kinds of causes.
    "inference-engines": (28,),
    # Two or three votes of three are 38 + 57.
    "silent-bugs-keras": (*SILENT_BUGS, 0.701, 95),
}


def numbers_in(text: str) -> set[float]:
    """The numbers of a text, with commas between thousands."""
    return {float(number.replace(",", "")) for number in NUMBER.findall(text)}


@cache
def known_numbers(study: str) -> frozenset[float]:
    """Every number that was read of the study or is counted from its data."""
    known = numbers_in("\n".join(_texts(study))) | {float(number) for number in ELSEWHERE.get(study, ())}
    return frozenset(known | set(_counts(study)))


def _texts(study: str) -> Iterator[str]:
    facts = FACTS.read_text()
    for heading in HEADINGS.get(study, ()):
        level = heading.split()[0]
        beginning = facts.index(f"\n{heading}")
        ends = [at for at in (facts.find(f"\n{mark} ", beginning + 1) for mark in ("##", level)) if at >= 0]
        yield facts[beginning : min(ends, default=len(facts))]
    for entry in json.loads(TAXONOMIES.read_text())["studies"]:
        if entry["study"] == TAXONOMY.get(study):
            yield json.dumps(entry)
    for beginning_of_name in SEEDS.get(study, ()):
        for path in SHARED.glob(f"seeds/{beginning_of_name}*.txt"):
            yield path.read_text()


def _counts(study: str) -> Iterator[float]:
    """The rows, the distinct values, and the rows for each value and each pair of values."""
    if study not in DATA:
        return
    name, columns = DATA[study]
    rows = []
    with (SHARED / "data" / name).open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines):
            row["owner"] = row.get("link", "///").split("/")[3]
            rows.append(tuple((row[column] or "").strip() for column in columns))
    # Of what is counted, nothing is a number too.
    yield from (0, len(rows))
    for index in range(len(columns)):
        counted = Counter(row[index] for row in rows)
        yield len(counted)
        yield from counted.values()
        yield len(rows) - counted[""]
    for one, other in combinations(range(len(columns)), 2):
        yield from Counter((row[one], row[other]) for row in rows).values()
