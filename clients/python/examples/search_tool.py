"""OpenAI's client, with a search of the agent's own: what the context leaves out it can read itself."""

import json

from openai import OpenAI
from outcome import check
from tools import TASK, TOOLS, parameters, run

from anchord import Anchord

MODEL, SESSION = "gpt-3.5-turbo", "search-tool"
anchord = Anchord()
offered = anchord.tools.list()
anchord.sessions.put(SESSION, {"tools": "offered", "system_tokens": offered["tokens"]})


def turn(*messages):
    """Stores messages as they are and returns the context to answer."""
    return anchord.turn(SESSION, messages, model=MODEL)["messages"]


def answer(call):
    """Runs a call: the service's tools by the service, with the arguments as the model gave them."""
    if call.function.name in offered["names"]:
        output = anchord.tools.run(SESSION, call.function.name, {"arguments": call.function.arguments})["content"]
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
    context = turn(message, *results)
    if not results:
        break
print(f"{recalled} calls of the service's tools")
# Beside the turns: what a person says, the settings, and the calls of the service's tools.
check(SESSION, message.content, beside=2 + recalled)
