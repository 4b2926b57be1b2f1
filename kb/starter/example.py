"""The record that README, hints and the API name as their example.

It has what a record can have at best: an error line, a cause, a fix, the first release with it, and a workaround.
"""

NAME = "vllm#1087"
URL = "https://github.com/vllm-project/vllm/issues/1087"
# Under its repository's old name, to show that it works.
OLD_URL = "https://github.com/microsoft/DeepSpeed/issues/860"
