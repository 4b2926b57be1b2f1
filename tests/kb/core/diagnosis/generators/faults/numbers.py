"""Numbers that go wrong: loss without a value, a loss that jumps and stays up."""

from tests.kb.core.diagnosis.generators import acts, cascades
from tests.kb.core.diagnosis.generators.entries import Part
from tests.kb.core.diagnosis.generators.play import Play, begin
from tests.kb.core.diagnosis.generators.script import Script

NAN = float("nan")


def loss_nan(error: str = "", named: bool = False, goes_on: int = 0) -> Play:
    """The loss loses its value. With an error the run stops at it, one rank says so or all do."""

    def play(s: Script) -> None:
        begin(s, "train")
        s.step += 1
        s.fails("train", "numerical")
        s.wait(s.pace)
        s.report(NAN, NAN, Part.ROOT)
        for _ in range(goes_on):
            s.step += 1
            s.wait(s.pace)
            s.report(NAN, NAN, Part.SUPPORT)
        if not error:
            acts.ending(s)
            return
        ranks = [s.victim] if named else list(range(s.cluster.world))
        if named:
            s.blame([s.victim], [s.victim // s.cluster.gpus])
        for rank in ranks:
            text = error.format_map(s.words(rank))
            s.trace(rank, "backward", (text,), Part.SUPPORT)
        cascades.collapse(s, s.victim, 1, "timeout" if named else "quiet", died=Part.CASCADE)

    return play


def loss_spike(height: float, norm: float, told: str = "", part: Part = Part.SUPPORT) -> Play:
    """The loss jumps and does not come back before the run ends."""

    def play(s: Script) -> None:
        begin(s, "train")
        s.step += 1
        s.fails("train", "numerical")
        s.wait(s.pace)
        s.report(height + s.rng.random(), norm, Part.ROOT)
        if told:
            s.log(s.rank(0), told.format_map(s.words(0)), "WARNING", "metrics.py:71:judge", part)
        while s.step < s.spec.iterations:
            s.step += 1
            s.wait(s.pace)
            s.report(height * s.rng.uniform(0.85, 1.1), norm * s.rng.uniform(0.2, 0.6), Part.SUPPORT)
        acts.ending(s)

    return play


LOSS_NAN: tuple[Play, ...] = (
    loss_nan(goes_on=6),
    loss_nan("AssertionError: rank {rank}: found NaN in the local gradient norm in backward pass", named=True),
)
LOSS_SPIKE: tuple[Play, ...] = (loss_spike(11.3, 88.0), loss_spike(41.0, 2600.0, "loss at {step} is 9 deviations off"))
