"""What staff see of accounts in the admin: nothing secret.

allauth would show the secrets of second factors and tokens there, and a session's row whose deletion ends no session.
"""

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.http import HttpRequest

for model in (Authenticator, SocialApp, SocialToken, UserSession):
    admin.site.unregister(model)


@admin.register(Authenticator)
class AuthenticatorAdmin(admin.ModelAdmin[Authenticator]):
    """Second factors, to be taken away from somebody who lost theirs."""

    fields = ("user", "type", "created_at", "last_used_at")
    list_display = fields
    list_filter = ("type",)
    search_fields = ("user__username", "user__email")

    def has_add_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        """Nobody sets up a factor for somebody else."""
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        """Nor changes one."""
        return False
