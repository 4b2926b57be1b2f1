"""The record that pages and the API use as their example: a hang with its cause, its fix and a workaround."""

NAME = "DeepSpeed#860"
# Under the repository's old name, to show that it works.
URL = "https://github.com/microsoft/DeepSpeed/issues/860"
