"""Logs of something else than a run of a model: what they say is shown, and nothing is claimed of it."""

import pytest

from kb.core.diagnosis.pipeline import as_data
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE, Diagnosis
from kb.core.setups.facts import Setup
from kb.diagnose.knowledge import with_known
from tests.kb.core.diagnosis.lines import diagnosis_of

SERVICES = {
    "web server": [
        '2026/06/01 08:00:01 [notice] 1#1: using the "epoll" event method',
        "2026/06/01 08:00:01 [notice] 1#1: start worker processes",
        "2026/06/01 08:10:11 [error] 29#29: *41 connect() failed (111: Connection refused)",
        "2026/06/01 08:10:12 [error] 29#29: *42 connect() failed (111: Connection refused)",
        "2026/06/01 08:13:01 [warn] 29#29: *52 upstream server temporarily disabled",
    ],
    "database": [
        "2026-06-01 08:00:01.100 UTC [1] LOG:  database system is ready to accept connections",
        "2026-06-01 08:05:01.100 UTC [31] LOG:  checkpoint starting: time",
        "2026-06-01 08:05:03.100 UTC [31] LOG:  checkpoint complete: wrote 3 buffers (0.0%)",
        "2026-06-01 08:06:01.100 UTC [99] FATAL:  password authentication failed for user \"shop\"",
        "2026-06-01 08:07:01.100 UTC [99] ERROR:  relation \"carts\" does not exist at character 15",
        "2026-06-01 08:08:01.100 UTC [1] LOG:  could not write to file \"base/1\": No space left on device",
    ],
    "login": [
        "Jun  1 08:00:01 host1 sshd[811]: Server listening on 0.0.0.0 port 22.",
        *(f"Jun  1 08:0{n}:01 host1 sshd[81{n}]: Failed password for root from 198.51.100.{n}" for n in range(6)),
        "Jun  1 08:09:01 host1 sshd[811]: error: kex_exchange_identification: Connection closed by remote host",
    ],
    "mail": [
        *(f"Jun  1 08:0{n}:01 mx postfix/smtp[9{n}]: connect to mx.example.org: timed out" for n in range(6)),
    ],
    "java service": [
        "08:00:01.100 [main] INFO  o.e.shop.Shop - Started Shop in 4.1 seconds",
        "08:00:02.100 [http-1] ERROR o.e.shop.Cart - could not read cart 4",
        "java.lang.NullPointerException: cart is null",
        "\tat org.example.shop.Cart.read(Cart.java:41)",
        "\tat org.example.shop.Main.main(Main.java:7)",
        *(f"08:00:0{n}.100 [http-1] INFO  o.e.shop.Cart - cart {n} sold" for n in range(3, 9)),
    ],
}  # fmt: skip
PROGRAMS = {
    "c++ build": [
        "[ 10%] Building CXX object src/CMakeFiles/shop.dir/cart.cpp.o",
        "[ 20%] Building CXX object src/CMakeFiles/shop.dir/main.cpp.o",
        "/src/cart.cpp:41:9: error: 'totl' was not declared in this scope",
        "make[2]: *** [src/CMakeFiles/shop.dir/build.make:76: src/CMakeFiles/shop.dir/cart.cpp.o] Error 1",
        "make[1]: *** [CMakeFiles/Makefile2:98: src/CMakeFiles/shop.dir/all] Error 2",
        "make: *** [Makefile:91: all] Error 2",
    ],
    "tests": [
        "============================= test session starts ==============================",
        "collected 3 items",
        "tests/test_cart.py .F.                                                   [100%]",
        "E       assert 3 == 4",
        "tests/test_cart.py:7: AssertionError",
        "FAILED tests/test_cart.py::test_total - assert 3 == 4",
        "========================= 1 failed, 2 passed in 0.05s ==========================",
    ],
    "script": [
        "reading carts", "42 carts", "Traceback (most recent call last):",
        '  File "/srv/shop/report.py", line 12, in <module>',
        "    print(carts[99])", "IndexError: list index out of range",
    ],
    "javascript": [
        "> shop@1.0.0 build", "ERROR in ./src/cart.js 12:4", "Module not found: Error: Can't resolve 'totals'",
        "webpack 5.90.0 compiled with 1 error in 812 ms", "npm ERR! code ELIFECYCLE", "npm ERR! errno 1",
    ],
}  # fmt: skip


