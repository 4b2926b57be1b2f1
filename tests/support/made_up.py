"""Secrets of every kind, made up, in texts as people paste them. None of them ever opened anything.

They are put together when they are needed: written out, hosts would take them for real ones and refuse the commit.
"""

import random
from string import ascii_letters, ascii_uppercase, digits
from typing import NamedTuple

from kb.core.secrets import Kind

BASE62, BASE64, HEX = ascii_letters + digits, ascii_letters + digits + "+/", "0123456789abcdef"
_chance = random.Random(20_261_122)  # noqa: S311


class Pasted(NamedTuple):
    """A text, what must be hidden of it, and what that is called."""

    text: str
    secrets: tuple[str, ...]
    kind: Kind


def drawn(alphabet: str, length: int) -> str:
    """Random characters between two letters or digits; both are among them where the alphabet has both."""
    wanted = [set(alphabet) & set(digits), set(alphabet) & set(ascii_letters)]
    while True:
        made = "".join(_chance.choice(alphabet) for _ in range(length))
        if made[0].isalnum() and made[-1].isalnum() and all(not one or one & set(made) for one in wanted):
            return made


def _pem(kind: str, *, joint: str = "\n", has_end: bool = True) -> tuple[str, tuple[str, ...]]:
    lines = [drawn(BASE64, 64) for _ in range(4)]
    whole = [f"-----BEGIN {kind}PRIVATE KEY-----", *lines, *([f"-----END {kind}PRIVATE KEY-----"] if has_end else [])]
    return joint.join(whole), tuple(lines)


def _plain() -> list[Pasted]:
    """Secrets that stand for themselves, in any text."""
    made = {
        Kind.GITHUB: [f"gh{kind}_{drawn(BASE62, 36)}" for kind in "pousr"],
        Kind.HUGGING_FACE: ["hf_" + drawn(ascii_letters, 34), "hf_" + drawn(BASE62, 34)],
        Kind.OPENAI: [
            "sk-" + drawn(BASE62, 48), "sk-proj-" + drawn(BASE62 + "-_", 120), "sk-svcacct-" + drawn(BASE62, 60),
            "sk-" + drawn(HEX, 32),
        ],
        Kind.ANTHROPIC: ["sk-ant-" + "api03-" + drawn(BASE62 + "-_", 95)],
        Kind.AWS: ["AKIA" + drawn(ascii_uppercase + "234567", 16), "ASIA" + drawn(ascii_uppercase + "234567", 16)],
        Kind.GOOGLE: ["AIza" + drawn(BASE62 + "-_", 35), "ya29." + drawn(BASE62 + "-_", 90)],
        Kind.SLACK: [f"xox{kind}-{drawn(digits, 12)}-{drawn(digits, 12)}-{drawn(BASE62, 24)}" for kind in "bp"],
        Kind.GITLAB: ["glpat-" + drawn(BASE62 + "-_", 20)],
        Kind.PYPI: ["pypi-" + "AgEIcHlwaS5vcmc" + drawn(BASE62 + "-_", 150)],
        Kind.NPM: ["npm_" + drawn(BASE62, 36)],
        Kind.DOCKER: ["dckr_pat_" + drawn(BASE62 + "-_", 27)],
        Kind.STRIPE: ["sk_live_" + drawn(BASE62, 24), "rk_test_" + drawn(BASE62, 24)],
        Kind.SERVICE: ["gsk_" + drawn(BASE62, 52), "nvapi-" + drawn(BASE62 + "-_", 64)],
        Kind.JWT: [f"eyJ{drawn(BASE62, 33)}.eyJ{drawn(BASE62, 60)}.{drawn(BASE62 + '-_', 43)}"],
        Kind.EMAIL: ["ada.lovelace@analytical-engines.com", "wang.xiaoming+logs@qq.com", "A_B@cs.uni-bonn.de"],
    }  # fmt: skip
    made[Kind.GITHUB].append("github_pat_" + f"{drawn(BASE62, 22)}_{drawn(BASE62, 59)}")
    return [
        Pasted(text.format(secret), (secret.removeprefix("https://"),), kind)
        for kind, secrets in made.items()
        for secret in secrets
        for text in (
            "{}",
            "It fails with {} on two nodes.",
            "```\n$ run --with={}\nhang\n```",
            '{{"x": "{}"}}',
            "邮箱{}。",
        )
    ]


