"""Holds what a test measures against the figures that the site shows; UPDATE_MEASURED=1 writes these instead."""

import datetime as dt
import os
from collections.abc import Sequence

from kb.core.quality.figures import Figure, Measured, Subject, keep, measured, path_of, replaced

UPDATE = bool(os.environ.get("UPDATE_MEASURED"))


def keep_or_compare(of: Subject, figures: Sequence[Figure], *, within: float, on: dt.date | None = None) -> None:
    """Compare each figure with its namesake in the subject's file, or write them in the place of these."""
    if UPDATE:
        old = measured(of).figures if path_of(of).is_file() else ()
        day = on or dt.datetime.now(dt.UTC).date()
        keep(Measured(of=of, measured_on=day, figures=replaced(old, figures)))
    compare(of, figures, within=within)


def compare(of: Subject, figures: Sequence[Figure], *, within: float) -> None:
    """Fail for a figure that is not shown, or that is further from what is shown."""
    for now in figures:
        shown = measured(of).find(now.name, among=now.among, by=now.by)
        assert shown is not None, f"{of}: {now.key} is not shown yet, measure anew"
        assert abs(shown.value - now.value) <= within, (
            f"{of}: {now.key} is {now.value} (n = {now.n}) and {shown.value} (n = {shown.n}) is shown: measure anew"
        )
