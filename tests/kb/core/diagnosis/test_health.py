"""Whether a sound run came to its end: finished logs of many frameworks, and the same logs cut off before their end."""

import pytest

from kb.core.diagnosis.pipeline import diagnosed
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, INCOMPLETE, NO_EVIDENCE
from tests.kb.core.diagnosis.lines import diagnosis_of, read_texts

LOADING = "Loading checkpoint shards: 100%|██████████| 4/4 [00:11<00:00,  2.9s/it]"


def prints(count: int, each: str) -> list[str]:
    """Reports of a falling loss. `each`: with places for number, loss and part of an epoch."""
    return [each.format(n=n, loss=2.5 - n / 100, part=n / 10) for n in range(1, count + 1)]


HF = prints(20, "{{'loss': {loss:.4f}, 'grad_norm': 1.1, 'learning_rate': 9.9e-06, 'epoch': {part:.2f}}}")
HF_SUM = "{'train_runtime': 3600.1, 'train_samples_per_second': 14.1, 'train_loss': 1.61, 'epoch': 2.0}"
MEGATRON = prints(
    20, " iteration {n:8}/      20 | elapsed time per iteration (ms): 1500.1 | lm loss: {loss:.6E} | loss scale: 1.0 |"
)
LIGHTNING = prints(20, "Epoch 0:  {n}%|█▏        | {n}/20 [00:31<00:55, 10.25it/s, v_num=0, train_loss={loss:.3f}]")
FINISHED = {
    "hugging face": [LOADING, "***** Running training *****", "  Num Epochs = 2", *HF, HF_SUM],
    "hugging face, strings": [*(line.replace("1.1", "'1.1'").replace("9.9e-06", "'9.9e-06'") for line in HF), HF_SUM],
    "hugging face, all epochs": ["[INFO|trainer.py:2416] >>   Num Epochs = 2", *HF],
    "megatron": MEGATRON,
    "megatron, after training": [*MEGATRON[:15], "[after training is done] datetime: 2026-01-04 12:00:01"],
    "lightning": [*LIGHTNING, "`Trainer.fit` stopped: `max_epochs=1` reached."],
    "nemo": [*LIGHTNING[:9], "[NeMo I 2026-01-04 12:00:01 logging:381] `Trainer.fit` stopped: `max_steps=9` reached."],
    "bars": prints(20, " {n}%|█▏        | {n}/20 [00:31<00:55,  1.25s/it]"),
    "epochs": prints(10, "Epoch [{n}/10], Loss: {loss:.4f}"),
    "from 0, each tenth": [f"step {n}/100 | loss {3 - n / 100:.3f}" for n in range(0, 100, 10)],
    "script": [*prints(20, "step {n} loss {loss:.3f}"), "Training completed in 3 h", "Saved final model to out/"],
    "torchrun": [*prints(20, "step {n} loss {loss:.3f}"),
                 "INFO:torch.distributed.elastic.agent.server.api:[default] worker group successfully finished. "
                 "Waiting 300 seconds for other agents to finish."],
    "deepspeed": [*prints(20, "[INFO] [logging.py:96:log_dist] [Rank 0] step={n}, loss={loss:.3f}"),
                  "[2026-01-04 12:00:01,100] [INFO] [launch.py:351:main] Process 4790 exits successfully."],
    "detr": [*prints(20, "Epoch: [0]  [{n}/20]  eta: 0:00:31  lr: 0.0001  loss: {loss:.4f}"), "Training time 0:03:21"],
    "chinese": [*(f"第 {n} 步, 损失: {3 - n / 100:.3f}" for n in range(1, 21)), "训练完成"],
    "a retry on the way": [*HF[:9], "Error reading shard 4: Connection reset by peer, retrying (1/5)", *HF[9:], HF_SUM],
    "swift": prints(20, "{{'loss': {loss:.3f}, 'epoch': {part:.2f}, 'global_step/max_steps': '{n}/20'}}"),
    "an evaluation bar at the end": [*HF, HF_SUM, *prints(13, "{n}%|█ | {n}/13 [00:31<00:55,  1.25s/it]")],
    "one norm without bound": [*HF[:9], HF[9].replace("1.1", "inf"), *HF[10:], HF_SUM],
    "evaluation": ["Running loglikelihood requests: 100%|██████████| 40145/40145 [10:00<00:00, 66.9it/s]",
                   "|  Tasks  |Version|Filter|n-shot| Metric |   |Value |   |Stderr|"],
    "ray": [*(f"(RayTrainWorker pid=7) {line}" for line in HF), "Trial TorchTrainer_ab completed after 20 iterations"],
    "tests": ["test/test_vllm.py::test_prompt PASSED", "/opt/x.py:8: RuntimeWarning: Failed to read commit hash",
              "==== 8 passed, 1 skipped, 1 xfailed, 12 warnings in 211.40s ===="],
    "keras 2": ["Epoch 1/1", *prints(20, "{n}/20 [=====>........] - 4s 2ms/step - loss: {loss:.4f} - accuracy: 0.95")],
    "keras 3": prints(20, "{n}/20 ━━━━━━━━━━━━━━━━━━━━ 7s 3ms/step - accuracy: 0.91 - loss: {loss:.4f}"),
    "composer": prints(20, "[epoch=1/1][batch={n}/20]: Train loss/train/total: {loss:.4f}"),
    "maxtext": ["Config param steps: 20", *(f"completed step: {n}, seconds: 3.1, loss: 9.{20 - n}" for n in range(20))],
    "a bar of the driver": [*prints(20, "(Task pid=7) step:{n} - actor/grad_norm:0.2 - timing_s/step:81.2"),
                            "Training Progress: 100%|██████████| 20/20 [9:49:12<00:00, 81.2s/it]"],
    "a leap that it got over": [*HF[:9], "{'loss': 7.9, 'grad_norm': 9.1, 'epoch': 0.95}", *HF[9:16], HF_SUM],
    "accuracies": prints(3, "Epoch {n}/3 train_acc=0.8{n} val_acc=0.7{n} failed_samples=0"),
    "wandb": [*prints(9, "step {n} loss {loss}"), "wandb: Waiting for W&B process to finish... (success)."],
    "megatron, at its limit": [*MEGATRON[:9], "[exiting program at iteration 9] datetime: 2026-01-04 12:00:01"],
    "policy without loss": [*prints(20, "{{'loss': 0.0, 'grad_norm': 0.3, 'reward': 0.{n}, 'epoch': {part}}}"), HF_SUM],
}  # fmt: skip
SERVERS = {
    "vllm": ["INFO 06-30 13:50:31 [api_server.py:1287] vLLM API server version 0.9.1",
             "INFO:     Application startup complete.",
             'INFO:     198.51.100.7:41000 - "POST /v1/chat/completions HTTP/1.1" 200 OK'],
    "vllm, stopped": ["INFO:     Application startup complete.", "INFO:     Shutting down",
                      "INFO:     Application shutdown complete.", "INFO:     Finished server process [71]"],
    "sglang": ["[2026-02-21 22:52:12] The server is fired up and ready to roll!",
               "[2026-02-21 22:59:20 TP0] Decode batch. #running-req: 1, #token: 411, #queue-req: 0"],
    "tgi": ["2026-02-21T22:52:12.1Z  INFO text_generation_router: router/src/main.rs:368: Connected",
            "2026-02-21T22:52:12.1Z  INFO text_generation_router: Server is ready to serve"],
    "llama.cpp": ["main: server is listening on http://127.0.0.1:8080 - starting the main loop",
                  "srv  update_slots: all slots are idle"],
    "ollama": ['time=2026-12-03T21:10:10.101-08:00 level=INFO source=routes.go:1544 '
               'msg="Listening on 127.0.0.1:11434 (version 0.13.1)"',
               '[GIN] 2026/12/03 - 21:10:11 | 200 |   1.0311201s |       127.0.0.1 | POST     "/api/generate"'],
    "ollama, asked": ["llama_model_loader: loaded meta data", *["graph splits = 2"] * 4,
                      '[GIN] 2026/12/03 - 21:10:11 | 200 |   1.0311201s |       127.0.0.1 | POST     "/api/chat"'],
    "tgi, asked": ["2026-02-21T22:52:12.1Z  INFO text_generation_router::server: router/src/server.rs:309: Success"],
    "triton": ["I0821 01:07:42.785632 1 grpc_server.cc:2519] Started GRPCInferenceService at 0.0.0.0:8001",
               "I0821 01:07:42.785832 1 http_server.cc:4637] Started HTTPService at 0.0.0.0:8000"],
}  # fmt: skip


