"""One round of calls through openapi-generator's client for Python."""

import os
import sys

import anchord_openapi as anchord

SESSION = "round-python"
# What no schema lists, and what is null: both have to be stored and come back as they are.
MESSAGES = [
    {"role": "user", "content": "Fix the port."},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"},
    {"type": "function_call", "call_id": "call_1", "name": "bash", "arguments": "{}", "status": None},
    {"type": "function_call_output", "call_id": "call_1", "output": "done"},
]
CHAT = {"role": "assistant", "content": None, "tool_calls": [], "refusal": None}

client = anchord.ApiClient(
    anchord.Configuration(host=os.environ["ANCHORD_URL"], access_token=os.environ["ANCHORD_API_KEY"])
)
sessions, messages = anchord.SessionsApi(client), anchord.MessagesApi(client)
pins, webhooks = anchord.PinsApi(client), anchord.WebhooksApi(client)

made = sessions.sessions_put(SESSION, anchord.Settings(context_window=32_000))
assert made.session_id == SESSION and made.settings.context_window == 32_000, made
batch = anchord.AppendRequest(format=anchord.MessageFormat("openai-responses"), messages=MESSAGES)
assert messages.messages_append(SESSION, batch).last_seq == 4
messages.messages_append(SESSION, anchord.AppendRequest(messages=[CHAT]))
stored = [item.message for item in messages.messages_list(SESSION).items]
assert stored == [*MESSAGES, CHAT], stored
context = anchord.ContextApi(client).context_get(SESSION, format=anchord.MessageFormat("openai-responses"))
assert MESSAGES[1] in context.messages and context.within_budget, context

pin = pins.pins_add(SESSION, anchord.PinInput(text="Never push to main."))
read = pins.pins_list(SESSION)
written = pins.pins_replace(SESSION, anchord.ReplacePins.from_dict(read.to_dict()))
assert written.pins == read.pins == [pin], written
pins.pins_remove(SESSION, pin.id)

# A union by its field, and an object that was one: both are read into their types.
half = anchord.ProbeMatch(kind="ratio", ratio=0.5)
probe = anchord.CreateProbe(kind="recall", question="Which folder stays?", expected=["deploy/"], match=half)
assert anchord.ProbesApi(client).probes_create(SESSION, probe).match == half
command = {"name": "bash", "arguments": '{"command": "cargo test"}'}
calls = [{"id": "call_2", "type": "function", "function": command}]
output = {"role": "tool", "tool_call_id": "call_2", "content": "test result: ok. 3 passed; 0 failed"}
messages.messages_append(
    SESSION, anchord.AppendRequest(messages=[{"role": "assistant", "content": None, "tool_calls": calls}, output])
)
facts = [item.actual_instance for item in anchord.LedgerApi(client).ledger_list(SESSION).items]
assert any(isinstance(fact, anchord.TestRunFact) for fact in facts), facts

try:
    batch = anchord.AppendRequest(messages=[CHAT], expected_next_seq=1)
    messages.messages_append(SESSION, batch)
    sys.exit("a sequence that does not match was accepted")
except anchord.ApiException as refused:
    problem = anchord.Problem.from_json(refused.body)
    assert problem.status == 409 and problem.additional_properties["next_seq"] == 8, problem

hook = webhooks.webhooks_create(anchord.CreateWebhook(url="https://hooks.example.com/anchord"))
assert hook.secret.startswith("whsec_")
assert hook.webhook.id in [known.id for known in webhooks.webhooks_list().items]
webhooks.webhooks_delete(hook.webhook.id)

compressed = anchord.CompressionsApi(client).compressions_create(
    SESSION, create_compression=anchord.CreateCompression(target=0.0001, preserve_recent=1), prefer="wait=30"
)
assert compressed.status.value in ("succeeded", "skipped", "failed", "rejected"), compressed
stream = anchord.EventsApi(client).events_stream_without_preload_content(SESSION, after=0)
for line in stream:
    if line.startswith(b"data:"):
        event = anchord.Event.from_json(line[5:].decode())
        assert event.session_id == SESSION and event.data.compression_id == compressed.id, event
        break
stream.close()
sessions.sessions_delete(SESSION)
print("append, context, pins, unions, a problem, webhooks and events through openapi-generator's client")
