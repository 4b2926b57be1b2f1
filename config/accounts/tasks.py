"""What runs in the background for accounts. A task calls one function and adds nothing but its name and its retries."""

from celery import shared_task
from django.db import OperationalError

from config.accounts import sessions, tokens


@shared_task(
    name="config.accounts.tasks.forget_ended_sessions",
    autoretry_for=(OperationalError,),
    retry_backoff=True,
    max_retries=3,
)
def forget_ended_sessions() -> None:
    """Forget sessions that have ended."""
    sessions.forget_ended_sessions()


@shared_task(
    name="config.accounts.tasks.forget_expired_tokens",
    autoretry_for=(OperationalError,),
    retry_backoff=True,
    max_retries=3,
)
def forget_expired_tokens() -> None:
    """Forget tokens that expired a while ago."""
    tokens.forget_expired_tokens()
