"""Behind whatever head a launcher, collector or container runtime puts, a line says what it says, and who wrote it."""

import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.diagnosis.parsing.clocks import seconds
from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.report import FAILURE
from tests.kb.core.diagnosis.lines import best, diagnosis_of, read_texts
from tests.kb.core.diagnosis.test_parsing import said

ISO = "2026-03-04T02:11:27.827123456Z"
HEADS: list[tuple[str, dict[str, str], str]] = [
    # Container runtimes and collectors.
    (f"{ISO} stdout F •", {}, "UNKNOWN"),
    (f"{ISO} stderr F [rank2]: •", {"rank": "2"}, "UNKNOWN"),
    (f"{ISO} stderr F 2026-03-04 02:11:27 | ERROR    | loop:step:18 - •", {}, "ERROR"),
    ("worker-1  | •", {"host": "worker-1"}, "UNKNOWN"),
    ("train_svc.2.xk3j@node04    | •", {"host": "node04"}, "UNKNOWN"),
    ("[pod/train-worker-3/pytorch] •", {"node": "train-worker-3", "container": "pytorch"}, "UNKNOWN"),
    ("ml/train-worker-3[pytorch]: •", {"node": "train-worker-3", "container": "pytorch"}, "UNKNOWN"),
    (f'{ISO} {{app="train", node="node03", pod="w-0"}} •', {"node": "node03", "pod": "w-0"}, "UNKNOWN"),
    (f'{ISO} {{container="c", pod="w-0"}} [rank1]: •', {"node": "w-0", "container": "c", "rank": "1"}, "UNKNOWN"),
    # Journals.
    ("<11>1 2026-03-04T02:11:27.827Z node05 train 71 - - •", {"node": "node05", "pid": "71"}, "UNKNOWN"),
    ('<3>1 2026-03-04T02:11:27Z node05 kernel - - [x@1 a="b]c" d="e"] •', {"node": "node05"}, "UNKNOWN"),
    ("<11>Mar  4 02:11:27 node05 train[71]: •", {"node": "node05", "pid": "71"}, "UNKNOWN"),
    ("Mar  4 02:11:27 gpu7 kernel: •", {"node": "gpu7"}, "UNKNOWN"),
    ("Mar 04 02:11:27.827123 gpu7 python3[71]: ERROR: •", {"node": "gpu7", "pid": "71"}, "ERROR"),
    ("2026-03-04T02:11:27.827123+00:00 node05 kernel: [  945.100123] •", {"node": "node05"}, "UNKNOWN"),
    ("2026-03-04T02:11:27.827123+00:00 node05 systemd: •", {"host": "node05"}, "UNKNOWN"),
    ("2026-03-04T02:11:27+0000 head slurmctld[901]: •", {"node": "head", "pid": "901"}, "UNKNOWN"),
    ("2026-03-04T02:11:27+01:00 head.example kubelet[901]: •", {"node": "head.example", "pid": "901"}, "UNKNOWN"),
    ("Wed 2026-03-04 02:11:27 UTC node05 train.service[71]: •", {"node": "node05", "pid": "71"}, "UNKNOWN"),
    ("1772590287.827123 node05 kernel: •", {"node": "node05"}, "UNKNOWN"),
    ("[  945.100123] node05 kernel: •", {"node": "node05"}, "UNKNOWN"),
    ("[  945.100123] •", {}, "UNKNOWN"),
    ("[Wed Mar  4 02:11:27 2026] •", {}, "UNKNOWN"),
    # Launchers.
    ("[rank3]: •", {"rank": "3"}, "UNKNOWN"),
    ("[rank: 3] •", {"rank": "3"}, "UNKNOWN"),
    ("[default0]: •", {"local": "0"}, "UNKNOWN"),
    ("[1,3]<stderr>: •", {"rank": "3"}, "UNKNOWN"),
    ("[1,mpirank:3,algo-2]<stdout>:•", {"rank": "3"}, "UNKNOWN"),
    ("[prterun-node01-77@1,3]<stderr>: •", {"rank": "3"}, "UNKNOWN"),
    (" 3: •", {"task": "3"}, "UNKNOWN"),
    ("node07: •", {"host": "node07"}, "UNKNOWN"),
    ("[node07:4120] •", {"host": "node07", "pid": "4120"}, "UNKNOWN"),
    ("(TrainWorker pid=77, ip=10.0.0.4) •", {"actor": "TrainWorker", "pid": "77", "ip": "10.0.0.4"}, "UNKNOWN"),
    ("(pid=77, ip=10.0.0.4) •", {"pid": "77", "ip": "10.0.0.4"}, "UNKNOWN"),
    ("(raylet, ip=10.0.0.4) •", {"actor": "raylet", "ip": "10.0.0.4"}, "UNKNOWN"),
    ("(worker1, rank=1, pid=77, ip=10.0.0.4) •", {"actor": "worker1", "rank": "1", "pid": "77", "ip": "10.0.0.4"},
     "UNKNOWN"),
    ("[2026-03-04 02:11:27 DP1 TP3] •", {"actor": "DP1 TP3"}, "UNKNOWN"),
    # Loggers.
    ("E0304 02:11:27.827123 812 torch/x.cpp:66] •", {"pid": "812"}, "ERROR"),
    ("E0000 00:00:1772590287.827123   812 xla.cc:66] •", {"pid": "812"}, "ERROR"),
    ("2026-03-04 02:11:27.827123: E external/xla/service.cc:954] •", {}, "ERROR"),
    ("2026-03-04 02:11:27,827 - ERROR - •", {}, "ERROR"),
    ("2026-03-04 02:11:27,827 - trainer - ERROR - •", {}, "ERROR"),
    ("2026-03-04 02:11:27.827 | ERROR    | loop:step:18 - •", {}, "ERROR"),
    ("2026-03-04T02:11:27Z [error    ] •", {}, "ERROR"),
    ("[03/04/26 02:11:27] ERROR    •", {}, "ERROR"),
    ("[03/04/2026-02:11:27] [TRT-LLM] [RANK 1] [E] •", {"rank": "1"}, "ERROR"),
    ("[TensorRT-LLM][ERROR] •", {}, "ERROR"),
    ("[NeMo W 2026-03-04 02:11:27 nemo_logging:349] •", {}, "WARNING"),
    ("[ERROR] 2026-03-04-02:11:27 (PID:71, Device:1, RankID:3) •", {"pid": "71", "gpu": "1", "rank": "3"}, "ERROR"),
    ("[ERROR] HCCL(71,python):2026-03-04-02:11:27.827.436 [a.cc:1] •", {"pid": "71"}, "ERROR"),
    ("[1772590287.827123] [node07:71:0]  ib_mlx5.c:171  UCX  ERROR •", {"node": "node07", "pid": "71"}, "ERROR"),
    ("[rank5]:[E304 02:11:27.827 ProcessGroupNCCL.cpp:616] •", {"rank": "5"}, "ERROR"),
    ("[WARNING|2026-03-04 02:11:27] llamafactory.hparams.parser:401 >> •", {}, "WARNING"),
    ("[2026-03-04 02:11:27,827] [ERROR] [axolotl.train:12] [PID:71] [RANK:3] •", {"pid": "71", "rank": "3"}, "ERROR"),
    ("[36m(TaskRunner pid=77)[0m •", {"actor": "TaskRunner", "pid": "77"}, "UNKNOWN"),
    ("kern  :err   : [Wed Mar  4 02:11:27 2026] •", {}, "ERROR"),
    ("[错误] •", {}, "ERROR"),
    ("2026-03-04 02:11:27,827 - 训练 - 警告 - •", {}, "WARNING"),
    ("【严重】•", {}, "FATAL"),
    ("错误:•", {}, "ERROR"),
    # Build servers.
    ("2026-03-04T02:11:27.8271234Z ##[error]•", {}, "ERROR"),
    ("2026-03-04T02:11:27.827123Z 01E •", {}, "UNKNOWN"),
]  # fmt: skip


