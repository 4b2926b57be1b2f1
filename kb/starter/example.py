"""The record that pages and the API name as their example: a common hang with its cause, its fix and a workaround."""

NAME = "DeepSpeed#860"
# The repository's old name, to show that it works.
URL = "https://github.com/microsoft/DeepSpeed/issues/860"
