"""Calls operations through the generated client: every reply is parsed into its type, or this ends."""

import os
import sys

import anchord_client.models as m
from anchord_client import AuthenticatedClient
from anchord_client.api.compressions import create_compression, find_compression, list_compressions
from anchord_client.api.context import find_context, report_usage
from anchord_client.api.facts import list_ledger
from anchord_client.api.messages import append_messages, find_tool_output, list_messages, recall
from anchord_client.api.operations import find_readiness
from anchord_client.api.quality import create_evaluation, create_probe, list_probes
from anchord_client.api.sessions import delete_session, find_session, list_sessions, put_session
from anchord_client.api.stateless import compress_messages, count_tokens, preaggregate_outputs
from anchord_client.api.steering import find_todos, list_pins, replace_pins, replace_todos
from anchord_client.api.summaries import diff_summary_versions, find_handoff, find_state, find_summary
from anchord_client.api.summaries import list_summaries, merge_session, roll_back_summary
from anchord_client.api.tasks import find_task, find_task_handoff, put_task
from anchord_client.api.tenant import find_usage, list_keys

SESSION = "operations"
anchord = AuthenticatedClient(
    os.environ["ANCHORD_URL"], os.environ["ANCHORD_API_KEY"], raise_on_unexpected_status=True
)
called: set[str] = set()


def call(operation, wanted: type, *path, **given):
    """Calls an operation and takes its reply, which has to be of the type that is wanted."""
    called.add(operation.__name__.rsplit(".", 1)[-1])
    reply = operation.sync_detailed(*path, client=anchord, **given).parsed
    if not isinstance(reply, wanted):
        sys.exit(f"{operation.__name__}: not a {wanted.__name__}: {reply}")
    return reply


def messages() -> list[dict]:
    """A session with calls, a failed test and a rule."""
    said = [{"role": "user", "content": "Fix the port in src/main.rs. Never touch deploy/."}]
    for step in range(12):
        command = f'{{"command": "cargo test --test step_{step}"}}'
        output = f"test result: ok. {step} passed; 0 failed\n" + "running 1 test\n" * 200
        function = {"name": "bash", "arguments": command}
        calls = [{"id": f"call_{step}", "type": "function", "function": function}]
        said.append({"role": "assistant", "content": f"Step {step}.", "tool_calls": calls})
        said.append({"role": "tool", "tool_call_id": f"call_{step}", "content": output})
    return said


call(find_readiness, m.Health)
settings = m.Settings(
    context_window=32_000, task_id="ports", metadata=m.SettingsMetadataType0.from_dict({"team": 1})
)
call(put_session, m.SessionView, SESSION, body=settings)
batch = m.NewMessages.from_dict({"messages": messages(), "expected_next_seq": 1})
first = call(append_messages, m.Appended, SESSION, body=batch, idempotency_key="first")
again = call(append_messages, m.Appended, SESSION, body=batch, idempotency_key="first")
assert first == again and first.last_seq == 25
refused = call(append_messages, m.Problem, SESSION, body=batch)
assert refused.status == 409 and refused["next_seq"] == 26, refused
page = call(list_messages, m.PageStoredMessageView, SESSION, from_seq=2, limit=5)
assert page.next_cursor and [item.message.to_dict() for item in page.items] == messages()[1:6]
call(replace_pins, m.Pins, SESSION, body=m.NewPins(pins=["Answer in English."]))
call(list_pins, m.SessionPins, SESSION)
todo = m.NewTodo(content="Change the port", status=m.TodoStatus.IN_PROGRESS)
call(replace_todos, m.Todos, SESSION, body=m.NewTodos(todos=[todo]))

none = call(find_summary, m.Problem, SESSION)
assert none.type_ == "/problems/no-summary"
assert find_handoff.sync_detailed(SESSION, client=anchord).status_code == 204
compression = call(
    create_compression, m.Compression, SESSION, body=m.NewCompression(reason="now", target=0.1), prefer="wait=30"
)
assert compression.status == m.Status.SUCCEEDED and compression.version == 1, compression
call(find_compression, m.Compression, SESSION, compression.id)
assert len(call(list_compressions, m.PageCompression, SESSION).items) == 1
summary = call(find_summary, m.Version, SESSION)
assert any("deploy/" in rule.text for rule in summary.constraints)
call(find_state, m.SessionState, SESSION)
call(list_summaries, m.PageHistoryEntry, SESSION)
call(find_handoff, m.Handoff, SESSION, level=500)
call(find_todos, m.Todos, SESSION)
assert call(list_ledger, m.LedgerPage, SESSION, kind=m.ListLedgerKind.TEST_RUN).items
context = find_context.sync_detailed(SESSION, client=anchord)
assert isinstance(context.parsed, m.ContextView) and context.parsed.summary_version == 1
known = find_context.sync_detailed(SESSION, client=anchord, if_none_match=context.headers["etag"])
assert known.status_code == 304
for masked in context.parsed.masked[:1]:
    call(find_tool_output, m.ToolOutput, SESSION, masked.ref, from_line=1, to_line=2)
assert call(recall, m.Recalled, SESSION, q="step_7").items[0].seq in (16, 17)
probe = m.NewProbe(kind=m.ProbeKind.RECALL, question="Which folder stays?", expected=["deploy/"])
call(create_probe, m.SessionProbe, SESSION, body=probe)
call(list_probes, m.PageSessionProbe, SESSION)
call(create_evaluation, m.EvaluationDetail, SESSION, prefer="wait=30")
call(roll_back_summary, m.Version, SESSION, 1, body=m.NewRollback())
call(diff_summary_versions, m.VersionDiff, SESSION, 2, from_=1)
usage = m.ProviderUsage(input_tokens=context.parsed.tokens.total, output_tokens=10)
call(report_usage, m.UsageReported, SESSION, body=usage)
call(put_session, m.SessionView, "child", body=m.Settings(parent_session_id=SESSION, task_id="ports"))
call(merge_session, m.Problem, SESSION, body=m.NewMerge(session_id="child"))
call(find_task_handoff, m.Handoff, "ports")
call(put_task, m.Task, "ports", body=m.NewTaskStatus(status=m.TaskStatus.COMPLETED))
call(find_task, m.Task, "ports")
call(list_sessions, m.PageSessionRow, task_id="ports")
# The generator leaves JSON lines out; the client's own connection takes them, with its key.
lines = anchord.get_httpx_client().get(f"/v1/sessions/{SESSION}/export").text.splitlines()
assert len(lines) == 1 + 25 + 2 + 1, len(lines)

call(count_tokens, m.Tokens, body=m.TokensRequest(text="hello"))
call(compress_messages, m.CompressedMessages, body=m.CompressRequest.from_dict({"messages": messages()}))
file = m.NamedFile(name="a.md", content="# A\n")
call(preaggregate_outputs, m.Preaggregated, body=m.PreaggregateRequest(files=[file]))
call(find_usage, m.TenantUsage)
call(list_keys, m.PageApiKeyView)
invalid = call(put_session, m.Problem, "bad", body=m.Settings(context_window=1))
assert invalid.status == 422 and invalid.errors[0].pointer == "/context_window", invalid

for session in (SESSION, "child"):
    assert delete_session.sync_detailed(session, client=anchord).status_code == 204
assert call(find_session, m.Problem, SESSION).type_ == "/problems/session-not-found"
print(f"{len(called)} operations answered in their types")
