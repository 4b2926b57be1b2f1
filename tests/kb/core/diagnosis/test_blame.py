"""Who is to blame: those whom lines accuse outright come before those that only wrote it."""

import pytest

from kb.core.diagnosis.report import Diagnosis
from tests.kb.core.diagnosis.lines import diagnosis_of

STEPS = "".join(f"step {number} | loss: 2.{number} | step_time: 1.1s\n" for number in range(10, 20))
RAY_ID = "5ad7fa5dd64fc1fec7a82cceecabed8e5eb247ec97064bb50a1c2a11"
OOM = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
TRACEBACK = f'Traceback (most recent call last):\n  File "train.py", line 7, in <module>\n    main()\n{OOM}\n'


def first(diagnosis: Diagnosis) -> tuple[str | None, str | None]:
    """The most suspect node and rank."""
    node = diagnosis.nodes[0].name if diagnosis.nodes else None
    return node, diagnosis.ranks[0].name if diagnosis.ranks else None


class TestNodesThatAreSaidToHaveFailed:
    @pytest.mark.parametrize("node", ["node02", "jean-zay-iam37", "gpu-a.cluster.local", "10.4.0.7"])
    def test_not_the_one_that_slurm_tells_it_on(self, node: str) -> None:
        diagnosis = diagnosis_of(
            f"0: world size 16\n{STEPS}srun: error: Node failure on {node}\n"
            "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.\n"
            "slurmstepd: error: *** STEP 19438.0 ON node01 CANCELLED AT 2024-03-06T03:17:51 DUE TO NODE FAILURE, SEE "
            "SLURMCTLD LOG FOR DETAILS ***\nsrun: error: node01: tasks 0-7: Killed\n"
        )
        assert [suspect.name for suspect in diagnosis.nodes] == [node]

    @pytest.mark.parametrize(
        "lines",
        [
            " ORTE has lost communication with its daemon located on node:\n\n   hostname:  node17\n\n This is due",
            "ORTE has lost communication with a remote daemon.\n\n  HNP daemon   : [[11377,0],0] on node node01\n"
            "  Remote daemon: [[11377,0],1] on node node17\n",
        ],
    )
    def test_one_whose_daemon_open_mpi_lost(self, lines: str) -> None:
        assert first(diagnosis_of(f"{STEPS}{lines}\n"))[0] == "node17"

    def test_one_whose_tasks_were_killed(self) -> None:
        slurm = "srun: error: node07: tasks 5-7: Out Of Memory\nsrun: error: node06: tasks 0-3: Terminated\n"
        assert first(diagnosis_of(f"0: world size 8\n{STEPS}4: tokenising\n{slurm}"))[0] == "node07"

    @pytest.mark.parametrize(
        "line",
        [
            "[node17:2121 :0:7025] Caught signal 7 (Bus error: nonexistent physical address)",
            "[node17:2121] *** Process received signal ***\n[node17:2121] Signal: Segmentation fault (11)",
        ],
    )
    def test_one_on_which_a_process_got_a_signal(self, line: str) -> None:
        text = f"[rank3]: rank 3 of 8 on node17, process 2121\n{STEPS}{line}\n==== backtrace (tid: 7025) ====\n"
        assert first(diagnosis_of(text)) == ("node17", "3")

    def test_one_on_which_slurm_could_not_launch(self) -> None:
        line = "srun: error: Task launch for 36.0 failed on node cn131: Job credential expired\n"
        step = "slurmstepd: error: *** STEP 36.0 ON cn130 CANCELLED AT 2021-05-12T10:02:13 ***\n"
        assert first(diagnosis_of(f"hosts: cn130 cn131\n{line}{step}"))[0] == "cn131"

    def test_each_of_a_list(self) -> None:
        diagnosis = diagnosis_of(f"{STEPS}srun: error: Node failure on gpu[07-08]\n")
        assert {suspect.name for suspect in diagnosis.nodes} == {"gpu07", "gpu08"}

    def test_a_node_of_ray_by_its_address(self) -> None:
        diagnosis = diagnosis_of(
            f"{STEPS}2024-09-02 12:53:00,741 WARNING worker.py:1829 -- The node with node id: {RAY_ID} and address: "
            "10.0.4.21 and node name: 10.0.4.21 has been marked dead because the detector has missed too many "
            f"heartbeats from it.\n{OOM}\n"
        )
        assert first(diagnosis) == ("10.0.4.21", None)

    def test_a_node_of_ray_by_its_number(self) -> None:
        diagnosis = diagnosis_of(
            f"(raylet) node_id={RAY_ID}, ip=10.0.4.21 joined\n{STEPS}ray.exceptions.ActorDiedError: The actor died "
            "unexpectedly before finishing this task.\n"
            f"The actor died because its node has died. Node Id: {RAY_ID}\n"
        )
        assert first(diagnosis)[0] == "10.0.4.21"

    @pytest.mark.parametrize(
        "event",
        [
            "2m  Normal   NodeNotReady  node/node05  Node node05 status is now: NodeNotReady",
            "Warning  NodeNotReady  node-controller  Node node05 is not ready",
        ],
    )
    def test_a_node_of_kubernetes(self, event: str) -> None:
        assert first(diagnosis_of(f"{STEPS}{event}\n{OOM}\n"))[0] == "node05"

    @pytest.mark.parametrize("name", ["eth0", "mlx5_1", "port 8080", "server"])
    def test_nothing_that_is_no_node(self, name: str) -> None:
        assert not diagnosis_of(f"{STEPS}{name} is down\n{OOM}\n").nodes

    @pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "127.0.1.1", "::1"])
    def test_not_the_machine_that_writes(self, name: str) -> None:
        diagnosis = diagnosis_of(f"{STEPS}client timed out while trying to connect to ({name}, 80)\n{OOM}\n")
        assert name not in {suspect.name for suspect in diagnosis.nodes}


