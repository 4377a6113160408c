"""A service and a provider of models for the tests: ANCHORD_BIN names the service's program."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from anchord import Anchord, AsyncAnchord

# Its list of prices as the package has it, not as a server has it now.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
EXAMPLES = Path(__file__).parents[3] / "examples"
MODEL = "gpt-3.5-turbo"
RULES = "You are a coding agent."


def started(command: list[str], environment: dict[str, str], log: Path) -> tuple[subprocess.Popen[str], str]:
    """A process, and the first line that it prints: its address."""
    with log.open("a") as errors:
        process = subprocess.Popen(
            command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    assert process.stdout is not None
    if not (line := process.stdout.readline()):
        raise RuntimeError(log.read_text())
    return process, line


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def upstream() -> int:
    """The port of the provider that stands behind the service's gateway."""
    return free_port()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, upstream: int) -> Iterator[str]:
    folder, key = tmp_path_factory.mktemp("service"), f"ak_{secrets.token_hex(20)}"
    os.environ.update(ANCHORD_API_KEY=key, ANCHORD_ADMIN_TOKEN=secrets.token_hex(20))
    os.environ.pop("DATABASE_URL", None)
    place = {
        "ANCHORD_LISTEN": "127.0.0.1:0",
        "ANCHORD_DATA_DIR": str(folder / "data"),
        "ANCHORD_GATEWAY_ANTHROPIC": f"http://127.0.0.1:{upstream}",
        "ANCHORD_GATEWAY_ANSWERS": "code",
    }
    process, line = started([os.environ["ANCHORD_BIN"], "serve"], place, folder / "log")
    os.environ["ANCHORD_URL"] = line.removeprefix("anchord is ready on ").split()[0]
    yield os.environ["ANCHORD_URL"]
    process.terminate()
    process.wait()


@pytest.fixture(scope="session")
def client(service: str) -> Iterator[Anchord]:
    with Anchord() as client:
        yield client


@pytest.fixture
def session() -> str:
    return f"test-{uuid4()}"


class Provider:
    """A provider of models that records what it is sent, and what it refuses."""

    def __init__(self, folder: Path) -> None:
        self.record, self.refused = folder / "record", folder / "refused"
        record = {"PROVIDER_RECORD": str(self.record), "PYTHONPATH": str(EXAMPLES)}
        self.process, line = started([sys.executable, "-m", "provider"], record, self.refused)
        self.url = line.strip()

    def forget(self) -> None:
        self.record.write_text("")
        self.refused.write_text("")

    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.record.read_text().splitlines()]


@pytest.fixture(scope="session")
def one_provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    provider = Provider(tmp_path_factory.mktemp("provider"))
    yield provider
    provider.process.terminate()
    provider.process.wait()


