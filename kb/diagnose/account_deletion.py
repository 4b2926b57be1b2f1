"""What becomes of somebody's diagnoses when they delete their account."""

from django.contrib.auth.models import User

from kb.models import DiagnosisFeedback, DiagnosisJob, SharedDiagnosis


def forget_person(*, user: User) -> None:
    """Delete what they handed in and share. Feedback stays, without them: confirmed causes rest on it."""
    DiagnosisJob.objects.filter(owner=user).delete()
    SharedDiagnosis.objects.filter(owner=user).delete()
    DiagnosisFeedback.objects.filter(sender=user).update(sender=None)