class TestPods:
    ASSIGNED = "12m  Normal  Scheduled  pod/job-worker-3  Successfully assigned ml/job-worker-3 to node07\n"

    def test_one_that_was_evicted_stands_for_its_node(self) -> None:
        other = self.ASSIGNED.replace("worker-3", "worker-1").replace("node07", "node04")
        evicted = "2m  Warning  Evicted  pod/job-worker-3  The node was low on resource: ephemeral-storage.\n"
        assert first(diagnosis_of(self.ASSIGNED + other + evicted))[0] == "node07"

    def test_one_that_is_described(self) -> None:
        described = (
            "Name:             job-worker-3\nNamespace:        ml\nNode:             node07/10.0.0.7\n"
            "Status:           Failed\nReason:           Evicted\nMessage:          The node was low on resource.\n"
            "Events:\n  Warning  Evicted  109s  kubelet  The node was low on resource: memory.\n"
        )
        assert first(diagnosis_of(described))[0] == "node07"

    def test_one_in_a_list_of_pods(self) -> None:
        pods = (
            "NAME           READY   STATUS      RESTARTS   AGE   IP          NODE     NOMINATED NODE\n"
            "job-worker-2   1/1     Running     0          12m   10.1.0.12   node06   <none>\n"
            "job-worker-3   0/1     OOMKilled   0          12m   10.1.0.13   node07   <none>\n"
        )
        assert first(diagnosis_of(f"{pods}{STEPS}{OOM}\n"))[0] == "node07"


class TestActorsOfRay:
    DIED = "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"

    @pytest.mark.parametrize("address", ["198.51.100.16", "2001:db8::1:16"])
    def test_the_host_below_the_error(self, address: str) -> None:
        detail = f"\tclass_name: Runner\n\tactor_id: 8d14\n\tpid: 319017\n\tip: {address}\n"
        assert first(diagnosis_of(f"{STEPS}{self.DIED}{detail}"))[0] == address

    def test_an_address_in_a_configuration_is_nobody(self) -> None:
        assert first(diagnosis_of(f"server:\n  port: 80\n  ip: 198.51.100.16\n{STEPS}{OOM}\n"))[0] is None

    def test_the_host_of_a_worker_that_crashed(self) -> None:
        text = (
            f"{STEPS}(raylet) A worker died or was killed while executing a task by an unexpected system error. Node "
            f"ID: {RAY_ID} Worker IP address: 10.0.62.32 Worker port: 10003 Worker PID: 69161 Worker exit type: "
            "SYSTEM_ERROR\n"
            "ray.exceptions.WorkerCrashedError: The worker died unexpectedly while executing this task.\n"
        )
        assert first(diagnosis_of(text))[0] == "10.0.62.32"

    def test_the_node_that_ran_out_of_memory(self) -> None:
        text = f"{STEPS}ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\n"
        text += f"Memory on the node (IP: 10.0.62.31, ID: {RAY_ID}) where the task was running was 27.7GB / 28.8GB\n"
        assert first(diagnosis_of(text + "(raylet, ip=10.0.62.31) worker exited\n"))[0] == "10.0.62.31"