@pytest.mark.parametrize("log", FINISHED.values(), ids=FINISHED)
def test_a_run_that_came_to_its_end_is_healthy(log: list[str]) -> None:
    assert diagnosis_of("\n".join(log)).verdict == HEALTHY


@pytest.mark.parametrize("log", SERVERS.values(), ids=SERVERS)
def test_a_server_that_came_up_is_healthy(log: list[str]) -> None:
    found = diagnosis_of("\n".join(log))
    assert (found.verdict, found.sentence.startswith("The server started")) == (HEALTHY, True)


@pytest.mark.parametrize(
    ("log", "end"),
    [
        (FINISHED["hugging face"][:10], "epoch 0.7 of 2"),
        (HF[:10], "epoch 1"),
        (MEGATRON[:7], "iteration 7 of 20"),
        (FINISHED["bars"][:12], "iteration 12 of 20"),
        (FINISHED["epochs"][:4], "epoch 4 of 10"),
        ([*FINISHED["accuracies"][:2], "Epoch 3/3 lr=0.001"], "epoch 2 of 3"),
        (FINISHED["swift"][:9], "iteration 9 of 20"),
        (FINISHED["keras 3"][:9], "iteration 9 of 20"),
        (FINISHED["a bar of the driver"][:9], "iteration 9"),
        ([HF[0], *(f"{part}%|█| {part}/20 [01:40<06:40,  1.0s/it]" for part in (4, 12))], "iteration 12 of 20"),
        (FINISHED["chinese"][:9], "iteration 9"),
        (["train_iters ............ 100000", *prints(59, "iteration {n} loss {loss}")], "iteration 59 of 100,000"),
        (["  Total optimization steps = 2,724", *prints(9, "{{'loss': {loss}, 'step': {n}}}")], "iteration 9 of 2,724"),
        (["I1115 16:00:10.451247 1406 trainer.py:501] Training: step 190"], "iteration 190"),
        ([*LIGHTNING], "iteration 20 of 20"),
    ],
)  # fmt: skip
def test_one_that_breaks_off_is_incomplete_and_says_where(log: list[str], end: str) -> None:
    found = diagnosis_of("\n".join(log))
    assert (found.verdict, found.symptom) == (INCOMPLETE, "none")
    assert f"ends at {end} without" in found.sentence
    assert found.checks
    assert not any(line.indicated for line in found.lines)


