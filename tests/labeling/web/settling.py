"""Addresses and answers that the tests of settling share."""

from django.test import Client
from django.urls import reverse

from tests.labeling.test_settling import Conflict


def address(conflict: Conflict, name: str = "disagreement", *more: object) -> str:
    args: list[object] = [conflict.round.project.slug]
    if name not in ("disagreement-rounds", "adjudication"):
        args.append(conflict.round.number)
    if name.startswith("axis-") or name in ("disagreement", "opinion"):
        args.append(conflict.item.position)
    return reverse(f"labeling:{name}", args=[*args, *more])


def everything_seen(browser: Client, conflict: Conflict) -> str:
    names = ("disagreement-rounds", "disagreements", "settling-effects", "disagreement", "adjudication", "accept")
    pages = [browser.get(address(conflict, name)) for name in names]
    return " ".join(page.content.decode() for page in pages if page.status_code == 200)


def answer(action: str, code: str = "hang", axis: str = "symptom", **more: str) -> dict[str, str]:
    return {f"{axis}-{action}-{name}": value for name, value in {"codes": code, **more}.items()}
