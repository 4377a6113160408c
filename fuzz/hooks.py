"""Gives the fuzzer something to find: sessions with messages, versions, probes and evaluations.

Generated ids almost never name anything, so most requests would end at 404. Where the path is valid, the
ids of a request are replaced by those of what is seeded here, one request in four aside.
"""

import json
import os
import urllib.request
import zlib

import schemathesis
from schemathesis.core.parameters import ParameterLocation

URL = os.environ["FUZZ_URL"]
KEY = os.environ["FUZZ_API_KEY"]
OPERATOR = os.environ["FUZZ_OPERATOR_TOKEN"]


def call(method, path, body=None, headers=()):
    request = urllib.request.Request(
        URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **dict(headers)},
    )
    with urllib.request.urlopen(request, timeout=120) as reply:
        text = reply.read()
    return json.loads(text) if text else None


def conversation(turns):
    """Work on a small program, with tool calls, files, a failing test and something to keep to."""
    yield {"role": "system", "content": "You are a careful programmer."}
    yield {"role": "user", "content": "Never push to main. Port the parser in src/parse.py to version 2.4.1."}
    for turn in range(turns):
        call_id = f"call_{turn}"
        command = json.dumps({"command": f"pytest tests/test_parse_{turn}.py"})
        yield {
            "role": "assistant",
            "content": f"I change src/parse_{turn}.py, then I run its tests.",
            "tool_calls": [
                {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": command}}
            ],
        }
        output = "\n".join(f"tests/test_parse_{turn}.py::test_{case} PASSED" for case in range(40))
        failure = "\nE   TypeError: expected str, got None\n1 failed, 40 passed" if turn % 3 == 0 else "\n40 passed"
        yield {"role": "tool", "tool_call_id": call_id, "content": output + failure}
        yield {"role": "user", "content": f"Good. Next: case {turn}, the server listens on port {8000 + turn}."}


def seed_session(name, turns):
    session = f"/v1/sessions/{name}"
    call("PUT", session, {"context_window": 20_000, "auto": False, "task_id": "port"})
    call("PUT", f"{session}/pins", {"pins": ["Keep the public API."]})
    messages = list(conversation(turns))
    wait = [("Prefer", "wait=60")]
    half = len(messages) // 2
    compressions, masked = [], []
    for part in (messages[:half], messages[half:]):
        # Outputs that are placeholders from the start have references.
        marks = [{"index": index, "keep": "never"} for index, m in enumerate(part) if m["role"] == "tool"]
        call("POST", f"{session}/messages", {"messages": part, "marks": marks})
        masked += call("GET", f"{session}/context")["masked"]
        compressions.append(call("POST", f"{session}/compressions", {"preserve_recent": 3}, wait))
    call("POST", f"{session}/probes", {"kind": "recall", "question": "Which version?", "expected": ["2.4.1"]})
    evaluation = call("POST", f"{session}/evaluations", {}, wait)
    summary = call("GET", f"{session}/summary")
    ledger = call("GET", f"{session}/ledger?kind=constraint")["items"]
    requests = call("GET", f"{session}/ledger?kind=request")["items"]
    seeded = {
        "session_id": [name],
        "compression_id": [compression["id"] for compression in compressions],
        "evaluation_id": [evaluation["id"]],
        "version": [1, 2],
        "constraint_id": [fact["id"] for fact in summary["constraints"] if not fact["id"].startswith("pin_")],
        "request_id": [fact["id"] for fact in requests],
        "ref": [output["ref"] for output in masked],
    }
    missing = [key for key, values in seeded.items() if not values]
    if missing or not ledger:
        print(f"fuzz: {name} has no {', '.join(missing) or 'ledger'}")
    return seeded


def seed_tenant():
    """A tenant that nobody needs: the operator's calls rename, bound, suspend and erase it."""
    operator = [("Authorization", f"Bearer {OPERATOR}")]
    tenant = call("POST", "/v1/admin/tenants", {"name": "fuzzed"}, operator)["id"]
    key = call("POST", f"/v1/admin/tenants/{tenant}/keys", {"scopes": ["read"]}, operator)["id"]
    return {"tenant_id": [tenant], "key_id": [key]}


TENANT = seed_tenant()
OWN = {
    "key_id": [key["id"] for key in call("GET", "/v1/keys")["items"]],
    "tenant_id": ["ten_00000000000000000000000000000001"],
}
SEEDED = [seed_session("fuzz-1", 12), seed_session("fuzz-2", 25)]
call("PUT", "/v1/sessions/fuzz-empty", {})
SEEDED.append({"session_id": ["fuzz-empty"]})
for seeded in SEEDED:
    seeded["task_id"] = ["port"]
    seeded["tenant_id"] = TENANT["tenant_id"]


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def json_lines(context, value):
    return json.dumps(value).encode() if not isinstance(value, (bytes, str)) else value



def integral(value):
    """JSON Schema calls 1.0 an integer; nobody writes integers so, and the service does not read them."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [integral(item) for item in value]
    if isinstance(value, dict):
        return {name: integral(item) for name, item in value.items()}
    return value


def with_messages(body):
    """Puts messages of a real conversation into most batches; the schema says only that they are objects."""
    number = zlib.crc32(repr(body).encode())
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or number % 4 == 0:
        return body
    messages = list(conversation(number % 5))
    fitting = {name: value for name, value in body.items() if name not in ("format", "text", "expected_next_seq")}
    if fitting.get("marks"):
        fitting["marks"] = [mark | {"index": mark["index"] % len(messages)} for mark in fitting["marks"]]
    return fitting | {"messages": messages}


def replaced(name, value, seeded, number):
    values = seeded.get(name)
    return values[number % len(values)] if values else value


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters or {}
    if case.operation.definition.raw.get("operationId") == "sessions.delete":
        # What is seeded is needed to the end.
        if str(parameters.get("session_id", "")).startswith("fuzz-"):
            case.path_parameters = {"session_id": "scratch"}
        return
    # So are the key that asks and its tenant.
    if parameters.get("key_id") in OWN["key_id"] or parameters.get("tenant_id") in OWN["tenant_id"]:
        spared = {name: replaced(name, value, TENANT, 0) for name, value in parameters.items()}
        case.path_parameters = parameters = spared
    meta = case.meta
    if meta is None:
        return
    # What is wrong on purpose stays wrong.
    if not meta.is_negative_at(ParameterLocation.BODY):
        whole = with_messages(integral(case.body))
        if repr(whole) != repr(case.body):
            case.body = whole
    if case.query and "cursor" in case.query and not meta.is_negative_at(ParameterLocation.QUERY):
        # A cursor comes from the page before; an invented one is 422.
        case.query = {name: value for name, value in case.query.items() if name != "cursor"}
    headers = case.headers or {}
    if headers.get("Idempotency-Key") and not meta.is_negative_at(ParameterLocation.HEADER):
        # Generated keys repeat; with another body they are refused, which is right and tells nothing.
        mark = zlib.crc32(repr((parameters, case.body)).encode())
        case.headers["Idempotency-Key"] = f"{headers['Idempotency-Key'][:200]}-{mark}"
    # Links between operations have ids of their own.
    if meta.phase.name.value == "stateful" or not parameters or meta.is_negative_at(ParameterLocation.PATH):
        return
    number = zlib.crc32(repr((sorted(parameters.items(), key=str), case.body, case.query)).encode())
    if number % 4:
        seeded = SEEDED[number // 4 % len(SEEDED)]
        case.path_parameters = {
            name: replaced(name, value, seeded, number // 16) for name, value in parameters.items()
        }
