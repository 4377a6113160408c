#!/usr/bin/env python3
"""A model's provider that plays a task for real coding agents, and refuses what providers refuse.

It speaks Anthropic's messages, OpenAI's chat completions and OpenAI's responses. It knows only what a request says: which
step of the task is next follows from the newest step that stands in it, so that an agent that forgot is seen to repeat.
Under /summary it plays the model that writes summaries for anchord.

    provider.py --port 9000 --log FOLDER
"""

import argparse
import base64
import collections
import gzip
import hashlib
import hmac
import http.server
import json
import pathlib
import re
import subprocess
import threading
import time

SECRET = b"what signs thoughts"
SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]

# ---- the task -------------------------------------------------------------------------------------------------------


def needle(task, step):
    """The word that only the file of a step knows: made up, so that no agent can guess it. All sub-agents read the same files."""
    task = task if task.startswith("t") else "s"
    digest = hashlib.sha256(f"{task} {step}".encode()).digest()
    return "".join(SYLLABLES[byte % len(SYLLABLES)] for byte in digest[:5])


# How a task calls a step and its file, by the first letter of the task's name. A sub-agent's task has words of its own, so that
# its report moves nothing in the task of the agent that started it.
NAMES = {"t": ("step", "file"), "s": ("part", "piece")}


def prompt(task, total):
    """What a person asks of the agent, or an agent of another."""
    step, file = NAMES[task[0]]
    return (
        f"This is task {task}. Read {file}1.txt to {file}{total}.txt in this folder, in this order and with one command for each:"
        f" `echo {step} N && cat {file}N.txt`. Every file names a needle; remember the needles. Never change a file."
        " When all files are read, say so and stop."
    )