def test_what_stood_out_before_it_broke_off_is_shown() -> None:
    found = diagnosis_of("\n".join([*HF[:9], "WARNING: host memory is 97 % full", HF[10], HF[11]]))
    assert [line.line for line in found.lines] == [12, 10]


def test_runs_beside_it_tell_how_long_it_should_have_been() -> None:
    files = {
        f"rank{rank}.log": "\n".join(prints(37, f"[rank{rank}]: step {{n}} loss {{loss:.3f}}")) for rank in range(8)
    }
    finished = read_texts({"job.log": "\n".join(prints(60, "step {n} loss {loss:.3f}"))})
    found = diagnosed(read_texts(files), finished)
    assert (found.verdict, "iteration 37 of 60" in found.sentence) == (INCOMPLETE, True)
    assert diagnosed(finished, finished).verdict == HEALTHY


@pytest.mark.parametrize(
    "bar",
    [
        LOADING,
        "Downloading shards: 100%|██████████| 3/3 [00:31<00:00, 10.4s/it]",
        "Map:  41%|████      | 21000/52002 [00:04<00:06, 1.1s/it]",
        "Generating train split:  41%|████ | 21000/52002 [00:04<00:06, 1.1s/it]",
        "Tokenizing train dataset (num_proc=8):  41%|████ | 21000/52002 [00:04<00:06, 1.1s/it]",
        "Saving the dataset (1/1 shards): 100%|██████████| 21/21 [00:04<00:06, 1.1s/it]",
        "Capturing CUDA graph shapes: 100%|██████████| 67/67 [00:22<00:00,  1.2s/it]",
        "Processed prompts:  10%|█         | 10/100 [00:22<03:00,  2.2s/it, est. speed input: 1.1 toks/s]",
        "quantizing layers:  10%|█         | 3/32 [00:22<03:00,  2.2s/it]",
    ],
)
def test_a_bar_of_another_job_is_no_training(bar: str) -> None:
    found = diagnosis_of(f"{bar}\n{bar}")
    assert found.iteration is None
    assert found.verdict in (NO_EVIDENCE, INCOMPLETE)


