"""An agent past its model's window: OpenAI's client asks the model, anchord keeps the messages."""

import json
import os
import sys
from pathlib import Path

from anchord_client import AuthenticatedClient
from anchord_client.api.context import context_get
from anchord_client.api.messages import messages_append
from anchord_client.api.sessions import sessions_get, sessions_put
from anchord_client.models import AppendRequest, Settings
from openai import OpenAI
from tools import TASK, TOOLS, parameters, run, written

SESSION = "openai-loop"
MODEL = "gpt-4o"
anchord = AuthenticatedClient(os.environ["ANCHORD_URL"], os.environ["ANCHORD_API_KEY"])
model = OpenAI()  # OPENAI_BASE_URL and OPENAI_API_KEY say where


def append(*messages: dict) -> int:
    """Stores messages as they are. Nothing else has to be asked for: when it is time, anchord summarises."""
    batch = AppendRequest.from_dict({"model": MODEL, "messages": messages})
    return messages_append.sync(SESSION, client=anchord, body=batch).tokens_added


def context() -> dict:
    """What to send next: system prompt, a summary of what is long ago, the newest messages."""
    return context_get.sync(SESSION, client=anchord).to_dict()


# The window follows from the model; here it is a small one, so that there is something to summarise.
sessions_put.sync(SESSION, client=anchord, body=Settings(model=MODEL, context_window=16_000))
tokens = append({"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": TASK})
tools = [
    {
        "type": "function",
        "function": {"name": name, "description": tool.__doc__, "parameters": parameters(tool)},
    }
    for name, tool in TOOLS.items()
]
for _ in range(100):
    reply = model.chat.completions.create(model=MODEL, messages=context()["messages"], tools=tools)
    message = reply.choices[0].message
    results = []
    for call in message.tool_calls or []:
        output = run(call.function.name, json.loads(call.function.arguments))
        results.append({"role": "tool", "tool_call_id": call.id, "content": output})
    tokens += append(message.model_dump(exclude_none=True), *results)
    if not results:
        break

print(message.content)
last, session = context(), sessions_get.sync(SESSION, client=anchord)
forgotten = [path for path in written if Path(path).name not in json.dumps(last["messages"])]
print(f"{tokens} tokens in {session.head_seq} messages, {last['tokens']['total']} of them sent at the end")
print(f"{session.compression_count} compressions, forgotten: {forgotten or 'nothing'}")
sys.exit(session.compression_count < 3 or bool(forgotten) or "All checks passed" not in message.content)
