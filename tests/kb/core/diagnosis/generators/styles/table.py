"""The styles by name."""

from dataclasses import replace

from tests.kb.core.diagnosis.generators.spec import Spec
from tests.kb.core.diagnosis.generators.styles import loggers, reports, traces, transports
from tests.kb.core.diagnosis.generators.styles.base import Style
from tests.kb.core.diagnosis.generators.styles.transports import by_node, by_rank, one_file, pods_and_events

TABLE = {
    style.name: style
    for style in (
        Style(
            "torchrun", loggers.titan, traces.tagged, reports.titan, transports.global_rank, one_file("torchrun.log")
        ),
        Style("per_rank", loggers.loguru, traces.untagged, reports.per_rank, transports.bare, by_rank, reporters="all"),
        Style("elastic", loggers.slashes, traces.tagged, reports.elastic, transports.local_rank, by_node(".out")),
        Style(
            "megatron",
            loggers.plain,
            traces.tagged,
            reports.megatron,
            transports.bare,
            one_file("pretrain.log"),
            reporters="last",
        ),
        Style(
            "deepspeed",
            loggers.deepspeed,
            traces.tagged,
            reports.deepspeed,
            transports.host_colon,
            one_file("ds.log"),
            launcher="deepspeed",
        ),
        Style(
            "srun",
            loggers.columns,
            traces.untagged,
            reports.columns,
            transports.task,
            one_file("slurm.out"),
            launcher="slurm",
            nccl=True,
        ),
        Style(
            "mpirun",
            loggers.iso,
            traces.untagged,
            reports.mpi,
            transports.mpi,
            one_file("mpi.log"),
            launcher="mpi",
            nccl=True,
        ),
        Style(
            "ray",
            loggers.ray,
            traces.untagged,
            reports.ray,
            transports.ray,
            one_file("driver.log"),
            launcher="ray",
            scheduler="ray",
        ),
        Style(
            "kubernetes",
            loggers.bracketed,
            traces.tagged,
            reports.kubernetes,
            transports.pod,
            pods_and_events,
            scheduler="kubernetes",
        ),
        Style(
            "vllm",
            loggers.vllm,
            traces.headed,
            reports.vllm,
            transports.bare,
            one_file("server.log"),
            launcher="vllm",
        ),
        Style("glog", loggers.absl, traces.tagged, reports.absl, transports.bare, by_node(".log"), nccl=True),
        Style(
            "accelerate",
            loggers.accelerate,
            traces.tagged,
            reports.accelerate,
            transports.bare,
            one_file("train.log"),
            bar=True,
        ),
        Style("jsonl", loggers.message, traces.folded, reports.jsonl, transports.jsonl, one_file("log.jsonl")),
    )
}


def style_of(spec: Spec) -> Style:
    """The style of this job; a server writes vLLM's lines into whatever carries them."""
    style = TABLE[spec.style]
    if not spec.serving or style.launcher == "vllm":
        return style
    trace = traces.folded if spec.style == "jsonl" else traces.headed
    wrap = transports.ray_server if spec.style == "ray" else style.wrap
    style = replace(style, log=loggers.vllm, trace=trace, report=reports.vllm, wrap=wrap)
    return replace(style, launcher="vllm", reporters="first")
