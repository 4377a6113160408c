"""The examples of the package, and the code of the documents, against the service and a provider."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest
from conftest import EXAMPLES, Provider, Work

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "clients/python/examples").glob("*.py"))
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def run(script: list[str], provider: Provider, work: Work) -> str:
    """Runs a script as an agent in the folder; the provider is there for both wires."""
    environment = {
        "PYTHONPATH": str(EXAMPLES / "python"),
        "WORKSPACE": str(work.folder),
        "ANTHROPIC_BASE_URL": provider.url,
        "ANTHROPIC_API_KEY": "unused",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
    }
    done = subprocess.run(
        [sys.executable, *script], env=os.environ | environment, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0 and provider.refused.read_text() == "", done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_finishes_its_task(service: str, provider: Provider, work: Work, file: Path) -> None:
    assert "All checks passed" in run([str(file)], provider, work)


def lines(text: str) -> int:
    """Lines with code: neither empty, nor comments, nor docstrings, nor what the examples share."""
    found = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in LAYOUT
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        shared = isinstance(node, ast.ImportFrom) and node.module in {"outcome", "tools"}
        told = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and (shared or told):
            found -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(found)


def test_the_lines_of_each_integration_are_as_the_document_says() -> None:
    document = (ROOT / "docs/integrations.md").read_text()
    told = re.findall(r"\(\.\./clients/python/examples/(\w+)\.py\) \|[^|]*\| (\d+) \|", document)
    assert dict(told) == {file.stem: str(lines(file.read_text().split("# The agent.")[0])) for file in FILES}


def blocks(document: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", document, re.DOTALL | re.MULTILINE)


DOCUMENT = (ROOT / "docs/python.md").read_text()
ADAPTERS = blocks(DOCUMENT.split("## Frameworks")[1].split("\n## ")[0])


def test_an_adapter_is_at_most_ten_lines_for_its_user() -> None:
    # The first block is what all of them share.
    adapters = ADAPTERS[1:]
    assert len(adapters) == 6 and max(lines(block.split("# The agent.")[0]) for block in adapters) <= 10


def test_what_the_readme_prints_runs(service: str, provider: Provider, work: Work, tmp_path: Path) -> None:
    script = tmp_path / "readme.py"
    script.write_text("\n".join(blocks((ROOT / "clients/python/README.md").read_text())))
    assert run([str(script)], provider, work).strip() == "[{'role': 'user', 'content': 'Fix the port.'}]"


def test_what_the_document_prints_runs(service: str, provider: Provider, work: Work, tmp_path: Path) -> None:
    """All of it one after the other, as somebody does who reads it."""
    script = tmp_path / "document.py"
    script.write_text("\n".join(blocks(DOCUMENT)))
    printed = run([str(script)], provider, work)
    sent = re.search(r"^(\d+) tokens in (\d+) of 81 messages$", printed, re.MULTILINE)
    assert sent and int(sent[1]) < 12_800 and int(sent[2]) < 81
    compressed = {name: int(count) for count, name in re.findall(r"^(\d+) compressions(.*)$", printed, re.MULTILINE)}
    assert len(compressed) == 7 and min(compressed.values()) >= 1, compressed
    assert "Never touch deploy/." in printed
    assert printed.splitlines()[-1] == "sequence-mismatch 81"