def claims(found: Diagnosis) -> list[object]:
    """All that is said beside which lines stand out."""
    told = as_data(found)
    return [
        told["causes"],
        told["checks"],
        told["nodes"],
        told["ranks"],
        told["symptom_code"],
        told["stage"],
        told["restart"],
    ]


@pytest.mark.parametrize("log", SERVICES.values(), ids=SERVICES)
def test_of_a_service_no_failure_is_claimed_but_the_line_is_shown(log: list[str]) -> None:
    found = diagnosis_of("\n".join(log))
    assert (found.verdict, found.is_of_models) == (NO_EVIDENCE, False)
    assert "does not look like a run of an LLM framework" in found.sentence
    assert found.lines
    assert not any(line.indicated for line in found.lines)
    assert not any(claims(found))


@pytest.mark.parametrize("log", PROGRAMS.values(), ids=PROGRAMS)
def test_of_a_program_that_says_so_the_failure_is_and_nothing_else(log: list[str]) -> None:
    found = diagnosis_of("\n".join(log))
    assert (found.verdict, found.is_of_models) == (FAILURE, False)
    assert found.lines[0].indicated
    assert not any(claims(found))
    assert with_known(as_data(found), Setup())["issues"] == []


@pytest.mark.parametrize(
    "word", ["rank 3", "step 4 loss 2.1", "CUDA", "import vllm", "GPU 4", "srun: error: task 3", "train.py"]
)
def test_a_word_of_the_trade_makes_it_a_run(word: str) -> None:
    assert diagnosis_of("\n".join([word, *PROGRAMS["script"]])).is_of_models


@pytest.mark.parametrize(
    ("line", "verdict"),
    [("##[error]The operation was canceled.", CANCELLED), ("==== 41 passed, 2 warnings in 3.21s ====", HEALTHY)],
)
def test_of_a_program_that_says_so_its_end_is_told(line: str, verdict: str) -> None:
    found = diagnosis_of("\n".join([*(f"tests/test_cart.py::test_total[{n}] PASSED" for n in range(5)), line]))
    assert (found.verdict, found.is_of_models) == (verdict, False)
    assert not any(claims(found))


def test_a_few_lines_may_be_of_anything() -> None:
    assert diagnosis_of("KeyError: 'input_ids'").is_of_models


class TestStack:
    def stack(self, *lines: str) -> dict[str, str | None]:
        return {entry["slug"]: entry["version"] for entry in as_data(diagnosis_of("\n".join(lines)))["stack"]}

    @pytest.mark.parametrize(
        ("line", "slug", "version"),
        [
            ("INFO 06-30 13:50:31 [api_server.py:1287] vLLM API server version 0.9.1", "vllm", "0.9.1"),
            ("Initializing a V1 LLM engine (v0.9.1) with config: model='m'", "vllm", "0.9.1"),
            ("vllm-0.6.3.post1-cp310-abi3.whl", "vllm", "0.6.3.post1"),
            ("transformers 4.41.0", "transformers", "4.41.0"),
            ('  "transformers_version": "4.41.0",', "transformers", "4.41.0"),
            ("[pip3] torch==2.3.1", "pytorch", "2.3.1"),
            ("PyTorch version: 2.3.1+cu121", "pytorch", "2.3.1+cu121"),
            ("node01:80746:80746 [0] NCCL INFO NCCL version 2.21.5+cuda12.4", "nccl", "2.21.5+cuda12.4"),
            (
                "[2026-01-01 00:00:00,000] [INFO] deepspeed info: version=0.12.3, git-hash=unknown",
                "deepspeed",
                "0.12.3",
            ),
            ('  File "/opt/venv/lib/python3.10/site-packages/deepspeed/runtime/engine.py", line 3', "deepspeed", None),
            ("from accelerate import Accelerator", "accelerate", None),
            ("(TaskRunner pid=3) ray.exceptions.ActorDiedError: The actor died", "ray", None),
        ],
    )
    def test_a_framework_is_named_with_its_version_where_that_is_told(
        self, line: str, slug: str, version: str | None
    ) -> None:
        assert self.stack(line)[slug] == version

    def test_the_version_is_kept_whichever_line_tells_it(self) -> None:
        path = '  File "/opt/venv/lib/python3.10/site-packages/vllm/engine.py", line 3'
        assert self.stack(path, "vLLM API server version 0.9.1", path)["vllm"] == "0.9.1"

    @pytest.mark.parametrize("line", ["transformers of a grid", "we accelerate now", "a ray of light"])
    def test_a_common_word_names_none(self, line: str) -> None:
        assert self.stack(line) == {}