# What is a line's own, though it stands before the rest of it.
KEPT = {"[1772590287.827123] [node07:71:0]  ib_mlx5.c:171  UCX  ERROR •": "UCX  ERROR "}


@pytest.mark.parametrize(("head", "who", "level"), HEADS, ids=[head for head, _, _ in HEADS])
def test_heads_are_taken_off(head: str, who: dict[str, str], level: str) -> None:
    assert said(head.replace("•", "KeyError: 'ids'")) == (who, f"{KEPT.get(head, '')}KeyError: 'ids'", level)


@pytest.mark.parametrize("head", [head for head, _, level in HEADS if level == "UNKNOWN"])
def test_what_is_indented_behind_them_stays_so(head: str) -> None:
    assert parse_prefix(head.replace("•", "  indented")).text in ("  indented", " indented")


EVENTS = [
    ("13m         Warning   Evicted   pod/train-0  The node was low on resource", {"node": "train-0"}),
    ("109s  Warning   BackOff   pod/train-0  Back-off restarting failed container", {"node": "train-0"}),
    ("5m12s (x3 over 10m)  Warning  Failed  job/train  Job has reached the limit", {}),
    ("  Warning  FailedScheduling  5m (x3 over 10m)  default-scheduler  0/8 nodes are available", {}),
    ("  Warning  OOMKilling  12s  kernel-monitor, node03  Memory cgroup out of memory", {"node": "node03"}),
]