def _beside() -> list[Pasted]:
    """Secrets that only what stands around them tells."""
    aws_id, aws_secret = "AKIA" + drawn(ascii_uppercase + "234567", 16), drawn(BASE64, 40)
    wandb, basic = drawn(HEX, 40), drawn(BASE62, 23) + "="
    word, random_, token = "corr3ct-Horse!", drawn(BASE62, 32), drawn(HEX, 48)
    sas, account = drawn(BASE62, 43) + "%3D", drawn(BASE64, 86) + "=="
    github, lone = "ghp_" + drawn(BASE62, 36), drawn(BASE62, 32)
    found = [
        (Kind.AWS, f"aws configure\n{aws_id}\nsecret: {aws_secret}\n", (aws_id, aws_secret)),
        (Kind.AWS, f"AWS_ACCESS_KEY_ID={aws_id}\nexport KEY {aws_secret}", (aws_id, aws_secret)),
        (Kind.WANDB, f"wandb login {wandb}", (wandb,)),
        (Kind.WANDB, f"machine api.wandb.ai login user\n  password {wandb}", (wandb,)),
        (Kind.SECRET, f'os.environ["WANDB_API_KEY"] = "{random_}"', (random_,)),
        (Kind.SECRET, f"export SERVING_API_KEY={random_}", (random_,)),
        (Kind.SECRET, f"python -m serve --api-key {random_} --port 80", (random_,)),
        (Kind.SECRET, "python -m serve --api-key quokka_1997", ("quokka_1997",)),
        (Kind.SECRET, f'{{"clientSecret": "{random_}", "n": 1}}', (random_,)),
        (Kind.SECRET, f'llm = Client(api_key="{random_}")', (random_,)),
        (Kind.SECRET, f"api_key: str = '{random_}'", (random_,)),
        (Kind.SECRET, f'{{\\"api_key\\": \\"{random_}\\"}}', (random_,)),
        (Kind.SECRET, f"**API key**: {random_}", (random_,)),
        (Kind.SECRET, f"http://127.0.0.1:8888/lab?token={token}", (token,)),
        (Kind.SECRET, f"--hf-token {random_}", (random_,)),
        (Kind.AZURE, f"https://a.blob.core.windows.net/b?sv=2024&sp=r&sig={sas}", (sas,)),
        (Kind.AZURE, f"AccountName=a;AccountKey={account};EndpointSuffix=core", (account,)),
        (Kind.AUTHORIZATION, f'curl -H "Authorization: Bearer {random_}" http://localhost', (random_,)),
        (Kind.AUTHORIZATION, f'"Authorization": "token {random_}"', (random_,)),
        (Kind.AUTHORIZATION, f"Authorization: Basic {basic}", (basic,)),
        (Kind.GITHUB, f"Authorization: Bearer {github}", (github,)),
        (Kind.GITHUB, f"git clone https://{github}@github.com/a/b", (github,)),
        (Kind.GITHUB, github.replace("_", "\\_"), (github.replace("_", "\\_"),)),
        (Kind.URL_PASSWORD, "postgres://app:s3cret@db:5432/app", ("s3cret",)),
        (Kind.URL_PASSWORD, "redis://:hunter@10.0.0.1:6379", ("hunter",)),
        (Kind.URL_PASSWORD, "proxy = http://me:p@ss:w0rd@proxy.corp:3128", ("p@ss:w0rd",)),
        (Kind.URL_PASSWORD, f"https://{lone}@o1.ingest.sentry.io/2", (lone,)),
        (Kind.PASSWORD, f"password={word}", (word,)),
        (Kind.PASSWORD, f"Server=a;User Id=b;Password={word};Timeout=3", (word,)),
        (Kind.PASSWORD, f'"passwd": "{word}"', (word,)),
        (Kind.PASSWORD, f"mysql --password {word} -h db", (word,)),
        (Kind.PASSWORD, f"PGPASSWORD='{word}' psql", (word,)),
    ]
    for kind in ("", "RSA ", "OPENSSH ", "EC "):
        text, lines = _pem(kind)
        found.append((Kind.PRIVATE_KEY, f"my key:\n{text}\nit is not taken", lines))
    escaped, lines = _pem("", joint="\\n")
    found.append((Kind.PRIVATE_KEY, f'{{"private_key": "{escaped}\\n", "id": 3}}', lines))
    cut, lines = _pem("RSA ", has_end=False)
    found.append((Kind.PRIVATE_KEY, f"{cut}\n", lines))
    return [Pasted(text, secrets, kind) for kind, text, secrets in found]


