"""How each system prints the numbers of an iteration."""

from tests.kb.core.diagnosis.generators import clocks
from tests.kb.core.diagnosis.generators.entries import At, Metrics
from tests.kb.core.diagnosis.generators.styles import loggers

BATCH = 512


def titan(at: At, m: Metrics) -> tuple[str, ...]:
    rate = int(BATCH * 4096 / m.seconds / at.cluster.world)
    memory = f"memory: {41.5 + m.rate * 1000:5.2f}GiB(52.47%)"
    text = f"step: {m.step:2d}  loss: {m.loss:7.4f}  grad_norm: {m.norm:7.4f}  {memory}  tps: {rate:,}  mfu: 38.20%"
    return (loggers.titan(at, text),)


def per_rank(at: At, m: Metrics) -> tuple[str, ...]:
    text = f"finished step {m.step}/{m.total} in {m.seconds:.3f}s | loss={m.loss:.5f} | gnorm={m.norm:.3f}"
    return (loggers.loguru(at, text),)


def elastic(at: At, m: Metrics) -> tuple[str, ...]:
    text = (
        f"global_step={m.step} train_loss={m.loss:.4f} grad_norm={m.norm:.3f} lr={m.rate:.2e} step_time={m.seconds:.2f}"
    )
    return (loggers.slashes(at, text),)


def megatron(at: At, m: Metrics) -> tuple[str, ...]:
    when = clocks.seconds(at.cluster.clock(at.voice.node, at.time))
    nans = int(m.loss != m.loss)
    parts = [
        f" [{when}] iteration {m.step:8d}/{m.total:8d}",
        f"consumed samples: {m.step * BATCH:12d}",
        f"elapsed time per iteration (ms): {m.seconds * 1000:.1f}",
        f"learning rate: {m.rate:.6E}",
        f"global batch size: {BATCH:5d}",
        f"lm loss: {m.loss:.6E}" if not m.skipped else "loss scale: 32768.0",
        f"grad norm: {m.norm:.3f}",
        f"number of skipped iterations: {int(m.skipped or nans):3d}",
        f"number of nan iterations: {nans:3d} |",
    ]
    return (" | ".join(parts),)


def deepspeed(at: At, m: Metrics) -> tuple[str, ...]:
    rate = BATCH / m.seconds
    text = f"step={m.step}, skipped={int(m.skipped)}, lr=[{m.rate:.6g}], mom=[(0.9, 0.95)]"
    loss = f"steps: {m.step} loss: {m.loss:.4f} iter time (s): {m.seconds:.3f} samples/sec: {rate:.3f}"
    return (loggers.deepspeed(at, text), loss)


def columns(at: At, m: Metrics) -> tuple[str, ...]:
    text = f"[{m.step}/{m.total}] loss {m.loss:.4f} | gnorm {m.norm:.2f} | {m.seconds * 1000:.0f} ms/step"
    return (loggers.columns(at, f"{text} | lr {m.rate:.3g}"),)


def mpi(at: At, m: Metrics) -> tuple[str, ...]:
    return (loggers.iso(at, f"iter {m.step} loss {m.loss:.5f} norm {m.norm:.3f} dt {m.seconds:.2f}s lr {m.rate:.3e}"),)


def ray(at: At, m: Metrics) -> tuple[str, ...]:
    numbers = f"'train_loss': {m.loss:.4f}, 'grad_norm': {m.norm:.3f}, 'time_this_iter_s': {m.seconds:.3f}"
    return (f"{{'training_iteration': {m.step}, {numbers}}}",)


def kubernetes(at: At, m: Metrics) -> tuple[str, ...]:
    text = f"Step [{m.step}/{m.total}] Loss: {m.loss:.4f} GradNorm: {m.norm:.3f} StepTime: {m.seconds:.2f}s"
    return (loggers.bracketed(at, text),)


def vllm(at: At, m: Metrics) -> tuple[str, ...]:
    """A server knows no iterations: its throughput and queues."""
    running = 20 + m.step * 7 % 30
    speed = (
        f"Avg prompt throughput: {m.loss * 400:.1f} tokens/s, Avg generation throughput: {m.norm * 900:.1f} tokens/s"
    )
    queues = f"Running: {running} reqs, Waiting: {m.step % 4} reqs"
    cache = f"GPU KV cache usage: {running * 1.7:.1f}%, Prefix cache hit rate: 31.{m.step % 10}%"
    return (loggers.vllm(at, f"Engine 000: {speed}, {queues}, {cache}"),)


def absl(at: At, m: Metrics) -> tuple[str, ...]:
    return (loggers.absl(at, f"step = {m.step}, loss = {m.loss:.6f}, norm = {m.norm:.4f} ({m.seconds:.3f} sec/step)"),)


def accelerate(at: At, m: Metrics) -> tuple[str, ...]:
    epoch = m.step / m.total
    return (
        f"{{'loss': {m.loss:.4f}, 'grad_norm': {m.norm:.6f}, 'learning_rate': {m.rate:.6g}, 'epoch': {epoch:.2f}}}",
    )


def jsonl(at: At, m: Metrics) -> tuple[str, ...]:
    return (f"train step={m.step} loss={m.loss:.4f} grad_norm={m.norm:.3f} step_seconds={m.seconds:.3f}",)


def bar(m: Metrics) -> str:
    """tqdm's bar, as the Trainer shows it: no newline, a carriage return before it."""
    share = m.step / m.total
    full = "█" * int(share * 10)
    spent, left = m.step * m.seconds, (m.total - m.step) * m.seconds
    clock = f"{int(spent // 60):02d}:{int(spent % 60):02d}<{int(left // 60):02d}:{int(left % 60):02d}"
    return f"\r{share:4.0%}|{full:<10}| {m.step}/{m.total} [{clock}, {m.seconds:5.2f}s/it]"