@pytest.mark.parametrize(("line", "who"), EVENTS)
def test_events_of_a_cluster_keep_their_reason(line: str, who: dict[str, str]) -> None:
    own, text, level = said(line)
    # There is no louder word than a warning for them, so that it tells nothing.
    assert (own, level) == (who, "UNKNOWN")
    assert text == line.partition("Warning")[2].strip()


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-04T02:11:27.827Z INFO trainer: hello", "2026-03-04 02:11:27 worker loop: hello",
        "[   12.345678] usb 1-1: new device", "[   12.345678] EXT4-fs (sda1): mounted",
        "[loss:12] hello", "train | hello",
    ],
)  # fmt: skip
def test_words_that_stand_like_a_host_are_none(line: str) -> None:
    assert "node" not in said(line)[0]


class TestRecords:
    """Keys in any order, nested, a record within a record."""

    KEYS: dict[str, object] = {
        "level": "error",
        "ts": ISO,
        "host": "gpu7",
        "rank": 3,
        "msg": "boom",
        "n": [1, {"a": None}],
    }

    @given(st.randoms(use_true_random=False), st.booleans())
    def test_the_order_of_keys_means_nothing(self, order: random.Random, is_spaced: bool) -> None:
        items = list(self.KEYS.items())
        order.shuffle(items)
        line = json.dumps(dict(items), separators=(", ", ": ") if is_spaced else (",", ":"))
        assert said(line) == ({"node": "gpu7", "rank": "3"}, "boom", "ERROR")

    @pytest.mark.parametrize(
        ("record", "who", "level"),
        [
            ({"log": "•\n", "stream": "stderr", "time": ISO}, {}, "UNKNOWN"),
            ({"log": "•", "kubernetes": {"host": "node03", "pod_name": "w-0", "container_name": "c"}},
             {"node": "node03", "pod": "w-0", "container": "c"}, "UNKNOWN"),
            ({"insertId": "a", "jsonPayload": {"message": "•", "rank": 3}, "severity": "ERROR", "timestamp": ISO,
              "resource": {"labels": {"pod_name": "w-0", "container_name": "c"}}},
             {"node": "w-0", "container": "c", "rank": "3"}, "ERROR"),
            ({"textPayload": "•", "labels": {"compute.googleapis.com/resource_name": "node03"}, "timestamp": ISO},
             {"node": "node03"}, "UNKNOWN"),
            ({"labels": {"node": "node03", "pod": "w-0"}, "line": "•", "timestamp": ISO},
             {"node": "node03", "pod": "w-0"}, "UNKNOWN"),
            ({"__REALTIME_TIMESTAMP": "1772590287827123", "_HOSTNAME": "node03", "_PID": "71", "MESSAGE": "•"},
             {"node": "node03", "pid": "71"}, "UNKNOWN"),
            ({"timestamp": 1772590287827, "message": "•", "ingestionTime": 1772590287999}, {}, "UNKNOWN"),
            ({"event": "•", "level": "warning", "timestamp": ISO, "process_index": 2}, {"rank": "2"}, "WARNING"),
            ({"@timestamp": ISO, "log": {"level": "error"}, "message": "•", "host": {"name": "node03"}},
             {"node": "node03"}, "ERROR"),
            ({"levelname": "ERROR", "asctime": "2026-03-04 02:11:27,827", "process": 71, "message": "•"},
             {"pid": "71"}, "ERROR"),
            ({"level": "error", "ts": 1772590287.5, "caller": "a.go:1", "error": "•"}, {}, "ERROR"),
            ({"text": "2026-03-04 02:11:27.827 | ERROR    | loop:step:18 - •\n",
              "record": {"level": {"name": "ERROR", "no": 40}, "process": {"id": 71}}}, {"pid": "71"}, "ERROR"),
        ],
    )  # fmt: skip
    def test_collectors_are_read(self, record: dict[str, object], who: dict[str, str], level: str) -> None:
        text = r'a "quoted" \path <b> é'
        for separators in ((",", ":"), (", ", ": ")):
            line = json.dumps(record, separators=separators).replace("\\u2022", json.dumps(text)[1:-1])
            own, own_text, own_level = said(line)
            assert (own, own_text, own_level) == (who, text, level)

    def test_a_record_within_a_record_is_read_too(self) -> None:
        inner = json.dumps({"level": "error", "msg": 'a "b"\nc \\ d', "local_rank": 3, "ts": ISO})
        line = json.dumps({"log": f"{inner}\n", "kubernetes": {"host": "node03"}, "time": ISO})
        assert said(line) == ({"node": "node03", "local": "3"}, 'a "b"\\nc \\ d', "ERROR")

    @pytest.mark.parametrize(
        "line",
        [
            'time=2026-03-04T02:11:27Z level=error host=gpu7 rank=3 msg="a \\"b\\"" step=7',
            'level=error msg="a \\"b\\"" rank=3 host=gpu7 ts=2026-03-04T02:11:27.1Z',
            'ts="2026-03-04T02:11:27Z" caller=a.go:1 level=error rank=3 node=gpu7 message="a \\"b\\""',
        ],
    )
    def test_so_are_pairs(self, line: str) -> None:
        own, text, level = said(line)
        assert (own["node"], own["rank"], text, level) == ("gpu7", "3", 'a "b"', "ERROR")

    @pytest.mark.parametrize("head", ["[0] kube.var.log: [[1772590287.827123456, {}], •]", "[0] a: [1772590287.5, •]"])
    @pytest.mark.parametrize("sign", [":", "=>"])
    def test_so_is_what_fluent_bit_prints(self, head: str, sign: str) -> None:
        record = f'{{"log"{sign}"[rank2]: boom", "kubernetes"{sign}{{"host"{sign}"node03"}}, "stream"{sign}"stderr"}}'
        assert said(head.replace("•", record)) == ({"node": "node03", "rank": "2"}, "boom", "UNKNOWN")

    def test_what_an_exception_says_in_a_key_of_its_own_is_part_of_the_text(self) -> None:
        trace = 'Traceback (most recent call last):\n  File "a.py", line 3\nKeyError: 1'
        for record in ({"msg": "died", "exc_info": trace}, {"exc_info": trace, "msg": "died"}):
            assert said(json.dumps({"level": "error", **record}))[1].endswith("line 3\\nKeyError: 1")
        assert said('{"level":"error","msg":"died","err":"exit status 2"}')[1] == "died: exit status 2"

    @pytest.mark.parametrize(
        "line",
        ['{"loss": 2.1, "step": 4}', "{'loss': 2.1}", '{"a": [1, 2', "{ not json", "step=3 loss=2.5", "{}", '{"msg"}'],
    )
    def test_what_is_no_record_is_left_whole(self, line: str) -> None:
        assert said(line)[:2] == ({}, line)

    @given(st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
        max_leaves=12,
    ))  # fmt: skip
    def test_no_record_is_too_odd_to_be_read(self, record: object) -> None:
        for line in (json.dumps(record), json.dumps({"log": json.dumps(record), "x": record}, ensure_ascii=False)):
            for cut in (len(line), len(line) // 2):
                found = parse_prefix(line[:cut])
                assert found.shape.pattern.match(line[:cut]) is not None


def at(number: int) -> str:
    return f"2026-03-04T02:11:{number % 60:02}"


def record(**keys: object) -> str:
    return json.dumps(keys)


WRAPS: dict[str, Callable[[int, str], str]] = {
    "cri": lambda number, line: f"{at(number)}.000000000Z std{'out' if number % 3 else 'err'} F {line}",
    "docker": lambda number, line: record(log=f"{line}\n", stream="stderr", time=f"{at(number)}Z"),
    "fluent bit": lambda number, line: (
        f'[{number}] k: [[{1772590287 + number}.5, {{}}], {{"log"=>{json.dumps(line)}}}]'
    ),
    "loki": lambda number, line: f'{at(number)}Z {{app="train", node="node03", pod="w-0"}} {line}',
    "rfc5424": lambda number, line: f"<14>1 {at(number)}.5Z node03 train 71 - - {line}",
    "syslog iso": lambda number, line: f"{at(number)}.000123+00:00 node03 train[71]: {line}",
    "journald": lambda number, line: record(
        _HOSTNAME="node03", MESSAGE=line, __REALTIME_TIMESTAMP=f"{1772590287 + number}000000"
    ),
    "kubectl": lambda _, line: f"[pod/w-0/pytorch] {line}",
    "gcp": lambda number, line: record(timestamp=f"{at(number)}Z", jsonPayload={"message": line}, severity="INFO"),
    "logger": lambda number, line: record(rank=5, message=line, level="info", time=f"{at(number)}Z"),
    "pdsh": lambda _, line: f"node03: {line}",
}
RUN = [
    *(f"[rank2]: step {number} | loss: {3 - number / 100:.3f} | step_time: 1.0s" for number in range(1, 41)),
    "[rank2]: Traceback (most recent call last):",
    '[rank2]:   File "/x/train.py", line 3, in run',
    '[rank2]:     go("x")',
    "[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.",
    "[rank0]: RuntimeError: NCCL error: remote process exited or there was a network error",
]


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_run_reads_the_same_behind_every_head(wrap: str) -> None:
    bare = diagnosis_of("\n".join(RUN))
    found = diagnosis_of("\n".join(WRAPS[wrap](number, line) for number, line in enumerate(RUN)))
    assert (found.verdict, best(found).line, best(found).signal) == (FAILURE, 44, best(bare).signal)
    assert best(found).text == best(bare).text
    assert (found.iteration, found.symptom, found.stage) == (40, bare.symptom, bare.stage)
    assert [line.line for line in found.lines if line.indicated] == [line.line for line in bare.lines if line.indicated]
    assert "2" in [rank.name for rank in found.ranks[:1]] or wrap == "logger"


def test_steps_are_read_wherever_a_record_holds_them() -> None:
    for template in (
        '{{"level":"info","msg":"train","step":{step},"loss":{loss}}}',
        '{{"step":{step},"loss":{loss},"level":"info","msg":"train"}}',
        '{{"ts":"2026-03-04T02:11:27Z","rank":0,"step":{step},"loss":{loss}}}',
        'level=info msg="train" step={step} loss={loss}',
    ):
        log = "\n".join(template.format(step=step, loss=9.5 if step > 30 else 2.5) for step in range(1, 45))
        scan = read_texts({"job.log": log}).scan
        assert max(emitter.iteration for emitter in scan.emitters) == 44, template
        assert [line.step.loss for line in scan.step_lines][-1] == 9.5


def test_partial_lines_of_a_container_are_one_line() -> None:
    lines = [
        f"{ISO} stdout P RuntimeError: CUDA er",
        f"{ISO} stderr F between",
        f"{ISO} stdout P ror: an illegal mem",
        f"{ISO} stdout F ory access was encountered",
        f"{ISO} stdout F next",
    ]
    found = diagnosis_of("\n".join(lines))
    assert (best(found).line, best(found).text) == (
        1,
        "RuntimeError: CUDA error: an illegal memory access was encountered",
    )


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("1772590287.5", "1772590288.25", 0.75),
        ("1772590287500", "1772590288250", 0.75),
        ("1772590287500000", "2026-03-04T02:11:28.250Z", 0.75),
        ("1772590287500000000", "1772590287.5", 0),
        ("Wed Mar  4 02:11:27 2026", "2026-03-04 02:11:28", 1),
        ("03/04/26 02:11:27", "2026-03-04 02:11:28", 1),
        ("26/03/04 02:11:27", "2026-03-04 02:11:28", 1),
        ("2026-03-04-02:11:27.500.123", "2026-03-04 02:11:27.500", -0.0),
        ("304 02:11:27.5", "0304 02:11:28.0", 0.5),
        ("Mar 04 02:11:27.250000", "Mar  4 02:11:28", 0.75),
    ],
)
def test_every_clock_is_read(one: str, other: str, apart: float) -> None:
    here, there = seconds(one), seconds(other)
    assert here is not None
    assert there is not None
    assert there - here == pytest.approx(apart, abs=1e-3)
