"""Projects, their members, invitations and guidelines."""

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

# Addresses of other pages.
RESERVED_SLUGS = ("api", "join", "new", "notices", "oversight")


class Role(models.TextChoices):
    """What a member may do. Annotators and adjudicators are blind, whatever other roles they have."""

    LEAD = "lead", "Lead"
    ANNOTATOR = "annotator", "Annotator"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    OBSERVER = "observer", "Observer"


class Project(models.Model):
    """A question that a team answers by labeling issues."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    question = models.TextField(help_text="What the project wants to find out.")
    shows_comments = models.BooleanField(
        default=False, db_default=False, help_text="Do new rounds show an issue's comments?"
    )
    repeats = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="As in the round planned last.")
    repeats_after = models.PositiveSmallIntegerField(default=20, db_default=20)
    is_demo = models.BooleanField(default=False, help_text="A demo: it can be removed completely.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    archived_at = models.DateTimeField(null=True, blank=True)
    suspended_at = models.DateTimeField(null=True, blank=True, help_text="Suspended by staff: read-only.")

    class Meta:
        ordering = ("name", "pk")
        # What staff give an account, beyond its roles in projects: see `labeling.rights`.
        permissions = (
            ("found_project", "Can found projects"),
            ("invite_newcomers", "Can invite people who have no account"),
            ("publish_project", "Can publish a project that they lead"),
            ("oversee_projects", "Can withdraw publications, suspend projects, decide on new categories"),
        )
        constraints = (
            models.CheckConstraint(condition=~Q(slug__in=RESERVED_SLUGS), name="project_slug_is_not_reserved"),
        )
        triggers = (
            pgtrigger.ReadOnly(name="demo_for_ever_or_never", fields=["is_demo"]),
            pgtrigger.Protect(
                name="only_a_demo_goes", operation=pgtrigger.Delete, condition=pgtrigger.Q(old__is_demo=False)
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def suspension_reason(self) -> str:
        """The staff's reason for the last suspension."""
        action = self.staff_actions.filter(kind="suspend").first()
        return action.reason if action else ""


class Member(models.Model):
    """A person in a project. The row of a former member stays, because their votes do."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    roles = ArrayField(models.CharField(max_length=12, choices=Role.choices))
    is_senior = models.BooleanField(default=False, help_text="Counts where a round asks for an experienced annotator.")
    pseudonym = models.CharField(max_length=30, help_text="The person's pseudonym in exports and releases.")
    shows_name = models.BooleanField(default=False, help_text="May the name appear with published results?")
    is_pseudonymous = models.BooleanField(default=False, help_text="The team also sees only the pseudonym.")
    joined_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("project", "pk")
        constraints = (
            models.UniqueConstraint(fields=("project", "user"), name="member_project_user_unique"),
            models.UniqueConstraint(fields=("project", "pseudonym"), name="member_project_pseudonym_unique"),
            models.CheckConstraint(
                condition=Q(roles__len__gt=0, roles__contained_by=list(Role.values)), name="member_has_known_roles"
            ),
            models.CheckConstraint(
                condition=Q(shows_name=False) | Q(is_pseudonymous=False), name="member_shows_name_or_hides_it"
            ),
        )

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def called(self) -> str:
        """The name that the team sees: the user name, or the pseudonym on request. `user` should be selected."""
        return self.pseudonym if self.is_pseudonymous else self.user.get_username()

    @property
    def role_names(self) -> str:
        """The roles in words."""
        return ", ".join(Role(role).label.lower() for role in self.roles)

    @property
    def is_active(self) -> bool:
        """Whether the person has not left the project."""
        return self.left_at is None

    def has(self, *roles: Role) -> bool:
        """Whether the member is active and has one of these roles."""
        return self.is_active and any(role in self.roles for role in roles)


class Invitation(models.Model):
    """A link by which people join. Only the hash of its token is stored."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    roles = ArrayField(models.CharField(max_length=12, choices=Role.choices))
    is_senior = models.BooleanField(default=False)
    token_hash = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=120, blank=True, help_text="The lead's note on who it is for.")
    addressee = models.CharField(
        max_length=254,
        blank=True,
        db_default="",
        help_text="An e-mail address or user name, until it is answered.",
    )
    mailed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    expires_at = models.DateTimeField()
    uses_left = models.PositiveSmallIntegerField(default=1)
    accounts_left = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many accounts it can still create where sign-up is closed."
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(roles__len__gt=0, roles__contained_by=list(Role.values)), name="invitation_has_known_roles"
            ),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="invitation_expires_later"),
            models.CheckConstraint(
                condition=Q(addressee="") | Q(uses_left__lte=1), name="invitation_addressed_to_one_person"
            ),
        )

    def __str__(self) -> str:
        return f"{self.project}: {', '.join(self.roles)}"

    @property
    def role_names(self) -> str:
        """The roles in words."""
        return ", ".join(Role(role).label.lower() for role in self.roles)


class Guideline(models.Model):
    """A version of the instructions; never changed, only followed by the next."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="guidelines")
    number = models.PositiveSmallIntegerField()
    text = models.TextField(help_text="Markdown.")
    change = models.TextField(blank=True, help_text="What changed in this version, and why.")
    author = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("project", "-number")
        constraints = (models.UniqueConstraint(fields=("project", "number"), name="guideline_number_unique"),)
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return f"{self.project}, guidelines {self.number}"
