"""A project's axes, and those of the house codebook that a new project can choose from."""

from django.db.models import QuerySet

from kb.models import Axis, Node
from labeling.models import ProjectAxis


def axis_names(*, project_id: int) -> dict[str, str]:
    """Axis code -> name, in the project's order."""
    axes = ProjectAxis.objects.filter(project=project_id).order_by("position")
    return dict(axes.values_list("code", "name"))


def house_axes() -> QuerySet[Axis]:
    """The axes of the house codebook that have a node in use."""
    in_use = Node.objects.filter(status=Node.Status.ACTIVE).values("axis")
    return Axis.objects.filter(scheme__study=None, pk__in=in_use).order_by("position", "pk")