class TestRanksThatOthersWaitFor:
    @pytest.mark.parametrize(
        "line",
        [
            "EI0002: [PID: 12] The wait execution of the Notify register times out. Reason: The Notify register has "
            "not received the Notify record from remote rank: [5].",
            "Transport init error. Reason: Create Dest error! createLink para:rank[1]-localUserrank[1], "
            "dst_rank[5]-remoteUserrank[5]-remote_ip_addr[198.51.100.23]",
            "E coordination_service.cc:954] /job:jax_worker/replica:0/task:5 has been set to ERROR in coordination "
            "service: UNAVAILABLE: Task /job:jax_worker/replica:0/task:5 heartbeat timeout.",
            "DEADLINE_EXCEEDED: Barrier timed out. Id: 0. The first task at the barrier: /job:jax_worker/task:1. Some "
            "timed out task names:\n/job:jax_worker/replica:0/task:5",
            " - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:\n"
            "   - [5] finished collective #41, but didn't join collective #42 (count from 1)",
            "torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from "
            "[5] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout",
            "RuntimeError: [Rank 0]: Rank 5 failed to pass monitoredBarrier in 2000 ms",
        ],
    )
    def test_each_kind(self, line: str) -> None:
        lines = ["world size 8", "RuntimeError: Distributed call failed", *line.split("\n")]
        diagnosis = diagnosis_of(STEPS + "".join(f"[rank1]: {own}\n" for own in lines))
        assert first(diagnosis)[1] == "5"

    def test_who_waited_is_not_to_blame_for_being_the_first_to_end(self) -> None:
        waits = "is setting up NCCL communicator and retrieving ncclUniqueId from [0], but got error: Socket Timeout"
        text = "".join(f"[rank{rank}]: DistBackendError: [{rank}] {waits}\n" for rank in (1, 3))
        launcher = "E torch/distributed/elastic: failed (exitcode: 1) local_rank: 1 (pid: 702) of binary: python3\n"
        assert first(diagnosis_of(f"world size 4\n{STEPS}{text}{launcher}"))[1] == "0"

    def test_half_of_the_tasks_are_hardly_suspect(self) -> None:
        tasks = "".join(f"/job:jax_worker/replica:0/task:{number}\n" for number in range(8))
        text = "XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Some timed out task names:\n"
        assert all(suspect.score < 0.2 for suspect in diagnosis_of(f"{STEPS}{text}{tasks}").ranks)

    def test_a_rank_beyond_the_world_is_none(self) -> None:
        line = "EI0012: SDMA memory copy task exception occurred. Remote rank: [4800]. Base information: []"
        assert first(diagnosis_of(f"[rank1]: world size 8\n{STEPS}{line}\n"))[1] is None

    def test_megascale_names_hosts_and_workers(self) -> None:
        text = (
            "E1001 10:21:44.121000 1333 megascale_error_aggregator.cc:322] Megascale detects a hang that is likely "
            "caused by bad TPU chips on the following hosts. Please remove the hosts from the fleet.\n"
            "  The host that have bad TPUs are: tpu-vm-w3\n  Full error digest:\n"
            "    Potential culprit workers: train/11:tpu-vm-w3\n"
        )
        assert first(diagnosis_of(f"{STEPS}{text}")) == ("tpu-vm-w3", "11")

    def test_a_peer_that_cannot_be_reached(self) -> None:
        text = "[c10d] The client socket has timed out after 600000ms while trying to connect to (node01, 41331).\n"
        head = "[rank8]: rank 8 of 16 up on node02\n"
        (node, *_) = diagnosis_of(f"{head}[rank8]: {text}[rank8]: torch.distributed.DistNetworkError: {text}").nodes
        assert node.name == "node01"
        assert node.score < 0.9


