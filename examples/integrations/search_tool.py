"""OpenAI's client, with a search of the agent's own: what the context leaves out it can read itself."""

import json
import os

import httpx
from openai import OpenAI
from outcome import check
from tools import TASK, TOOLS, parameters, run

MODEL, SESSION = "gpt-3.5-turbo", "search-tool"
URL = f"{os.environ['ANCHORD_URL']}/v1/sessions/{SESSION}"
KEY = {"x-api-key": os.environ["ANCHORD_API_KEY"]}
anchord = httpx.Client(base_url=URL, headers=KEY, timeout=30)


def turn(*messages: dict) -> list[dict]:
    """Stores messages as they are and returns the context to answer."""
    body = {"model": MODEL, "messages": messages}
    reply = anchord.post("/messages", params={"return": "context"}, json=body)
    if "context" not in reply.json():
        raise RuntimeError(reply.text)
    return reply.json()["context"]["messages"]


offered = httpx.get(f"{os.environ['ANCHORD_URL']}/v1/tools", headers=KEY).raise_for_status().json()
settings = {"tools": "offered", "system_tokens": offered["tokens"]}
anchord.put("", json=settings).raise_for_status()


def answer(call) -> dict:
    """Runs a call: the service's tools by the service, with the arguments as the model gave them."""
    if call.function.name in offered["names"]:
        reply = anchord.post(f"/tools/{call.function.name}", json={"arguments": call.function.arguments})
        output = reply.raise_for_status().json()["content"]
    else:
        output = run(call.function.name, json.loads(call.function.arguments))
    return {"role": "tool", "tool_call_id": call.id, "content": output}


# The agent.
model = OpenAI()
own = [
    {
        "type": "function",
        "function": {"name": name, "description": tool.__doc__, "parameters": parameters(tool)},
    }
    for name, tool in TOOLS.items()
]
tools = own + offered["tools"]
context = turn({"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": TASK})
recalled = 0
while True:
    message = model.chat.completions.create(model=MODEL, messages=context, tools=tools).choices[0].message
    calls = message.tool_calls or []
    recalled += sum(call.function.name in offered["names"] for call in calls)
    results = [answer(call) for call in calls]
    context = turn(message.model_dump(exclude_none=True), *results)
    if not results:
        break
print(f"{recalled} calls of the service's tools")
# Beside the turns: what a person says, the settings, and the calls of the service's tools.
check(SESSION, message.content, beside=2 + recalled)
