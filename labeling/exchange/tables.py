"""Lists of an import as files."""

import csv
import io

from labeling.exchange.checking import Plan


def rejected_csv(plan: Plan) -> str:
    """Every line that cannot be taken, with its reason."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("line", "reason"))
    writer.writerows((one.line, one.reason) for one in plan.rejected)
    return out.getvalue()
