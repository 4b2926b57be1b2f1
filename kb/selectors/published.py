"""Numbers that studies published, to be set beside ours."""

from kb.models import Study


def study_by_code(*, code: str) -> Study | None:
    """The study with this code; None while it is not loaded."""
    return Study.objects.filter(code=code).first()
