"""Calls operations through the generated client: every reply is parsed into its type, or this ends."""

import json
import os
import sys

import anchord_client.models as m
from anchord_client import AuthenticatedClient
from anchord_client.api.compressions import compressions_create, compressions_get, compressions_list
from anchord_client.api.context import context_get
from anchord_client.api.evaluations import evaluations_create
from anchord_client.api.health import health_ready
from anchord_client.api.keys import keys_list
from anchord_client.api.ledger import ledger_list
from anchord_client.api.messages import messages_append, messages_list
from anchord_client.api.pins import pins_add, pins_list, pins_remove, pins_replace
from anchord_client.api.probes import probes_create, probes_list
from anchord_client.api.recall import recall_search
from anchord_client.api.sessions import sessions_delete, sessions_get, sessions_get_handoff, sessions_get_state
from anchord_client.api.sessions import sessions_list, sessions_put, sessions_update
from anchord_client.api.stateless import stateless_compress, stateless_count_tokens, stateless_preaggregate
from anchord_client.api.summaries import summaries_diff, summaries_get_current, summaries_list, summaries_rollback
from anchord_client.api.tasks import tasks_get, tasks_get_handoff, tasks_put
from anchord_client.api.todos import todos_list, todos_replace
from anchord_client.api.tool_outputs import tool_outputs_get
from anchord_client.api.usage import usage_get, usage_report

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


call(health_ready, m.Health)
settings = m.Settings(
    context_window=32_000, task_id="ports", metadata=m.SettingsMetadataType0.from_dict({"team": 1})
)
call(sessions_put, m.Session, SESSION, body=settings)
changed = call(sessions_update, m.Session, SESSION, body=m.Settings(phase=m.Phase.IMPLEMENTATION))
assert changed.settings.task_id == "ports", changed
batch = m.AppendRequest.from_dict({"messages": messages(), "expected_next_seq": 1})
first = call(messages_append, m.AppendResult, SESSION, body=batch, idempotency_key="first")
again = call(messages_append, m.AppendResult, SESSION, body=batch, idempotency_key="first")
assert first == again and first.last_seq == 25
refused = call(messages_append, m.Problem, SESSION, body=batch)
assert refused.status == 409 and refused["next_seq"] == 26, refused
page = call(messages_list, m.StoredMessagePage, SESSION, from_seq=2, limit=5)
assert page.next_cursor and [item.message.to_dict() for item in page.items] == messages()[1:6]
pin = call(pins_add, m.Pin, SESSION, body=m.PinInput(text="Answer in English."))
pins = call(pins_list, m.SessionPins, SESSION)
call(pins_replace, m.SessionPins, SESSION, body=m.ReplacePins.from_dict(pins.to_dict()))
assert pins_remove.sync_detailed(SESSION, pin.id, client=anchord).status_code == 204
todo = m.TodoInput(content="Change the port", status=m.TodoStatus.IN_PROGRESS)
todos = call(todos_replace, m.Todos, SESSION, body=m.ReplaceTodos(todos=[todo]))
call(todos_replace, m.Todos, SESSION, body=m.ReplaceTodos.from_dict(todos.to_dict()))

none = call(summaries_get_current, m.Problem, SESSION)
assert none.type_ == "/problems/no-summary"
assert sessions_get_handoff.sync_detailed(SESSION, client=anchord).status_code == 204
compression = call(
    compressions_create, m.Compression, SESSION, body=m.CreateCompression(reason="now", target=0.1), prefer="wait=30"
)
assert compression.status == m.CompressionStatus.SUCCEEDED and compression.version == 1, compression
call(compressions_get, m.Compression, SESSION, compression.id)
assert len(call(compressions_list, m.CompressionPage, SESSION).items) == 1
summary = call(summaries_get_current, m.Summary, SESSION)
assert any("deploy/" in rule.text for rule in summary.constraints)
call(sessions_get_state, m.SessionState, SESSION)
call(summaries_list, m.SummaryVersionPage, SESSION)
call(sessions_get_handoff, m.Handoff, SESSION, level=500)
call(todos_list, m.Todos, SESSION)
runs = call(ledger_list, m.LedgerPage, SESSION, kind=m.LedgerListKind.TEST_RUN).items
assert runs and all(isinstance(run, m.TestRunFact) for run in runs)
context = context_get.sync_detailed(SESSION, client=anchord)
assert isinstance(context.parsed, m.Context) and context.parsed.summary_version == 1
known = context_get.sync_detailed(SESSION, client=anchord, if_none_match=context.headers["etag"])
assert known.status_code == 304
for masked in context.parsed.masked[:1]:
    call(tool_outputs_get, m.ToolOutput, SESSION, masked.ref, from_line=1, to_line=2)
assert call(recall_search, m.RecallResult, SESSION, q="step_7").items[0].seq in (16, 17)
half = m.ProbeMatch(kind=m.ProbeMatchKind.RATIO, ratio=0.5)
probe = m.CreateProbe(kind=m.ProbeKind.RECALL, question="Which folder stays?", expected=["deploy/"], match=half)
assert call(probes_create, m.SessionProbe, SESSION, body=probe).match == half
call(probes_list, m.SessionProbePage, SESSION)
call(evaluations_create, m.EvaluationDetail, SESSION, prefer="wait=30")
call(summaries_rollback, m.Summary, SESSION, 1, body=m.RollbackRequest())
call(summaries_diff, m.SummaryDiff, SESSION, 2, from_=1)
usage = m.UsageReport(input_tokens=context.parsed.tokens.total, output_tokens=10)
call(usage_report, m.UsageReportResult, SESSION, body=usage)
call(sessions_put, m.Session, "child", body=m.Settings(parent_session_id=SESSION, task_id="ports"))
call(tasks_get_handoff, m.Handoff, "ports")
call(tasks_put, m.Task, "ports", body=m.TaskUpdate(status=m.TaskStatus.COMPLETED))
call(tasks_get, m.Task, "ports")
call(sessions_list, m.SessionPage, task_id="ports")
# The generator leaves JSON lines out; the client's own connection takes them, with its key.
lines = anchord.get_httpx_client().get(f"/v1/sessions/{SESSION}/export").text.splitlines()
kinds = [json.loads(line)["kind"] for line in lines]
assert (kinds[0], kinds.count("message"), kinds.count("version"), kinds[-1]) == ("session", 25, 2, "end"), kinds

call(stateless_count_tokens, m.TokenCount, body=m.TokenCountRequest(text="hello"))
call(stateless_compress, m.CompressedMessages, body=m.CompressRequest.from_dict({"messages": messages()}))
file = m.NamedFile(name="a.md", content="# A\n")
call(stateless_preaggregate, m.PreaggregateResult, body=m.PreaggregateRequest(files=[file]))
call(usage_get, m.TenantUsage)
call(keys_list, m.ApiKeyPage)
invalid = call(sessions_put, m.Problem, "bad", body=m.Settings(context_window=1))
assert invalid.status == 422 and invalid.errors[0].pointer == "/context_window", invalid

for session in (SESSION, "child"):
    assert sessions_delete.sync_detailed(session, client=anchord).status_code == 204
assert call(sessions_get, m.Problem, SESSION).type_ == "/problems/session-not-found"
print(f"{len(called)} operations answered in their types")
