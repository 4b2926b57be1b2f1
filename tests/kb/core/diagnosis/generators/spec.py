"""What is asked of the generators: kinds of trouble, styles of log, sizes, and what is held out from tuning.

Every kind has several variants: other wordings, other precursors, other cascades. The last variant of each kind is
held out, with its own host names and its own noise: nobody looks at it while a diagnoser is tuned.
"""

from collections.abc import Iterator
from dataclasses import dataclass

# Kind -> how many variants it has. The bodies are in faults/ and, for the last of each, in held_out/.
VARIANTS = {
    "gpu_oom": 4,
    "host_oom": 3,
    "gpu_lost": 4,
    "nvlink_error": 3,
    "illegal_access": 3,
    "cublas_failure": 3,
    "data_exception": 4,
    "shape_mismatch": 3,
    "dtype_mismatch": 3,
    "vocab_mismatch": 3,
    "config_assertion": 3,
    "import_error": 3,
    "rendezvous_timeout": 3,
    "port_in_use": 3,
    "network_error": 4,
    "silent_hang": 3,
    "hang_time_limit": 3,
    "straggler": 3,
    "loss_nan": 3,
    "loss_spike": 3,
    "disk_full": 3,
    "checkpoint_corrupt": 3,
    "storage_stall": 3,
    "permission_denied": 3,
    "loader_killed": 3,
    "node_failure": 3,
    "preemption": 3,
    "user_cancel": 3,
    "time_limit": 3,
    "healthy_training": 3,
    "healthy_serving": 3,
    "no_evidence": 3,
    "engine_death": 3,
}
KINDS = tuple(VARIANTS)
STYLES = (
    "torchrun",
    "per_rank",
    "elastic",
    "megatron",
    "deepspeed",
    "srun",
    "mpirun",
    "ray",
    "kubernetes",
    "vllm",
    "glog",
    "accelerate",
    "jsonl",
)
HELD_OUT_VARIANTS = {kind: count - 1 for kind, count in VARIANTS.items()}

# What only a server does, and where servers run; what only a training run does.
SERVING = ("healthy_serving", "engine_death")
SERVING_STYLES = ("vllm", "kubernetes", "ray", "jsonl", "srun")
TRAINING = (
    "data_exception",
    "straggler",
    "hang_time_limit",
    "loss_nan",
    "loss_spike",
    "disk_full",
    "storage_stall",
    "loader_killed",
    "time_limit",
    "healthy_training",
)
# Several seeds per cell would only repeat the wording; sizes change instead.
SIZES = ((1, 8), (2, 4), (4, 2), (2, 8))


@dataclass(frozen=True)
class Spec:
    """One job to make. The same spec always gives the same bytes."""

    kind: str
    style: str
    nodes: int = 2
    gpus_per_node: int = 4
    iterations: int = 30
    seed: int = 0
    variant: int = 0

    @property
    def held_out(self) -> bool:
        return self.variant == HELD_OUT_VARIANTS[self.kind]

    @property
    def serving(self) -> bool:
        return self.kind in SERVING or self.style == "vllm"

    @property
    def key(self) -> str:
        """A text that seeds the randomness and names the job."""
        sizes = f"{self.nodes}x{self.gpus_per_node}x{self.iterations}"
        return f"{self.kind}/{self.style}/{sizes}/{self.variant}/{self.seed}"


def styles_of(kind: str) -> tuple[str, ...]:
    """The styles in which this kind can happen."""
    if kind in SERVING:
        return SERVING_STYLES
    return tuple(style for style in STYLES if style != "vllm" or kind not in TRAINING)


def tuning_specs(seed: int = 0) -> Iterator[Spec]:
    """Every cell that may be looked at."""
    return (spec for spec in _grid(seed) if not spec.held_out)


def held_out_specs(seed: int = 0) -> Iterator[Spec]:
    """Every cell that only judges."""
    return (spec for spec in _grid(seed) if spec.held_out)


def _grid(seed: int) -> Iterator[Spec]:
    for kind, variants in VARIANTS.items():
        for place, style in enumerate(styles_of(kind)):
            for variant in range(variants):
                nodes, gpus = (1, 4) if style == "vllm" else SIZES[(place + variant + seed) % len(SIZES)]
                iterations = 24 + 8 * ((place + 2 * variant) % 4)
                yield Spec(kind, style, nodes, gpus, iterations, seed, variant)