class TestWhoWroteIt:
    @pytest.mark.parametrize(
        "head",
        [
            "[2025-02-21 22:59:28 TP3] ", "(VllmWorker TP3 pid=408) ", "(Worker_TP3 pid=408) ",
            "(Worker_TP3_EP3 pid=408) ", "(VllmWorker rank=3 pid=408) ", "(PolicyWorker[rank=3] pid=408) ", "[rank3]: ",
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("end", [": ", "\n"])
    def test_a_traceback_without_heads_is_of_the_rank_that_announces_it(self, head: str, end: str) -> None:
        other = head.replace("3", "0").replace("408", "405")
        text = f"{other}loaded\n{head}loaded\n{STEPS}{head}ERROR Scheduler hit an exception{end}{TRACEBACK}{other}bye\n"
        assert first(diagnosis_of(text))[1] == "3"

    def test_torchx_names_the_role_first(self) -> None:
        error = "RuntimeError: Rank 2, node node01, device 2, iteration 7: Unexpected result nan"
        text = f"i.pretrain/0 [default0]:[rank0]: loaded\n{STEPS}i.pretrain/0 [default2]:[rank2]: {error}\n"
        assert first(diagnosis_of(text)) == ("node01", "2")

    def test_a_process_that_calls_itself_by_its_device(self) -> None:
        text = f"{STEPS}Exception in device=TPU:4: RESOURCE_EXHAUSTED: From /job:localservice\n{TRACEBACK}"
        assert first(diagnosis_of(text))[1] == "4"

    def test_a_few_of_many_ranks_are_not_all(self) -> None:
        """How many ranks there are, nothing says; the highest one that is heard of tells enough."""
        warning = "transport/net_ib.cu:80 NCCL WARN NET/IB : Got async event : local catastrophic error"
        lines = "".join(f"[1,{rank}]<stdout>:node57:81{rank}:86{rank} [0] {warning}\n" for rank in (12, 13, 14))
        assert first(diagnosis_of(f"[1,0]<stdout>:step 8 loss 2.3\n[1,3]<stdout>:up\n{lines}"))[0] == "node57"

    def test_a_rank_within_a_group_is_another(self) -> None:
        head = "[rank9]:[E113 11:43:02.241131296 ProcessGroupNCCL.cpp:1899] [PG ID 5 PG GUID 55(mesh_replicate) Rank 1]"
        error = "Process group watchdog thread terminated with exception: CUDA error: unspecified launch failure"
        assert first(diagnosis_of(f"world_size 16\n{STEPS}{head} {error}\n"))[1] == "9"

    @pytest.mark.parametrize("head", ["(WorkerDict pid=2862157) ", "(Worker pid=7, ip=10.0.0.2) ", "198.51.100.81: "])
    def test_the_rank_behind_the_head_of_its_process(self, head: str) -> None:
        other = head.replace("2862157", "2862154").replace("=7,", "=4,").replace(".81", ".80")
        text = f"{other}[rank0]: loaded\n{STEPS}{head}[rank3]: {OOM}\n"
        assert first(diagnosis_of(text))[1] == "3"

    def test_places_in_several_groups_are_no_ranks(self) -> None:
        text = f"[2025-02-21 22:59:10 DP1 TP0] loaded\n[2025-02-21 22:59:28 DP0 TP0] ERROR {OOM}\n"
        assert not diagnosis_of(text).ranks

    def test_the_host_behind_the_head_of_a_rank(self) -> None:
        text = f"Rank 10: node: node01\nRank 11: gpu 3, node: node02.cluster.local\n{STEPS}[rank11]: {OOM}\n"
        assert first(diagnosis_of(text)) == ("node02.cluster.local", "11")
