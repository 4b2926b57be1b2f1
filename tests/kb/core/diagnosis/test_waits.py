"""Waits that do not end: pods that do not start, by the events of `kubectl`, and resources that do not come."""

import pytest

from kb.core.diagnosis.report import FAILURE, INCOMPLETE, NO_EVIDENCE
from tests.kb.core.diagnosis.lines import diagnosis_of, indicated

POD = """\
Name:             tune-1
Namespace:        lab
Node:             {node}
Status:           Pending
Events:
  Type     Reason            Age                  From               Message
  ----     ------            ----                 ----               -------
{events}
"""
TROUBLE = {
    "no room": "  Warning  FailedScheduling  4m    default-scheduler  0/3 nodes are available: 3 Insufficient memory.",
    "a taint": "  Warning  FailedScheduling  80s   default-scheduler  0/2 nodes are available: 2 node(s) had "
    "untolerated taint {amd.com/gpu: only}.",
    "no volume": "  Warning  FailedMount       3m (x9 over 20m)  kubelet  Unable to attach or mount volumes: "
    "unmounted volumes=[weights], unattached volumes=[weights]: timed out waiting for the condition",
    "no image": "  Warning  Failed            2m (x4 over 5m)  kubelet  Failed to pull image \"lab/tune:9\": not found",
}  # fmt: skip
ASSIGNED = "  Normal   Scheduled         2m    default-scheduler  Successfully assigned lab/tune-1 to big-4"
STARTED = "  Normal   Started           1m    kubelet            Started container tuner"
# What `kubectl get events` prints.
UNPLACED = "9m       Warning   FailedScheduling   pod/tune-1   0/3 nodes are available: 3 Insufficient nvidia.com/gpu."
OF_ANOTHER = "8m       Normal    Started            pod/web-7    Started container web"

CONNECTED = "2026-04-01 10:00:00,120 INFO worker.py:2012 -- Connected to Ray cluster."
NO_GPUS = "(raylet) Warning: The following resource request cannot be scheduled right now: {'GPU': 4.0}."
GROUP = "INFO 04-01 10:0{}:20 [ray_utils.py:212] Waiting for creating a placement group of specs for {}0 seconds."


def described(*events: str, node: str = "<none>") -> str:
    return POD.format(node=node, events="\n".join(events))


@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE)
def test_a_pod_that_never_started_has_failed_although_its_events_are_warnings(trouble: str) -> None:
    found = diagnosis_of(described(trouble))
    assert (found.verdict, found.symptom) == (FAILURE, "launch_failure")
    assert [line for _, line in indicated(found)] == [8]


@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE)
def test_what_it_got_over_is_no_failure(trouble: str) -> None:
    assert diagnosis_of(described(trouble, ASSIGNED, STARTED, node="big-4/10.0.0.4")).verdict == NO_EVIDENCE


def test_a_room_found_does_not_pull_the_image() -> None:
    found = diagnosis_of(described(TROUBLE["no room"], ASSIGNED, TROUBLE["no image"], node="big-4/10.0.0.4"))
    assert (found.verdict, [line for _, line in indicated(found)]) == (FAILURE, [10])


def test_another_pod_that_starts_says_nothing() -> None:
    assert diagnosis_of("\n".join([UNPLACED, OF_ANOTHER, OF_ANOTHER, UNPLACED, OF_ANOTHER])).verdict == FAILURE


@pytest.mark.parametrize("waits", [[NO_GPUS] * 2, [GROUP.format(each, each) for each in (1, 2, 4)]])
def test_waiting_for_resources_to_the_end_of_the_log_is_a_hang(waits: list[str]) -> None:
    found = diagnosis_of("\n".join([CONNECTED, *waits]))
    assert (found.verdict, found.symptom) == (FAILURE, "hang")
    assert [line for _, line in indicated(found)] == [2]
    assert "resource-settings" in [cause.code for cause in found.causes]


@pytest.mark.parametrize("waits", [[NO_GPUS], [NO_GPUS, NO_GPUS, "Loading model weights took 3.2 s"]])
def test_one_word_of_it_or_a_wait_that_ends_is_none(waits: list[str]) -> None:
    assert diagnosis_of("\n".join([CONNECTED, *waits])).verdict == INCOMPLETE