PASTED = (*_plain(), *_beside())

# What looks a little like a secret and is none; made up too.
HARMLESS = (
    "git clone git@github.com:vllm-project/vllm.git",
    "pip install git+ssh://git@github.com/a/b.git",
    "someone@login-node:~$ python train.py",
    "root@gpu-01:/workspace# nvidia-smi",
    "(base) ada@host.cs.edu:~/run$ ls",
    "[ada@gpu01.corp.com ~]$ ls",
    "ssh ada@gpu01.corp.com",
    "scp a.txt ada@host.com:/tmp",
    "--rdzv_endpoint ada@host.com:29500",
    "@torch.no_grad()\ndef f(): pass",
    "@pytest.mark.parametrize",
    "npm i @scope/pkg",
    "package@1.2.3",
    "lodash@latest",
    "attn = q @ k.transpose(-2, -1)",
    "y = x@w.to(dtype)",
    "a@b.T",
    "q@k.it.size",
    "image@sha256:0123456789abcdef",
    "noreply@github.com",
    "12345+ada@users.noreply.github.com",
    "user@example.com",
    "your.name@your-company.com",
    "getty@tty1.service",
    "icon@2x.png",
    "memcpy@GLIBC_2.14",
    "https://medium.com/@ada/how-to",
    "ghp_" + "x" * 36,
    "hf_" + "x" * 34,
    "hf_" + "your_token_here",
    "sk-" + "x" * 48,
    "sk-no-key-required-for-local-use",
    "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "task-specific-and-very-long-name-of-a-run-12",
    "hf_model_config_for_llama_v2",
    "api_key=None",
    'api_key="EMPTY"',
    "api_key=os.environ['OPENAI_API_KEY']",
    "api_key: your-api-key-goes-here",
    "--api-key token-abc123",
    "--api-key sk-12345678",
    "api_key=test-key-1",
    "api_key=$OPENAI_API_KEY",
    "api_key=${KEY}",
    'api_key="<token>"',
    "api_key: Optional[str] = None",
    "password=args.password1",
    "password = getpass.getpass()",
    "Password: must contain 8 letters",
    "password=****",
    "PWD=/home/ada/run1",
    "max_tokens=4096",
    "eos_token='<|im_end|>'",
    '"pad_token": "</s>"',
    "tokenizer_class: LlamaTokenizerFast",
    "num_batched_tokens: 8192",
    "next_token: 'Ġworld'",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    '"Authorization": f"Bearer {token}"',
    "Authorization header is missing",
    "a bearer token is needed",
    "bearer authentication",
    "postgres://user:password@localhost/db",
    "http://<user>:<pass>@proxy",
    "http://$USER:$PASS@proxy:80",
    "tcp://10.0.0.1:29500",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "wandb: 🚀 View run at https://wandb.ai/a/b/runs/x1",
    "wandb version 0.17, commit " + "3f" * 20,
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "File /home/ada/.cache/huggingface/modules/x.py, line 3",
    "secretName: hf-token-secret",
    "secretKeyRef:\n  name: hf-secret\n  key: token",
    "SECRET_KEY_FILE=/run/secrets/key1",
)
