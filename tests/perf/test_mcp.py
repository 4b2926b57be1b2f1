"""How long agents wait: each tool through the SDK's client over the served product. `make bench ONLY=mcp`."""

import asyncio
import statistics
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from mcp.client import Client

from tests.perf.serving import product
from tests.support.engines import PutIssuesIn

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS, MOST_MS = 60, 150.0
QUERIES = ("hang in ZeRO-3", "CUDA out of memory", "NCCL watchdog timeout", "loss is nan", "vllm engine core failed")
LOG = "loading DeepSpeed\n" + "iteration 12 loss 2.1\n" * 500 + "[rank3]: torch.OutOfMemoryError: CUDA out of memory.\n"
CALLS: dict[str, tuple[dict[str, str], ...]] = {
    "search_faults": tuple({"query": query} for query in QUERIES),
    "get_fault": tuple({"id": f"deepspeedai/DeepSpeed#{number}"} for number in (860, 4808, 8262)),
    "check_setup": ({"text": "torch==2.3.0\nvllm==0.6.0\ndeepspeed==0.14.0\ntransformers==4.40.0\n"},),
    "likely_causes": tuple({"symptom": symptom} for symptom in ("hang", "crash", "oom-gpu", "non-finite")),
    "diagnose_log": ({"text": LOG},),
}


def test_how_long_agents_wait(
    request: pytest.FixtureRequest, search_index: PutIssuesIn, capsys: pytest.CaptureFixture[str]
) -> None:
    # Keys among its rows are checked at the end of a transaction.
    with transaction.atomic():
        request.getfixturevalue("starter")
    search_index()
    with product(Path(settings.SEARCH_INDEX_DIR)) as (port, _pid):
        times = asyncio.run(_timed(f"http://127.0.0.1:{port}/mcp"))
    with capsys.disabled():
        for tool, each in times.items():
            print(f"\n{tool}: median {statistics.median(each):.0f} ms, p95 {_p95(each):.0f} ms, n={len(each)}", end="")  # noqa: T201
    assert max(_p95(each) for tool, each in times.items() if tool != "diagnose_log") <= MOST_MS


async def _timed(url: str) -> dict[str, list[float]]:
    async with Client(url) as client:
        return {tool: await _of_tool(client, tool) for tool in CALLS}


async def _of_tool(client: Client, tool: str) -> list[float]:
    arguments = CALLS[tool]
    times: list[float] = []
    for turn in range(-4 * len(arguments), ROUNDS):
        asked: dict[str, Any] = dict(arguments[turn % len(arguments)])
        began = time.perf_counter()
        result = await client.call_tool(tool, asked)
        if turn >= 0:
            times.append(1_000 * (time.perf_counter() - began))
        assert not result.is_error, result.content
    return times


def _p95(each: list[float]) -> float:
    return statistics.quantiles(each, n=20)[-1]
