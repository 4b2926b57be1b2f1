"""Agents over the served application: every tool by the SDK's client, many sessions at once on several processes."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from kb.core.tools.catalogue import TOOLS
from tests.drills.served import Served, served

SESSIONS, WORKERS = 20, "2"
CALLS: dict[str, dict[str, str]] = {
    "search_faults": {"query": "hang in ZeRO-3"},
    "get_fault": {"id": "deepspeedai/DeepSpeed#860"},
    "diagnose_log": {"text": "deepspeed: iteration 1\n[rank3]: torch.OutOfMemoryError: CUDA out of memory."},
    "check_setup": {"text": "torch==2.3.0\ndeepspeed==0.14.0\n"},
    "likely_causes": {"symptom": "hang"},
}
NOT_HELD = {"get_fault"}


@pytest.fixture(scope="module")
def site(database: Path) -> Iterator[Served]:
    rates = dict.fromkeys(("API_RATE", "SEARCH_RATE", "DIAGNOSIS_RATE"), "10000/min")
    with served(database, GRANIAN_WORKERS=WORKERS, **rates) as running:
        yield running


async def session(site: Served, number: int) -> dict[str, Any]:
    """One agent that calls every tool, each in another order than its neighbour."""
    mode = "legacy" if number % 2 else "auto"
    results = {}
    async with Client(f"http://127.0.0.1:{site.port}/mcp", mode=mode) as client:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        for turn in range(len(CALLS)):
            name = list(CALLS)[(number + turn) % len(CALLS)]
            results[name] = await client.call_tool(name, CALLS[name])
    return results


@pytest.mark.drill("Twenty agents at once are answered by all tools")
def test_twenty_sessions_at_once_get_the_answers_that_one_gets(site: Served) -> None:
    async def all_of_them() -> list[dict[str, Any]]:
        alone = [await session(site, number) for number in (0, 1)]
        return alone + await asyncio.gather(*(session(site, number) for number in range(SESSIONS)))

    first, *others = asyncio.run(all_of_them())
    assert set(first) == {tool.name for tool in TOOLS}
    assert {name for name, result in first.items() if result.is_error} == NOT_HELD
    busy = 0
    for results in others:
        for name, result in results.items():
            # One visitor may have only so many logs read at a time, and is told so.
            if name == "diagnose_log" and result.is_error:
                assert "Try again in" in result.content[0].text
                busy += 1
            else:
                assert result.structured_content == first[name].structured_content
    assert busy < SESSIONS
