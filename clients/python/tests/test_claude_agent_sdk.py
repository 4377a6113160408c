"""An agent of the Claude Agent SDK behind the gateway: what the document prints, with the program that the SDK brings."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from conftest import EXAMPLES

from anchord import Anchord

ROOT = EXAMPLES.parent
PROGRAM = ROOT / "tests/agents/provider.py"
STEPS, NAME = 20, "t-5d4a1c"


class Task:
    """Files to read one after the other, and a provider that plays the model, and refuses what real ones refuse."""

    def __init__(self, folder: Path, port: int) -> None:
        found = importlib.util.spec_from_file_location("agents_provider", PROGRAM)
        assert found is not None and found.loader is not None
        played: Any = importlib.util.module_from_spec(found)
        found.loader.exec_module(played)
        self.work, self.home, self.log = folder / "work", folder / "home", folder / "log"
        self.work.mkdir()
        self.home.mkdir()
        for step in range(1, STEPS + 1):
            (self.work / f"file{step}.txt").write_text(played.file_of(NAME, step, STEPS, 9500))
        self.prompt = str(played.prompt(NAME, STEPS))
        given = {"port": port, "log": self.log, "task": NAME, "steps": STEPS, "scale": 2}
        options = [f"--{name}={value}" for name, value in given.items()]
        self.process = subprocess.Popen([sys.executable, str(PROGRAM), *options])
        for _ in range(100):
            try:
                httpx2.get(f"http://127.0.0.1:{port}/up")
                break
            except httpx2.TransportError:
                time.sleep(0.1)

    def seen(self) -> list[dict[str, Any]]:
        requests: list[dict[str, Any]] = [json.loads(line) for line in (self.log / "requests.jsonl").open()]
        return sorted((one for one in requests if one["path"] != "/up"), key=lambda one: int(one["n"]))


@pytest.fixture
def task(upstream: int, tmp_path: Path) -> Iterator[Task]:
    task = Task(tmp_path, upstream)
    yield task
    task.process.terminate()
    task.process.wait()


def test_its_compactions_are_answered_and_all_of_it_is_kept(client: Anchord, task: Task) -> None:
    document = (ROOT / "docs/gateway.md").read_text()
    (printed,) = re.findall(r"^```python\n(.*?)^```", document, re.DOTALL | re.MULTILINE)
    (task.home / "agent.py").write_text(printed)
    environment = {
        "HOME": str(task.home),
        "CLAUDE_CONFIG_DIR": str(task.home / ".claude"),
        "ANTHROPIC_API_KEY": "sk-ant-unused",
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }
    done = subprocess.run(
        [sys.executable, str(task.home / "agent.py"), task.prompt],
        cwd=task.work,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    kind, session = done.stdout.splitlines()[-1].split()
    assert kind == "ResultMessage"
    transcripts = [file.read_text() for file in (task.home / ".claude/projects").rglob(f"{session}.jsonl")]
    assert sum(text.count('"compact_boundary"') for text in transcripts) >= 1
    # None of the requests for a summary came to the provider, and the agent knew where it was.
    seen = task.seen()
    assert [one for one in seen if one.get("refused") or one.get("kind") == "compaction"] == []
    assert [one for one in seen if one.get("kind") == "turn"][-1]["step"] == STEPS
    contents: list[Any] = [stored["message"]["content"] for stored in client.messages.iter(session)]
    blocks: list[dict[str, Any]] = [block for content in contents if not isinstance(content, str) for block in content]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert len(calls) == len(set(calls)) == STEPS
    assert [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"] == calls
    assert [branch["name"] for branch in client.branches.iter(session)] == ["main"]
    assert client.sessions.get(session)["compression_count"] >= 1
