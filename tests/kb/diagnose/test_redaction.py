"""Redaction: what was planted survives nowhere, twice is once, numbers stay, and hostile text takes no longer."""

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.core.diagnosis.schema import SCHEMA
from kb.core.redaction import Kind, Redactor, redact
from tests.support.growth import MOST, growth
from tests.support.made_up import BASE62, drawn

TOKEN = "ghp_" + drawn(BASE62, 36)
WORDS = (
    "RuntimeError:",
    "NCCL",
    "timeout",
    "step 12",
    "rank 3",
    "loss=nan",
    "CUDA out of memory.",
    "\n",
    "torch.nn.init",
    "…",
)
letters = st.text("bcdfghjklmnpqrstvwxz", min_size=4, max_size=9)
number = st.integers(1, 255)


@st.composite
def planted(draw: st.DrawFn) -> tuple[Kind, str, str]:
    """A kind, what of it must not survive, and a piece of a log that holds it."""
    one, two, low, high = draw(letters), draw(letters), draw(number), draw(number)
    ipv4 = f"10.{low}.{high}.{draw(number)}"
    ipv6 = f"2001:db8:{low:x}::{high:x}"
    host = f"q{one}-{low}"
    return draw(
        st.sampled_from(
            [
                (Kind.IP, ipv4, f"Connect to {ipv4}<29500> failed"),
                (Kind.IP, ipv4, f"tcp://{ipv4}:29500"),
                (Kind.IP, ipv6, f"listening on [{ipv6}]:29500"),
                (Kind.HOST, host, f"MASTER_ADDR={host}"),
                (Kind.HOST, host, f"{host}:1234:1299 [0] NCCL INFO Bootstrap"),
                (Kind.HOST, f"{host}.{two}", f"no route to {host}.{two}.internal:443"),
                (Kind.HOST, f"q{one}.{two}", f"https://q{one}.{two}.com/x"),
                (Kind.POD, f"q{one}-worker-{low}", f"pod/q{one}-worker-{low} was evicted"),
                (Kind.USER, f"q{one}", f'File "/home/q{one}/train.py", line 3'),
                (Kind.USER, f"q{one}", rf"C:\Users\q{one}\train.py"),
                (Kind.PATH, f"q{two}", f"open /lustre/q{two}/x/model.pt failed"),
                (Kind.PATH, f"q{two}", f"open /home/q{one}/q{two}/model.pt failed"),
                (Kind.EMAIL, f"q{one}@{two}-labs.com", f"mail q{one}@{two}-labs.com now"),
                (Kind.SECRET, TOKEN, f"export HF={TOKEN}"),
                (Kind.SECRET, f"{one}-Hor5e!", f"password={one}-Hor5e!"),
                (Kind.JOB, f"9{low}1{high}77", f"SLURM_JOB_ID=9{low}1{high}77"),
            ]
        )
    )


@st.composite
def diagnoses(draw: st.DrawFn) -> tuple[dict[str, Any], list[tuple[Kind, str]]]:
    """The data of a diagnosis, and what is private in it."""
    things = draw(st.lists(planted(), min_size=1, max_size=5))
    node = f"gpu-{draw(letters)}{draw(number)}"
    words = st.lists(st.sampled_from([*WORDS, node, *(piece for _, _, piece in things)]), max_size=6).map(" ".join)
    lines = [
        {"file": f"logs/{node}.log", "line": draw(st.integers(1, 10**9)), "text": draw(words), "score": 0.5,
         "context": [{"line": 1, "text": draw(words)}], "why": [draw(words)]}
        for _ in range(draw(st.integers(1, 3)))
    ]  # fmt: skip
    lines += [{"file": "a.log", "line": 7, "text": piece, "context": [], "why": []} for _, _, piece in things]
    data = {
        "schema": SCHEMA, "verdict": "failure", "sentence": draw(words), "lines": lines, "iteration": 12,
        "nodes": [{"name": node, "score": 1.0, "why": f"{node} alone says it."}], "ranks": [], "stage": None,
        "timeline": {"rows": [{"name": node, "kind": "node", "events": [{"file": f"{node}.log", "line": 3}]}]},
        "unknown": [draw(words)], "stats": {"files": 1},
    }  # fmt: skip
    return data, [(Kind.NODE, node), *((kind, secret) for kind, secret, _ in things)]


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for one in inner for text in texts(one)]


