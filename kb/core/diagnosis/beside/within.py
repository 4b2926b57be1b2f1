"""What stands within a text and is no log line: reports of nvidia-smi, rows of sacct, levels in numbers."""

from collections.abc import Iterator

from kb.core.diagnosis.beside import levels, sacct
from kb.core.diagnosis.beside.gpus import TITLE, Report

# Who puts a report into a log by hand does so into one of a moderate size; in more text it is not looked for.
LOOKED_AT = 64 << 20


def told(blocks: Iterator[str], name: str, reports: list[Report]) -> Iterator[str]:
    """The blocks of a file in as many lines; reports of GPUs are taken out of them, and added to `reports`."""
    rows, report, size = sacct.Rows(), Report(name), 0
    scales: tuple[levels.Scale, ...] = ()
    for block in blocks:
        # A logger writes its levels alike from its first record on.
        scales = scales if size else levels.scales_in(block)
        text = levels.in_words(block, scales)
        size += len(text)
        if report.is_open or (size <= LOOKED_AT and TITLE in text):
            if not report.has_begun:
                reports.append(report)
            text = report.without(text)
        if rows.is_open or (size <= LOOKED_AT and sacct.ID in text):
            text = "\n".join(rows.told(text.split("\n")))
        yield text
