"""Runs what README.md prints from its first calls to the agent's loop, against the service of ANCHORD_URL."""

import os
import re
import subprocess
import sys
from json import loads
from pathlib import Path

import httpx
from openai import OpenAI
from tools import TASK, TOOLS, parameters, run

ROOT = Path(__file__).parents[1]
text = (ROOT / "README.md").read_text().split("### The first calls")[1].split("### Documentation")[0]
blocks = re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
URL, KEY = os.environ["ANCHORD_URL"], os.environ["ANCHORD_API_KEY"]

# Where the service of the examples runs, in place of where the README starts one.
places = {"http://127.0.0.1:8080": URL, "$(cat data/api-key)": KEY, "target/release/anchord": sys.argv[1]}
script = "".join(block for language, block in blocks if language == "sh")
for printed, actual in places.items():
    script = script.replace(printed, actual)
shell = ["bash", "-euo", "pipefail", "-c", script]
token = {"ANCHORD_OPERATOR_TOKEN": os.environ["ANCHORD_ADMIN_TOKEN"]}
called = subprocess.run(shell, cwd=ROOT, env=os.environ | token, capture_output=True, text=True)
print(f"{script.count('curl ')} calls, {len(called.stdout)} bytes")
if (
    called.returncode
    or "/problems/" in called.stdout
    or "Never touch the legacy/ folder" not in called.stdout
):
    sys.exit(called.stdout + called.stderr)

# The agent of the README as it stands; then with a session, a task and tools that the model server of the examples plays.
setup, loop = (block for language, block in blocks if language == "python")
os.environ |= {"URL": URL, "KEY": KEY}
exec(setup)
SESSION, MODEL, client = "readme", "gpt-3.5-turbo", OpenAI()
rules, task = "You are a coding agent.", TASK
tools = [
    {
        "type": "function",
        "function": {"name": name, "description": tool.__doc__, "parameters": parameters(tool)},
    }
    for name, tool in TOOLS.items()
]


def answer(call) -> dict:
    """The result of a call."""
    output = run(call.function.name, loads(call.function.arguments))
    return {"role": "tool", "tool_call_id": call.id, "content": output}


exec(loop)
session = httpx.get(f"{URL}/v1/sessions/{SESSION}", headers={"x-api-key": KEY}).json()
print(f"{session['head_seq']} messages, {session['compression_count']} compressions")
sys.exit(session["compression_count"] < 3 or "All checks passed" not in message.content)  # noqa: F821
