"""An agent that knows nothing of anchord: it sends all that was said, and its base URL leads to the gateway."""

import json

from openai import OpenAI
from outcome import check
from tools import TASK, TOOLS, parameters, run

model = OpenAI()
tools = [
    {
        "type": "function",
        "function": {"name": name, "description": tool.__doc__, "parameters": parameters(tool)},
    }
    for name, tool in TOOLS.items()
]
messages = [{"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": TASK}]
while True:
    with model.chat.completions.stream(model="gpt-3.5-turbo", messages=messages, tools=tools) as reply:
        message = reply.get_final_completion().choices[0].message
    said = message.model_dump(include={"role", "content"})
    calls = message.tool_calls or []
    if calls:
        sent = {"id": True, "type": True, "function": {"name", "arguments"}}
        said["tool_calls"] = [call.model_dump(include=sent) for call in calls]
    messages.append(said)
    for call in calls:
        output = run(call.function.name, json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": output})
    if not calls:
        break
check("gateway", message.content, beside=None)
