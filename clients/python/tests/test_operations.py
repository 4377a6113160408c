"""Calls operations of the service: every reply is what its type says, and has no field beyond it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar, cast

import pytest
from pydantic import TypeAdapter

from anchord import Anchord, AsyncAnchord, Conflict, Invalid, NotFound, _operations

P = ParamSpec("P")
T = TypeVar("T")
called: set[str] = set()


def of_its_type(operation: Callable[P, T], *path: P.args, **given: P.kwargs) -> T:
    """A reply, read by the type that the operation is declared to return."""
    reply = operation(*path, **given)
    declared = inspect.signature(operation).return_annotation
    adapter: TypeAdapter[T] = TypeAdapter(eval(declared, dict(vars(_operations))))
    assert adapter.validate_python(reply, extra="forbid") == reply
    called.add(cast("Any", operation).__qualname__)
    return reply


def messages() -> list[dict[str, Any]]:
    """A session with calls, a failed test and a rule."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "Fix the port in src/main.rs. Never touch deploy/."}]
    for step in range(12):
        command = f'{{"command": "cargo test --test step_{step}"}}'
        output = f"test result: ok. {step} passed; 0 failed\n" + "running 1 test\n" * 200
        function = {"name": "bash", "arguments": command}
        calls = [{"id": f"call_{step}", "type": "function", "function": function}]
        said.append({"role": "assistant", "content": f"Step {step}.", "tool_calls": calls})
        said.append({"role": "tool", "tool_call_id": f"call_{step}", "content": output})
    return said


@pytest.fixture
def child(client: Anchord, session: str) -> Iterator[str]:
    yield f"{session}-child"
    for made in (session, f"{session}-child"):
        client.sessions.delete(made)
        with pytest.raises(NotFound):
            client.sessions.get(made)


def test_replies_are_what_their_types_say(client: Anchord, session: str, child: str) -> None:
    ok, task = of_its_type, f"task-{session}"
    ok(client.health.ready)
    ok(client.sessions.put, session, {"context_window": 32_000, "task_id": task, "metadata": {"team": 1}})
    changed = ok(client.sessions.update, session, {"phase": "implementation"})
    assert changed["settings"].get("task_id") == task
    first = ok(
        client.messages.append,
        session,
        {"messages": messages(), "expected_next_seq": 1},
        include=["usage", "signals", "format", "warnings"],
        idempotency_key="first",
    )
    again = client.messages.append(
        session,
        {"messages": messages(), "expected_next_seq": 1},
        include=["usage", "signals", "format", "warnings"],
        idempotency_key="first",
    )
    assert first == again and first["last_seq"] == 25
    with pytest.raises(Conflict) as refused:
        client.messages.append(session, {"messages": messages(), "expected_next_seq": 1})
    assert refused.value.next_seq == 26
    page = ok(client.messages.list, session, from_seq=2, limit=5)
    assert page["next_cursor"] and [item["message"] for item in page["items"]] == messages()[1:6]
    pin = ok(client.pins.add, session, {"text": "Answer in English."})
    ok(client.pins.replace, session, {"pins": [{"text": one["text"]} for one in ok(client.pins.list, session)["pins"]]})
    assert [one["text"] for one in client.pins.list(session)["pins"]] == [pin["text"]]
    ok(client.todos.replace, session, {"todos": [{"content": "Change the port", "status": "in_progress"}]})

    with pytest.raises(NotFound, match="no-summary"):
        client.summaries.get_current(session)
    assert client.sessions.get_handoff(session) is None
    compression = ok(client.compressions.create, session, {"reason": "now", "target": 0.1}, prefer="wait=30")
    assert compression["status"] == "succeeded" and compression["version"] == 1
    ok(client.compressions.get, session, compression["id"])
    assert len(ok(client.compressions.list, session)["items"]) == 1
    summary = ok(client.summaries.get_current, session)
    assert any("deploy/" in rule["text"] for rule in summary["constraints"])
    assert client.request(
        "GET", "/v1/sessions/{id}/summary", {"id": session}, headers={"accept": "text/markdown"}
    ).startswith("## Session Intent")
    ok(client.sessions.get_state, session)
    ok(client.summaries.list, session)
    ok(client.sessions.get_handoff, session, level=500)
    ok(client.todos.list, session)
    runs = ok(client.ledger.list, session, kind="test_run")["items"]
    assert runs and all(run["kind"] == "test_run" for run in runs)
    context = ok(client.context.get, session)
    assert context["summary_version"] == 1
    ok(client.context.list_served, session)
    for masked in context["masked"][:1]:
        ok(client.tool_outputs.get, session, masked["ref"], from_line=1, to_line=2)
    assert ok(client.recall.search, session, q="step_7")["items"][0]["seq"] in (16, 17)
    probe = ok(
        client.probes.create,
        session,
        {
            "kind": "recall",
            "question": "Which folder stays?",
            "expected": ["deploy/"],
            "match": {"kind": "ratio", "ratio": 0.5},
        },
    )
    assert probe.get("match", {}).get("ratio") == 0.5
    ok(client.probes.list, session)
    ok(client.evaluations.create, session, prefer="wait=30")
    ok(client.summaries.rollback, session, 1, {})
    ok(client.summaries.diff, session, 2, from_=1)
    ok(client.usage.report, session, {"input_tokens": context["tokens"]["total"], "output_tokens": 10})
    ok(client.branches.list, session)
    tools = ok(client.tools.list)
    ok(client.tools.run, session, tools["names"][0], {"arguments": '{"query": "step_7"}'})
    synced = ok(client.transcript.sync, child, {"messages": messages()})
    assert synced["sync"]["appended"] == 25
    ok(client.sessions.put, child, {"parent_session_id": session, "task_id": task})
    ok(client.tasks.get_handoff, task)
    ok(client.tasks.put, task, {"status": "completed"})
    ok(client.tasks.get, task)
    ok(client.sessions.list, task_id=task)
    lines = client.export_session(session)
    kinds = [line["kind"] for line in lines]
    assert (kinds.count("message"), kinds.count("version"), kinds[-1]) == (25, 2, "end")
    copy = f"{session}-copy"
    assert client.import_session(copy, lines)["messages"] == 25
    client.sessions.delete(copy)
    seen = next(event for event in client.events(session, after=0) if event["type"] == "summary.published")
    assert seen["data"].get("version") == 1

    ok(client.stateless.count_tokens, {"text": "hello"})
    ok(client.stateless.compress, {"messages": messages()})
    ok(client.stateless.preaggregate, {"files": [{"name": "a.md", "content": "# A\n"}]})
    ok(client.usage.get)
    ok(client.usage.get_quotas)
    ok(client.keys.list)
    ok(client.models.list)
    with pytest.raises(Invalid) as invalid:
        client.sessions.put("bad", {"context_window": 1})
    assert invalid.value.field == "/context_window"
    assert len(called) == 42, sorted(called)


def test_a_client_outlives_a_loop(service: str, session: str) -> None:
    client = AsyncAnchord()
    for seq in (1, 2):
        context = asyncio.run(client.turn(session, [{"role": "user", "content": "Hello."}]))
        assert context["head_seq"] == seq