def shape(value: Any) -> Any:
    """Everything but the texts, of which the number of their lines counts."""
    if isinstance(value, str):
        return value.count("\n")
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else value


class TestADiagnosis:
    @given(diagnoses())
    @settings(max_examples=150, deadline=None)
    def test_nothing_private_survives_in_any_text_at_any_depth(self, made: tuple[Any, Any]) -> None:
        data, private = made
        left = "\n".join(texts(redact(data).data))
        assert [secret for _, secret in private if secret in left] == []

    @given(diagnoses())
    @settings(max_examples=100, deadline=None)
    def test_hiding_twice_hides_nothing_more(self, made: tuple[Any, Any]) -> None:
        once = redact(made[0])
        again = redact(once.data)
        assert again.data == once.data
        assert not again.found

    @given(diagnoses())
    @settings(max_examples=100, deadline=None)
    def test_numbers_order_and_lines_stay(self, made: tuple[Any, Any]) -> None:
        data, _ = made
        assert shape(redact(data).data) == shape(data)
        assert list(redact(data).data) == list(data)

    @given(diagnoses(), st.sets(st.sampled_from(Kind)))
    @settings(max_examples=100, deadline=None)
    def test_what_is_kept_is_kept_but_never_a_secret(self, made: tuple[Any, Any], keep: set[Kind]) -> None:
        data, private = made
        result = redact(data, keep=keep)
        left = "\n".join(texts(result.data))
        assert not result.found.keys() & (keep - {Kind.SECRET})
        assert [secret for kind, secret in private if kind is Kind.SECRET and secret in left] == []

    def test_suspects_still_match_the_lines_that_name_them(self) -> None:
        data = {
            "nodes": [{"name": "gpu-a17", "why": "gpu-a17 fell behind."}],
            "lines": [
                {"file": "logs/gpu-a17.log", "text": "gpu-a17.cluster.local: gpu-a18 and 10.0.0.7 are gone, 10.0.0.7"}
            ],
        }
        result = redact(data)
        assert result.data == {
            "nodes": [{"name": "node-1", "why": "node-1 fell behind."}],
            "lines": [{"file": "logs/node-1.log", "text": "node-1: node-2 and ip-1 are gone, ip-1"}],
        }
        assert result.found == {Kind.NODE: 5, Kind.IP: 2}

    def test_a_secret_that_stands_bare_elsewhere_is_hidden_there_too(self) -> None:
        result = redact({"lines": [{"text": "password=corr3ct-Horse!"}, {"text": "got corr3ct-Horse! back"}]})
        assert [line["text"] for line in result.data["lines"]] == [
            "password=[password removed]",
            "got [password removed] back",
        ]

    def test_a_name_in_the_log_that_looks_like_ours_is_not_given_again(self) -> None:
        data = {"nodes": [{"name": "gpu-a17"}], "lines": [{"text": "node-1 waits for gpu-a17"}]}
        assert redact(data).data["lines"][0]["text"] == "node-1 waits for node-2"

    def test_links_of_the_knowledge_base_stay(self) -> None:
        link = {"url": "/issues/github.com/deepspeedai/DeepSpeed/4808", "source_url": "https://github.com/a/b/issues/1"}
        assert redact({"issues": [link]}).data == {"issues": [link]}

    def test_where_something_was_hidden_can_be_shown(self) -> None:
        result = redact({"lines": [{"text": "token ghp" + TOKEN[3:] + " from 10.0.0.7, ip-12 is theirs"}]})
        pieces = result.pieces(result.data["lines"][0]["text"])
        assert [piece.text for piece in pieces if piece.hidden] == ["[GitHub token removed]", "ip-1"]
        assert "".join(piece.text for piece in pieces) == result.data["lines"][0]["text"]