@pytest.mark.parametrize(
    "log",
    [
        ["INFO 03-01 10:00:00 [core.py:58] Initializing a V1 LLM engine (v0.9.1) with config: model='m'", LOADING],
        ["> initializing torch distributed ...", "> building GPT model ...", "> loading fused kernels ..."],
        ["INFO worker.py:1852 -- Connected to Ray cluster.", "(autoscaler +25s) Tip: use `ray status`"],
        ["gpu1:41:41 [0] NCCL INFO Bootstrap : Using eth0", "gpu1:41:60 [0] NCCL INFO comm 0x1 rank 0 nranks 4"],
        ["***** Running training *****", LOADING],
        ["Init torch distributed begin.", "Capture cuda graph begin. This can take up to several minutes."],
    ],
)  # fmt: skip
def test_one_that_breaks_off_while_it_starts_is_incomplete_too(log: list[str]) -> None:
    found = diagnosis_of("\n".join(log))
    assert (found.verdict, found.symptom) == (INCOMPLETE, "none")
    assert "ends before the first step without" in found.sentence
    assert found.checks


@pytest.mark.parametrize(
    "log",
    [
        ["loading modules: cuda/12.4 nccl/2.21", "working directory is /data/run", "submitted as job 7"],
        ["Package  Version", "torch    2.9.0", "vllm     0.11.0", "deepspeed 0.18.1"],
    ],
)
def test_what_never_began_is_no_evidence(log: list[str]) -> None:
    assert diagnosis_of("\n".join(log)).verdict == NO_EVIDENCE


