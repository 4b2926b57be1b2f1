"""Sessions that have ended, and the notes of where they were opened, which nobody needs any longer."""

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone


def forget_ended_sessions() -> None:
    """Delete what is left of them; the notes hold addresses and browsers of people."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
