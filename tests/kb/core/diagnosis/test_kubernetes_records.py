"""Events, pods and nodes of Kubernetes as JSON or YAML beside a log say who was evicted or killed, and where."""

import json
import time

import pytest
import yaml

from tests.kb.core.diagnosis.lines import STEPS, diagnosis_of, indicated, read_texts
from tests.kb.core.diagnosis.test_blame import first

Json = dict[str, object]
TRAIN = "".join(f"rank {rank} of 4 up on node0{rank}, device cuda:0\n" for rank in range(4)) + STEPS
LOST = f"{TRAIN}\nRuntimeError: NCCL error: remote process exited or there was a network error\n"


def event(reason: str, message: str, *, kind: str = "Pod", name: str = "train-2", host: str = "node02") -> Json:
    return {
        "apiVersion": "v1", "count": 1, "eventTime": None, "firstTimestamp": "2026-05-14T10:00:00Z",
        "involvedObject": {"apiVersion": "v1", "kind": kind, "name": name, "namespace": "ml", "uid": "8a0"},
        "kind": "Event", "lastTimestamp": "2026-05-14T10:00:00Z", "message": message,
        "metadata": {"name": f"{name}.17a", "namespace": "ml"}, "reason": reason,
        "source": {"component": "kubelet", "host": host}, "type": "Warning",
    }  # fmt: skip


def pod(status: Json, host: str = "node02", name: str = "train-2") -> Json:
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"job": "train"}},
        "spec": {"nodeName": host, "containers": [{"name": "worker", "image": "train"}]}, "status": status,
    }  # fmt: skip


def ended(code: int, reason: str, state: str = "lastState") -> Json:
    end = {"exitCode": code, "reason": reason, "finishedAt": "2026-05-14T10:00:00Z"}
    return {
        "phase": "Running",
        "containerStatuses": [{"name": "worker", "restartCount": 1, state: {"terminated": end}}],
    }


def listed(*items: Json) -> Json:
    return {"apiVersion": "v1", "items": list(items), "kind": "List", "metadata": {"resourceVersion": ""}}


RECORDS = [
    listed(event("Pulled", "Container image is present"), event("Evicted", "The node was low on resource: memory.")),
    listed(pod(ended(0, "Completed"), "node01", "train-1"), pod(ended(137, "OOMKilled"))),
    pod(ended(137, "OOMKilled", "state")),
    pod({"phase": "Failed", "reason": "Evicted", "message": "Pod was evicted."}),
    listed(event("NodeNotReady", "Node is not ready", kind="Node", name="node02", host="")),
    listed(
        {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "node02"},
            "status": {"conditions": [{"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting."}]},
        }
    ),
]  # fmt: skip


class TestRecords:
    @pytest.mark.parametrize("record", RECORDS)
    @pytest.mark.parametrize("form", ["pretty", "compact", "yaml"])
    def test_the_node_is_suspect(self, record: Json, form: str) -> None:
        texts = {"pretty": json.dumps(record, indent=4), "compact": json.dumps(record), "yaml": yaml.safe_dump(record)}
        diagnosis = diagnosis_of({"train.log": LOST, "kube": texts[form]})
        assert first(diagnosis)[0] == "node02"

    def test_a_line_stands_where_the_file_tells_it(self) -> None:
        text = json.dumps(listed(*[event("Pulled", "present")] * 5, event("Evicted", "low on memory")), indent=4)
        scan = read_texts({"events.json": text}).scan
        assert scan.claims[-1].place.line == next(
            number for number, line in enumerate(text.split("\n"), 1) if '"Evicted"' in line
        )
        assert scan.lines == [text.count("\n") + 1]

    def test_an_exit_without_a_reason_of_the_cluster_s_own_blames_nobody(self) -> None:
        diagnosis = diagnosis_of({"train.log": LOST, "pod.json": json.dumps(pod(ended(1, "Error")))})
        assert "node02" not in [node.name for node in diagnosis.nodes if node.score > 0.5]

    def test_several_kinds_beside_one_log_work_together(self) -> None:
        kernel = "[Thu May 14 09:59:58 2026] Memory cgroup out of memory: Killed process 4232 (python3) total-vm:9kB\n"
        files = {"train.log": LOST, "pod.json": json.dumps(RECORDS[1]), "dmesg-node02.log": kernel}
        diagnosis = diagnosis_of(files)
        assert first(diagnosis)[0] == "node02"
        assert indicated(diagnosis)[0][0] in ("dmesg-node02.log", "pod.json")


class TestSafety:
    @pytest.mark.parametrize(
        "text",
        [
            '{"apiVersion": "audit.k8s.io/v1", "kind": "Event"}\n{"apiVersion": "audit.k8s.io/v1", "kind": "Event"}\n',
            "apiVersion: v1\nkind: ConfigMap\ndata: {}\n",
            "apiVersion: v1\nitems:\n- &a [x]\n- *a\nkind: List\n",
            "apiVersion: v1\nitems: " + "[" * 5000 + "\n",
            "apiVersion: v1\nkind: Pod\n? {a: b}\n: c\n",
            '{"apiVersion": "v1", "items": ' + "[" * 5000 + "\n",
        ],
    )
    def test_what_is_no_record_stays_the_text_that_it_is(self, text: str) -> None:
        assert read_texts({"x.log": f"{text}step 7 | loss: 2.0\n"}).scan.step_lines

    @pytest.mark.parametrize(
        "value", [None, 7, 2**70, "x" * 100_000, [None, 3], {"kind": 3}, [{"terminated": {"exitCode": [1]}}]]
    )
    def test_values_of_the_wrong_type_do_no_harm(self, value: object) -> None:
        began = time.monotonic()
        for key in ("items", "metadata", "status", "spec", "involvedObject", "kind", "source"):
            for record in (listed(RECORDS[2]), RECORDS[2], event("Evicted", "x")):
                diagnosis_of({"train.log": STEPS, "kube.json": json.dumps(record | {key: value})})
        assert time.monotonic() - began < 10

    @pytest.mark.parametrize("form", ["json", "yaml"])
    def test_large_files_take_time_in_proportion(self, form: str) -> None:
        began = time.monotonic()
        items = (
            '{"involvedObject":{},"reason":"\\u0041b"},\n' * 100_000
            if form == "json"
            else "- {a: [1, {b: 2}]}\n" * 60_000
        )
        whole = f'{{"apiVersion":"v1","kind":"List","items":[\n{items}{{}}]}}'
        read_texts(
            {"train.log": STEPS, "x": whole if form == "json" else f"apiVersion: v1\nkind: List\nitems:\n{items}"}
        )
        assert time.monotonic() - began < 20