def sub_tasks(task, total, count):
    """The tasks that an agent gives to others: behind which of its steps, and their names."""
    digests = (hashlib.sha256(f"{task} {number}".encode()).hexdigest() for number in range(count))
    return {total * (number + 1) // (count + 2): f"s-{digest[:6]}" for number, digest in enumerate(digests)}


def sub_total(total):
    """How many steps a sub-agent's task has: enough that it compacts, too."""
    return total // 2


# Plain words, so that a tokenizer finds about four bytes to a token in the filler, as in most files.
WORDS = (
    "the worker took a job from queue and wrote its result to disk before next run was due while other parts of service "
    "waited for their turn because table had been locked by report that nobody asked about since last week so people "
    "looked at graph again found two small peaks near noon which came with traffic after lunch then went home"
).split()


def file_of(task, step, total, size):
    """The file of a step. Its filler differs from line to line, as logs do, and means nothing."""
    name = NAMES[task[0]][0]
    lines = [f"file of {name} {step}, one of {total}", f"The needle of {name} {step} is {needle(task, step)}."]
    length, count = 0, 0
    while length < size:
        digest = hashlib.sha512(f"{task} {step} {count}".encode()).digest()
        lines.append(f"{count:04} " + " ".join(WORDS[byte % len(WORDS)] for byte in digest[:14]))
        length += len(lines[-1]) + 1
        count += 1
    return "\n".join(lines) + "\n"


def needles_in(text):
    """Of every needle that a text names: step or part, its number, the word."""
    return re.findall(r"needle of (step|part) (\d+) is (\w+)", text)


class Known:
    """What a request says about the task. One that names a person's task is none of a sub-agent's, whatever else it says."""

    def __init__(self, text):
        task = re.search(r"\btask (t-[0-9a-f]{6})\b", text) or re.search(r"\btask (s-[0-9a-f]{6})\b", text)
        self.task = task and task[1]
        self.of_sub_agent = bool(task) and task[1].startswith("s")
        self.step, self.file = NAMES[self.task[0] if task else "t"]
        total = re.search(rf"{self.file}1\.txt to {self.file}(\d+)\.txt", text)
        self.total = int(total[1]) if total else None
        steps = [int(step) for step in re.findall(rf"\b{self.step} (\d+)\b", text)]
        self.newest = max(steps, default=0)
        self.needles = {step: word for name, step, word in needles_in(text) if name == self.step}
        self.text = text

    def kept(self, task):
        """The steps whose needle still stands anywhere in the request, in whatever words."""
        return [step for step in range(1, self.newest + 1) if needle(task, step) in self.text]

    def needle_sentences(self):
        return [f"The needle of {self.step} {step} is {word}." for step, word in sorted(self.needles.items(), key=lambda it: int(it[0]))]

    def summary(self):
        """What a model would write when it is asked for a summary: short, with less than it knew."""
        lines = [
            f"The person gave task {self.task}: read {self.file}1.txt to {self.file}{self.total}.txt in order, with one command for"
            f" each, `echo {self.step} N && cat {self.file}N.txt`; remember the needles and never change a file.",
            f"Done so far: everything up to {self.step} {self.newest}. Go on with the file that follows.",
            *self.needle_sentences()[:5],
        ]
        return "\n".join(lines)


# ---- refusals -------------------------------------------------------------------------------------------------------


class Refused(Exception):
    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


def signed(text):
    """A signature that this provider can check without remembering it, and that differs each time."""
    nonce = hashlib.sha256(f"{time.time_ns()}".encode()).hexdigest()[:16]
    return nonce + base64.b64encode(hmac.digest(SECRET, (nonce + text).encode(), "sha256") * 4).decode()


def is_signed(signature, text):
    mac = hmac.digest(SECRET, (signature[:16] + text).encode(), "sha256") * 4
    return signature[16:] == base64.b64encode(mac).decode()


def blocks_of(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def check_messages(body):
    """What Anthropic refuses."""
    turns = [message for message in body["messages"] if message["role"] != "system"]
    if not turns or turns[0]["role"] != "user":
        raise Refused("messages: first message must use the \"user\" role")
    marks = json.dumps(body).count('"cache_control": {')
    if marks > 4:
        raise Refused(f"A maximum of 4 blocks with cache_control may be provided. Found {marks}.")
    calls, place = [], "messages.0"
    for index, message in enumerate(turns):
        place = f"messages.{index}"
        blocks = blocks_of(message["content"])
        if not blocks and not (message["role"] == "assistant" and index == len(turns) - 1):
            raise Refused(f"{place}: all messages must have non-empty content except for the optional final assistant message")
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        for block in blocks:
            if block["type"] == "text" and not block["text"]:
                raise Refused(f"{place}: text content blocks must be non-empty")
            if block["type"] == "thinking" and not is_signed(block.get("signature", ""), block["thinking"]):
                raise Refused(f"{place}.content.0: Invalid `signature` in `thinking` block")
        if message["role"] == "user":
            missing = [call for call in calls if call not in results]
            if missing:
                raise Refused(
                    f"{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(missing)}."
                    " Each `tool_use` block must have a corresponding `tool_result` block in the next message."
                )
            strange = [result for result in results if result not in calls]
            if strange:
                raise Refused(
                    f"{place}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {strange[0]}."
                    " Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                )
            calls = []
        else:
            # Two answers in a row are merged by the provider, but none may stand between a call and its result.
            if calls:
                raise Refused(f"{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {calls[0]}.")
            if index and turns[index - 1]["role"] == "assistant":
                raise Refused(f"{place}: roles must alternate between \"user\" and \"assistant\"")
            calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    if calls:
        raise Refused(f"{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(calls)}.")


def check_chat(body):
    """What OpenAI's chat completions refuse."""
    open_calls = []
    for index, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise Refused(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                    f" (messages.[{index}])"
                )
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            break
        open_calls = [call["id"] for call in message.get("tool_calls") or []]
    if open_calls:
        raise Refused(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
            f" The following tool_call_ids did not have response messages: {', '.join(open_calls)}"
        )


CALLS = {name: name + "_output" for name in ("function_call", "custom_tool_call", "local_shell_call")}


def check_responses(body):
    """What OpenAI's responses refuse."""
    items = body["input"] if isinstance(body["input"], list) else []
    calls = {item["call_id"] for item in items if item.get("type") in CALLS}
    outputs = {item["call_id"] for item in items if item.get("type") in CALLS.values()}
    for strange in outputs - calls:
        raise Refused(f"No tool call found for function call output with call_id {strange}.")
    for missing in calls - outputs:
        raise Refused(f"No tool output found for function call {missing}.")
    for item in items:
        if item.get("type") == "reasoning" and item.get("encrypted_content") and not is_signed(item["encrypted_content"], ""):
            raise Refused("The encrypted content could not be verified.", "invalid_encrypted_content")
        if item.get("type") == "compaction" and unsealed(item.get("encrypted_content", "")) is None:
            raise Refused("The encrypted content for item cmp could not be verified.", "invalid_encrypted_content")


def sealed(text):
    """The opaque item that stands for a compacted history."""
    return "sealed." + base64.b64encode(text.encode()).decode() + "." + signed(text)


def unsealed(item):
    name, _, rest = item.partition(".")
    text, _, signature = rest.partition(".")
    if name != "sealed":
        return None
    text = base64.b64decode(text).decode()
    return text if is_signed(signature, text) else None


# ---- reading a request ----------------------------------------------------------------------------------------------


def texts_in(value):
    """Every text of the messages, however deep; what another provider's item hides is read as this provider would."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, dict):
        if value.get("type") == "compaction":
            yield unsealed(value.get("encrypted_content", "")) or ""
        for key, each in value.items():
            if key not in ("signature", "encrypted_content", "id", "tool_use_id", "call_id"):
                yield from texts_in(each)


def last_words(messages):
    """The text of the last message, which is where agents ask for a summary; Claude Code may put one of the system's behind."""
    said = [message for message in messages if message.get("role") != "system"]
    return "\n".join(texts_in(said[-1:]))


# A few words of each agent's request for a summary; nothing else marks it for sure.
SUMMARY_WORDS = (
    "create a detailed summary of",
    "CONTEXT CHECKPOINT COMPACTION",
    "Here is the conversation so far",
    "anchored summary",
)


def kind_of(body, headers, messages):
    """Whether a request is a turn of the conversation, asks for a compaction, or is none of it."""
    if '"request_kind":"compaction"' in (headers.get("x-codex-turn-metadata") or "").replace(" ", ""):
        return "compaction"
    if any(isinstance(item, dict) and item.get("type") == "compaction_trigger" for item in messages):
        return "compaction"
    if any(words in last_words(messages) for words in SUMMARY_WORDS):
        return "compaction"
    return "turn" if shell_of(body) else "aside"


def shell_of(body):
    """The offered tool that runs a command: its name, and how a command is said in its arguments."""
    for tool in body.get("tools") or []:
        function = tool.get("function", tool)
        schema = function.get("input_schema") or function.get("parameters") or {}
        if function.get("name") in ("Bash", "bash", "shell", "exec_command", "shell_command"):
            return function["name"], schema
    return None


def arguments_of(schema, command):
    properties = schema.get("properties", {})
    key = "cmd" if "cmd" in properties else "command"
    said = ["bash", "-lc", command] if properties.get(key, {}).get("type") == "array" else command
    arguments = {key: said}
    if "description" in properties:
        arguments["description"] = "Reads the next file"
    return arguments


def sub_agent_of(body, prompt):
    """The call that has a sub-agent work on a prompt, if the agent offers one: the tool's name and the arguments."""
    for tool in body.get("tools") or []:
        function = tool.get("function", tool)
        inner = [each["name"] for each in tool.get("tools", [])] if tool.get("type") == "namespace" else []
        if "spawn_agent" in inner:
            return f"{tool['name']}.spawn_agent", {"message": prompt}
        if function.get("name") in ("Agent", "task"):
            kind = {"Agent": "general-purpose", "task": "general"}[function["name"]]
            return function["name"], {"description": "Reads the pieces", "prompt": prompt, "subagent_type": kind}
    return None


# ---- answers --------------------------------------------------------------------------------------------------------

Answer = collections.namedtuple("Answer", "thinking text call item")  # call: (name, arguments); item: an opaque one


class Clock:
    """Numbers for ids; they say nothing about the conversation."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0

    def next(self):
        with self.lock:
            self.count += 1
            return self.count


IDS = Clock()


def pieces(text, size=23):
    return [text[at : at + size] for at in range(0, len(text), size)]


def anthropic_blocks(answer):
    blocks = []
    if answer.thinking is not None:
        blocks.append({"type": "thinking", "thinking": answer.thinking, "signature": signed(answer.thinking)})
    if answer.text:
        blocks.append({"type": "text", "text": answer.text})
    if answer.call:
        blocks.append({"type": "tool_use", "id": f"toolu_{IDS.next():06}", "name": answer.call[0], "input": answer.call[1]})
    return blocks


def anthropic_message(body, answer, usage):
    stop = "tool_use" if answer.call else "end_turn"
    head = {"id": f"msg_{IDS.next():06}", "type": "message", "role": "assistant", "model": body["model"]}
    return {**head, "content": anthropic_blocks(answer), "stop_reason": stop, "stop_sequence": None, "usage": usage}


def anthropic_events(message):
    """The same message as a stream."""
    start = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield "message_start", {"message": start}
    yield "ping", {}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        elif block["type"] == "thinking":
            empty = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        else:
            empty = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(json.dumps(block["input"]))]]
        yield "content_block_start", {"index": index, "content_block": empty}
        for delta in deltas:
            yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    yield "message_delta", {"delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": message["usage"]}
    yield "message_stop", {}


def chat_message(answer):
    message = {"role": "assistant", "content": answer.text or None}
    if answer.call:
        function = {"name": answer.call[0], "arguments": json.dumps(answer.call[1])}
        message["tool_calls"] = [{"id": f"call_{IDS.next():06}", "type": "function", "function": function}]
    return message


def chat_chunks(message):
    yield {"role": "assistant", "content": ""}
    for piece in pieces(message["content"] or ""):
        yield {"content": piece}
    for index, call in enumerate(message.get("tool_calls", [])):
        yield {"tool_calls": [{**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}]}
        for piece in pieces(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def response_items(answer):
    if answer.item:
        return [{"type": "compaction", "id": f"cmp_{IDS.next():06}", "encrypted_content": answer.item}]
    items = []
    if answer.thinking is not None:
        items.append({"type": "reasoning", "id": f"rs_{IDS.next():06}", "summary": [], "encrypted_content": signed("")})
    if answer.text:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        items.append({"type": "message", "id": f"msg_{IDS.next():06}", "status": "completed", "role": "assistant", "content": content})
    if answer.call:
        namespace, _, name = answer.call[0].rpartition(".")
        call = {"call_id": f"call_{IDS.next():06}", "name": name, "arguments": json.dumps(answer.call[1])}
        call |= {"namespace": namespace} if namespace else {}
        items.append({"type": "function_call", "id": f"fc_{IDS.next():06}", "status": "completed", **call})
    return items


def response_events(response):
    started = {**response, "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"response": started}
    for index, item in enumerate(response["output"]):
        yield "response.output_item.added", {"output_index": index, "item": {**item, "status": "in_progress"}}
        if item["type"] == "message":
            for piece in pieces(item["content"][0]["text"]):
                yield "response.output_text.delta", {"item_id": item["id"], "output_index": index, "content_index": 0, "delta": piece}
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield "response.completed", {"response": response}


# ---- the model ------------------------------------------------------------------------------------------------------


class Model:
    """Decides on the answer from the request alone. The ledger only records; no answer depends on it."""

    def __init__(self, settings):
        self.settings = settings
        self.ledger = {}

    def turn(self, body, messages, seen):
        known = Known("\n".join(texts_in(messages)))
        task, total = known.task or self.settings.task, known.total or self.settings.steps
        self.judge(known, task, seen)
        name, schema = shell_of(body)
        if known.newest >= total:
            seen["final"] = True
            text = f"All {total} files are read."
            if known.of_sub_agent:
                # Its last answer is its report.
                text = "\n".join([text, *known.needle_sentences()])
            # mini-swe-agent ends by a command, the others by an answer without one.
            ends = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in known.text
            return Answer(None, text, (name, arguments_of(schema, "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")) if ends else None, None)
        step = seen["asked"] = known.newest + 1
        last = known.needles.get(str(known.newest))
        text = f"Now {known.file}{step}.txt."
        text = f"The needle of {known.step} {known.newest} is {last}. {text}" if last else text
        # Some answers are a bare call, as models' often are.
        text = None if step % 4 == 0 else text
        thought = f"{known.file}{step}.txt follows." if wants_thoughts(body) else None
        if (body.get("thinking") or {}).get("display") == "omitted":
            thought = ""
        other = self.other_agent(body, known, task, total)
        if other:
            seen["starts"] = other[1]
            return Answer(thought, "Another agent reads the pieces.", other, None)
        return Answer(thought, text, (name, arguments_of(schema, f"echo {known.step} {step} && cat {known.file}{step}.txt")), None)

    def other_agent(self, body, known, task, total):
        """The call of a sub-agent, when one is due and the request does not tell of it."""
        name = None if known.of_sub_agent else sub_tasks(task, total, self.settings.sub_agents).get(known.newest)
        return sub_agent_of(body, prompt(name, sub_total(total))) if name and name not in known.text else None

    def judge(self, known, task, seen):
        """Notes what the agent's memory holds, and whether the work goes back or skips."""
        kept = known.kept(task)
        # Of a report the agent knows what its sub-agent's own words said.
        reported = {step for name, step, _ in needles_in(known.text) if name == "part"}
        seen.update(sub_agent=known.of_sub_agent, reported=0 if known.of_sub_agent else len(reported))
        seen.update(step=known.newest, task_known=bool(known.task), needle3=3 in kept if known.newest >= 3 else None, needles=len(kept))
        before = self.ledger.get(seen["session"])
        if before is not None and known.newest < before:
            seen["repeats"] = before
        if before is not None and known.newest > before + 1:
            seen["skips"] = before
        self.ledger[seen["session"]] = known.newest

    def compaction(self, messages, seen):
        known = Known("\n".join(texts_in(messages)))
        seen.update(step=known.newest, needles=len(known.kept(known.task or self.settings.task)))
        if any(isinstance(item, dict) and item.get("type") == "compaction_trigger" for item in messages):
            return Answer(None, None, None, sealed(known.summary()))
        if "<analysis>" in last_words(messages):
            text = f"<analysis>\nThe files were read in order.\n</analysis>\n\n<summary>\n{known.summary()}\n</summary>"
            return Answer(None, text, None, None)
        return Answer(None, known.summary(), None, None)


def wants_thoughts(body):
    thinking = (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")
    return thinking or bool(body.get("reasoning")) or "reasoning.encrypted_content" in (body.get("include") or [])


def record_for_anchord(asked):
    """The answer of the model that writes summaries for anchord: what changes in the record (docs/models.md). It tells each
    needle of the messages that it is asked about, once, with the number of the message that names it."""
    data = re.findall(r'<data-\w+ kind="(\w+)"(?: seq="(\d+)")?[^>]*>\n(.*?)\n</data-', asked, re.DOTALL)
    told = {(name, step) for kind, _, text in data if kind == "record" for name, step, _ in needles_in(text)}
    new, newest, last = [], 0, 0
    for kind, seq, text in data:
        if kind != "message":
            continue
        known, last = Known(text), int(seq)
        newest = max(newest, known.newest)
        for name, step, word in needles_in(text):
            if (name, step) not in told:
                told.add((name, step))
                new.append({"section": "findings", "name": "", "text": f"The needle of {name} {step} is {word}", "seqs": [last]})
    state = f"The files up to step {newest} are read; the one that follows is next." if newest else ""
    return {"intent": "", "state": state, "seqs": [last] if newest else [], "add": new, "append": [], "update": [], "close": []}


# ---- the server -----------------------------------------------------------------------------------------------------

SESSION_HEADERS = ("x-claude-code-session-id", "session-id", "session_id", "x-session-id")


def canonical(body):
    """What a provider's cache sees, in its order: tools, system prompt, messages, without the marks that only steer it."""
    parts = [body.get("tools"), body.get("system") or body.get("instructions"), body.get("messages") or body.get("input")]
    text = json.dumps(parts, separators=(",", ":"))
    return re.sub(r',"cache_control":\{[^}]*\}', "", text)


def common_prefix(one, other):
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def conversation(headers):
    """The conversation that a request belongs to, by the agent's own headers; a sub-agent's is another than its parent's."""
    session = next((headers[name] for name in SESSION_HEADERS if headers.get(name)), "-")
    agent = headers.get("x-claude-code-agent-id") or headers.get("x-codex-parent-thread-id") and headers["thread-id"]
    return f"{session}/{agent}" if agent else session


class Log:
    """Every request, in order: a line of requests.jsonl and its body as it came."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "bodies").mkdir(parents=True, exist_ok=True)
        self.lines = open(self.folder / "requests.jsonl", "a")
        self.lock = threading.Lock()
        self.count = 0
        self.before = {}

    def opened(self, raw):
        with self.lock:
            self.count += 1
            number = self.count
        (self.folder / "bodies" / f"{number:04}.json").write_bytes(raw)
        return number

    def cached(self, session, text):
        """How much of a request its session's last one began with."""
        with self.lock:
            before, self.before[session] = self.before.get(session, ""), text
        return common_prefix(before, text)

    def write(self, seen):
        with self.lock:
            self.lines.write(json.dumps(seen) + "\n")
            self.lines.flush()


def decoded(raw, encoding):
    if encoding == "gzip":
        return gzip.decompress(raw)
    if encoding == "zstd":
        return subprocess.run(["zstd", "-dc"], input=raw, capture_output=True, check=True).stdout
    return raw


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model
    log: Log
    settings: argparse.Namespace

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.seen = self.open(b"")
        self.answer(200, b"")

    def do_GET(self):
        self.seen = self.open(b"")
        if self.headers.get("upgrade"):
            return self.answer(426, b"")
        self.answer(200, b'{"object":"list","data":[],"models":[]}')

    def do_POST(self):
        raw = self.body()
        seen = self.seen = self.open(raw)
        try:
            body = json.loads(decoded(raw, self.headers.get("content-encoding")))
        except ValueError:
            return self.refuse(Refused("The body is not JSON."))
        path = self.path.split("?")[0]
        if path.startswith("/summary/"):
            return self.summary_model(path, body)
        wire = next((name for name in ("messages", "chat/completions", "responses") if path.endswith("/" + name)), None)
        if path.endswith("/count_tokens"):
            seen["kind"] = "count_tokens"
            return self.answer(200, json.dumps({"input_tokens": self.tokens(raw)}).encode())
        if wire is None:
            return self.answer(404, b'{"error":{"type":"not_found_error","message":"Not found"}}')
        self.model_answers(wire, body, raw, seen)

    def model_answers(self, wire, body, raw, seen):
        messages = body.get("messages") or body.get("input") or []
        messages = messages if isinstance(messages, list) else [{"role": "user", "content": messages}]
        kind = seen["kind"] = kind_of(body, self.headers, messages)
        text = canonical(body)
        cached = self.log.cached(f"{seen['session']} {kind == 'aside'}", text)
        seen.update(stream=body.get("stream", False), messages=len(messages), cached=cached, canonical=len(text), tokens=self.tokens(raw))
        try:
            {"messages": check_messages, "chat/completions": check_chat, "responses": check_responses}[wire](body)
            if seen["tokens"] > self.settings.window:
                long = f"prompt is too long: {seen['tokens']} tokens > {self.settings.window} maximum"
                raise Refused(long, "context_length_exceeded")
        except Refused as refused:
            return self.refuse(refused, wire)
        if kind == "turn":
            answer = self.model.turn(body, messages, seen)
        elif kind == "compaction":
            answer = self.model.compaction(messages, seen)
        else:
            answer = Answer(None, "Reading files in order", None, None)
        read = int(seen["tokens"] * cached / max(len(text), 1))
        say = {"messages": self.say_messages, "chat/completions": self.say_chat, "responses": self.say_responses}[wire]
        say(body, answer, seen["tokens"], read)

    # -- the three wires

    def say_messages(self, body, answer, tokens, read):
        usage = {"input_tokens": tokens - read, "cache_creation_input_tokens": 0, "cache_read_input_tokens": read, "output_tokens": 40}
        message = anthropic_message(body, answer, usage)
        if not body.get("stream"):
            return self.answer(200, json.dumps(message).encode())
        self.stream(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in anthropic_events(message))

    def say_chat(self, body, answer, tokens, read):
        usage = {"prompt_tokens": tokens, "completion_tokens": 40, "total_tokens": tokens + 40}
        usage["prompt_tokens_details"] = {"cached_tokens": read}
        message = chat_message(answer)
        head = {"id": f"chatcmpl-{IDS.next():06}", "created": int(time.time()), "model": body["model"]}
        stop = "tool_calls" if answer.call else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": stop}
            return self.answer(200, json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}).encode())
        chunk = {**head, "object": "chat.completion.chunk"}
        chunks = [{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in chat_chunks(message)]
        chunks.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            chunks.append({**chunk, "choices": [], "usage": usage})
        self.stream([*(f"data: {json.dumps(each)}\n\n" for each in chunks), "data: [DONE]\n\n"])

    def say_responses(self, body, answer, tokens, read):
        usage = {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": read}, "output_tokens": 40}
        usage |= {"output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 40}
        head = {"id": f"resp_{IDS.next():06}", "object": "response", "created_at": int(time.time()), "model": body["model"]}
        response = {**head, "status": "completed", "output": response_items(answer), "usage": usage}
        if not body.get("stream"):
            return self.answer(200, json.dumps(response).encode())
        events = enumerate(response_events(response))
        self.stream(f"event: {name}\ndata: {json.dumps({'type': name, 'sequence_number': n, **data})}\n\n" for n, (name, data) in events)

    def summary_model(self, path, body):
        asked = "\n".join(texts_in([body.get("system"), body["messages"]]))
        self.seen["kind"] = "summary-model"
        said = json.dumps(record_for_anchord(asked))
        if path.endswith("/messages"):
            usage = {"input_tokens": len(asked) // 4, "output_tokens": len(said) // 4}
            block = {"type": "tool_use", "id": "toolu_record", "name": "record", "input": json.loads(said)}
            return self.answer(200, json.dumps({"content": [block], "stop_reason": "end_turn", "usage": usage}).encode())
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
        usage = {"prompt_tokens": len(asked) // 4, "completion_tokens": len(said) // 4, "total_tokens": (len(asked) + len(said)) // 4}
        answer = {"id": "s", "object": "chat.completion", "model": body["model"], "choices": [choice], "usage": usage}
        self.answer(200, json.dumps(answer).encode())

    # -- bytes

    def tokens(self, raw):
        """An estimate, scaled so that the agent finds its window full as often as the test wants."""
        return int(len(decoded(raw, self.headers.get("content-encoding"))) / 4 * self.settings.scale)

    def body(self):
        if (self.headers.get("transfer-encoding") or "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        raw = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            raw += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return raw

    def open(self, raw):
        number = self.log.opened(raw)
        return {
            "n": number,
            "at": time.time(),
            "method": self.command,
            "path": self.path,
            "headers": self.headers.items(),
            "sha256": hashlib.sha256(raw).hexdigest(),
            "bytes": len(raw),
            "session": conversation(self.headers),
        }

    def refuse(self, refused, wire=None):
        self.seen["refused"] = str(refused)
        if wire == "messages":
            problem = {"type": "error", "error": {"type": "invalid_request_error", "message": str(refused)}, "request_id": "req_1"}
        else:
            problem = {"error": {"message": str(refused), "type": "invalid_request_error", "param": None, "code": refused.code}}
        self.answer(400, json.dumps(problem).encode())

    def answer(self, status, raw):
        self.seen["first_byte"] = time.time() - self.seen["at"]
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)
        self.done(status, raw)

    def stream(self, events):
        self.seen["first_byte"] = time.time() - self.seen["at"]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        sent = b""
        for event in events:
            raw = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
            sent += raw
        self.wfile.write(b"0\r\n\r\n")
        self.done(200, sent)

    def done(self, status, raw):
        self.seen.update(status=status, answer_sha256=hashlib.sha256(raw).hexdigest(), seconds=time.time() - self.seen["at"])
        (self.log.folder / "bodies" / f"{self.seen['n']:04}.answer").write_bytes(raw)
        self.log.write(self.seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--log", required=True, help="folder of the log")
    parser.add_argument("--scale", type=float, default=1.0, help="tokens reported for four bytes")
    parser.add_argument("--window", type=int, default=200_000, help="tokens beyond which requests are refused")
    parser.add_argument("--task", default="t-000000", help="the task, for requests that have lost it")
    parser.add_argument("--steps", type=int, default=60, help="its steps, for requests that have lost them")
    parser.add_argument("--sub-agents", type=int, default=0, help="how many sub-agents it starts on the way")
    settings = parser.parse_args()
    Handler.settings, Handler.model, Handler.log = settings, Model(settings), Log(settings.log)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", settings.port), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()
