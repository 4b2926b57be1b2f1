"""Manifests of Kubernetes and Compose: images, commands, and variables of containers."""

import yaml

from kb.core.setups.facts import Place
from kb.core.setups.readers.draft import Draft
from kb.core.setups.readers.images import read_image
from kb.core.setups.readers.jobs import read_contained
from kb.core.setups.readers.shell import Command, parsed

MAX_NODES = 5_000


def read_manifest(node: yaml.Node | None, name: str, offset: int, draft: Draft) -> bool:
    """Read the containers of a manifest; whether there are any."""
    is_read = False
    stack, count = [node] if node is not None else [], 0
    while stack and count < MAX_NODES:
        count += 1
        current = stack.pop()
        if isinstance(current, yaml.MappingNode):
            keys = {key.value: value for key, value in current.value if isinstance(key, yaml.ScalarNode)}
            is_read |= _read_container(keys, name, offset, draft)
            stack.extend(value for _, value in current.value)
        elif isinstance(current, yaml.SequenceNode):
            stack.extend(current.value)
    return is_read


def _read_container(keys: dict[str, yaml.Node], name: str, offset: int, draft: Draft) -> bool:
    image, tag = _image(keys)
    is_container = {"command", "args", "env", "environment", "ports", "volumes", "resources", "deploy"} & keys.keys()
    # What is built here has no image's name.
    start = image or keys.get("build")
    if start is None or not is_container:
        return False
    line = start.start_mark.line
    place = Place(name, offset + line)
    draft.add_source(name, "manifest of containers")
    if tag:
        read_image(tag, place, draft)
    for variable, value in _variables(keys.get("env") or keys.get("environment")).items():
        draft.add_variable(variable, value, place)
    entry = " ".join(_words(keys.get("entrypoint")))
    words = [*_words(keys.get("command")), *_words(keys.get("args"))]
    read_contained(tag, {"entrypoint": entry}, words, Command(words, line), name, offset, draft)
    return True


def _image(keys: dict[str, yaml.Node]) -> tuple[yaml.Node | None, str]:
    """The image's name and where it stands; Helm's values have repository and tag apart, in `image` or without it."""
    node = keys.get("image")
    if isinstance(node, yaml.ScalarNode):
        return node, node.value
    inner = _scalars(node) if isinstance(node, yaml.MappingNode) else {}
    parts = inner or {key: value.value for key, value in keys.items() if isinstance(value, yaml.ScalarNode)}
    if parts.get("repository") and parts.get("tag"):
        return node or keys["repository"], f"{parts['repository']}:{parts['tag']}"
    return None, ""


def _scalars(node: yaml.MappingNode) -> dict[str, str]:
    return {key.value: value.value for key, value in node.value if isinstance(value, yaml.ScalarNode)}


def _words(node: yaml.Node | None) -> list[str]:
    if isinstance(node, yaml.SequenceNode):
        return [item.value for item in node.value if isinstance(item, yaml.ScalarNode)]
    if isinstance(node, yaml.ScalarNode):
        commands = parsed(node.value.replace("\n", " ")).commands
        return commands[0].words if commands else []
    return []


def _variables(node: yaml.Node | None) -> dict[str, str]:
    """`env: [{name: A, value: 1}]`, `environment: {A: 1}` and `environment: [A=1]`."""
    variables: dict[str, str] = {}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode):
                variables[key.value] = value.value
    for item in node.value if isinstance(node, yaml.SequenceNode) else []:
        if isinstance(item, yaml.ScalarNode) and "=" in item.value:
            variable, _, content = item.value.partition("=")
            variables[variable] = content
        elif isinstance(item, yaml.MappingNode):
            pair = _scalars(item)
            if "name" in pair and "value" in pair:
                variables[pair["name"]] = pair["value"]
    return variables