@pytest.fixture
def provider(one_provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Provider:
    one_provider.forget()
    monkeypatch.setenv("OPENAI_BASE_URL", f"{one_provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    return one_provider


class Work:
    """A task in a folder, with tools that note what they returned."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outputs: list[str] = []
        self._workspace("make")
        self.task = (
            "Replace every print() in shop/ by log.info(), one file after the other, and run the checks at the end. "
            "Never touch shop/legacy.py: the old till runs it."
        )

    def _workspace(self, command: str) -> str:
        script = [sys.executable, str(EXAMPLES / "workspace.py"), command, str(self.folder)]
        done = subprocess.run(script, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def _noted(self, output: str) -> str:
        self.outputs.append(output)
        return output

    def tools(self) -> list[Callable[..., str]]:
        def list_files() -> str:
            """Lists the files."""
            paths = (str(path.relative_to(self.folder)) for path in self.folder.rglob("*.py"))
            return self._noted("\n".join(sorted(paths)))

        def read_file(path: str) -> str:
            """Reads a file."""
            return self._noted((self.folder / path).read_text())

        def write_file(path: str, content: str) -> str:
            """Writes a file."""
            (self.folder / path).write_text(content)
            return self._noted(f"Successfully overwrote file: {path}.")

        def run_checks() -> str:
            """Says what is left to do."""
            return self._noted(self._workspace("check"))

        return [list_files, read_file, write_file, run_checks]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")


class Outage:
    """The requests of the service that fail, by their numbers: with 429 and 503 in turn."""

    def __init__(self, failing: range) -> None:
        self.failing, self.requests, self.failed = failing, 0, 0

    def reply(self) -> httpx2.Response | None:
        self.requests += 1
        if self.requests not in self.failing:
            return None
        self.failed += 1
        status, code = (429, "rate-limited") if self.failed % 2 else (503, "unavailable")
        problem = {"type": f"/problems/{code}", "title": code, "status": status, "detail": "", "instance": ""}
        headers = {"retry-after": "60", "content-type": "application/problem+json"}
        return httpx2.Response(status, headers=headers, json=problem)


class Failing(httpx2.HTTPTransport):
    def __init__(self, outage: Outage) -> None:
        super().__init__()
        self.outage = outage

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self.outage.reply() or super().handle_request(request)


class AsyncFailing(httpx2.AsyncHTTPTransport):
    def __init__(self, outage: Outage) -> None:
        super().__init__()
        self.outage = outage

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self.outage.reply() or await super().handle_async_request(request)


@pytest.fixture
def outage(service: str) -> Outage:
    """In the middle of a run, when its whole list still fits the window."""
    return Outage(range(6, 10))


@pytest.fixture
def failing(outage: Outage) -> Anchord:
    return Anchord(transport=Failing(outage), longest_wait=5)


@pytest.fixture
def async_failing(outage: Outage) -> AsyncAnchord:
    return AsyncAnchord(transport=AsyncFailing(outage), longest_wait=5)


def spoken(message: dict[str, Any]) -> list[tuple[str, str]]:
    """A message in one shape for all formats: its texts, calls and results in their order."""
    said: list[tuple[str, str]] = []
    kind, role, content = message.get("type", "message"), message.get("role"), message.get("content")
    if kind == "function_call":
        return [("call", message["call_id"])]
    if kind == "function_call_output":
        return [("result", text(message["output"]))]
    if role == "tool":
        return [("result", text(content))]
    if content:
        said.append((str(role), text(content)))
    calls: list[dict[str, Any]] = message.get("tool_calls") or []
    said += [("call", call["id"]) for call in calls]
    return said


def text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def check(
    client: Anchord, session: str, provider: Provider, work: Work, said: list[str], *, system_is_stored: bool
) -> None:
    """Whether a run went as it should: compressed on the way, always valid, with nothing of it lost in the service."""
    calls = provider.calls()
    # Every request was valid: the provider refuses calls without results, results without calls, and what is too long.
    assert provider.refused.read_text() == ""
    # Each had the system prompt.
    for call in calls:
        request = call["request"]
        first = request.get("instructions") or text(request["messages"][0]["content"])
        assert first.startswith(RULES), first
    # All of the run is stored, in its order: what people said, what the model answered, what the tools returned.
    stored = [spoken(item["message"]) for item in client.messages.iter(session)]
    flat = [one for message in stored for one in message]
    answers = [one for call in calls for one in answered(call["reply"])]
    assert [one for one in flat if one[0] in {"assistant", "call"}] == answers
    assert [one[1] for one in flat if one[0] == "result"] == work.outputs
    assert [one[1] for one in flat if one[0] == "user"] == said
    assert [one[1] for one in flat if one[0] == "system"] == ([RULES] if system_is_stored else [])
    # The service compressed, and the model got the record in place of the messages that it covers.
    found = client.sessions.get(session)
    assert found["compression_count"] >= 1
    last = calls[-1]["request"]
    sent = last.get("input") or last["messages"]
    assert len(sent) < len(stored) / 2, (len(sent), len(stored))
    assert "Files Modified" in json.dumps(sent)
    assert "All checks passed" in answers[-len(said)][1] or "All checks passed" in answers[-1][1]


def answered(reply: dict[str, Any]) -> list[tuple[str, str]]:
    messages = reply["output"] if "output" in reply else [choice["message"] for choice in reply["choices"]]
    return [one for message in messages for one in spoken(message)]