class TestTexts:
    @pytest.mark.parametrize(
        "text",
        [
            "logger.info torch.distributed.run c10::Error std::vector torch==2.1.0 libcublas.so.12.1",
            'File "/usr/lib/python3.11/threading.py", line 973, in run',
            "2026-11-23 12:00:00.123 [rank0]: RuntimeError at step 1200, 3/8 done, and/or 1.5e-4",
            "see https://github.com/pytorch/pytorch/issues/1 and pytorch.org, 127.0.0.1 or 0.0.0.0 at localhost:29500",
            "HF_ENDPOINT=https://hf-mirror.com",
            "node: error, host: none; POST /v1/chat/completions 200",
            "worker-3 and gpu-0 of 8, worker3, gpu1, node 2",
            "worker.py:123 model.to(device) self.name x.is_cuda Llama-3-8B H100-80GB cu12 sm_90",
        ],
    )
    def test_what_says_nothing_of_anybody_stays(self, text: str) -> None:
        assert Redactor().redact(text) == text

    @pytest.mark.parametrize(
        ("text", "hidden"),
        [
            ("/home/ada/acme/train.py and ada", "/home/user-1/path-1/train.py and user-1"),
            ("/lustre/acme/llm/a.pt /lustre/acme/llm/b.pt", "/path-1/a.pt /path-1/b.pt"),
            (
                "/home/ada/env/lib/python3.11/site-packages/torch/x.py",
                "/home/user-1/path-1/lib/python3.11/site-packages/torch/x.py",
            ),
            ("s3://acme-data/llm/x.pt", "s3://host-1/path-1/x.pt"),
            ("[2001:db8::7]:29500 2001:db8::7", "[ip-1]:29500 ip-1"),
            (
                "slurmstepd: *** JOB 123456 ON gpu-a17 in slurm-123456.out",
                "slurmstepd: *** JOB job-1 ON host-1 in slurm-job-1.out",
            ),
            ("quark7 (10.0.0.7) left; quark8 stayed", "host-1 (ip-1) left; host-2 stayed"),
            ("logs/dgx-h100-03.log node017 nid001234", "logs/host-1.log host-2 host-3"),
            ("trainer-7d9c5b8f6d-x2x4z left", "pod-1 left"),
            ("ada@gpu-a17:~/x$ ls", "user-1@host-1:~/x$ ls"),
        ],
    )
    def test_the_story_stays_readable(self, text: str, hidden: str) -> None:
        assert Redactor().redact(text) == hidden

    @given(st.text(max_size=300))
    @example("a@b.c /home/x/y ip-0-0-0-0.x 1.1.1.1")
    @settings(max_examples=300, deadline=None)
    def test_any_text_keeps_its_lines_and_twice_is_once(self, text: str) -> None:
        hidden = Redactor().redact(text)
        assert hidden.count("\n") == text.count("\n")
        assert Redactor().redact(hidden) == hidden

    @pytest.mark.parametrize(
        "piece",
        [
            "a.",
            "1.",
            "/a",
            "a:",
            "@",
            "aaaa:",
            "a-",
            "://a",
            "~a",
            "host ",
            "a1.b-1.c.com ",
            "[a1:1234]",
            "x@h:~",
            "/home/a",
        ],
    )
    def test_time_grows_with_the_text_and_no_faster(self, piece: str) -> None:
        assert growth(lambda size: redact({"lines": [{"text": (piece * size)[:size]}]}), 3_000) < MOST

    def test_many_names_take_no_longer_each(self) -> None:
        def names(count: int) -> str:
            return " ".join(f"/home/ad{number}/x q{number}:1:1 [0]" for number in range(count))

        assert growth(lambda count: redact({"lines": [{"text": names(count)}]}), 80) < MOST


def test_kinds_are_told_in_words() -> None:
    assert all(re.fullmatch(r"[A-Z][A-Za-z, -]+", kind.label) for kind in Kind)
    assert [kind for kind in Kind if not kind.may_be_kept] == [Kind.SECRET]