class TestNumbersThatStayWrong:
    def of_hf(self, *parts: str, count: int = 8) -> str:
        bad = [f"{{{part}, 'learning_rate': 1e-05, 'epoch': 2.{n}}}" for part in parts for n in range(count)]
        return "\n".join([*HF, *bad])

    @pytest.mark.parametrize(
        "part",
        [
            "'loss': 1.9, 'grad_norm': nan",
            "'loss': '1.9', 'grad_norm': 'nan'",
            "'loss': 0.0, 'grad_norm': nan",
            "'loss': 0.0",
            "'loss': 0.0, 'grad_norm': 0.0",
            "'loss': nan, 'grad_norm': nan",
            "'loss': 11.2, 'grad_norm': 40.1",
        ],
    )
    def test_are_a_failure_from_the_first_such_report_on(self, part: str) -> None:
        found = diagnosis_of(self.of_hf(part))
        assert (found.verdict, found.symptom, found.stage) == (FAILURE, "numerical", "train")
        assert (found.lines[0].line, found.iteration) == (21, None)

    def test_of_a_run_that_ended_orderly_too(self) -> None:
        log = self.of_hf("'loss': 0.0, 'grad_norm': nan")
        assert diagnosis_of(f"{log}\n{HF_SUM}").symptom == "numerical"

    def test_by_megatron(self) -> None:
        bad = [line.replace("loss scale", "grad norm: nan | loss scale") for line in MEGATRON[5:]]
        found = diagnosis_of("\n".join([*MEGATRON[:5], *bad]))
        assert (found.symptom, found.iteration, found.lines[0].line) == ("numerical", 6, 6)

    def test_steps_that_a_scaler_skipped_are_none(self) -> None:
        skipped = [line.replace("loss scale", "number of skipped iterations: 1 | grad norm: inf | loss scale")
                   for line in MEGATRON[:9]]  # fmt: skip
        assert diagnosis_of("\n".join([*skipped, *MEGATRON[9:]])).verdict == HEALTHY

    def test_a_loss_scale_that_fell_to_its_minimum(self) -> None:
        scales = [65536 >> min(n, 16) for n in range(25)]
        log = [f"step {n} loss 2.1 loss scale: {scale}.0" for n, scale in enumerate(scales)]
        found = diagnosis_of("\n".join(log))
        assert (found.symptom, found.iteration) == ("numerical", 16)

    def test_a_loss_of_0_from_the_beginning(self) -> None:
        log = [f"{{'loss': 0.0, 'learning_rate': 1e-05, 'epoch': 0.{n}}}" for n in range(9)]
        assert diagnosis_of("\n".join(log)).symptom == "numerical"

    def test_a_loss_that_falls_to_0_step_by_step_is_learnt(self) -> None:
        losses = (1.0, 0.2, 0.05, 0.01, 0.003, 0.0008, 0.0002, 0.0, 0.0, 0.0, 0.0)
        log = [f"{{'loss': {loss}, 'grad_norm': 0.0, 'epoch': 0.{n}}}" for n, loss in enumerate(losses)]
        assert diagnosis_of("\n".join([*log, HF_SUM])).verdict == HEALTHY


def test_a_cancelled_run_need_not_have_come_to_its_end() -> None:
    assert (
        diagnosis_of(
            "\n".join([*HF, "slurmstepd: error: *** JOB 7 ON gpu1 CANCELLED AT 2026-03-04T04:00:00 ***"])
        ).verdict
        == CANCELLED
    )


@pytest.mark.parametrize(
    "last",
    [
        "INFO: EarlyStopping condition met: stopping training at epoch 4",
        "Early stopping triggered after 3 evaluations without improvement",
        "Monitored metric val_loss did not improve in the last 3 records. Signaling Trainer to stop.",
        "Reached the target accuracy of 0.759, no further steps",
        ':::MLLOG {"key": "run_stop", "value": null, "metadata": {"status": "success"}}',
        "llama_perf_context_print:       total time =    5137.79 ms /   140 tokens",
        "llama_print_timings:       total time =    5137.79 ms",
        "============ Serving Benchmark Result ============",
        "INFO:hf-to-gguf:Model successfully exported to /out/model.gguf",
        "train-0   0/1   Completed   0   41m",
        "Finished!",
    ],
)
def test_a_run_that_finished_or_stopped_on_purpose_is_healthy_and_one_that_breaks_off_is_not(last: str) -> None:
    run = prints(20, "step {n}/1000 | loss {loss:.3f}")
    assert diagnosis_of("\n".join([*run, last])).verdict == HEALTHY
    assert diagnosis_of("\n".join(run)).verdict == INCOMPLETE


@pytest.mark.parametrize(
    "line",
    [
        "early_stopping_patience: 3",
        "EarlyStopping callback is on, patience 3",
        "target_accuracy=0.759",
        "state of the runner: Running",
        "stop early if the loss grows: no",
    ],
)
def test_settings_that_speak_of_an_end_are_none(line: str) -> None:
    run = prints(20, "step {n}/1000 | loss {loss:.3f}")
    assert diagnosis_of("\n".join([line, *run, line])).verdict == INCOMPLETE
