"""Searches that nobody means well, by name: what stands in the box (`BOX`), and whole query strings (`QUERIES`)."""

import random
from urllib.parse import quote, urlencode

from kb.search import MAX_CHARACTERS

# What the server in front lets through of an address (granian: 64 KB), in characters that need no escape.
LONG = 60_000
_letters = random.Random(7)  # noqa: S311


def _word(length: int) -> str:
    return "".join(_letters.choices("abcdefghijklmnopqrstuvwxyz", k=length))


BOX = {
    "a megabyte": "hang " * 200_000,
    "a word without end": "x" * LONG,
    "the longest text": "hang " * (MAX_CHARACTERS // 5),
    "ten thousand words": " ".join(_word(7) for _ in range(10_000)),
    "ten thousand common words": " ".join(_letters.choices(["cuda", "error", "hang", "nccl", "memory"], k=10_000)),
    "fifty misspelt words": " ".join(_word(9) for _ in range(50)),
    "quotes": '"' * LONG,
    "one quote": '"hang',
    "many unbalanced quotes": '"a' * 249,
    "only operators": "AND OR NOT -- - + && || ! ( )",
    "only exclusions": "-a " * 166,
    "only colons": "a:" * 249,
    "commas": "symptom:" + "," * 490,
    "many filters": "symptom:hang " * 38,
    "many shorthands": "is:open " * 62,
    "deep parentheses": "(" * LONG,
    "deep brackets": "[" * LONG,
    "backticks": "`" * LONG,
    "tags": "<" * LONG,
    "dashes": "-" * LONG,
    "empty lines": "\n" * LONG + "x",
    "headings": "#\n" * (LONG // 2),
    "a list in a list": "- " * (LONG // 2),
    "fences": "```\n" * (LONG // 4),
    "tracebacks": "Traceback (most recent call last):\n" * 1_700,
    "compounds": "aB" * (LONG // 2),
    "dots": "a." * (LONG // 2),
    "underscores": "a_" * (LONG // 2),
    "a hash": "0x" + "a1" * (LONG // 2),
    "times": "12:" * (LONG // 3),
    "zeros": "zero" + " " * LONG + "x",
    "another engine's language": "title:x^5 AND (",
    "more of it": "[a TO *] ~2 \\ /regex.*(/ {x} field:(a b)^2 *:*",
    "an expression": "(a+)+$ [[:alpha:]] .*.*.* (?=x)",
    "SQL": "'; DROP TABLE kb_issue; -- \" OR 1=1",
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "templates": "%s %d %(x)s {0} ${x} {{ x }} {% x %}",
    "NUL": "a\x00b \x00",
    "control characters": "\x01\x02\x1b[31mred\x7f\x85\u2028",
    "Chinese": "死锁" * 5_000,
    "emoji": "🚀👩‍👩‍👧‍👦" * 1_000,
    "right to left": "\u202eמבחן תקיעה\u202c" * 500,
    "combining": "a" + "\u0301" * 10_000,
    "a name of an issue": "a/" * 200 + "b#1",
    "an address of an issue": f"https://github.com/{'a' * 400}/b/issues/1",
}
QUERIES = {
    **{name: urlencode({"q": text}) for name, text in BOX.items()},
    "broken UTF-8": "q=%ff%fe%80",
    "lone surrogates": "q=%ed%a0%80%ed%b0%80",
    "half an escape": "q=%&x=%z",
    "a NUL as a name": "%00=1&q=a",
    "many parameters": "&".join(f"x{i}=1" for i in range(1_900)),
    "too many parameters": "&".join(f"x{i}=1" for i in range(2_500)),
    "one parameter many times": "q=a&" * 900,
    "a filter of quotes": "symptom=" + "%22" * (LONG // 3),
    "a megabyte of quotes in a filter": "symptom=" + "%22" * 1_000_000,
    "a filter of many values": "framework=" + "a," * (LONG // 2),
    "as many values as may be": "framework=" + ",".join(_word(12) for _ in range(50)),
    "as many characters as may be": "repository=" + quote('"' * 4_999),
    "a NUL in a filter": "framework=a%00b",
    "many categories": "node=" + "a/b," * 1_000,
    "digits": "lines=" + "9" * 4_000,
    "a range of ranges": "opened=" + ".." * 2_000,
    "every year": "year=" + "2008..2100," * 30,
    "a day that is none": "closed=2024-02-31",
    "page -1": "q=hang&page=-1",
    "page 0": "q=hang&page=0",
    "a page far away": "q=hang&page=999999",
    "a page beyond numbers": "q=hang&page=" + "9" * 5_000,
    "a page in other digits": "q=hang&page=%D9%A3",
    "an order without end": "q=hang&sort=" + "x" * 5_000,
    "a match that is none": "q=hang&match=" + "x" * 5_000,
}
