#!/usr/bin/env python3
"""Runs a real coding agent through the gateway, against a provider that plays a task, and tells what came of it.

    run.py AGENT [--direct] [--turns 60] [--log FOLDER]

Everything runs in a network namespace that has the loopback interface alone.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import provider  # noqa: E402
import tap  # noqa: E402

ROOT = HERE.parent.parent
PROVIDER, TAP, SERVICE = 9000, 9001, 9002
KEY = "key-of-the-acceptance-test-of-agents"
AGENTS = pathlib.Path(os.environ.get("AGENTS", ROOT / "target/agents"))

# ---- the namespace --------------------------------------------------------------------------------------------------


def alone():
    """Starts this program again where there is no network but the loopback interface; agents call home."""
    names = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
    if names == ["lo"]:
        return
    if os.environ.get("ANCHORD_ALONE"):
        sys.exit(f"There is more than the loopback interface: {names}")
    # As root a namespace for users would hide the user that Postgres needs.
    flags = "-n" if os.geteuid() == 0 else "-rn"
    inner = 'ip link set lo up && exec "$@"'
    words = ["unshare", flags, "--kill-child", "sh", "-c", inner, "sh", sys.executable, *sys.argv]
    os.execvpe("unshare", words, {**os.environ, "ANCHORD_ALONE": "1"})


# ---- the agents -----------------------------------------------------------------------------------------------------


class Agent:
    """How an agent is started. With files of `size` bytes it compacts about three times in 60 steps."""

    wire = "openai"
    size = 9000

    def __init__(self, home, work, headers=()):
        # `headers` are what the agent is told to send besides its own.
        self.home, self.work, self.headers = home, work, dict(headers)

    def environment(self, base):
        return {}


class Claude(Agent):
    wire = "anthropic"
    size = 9_500

    def environment(self, base):
        return {
            "CLAUDE_CONFIG_DIR": f"{self.home}/.claude",
            "ANTHROPIC_BASE_URL": base,
            "ANTHROPIC_API_KEY": "sk-ant-of-the-provider",
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "ANTHROPIC_CUSTOM_HEADERS": "\n".join(f"{name}: {value}" for name, value in self.headers.items()),
            # It refuses to run commands unasked as root, but for a sandbox, which this is.
            "IS_SANDBOX": "1",
        }

    def command(self, base, prompt):
        program = AGENTS / "node_modules/.bin/claude"
        return [program, "-p", prompt, "--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose"]


class Codex(Agent):
    name = "somebody"
    size = 11_000

    def command(self, base, prompt):
        folder = pathlib.Path(self.home, ".codex")
        folder.mkdir()
        (folder / "config.toml").write_text(
            f"""
model = "gpt-5.1-codex"
model_provider = "it"
model_context_window = 75000
model_auto_compact_token_limit = 55000
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.it]
name = "{self.name}"
base_url = "{base}/v1"
env_key = "KEY_OF_THE_PROVIDER"
wire_api = "responses"
http_headers = {{ {", ".join(f'"{name}" = "{value}"' for name, value in self.headers.items())} }}
"""
        )
        program = AGENTS / "node_modules/.bin/codex"
        return [program, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json", prompt]

    def environment(self, base):
        return {"CODEX_HOME": f"{self.home}/.codex", "KEY_OF_THE_PROVIDER": "sk-of-the-provider"}


class CodexOpenai(Codex):
    """With a provider of this name Codex asks for an opaque item instead of a text."""

    name = "OpenAI"


class Opencode(Agent):
    npm = "@ai-sdk/openai-compatible"

    def command(self, base, prompt):
        limit = {"context": 60_000, "output": 8_000}
        models = {"model": {"name": "model", "limit": limit, "tool_call": True}}
        options = {"baseURL": f"{base}/v1", "apiKey": "sk-of-the-provider", "headers": self.headers}
        it = {"npm": self.npm, "name": "It", "options": options, "models": models}
        config = {"provider": {"it": it}, "model": "it/model", "autoupdate": False, "share": "disabled", "permission": {"bash": "allow"}}
        pathlib.Path(self.work, "opencode.json").write_text(json.dumps(config))
        return [AGENTS / "node_modules/.bin/opencode", "run", "--print-logs", prompt]

    def environment(self, base):
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


class OpencodeMessages(Opencode):
    """The same agent on Anthropic's wire."""

    wire = "anthropic"
    npm = "@ai-sdk/anthropic"


class OpencodeResponses(Opencode):
    """The same agent on OpenAI's responses."""

    npm = "@ai-sdk/openai"


class Mini(Agent):
    """mini-swe-agent, which never compacts."""

    def command(self, base, prompt):
        program = AGENTS / "venv/bin/mini"
        options = ["-c", "mini.yaml", "-c", f"model.model_kwargs.api_base={base}/v1", "-c", "agent.mode=yolo"]
        for name, value in self.headers.items():
            options += ["-c", f"model.model_kwargs.extra_headers.{name}={value}"]
        return [program, "-t", prompt, "-y", "--exit-immediately", "-m", "openai/model", *options, "-o", f"{self.home}/trajectory.json"]

    def environment(self, base):
        return {
            "OPENAI_API_KEY": "sk-of-the-provider",
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_GLOBAL_CONFIG_DIR": f"{self.home}/mini",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }


KINDS = {
    "claude": Claude,
    "codex": Codex,
    "codex-openai": CodexOpenai,
    "opencode": Opencode,
    "opencode-messages": OpencodeMessages,
    "opencode-responses": OpencodeResponses,
    "mini": Mini,
}

# ---- the run --------------------------------------------------------------------------------------------------------


def until(what, process, probe, seconds=60):
    """Waits for a program that answers."""
    end = time.time() + seconds
    while time.time() < end and process.poll() is None:
        try:
            return probe()
        except (OSError, ValueError):
            time.sleep(0.1)
    sys.exit(f"{what} did not come up; see the logs")


def call(method, path, body=None):
    headers = {"x-api-key": KEY, "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{SERVICE}{path}", method=method, headers=headers, data=data)
    return json.load(urllib.request.urlopen(request, timeout=30))


def get(path):
    return call("GET", path)


def pages(path, **query):
    """Every item of a list."""
    items, cursor = [], ""
    while cursor is not None:
        page = get(f"{path}?" + urllib.parse.urlencode({"limit": 100, **query, **({"cursor": cursor} if cursor else {})}))
        items += page["items"]
        cursor = page["next_cursor"]
    return items


class Started:
    """Programs that end with the run."""

    def __init__(self, log):
        self.log, self.all = log, []

    def start(self, name, words, environment):
        out = open(self.log / f"{name}.log", "w")
        # A group of its own, so that what it started ends with it.
        streams = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": out}
        process = subprocess.Popen([*map(str, words)], env=environment, start_new_session=True, **streams)
        self.all.append(process)
        return process

    def stop(self):
        for process in reversed(self.all):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)


def path_with_postgres():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return os.pathsep.join([*map(str, found), os.environ.get("PATH", "/usr/bin:/bin")])


def start_service(started, settings, data):
    upstream = f"http://127.0.0.1:{PROVIDER}"
    environment = {
        "PATH": path_with_postgres(),
        "ANCHORD_LISTEN": f"127.0.0.1:{SERVICE}",
        "ANCHORD_DATA_DIR": str(data),
        "ANCHORD_API_KEY": KEY,
        "ANCHORD_GATEWAY_ANTHROPIC": upstream,
        "ANCHORD_GATEWAY_OPENAI": upstream,
        "RUST_LOG": "info",
    }
    if settings.answers:
        environment["ANCHORD_GATEWAY_ANSWERS"] = settings.answers
    if settings.unkept:
        environment["ANCHORD_GATEWAY_UNKEPT"] = settings.unkept
    if not settings.no_model:
        environment |= {
            "ANCHORD_LLM_PROVIDER": "openai",
            "ANCHORD_LLM_BASE_URL": f"{upstream}/summary/v1",
            "ANCHORD_LLM_API_KEY": "sk-of-the-summary-model",
            "ANCHORD_LLM_MODEL": "summary-model",
        }
    service = started.start("service", [settings.anchord, "serve"], environment)
    until("The service", service, lambda: get("/v1/sessions"))
    if settings.assemble:
        # The model of the test has a name that nobody knows, so that the tenant's window counts.
        call("PATCH", "/v1/settings", {"context_window": settings.window})


def run(settings):
    log = pathlib.Path(settings.log or tempfile.mkdtemp(prefix=f"agents-{settings.agent}-")).resolve()
    log.mkdir(parents=True, exist_ok=True)
    # Everything that the agent may write stands in here.
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="agents-"))
    scratch.chmod(0o711)
    home, work, data = (scratch / name for name in ("home", "work", "data"))
    for folder in (home, work, data):
        folder.mkdir()
    data.chmod(0o711)
    agent = KINDS[settings.agent](home, work, {"X-Anchord-Key": KEY} if settings.key == "header" else {})
    size = settings.size or agent.size
    task = f"t-{os.urandom(3).hex()}"
    for step in range(1, settings.turns + 1):
        (work / f"file{step}.txt").write_text(provider.file_of(task, step, settings.turns, size))
    pieces = provider.sub_total(settings.turns) if settings.sub_agents else 0
    for step in range(1, pieces + 1):
        (work / f"piece{step}.txt").write_text(provider.file_of("s", step, pieces, size))

    started = Started(log)
    try:
        plain = {"PATH": os.environ["PATH"]}
        words = ["--port", PROVIDER, "--log", log / "provider", "--scale", settings.scale, "--task", task, "--steps", settings.turns]
        words += ["--sub-agents", settings.sub_agents]
        upstream = started.start("provider", [sys.executable, "-B", HERE / "provider.py", *words], plain)
        until("The provider", upstream, lambda: urllib.request.urlopen(f"http://127.0.0.1:{PROVIDER}/up", timeout=5).read())
        prefix = ""
        if not settings.direct:
            start_service(started, settings, data)
            key = f"/key/{KEY}" if settings.key == "path" else ""
            prefix = f"/gateway{key}{'/assemble' if settings.assemble else ''}/{agent.wire}"
        tap.Tap(TAP, PROVIDER if settings.direct else SERVICE, log / "agent")
        base = f"http://127.0.0.1:{TAP}{prefix}"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_DATA_HOME": f"{home}/.data",
            "XDG_CACHE_HOME": f"{home}/.cache",
            "XDG_STATE_HOME": f"{home}/.state",
            "TMPDIR": str(scratch),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **agent.environment(base),
        }
        begun = time.time()
        # The agent works in its folder; the words of its command name no relative path.
        words = ["env", "-C", work, *agent.command(base, provider.prompt(task, settings.turns))]
        process = started.start("agent.out", words, environment)
        try:
            code = process.wait(settings.timeout)
        except subprocess.TimeoutExpired:
            code = "timeout"
        # What is kept beside the stream may still be on its way.
        time.sleep(0 if settings.direct else 3)
        report = Report(log, settings, prefix, task)
        report.add("agent ended with", f"{code} after {time.time() - begun:.0f} s")
        report.make()
        report.slim()
        return report
    finally:
        started.stop()
        if settings.keep:
            print("kept:", scratch)
        else:
            shutil.rmtree(scratch, ignore_errors=True)


# ---- the report -----------------------------------------------------------------------------------------------------


def calls_in(message):
    """The calls and the results that a message has, by the ids of the calls."""
    if message.get("type") in provider.CALLS:
        return [message["call_id"]], []
    if message.get("type") in provider.CALLS.values():
        return [], [message["call_id"]]
    blocks = provider.blocks_of(message.get("content"))
    calls = [call["id"] for call in message.get("tool_calls") or []] + [block["id"] for block in blocks if block.get("type") == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"]
    return calls, results + ([message["tool_call_id"]] if message.get("role") == "tool" else [])


def plain(message):
    """A message without what differs from request to request and means nothing: marks of the cache, a lone text's form."""
    if isinstance(message.get("content"), str):
        message = {**message, "content": [{"type": "text", "text": message["content"]}]}
    text = json.dumps(message, sort_keys=True)
    return re.sub(r'"cache_control": \{[^}]*\}, ', "", text)


def lines(path):
    return [json.loads(line) for line in open(path)] if path.exists() else []


class Report:
    def __init__(self, log, settings, prefix, task):
        self.log, self.settings, self.prefix, self.task = log, settings, prefix, task
        self.rows, self.failures = [], []
        self.sent = lines(log / "agent" / "requests.jsonl")
        got = [seen for seen in lines(log / "provider" / "requests.jsonl") if seen["path"] != "/up"]
        self.got = sorted((seen for seen in got if not seen["path"].startswith("/summary/")), key=lambda seen: seen["n"])
        self.sent.sort(key=lambda seen: seen["n"])
        self.summaries = [seen for seen in got if seen["path"].startswith("/summary/")]

    def add(self, name, value, good=True):
        self.rows.append((name, value))
        if not good:
            self.failures.append(name)

    def pairs(self):
        """Which request of the agent became which one of the provider: by body and path, and what is left by order."""
        left = list(self.got)
        pairs, open_ = [], []
        for sent in self.sent:
            twin = next((got for got in left if got["sha256"] == sent["sha256"] and self.path(sent) == got["path"]), None)
            if twin:
                left.remove(twin)
                pairs.append((sent, twin))
            else:
                open_.append(sent)
        answered = []
        for sent in open_:
            # The gateway's own answers reach no provider; a changed request reaches it soon after it was sent.
            like = [got for got in left if self.path(sent) == got["path"] and self.conversation(sent) == got["session"]]
            twin = next((got for got in like if 0 <= got["at"] - sent["at"] <= sent["seconds"]), None)
            if twin:
                left.remove(twin)
                pairs.append((sent, twin))
            else:
                answered.append(sent)
        return pairs, answered, left

    def conversation(self, sent):
        return provider.conversation({name.lower(): value for name, value in sent["headers"]})

    def path(self, sent):
        return sent["path"].removeprefix(self.prefix)

    def body(self, side, seen):
        folder = {"agent": self.log / "agent", "provider": self.log / "provider" / "bodies"}[side]
        return (folder / f"{seen['n']:04}.json").read_bytes()

    def make(self):
        every = [seen for seen in self.got if seen.get("kind") == "turn" and seen.get("status") == 200]
        turns = [seen for seen in every if not seen["sub_agent"]]
        final = [seen for seen in turns if seen.get("final")]
        done = max((seen["step"] for seen in turns), default=0)
        self.add("steps done", f"{done} of {self.settings.turns}", done == self.settings.turns)
        if self.settings.sub_agents:
            self.sub_agents([seen for seen in every if seen["sub_agent"]])
            reported = [seen["reported"] for seen in turns] or [0]
            known = self.settings.direct or self.settings.no_model or reported[-1]
            self.add("needles of their reports", f"{max(reported)}, in the last turn {reported[-1]}", max(reported) > 0 and known)
        self.add("requests of the agent", len(self.sent))
        kinds = collections.Counter(seen.get("kind", seen["method"]) for seen in self.got)
        self.add("requests at the provider", ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
        pairs, answered, strangers = self.pairs()
        self.compactions(pairs, answered)
        changed, documented = [], 0
        for sent, got in pairs:
            difference = self.difference(sent, got)
            if difference and set(difference) <= {"body", "headers content-length"} and self.is_documented(sent):
                documented += 1
            elif difference:
                changed.append((sent["n"], got["n"], difference))
        self.add("requests changed", len(changed), not changed)
        for sent, got, difference in changed[:5]:
            self.add(f"  agent's {sent} = provider's {got}", "; ".join(difference))
        self.add("requests changed as documented", documented)
        self.add("requests that no agent sent", len(strangers), not strangers)
        if not self.settings.direct:
            told = [(got["n"], json.dumps([got["path"], got["headers"]])) for got in self.got]
            leaks = [number for number, text in told if KEY in text or "x-anchord" in text.lower()]
            self.add("anchord's own at the provider", f"{len(leaks)} {leaks[:5] or ''}", not leaks)
        answers = [(sent, got) for sent, got in pairs if sent["answer_sha256"] != got.get("answer_sha256") and "broken" not in sent]
        # Without a model the gateway appends to the summaries of others.
        appended = [sent["n"] for sent, got in answers if self.settings.no_model and got.get("kind") == "compaction"]
        answers = [sent["n"] for sent, _ in answers if sent["n"] not in appended]
        self.add("answers changed", f"{len(answers)} {answers[:5] or ''}", not answers)
        self.add("answers appended to", len(appended))
        refused = [(seen["n"], seen["refused"]) for seen in self.got if seen.get("refused")]
        self.add("refused by the provider", len(refused), not refused)
        for number, why in refused[:5]:
            self.add(f"  provider's {number}", why)
        self.add("went back (memory lost)", sum("repeats" in seen for seen in turns), not any("repeats" in seen for seen in turns))
        self.add("skipped", sum("skips" in seen for seen in turns))
        self.add("task forgotten in", f"{sum(not seen['task_known'] for seen in turns)} turns")
        kept = bool(final) and final[-1]["needle3"]
        # Code alone does not know that the needles matter.
        self.add("needle of step 3 kept", "yes" if kept else "no", kept or self.settings.direct or self.settings.no_model)
        self.add("needles in the last turn", f"{turns[-1]['needles'] if turns else 0} of {done}")
        bytes_, cached = sum(seen["canonical"] for seen in turns), sum(seen["cached"] for seen in turns)
        self.add("cache share", f"{cached / max(bytes_, 1):.3f} of {bytes_:,} bytes")
        added = sorted(sent["first_byte"] - got["first_byte"] for sent, got in pairs if "first_byte" in sent and "first_byte" in got)
        if added:
            self.add("added until the first byte", f"median {added[len(added) // 2] * 1000:.1f} ms, most {added[-1] * 1000:.1f} ms")
        self.add("largest request of a turn", f"{max((seen['bytes'] for seen in turns), default=0):,} bytes at the provider")
        if not self.settings.direct:
            self.stored()
            kept_not = collections.Counter(self.header(sent, "x-anchord-not-kept") for sent in self.sent)
            del kept_not[None]
            self.add("not kept", ", ".join(f"{count} {why}" for why, count in kept_not.items()) or "none")
            problems = collections.Counter(self.header(sent, "x-anchord-problem") for sent in self.sent)
            del problems[None]
            self.add("problems of the gateway", ", ".join(f"{count} {kind}" for kind, count in problems.items()) or "none", not problems)
            self.add("calls of the summary model", len(self.summaries))

    def header(self, sent, name):
        return next((value for key, value in sent.get("answer_headers", []) if key.lower() == name), None)

    def compactions(self, pairs, answered):
        by_provider = [(sent, got) for sent, got in pairs if got.get("kind") == "compaction"]
        by_gateway = [sent for sent in answered if sent.get("status") == 200]
        self.add("compactions", len(by_provider) + len(by_gateway))
        own = self.settings.direct or self.settings.assemble or self.settings.no_model
        self.add("  answered by the provider", len(by_provider), own or not by_provider)
        self.add("  answered by the gateway", len(by_gateway))
        for sent in [*(sent for sent, _ in by_provider), *by_gateway]:
            sizes = f"{sent['bytes']:,} bytes, answer of {self.size_of_answer(sent):,} bytes"
            self.add(f"  agent's {sent['n']}", f"{sent['seconds']:.3f} s, {sizes}")
        failed = [sent for sent in answered if sent.get("status") != 200]
        self.add("failed at the gateway", len(failed), not failed)
        for sent in failed[:5]:
            self.add(f"  agent's {sent['n']}", f"{sent.get('status')} {sent['path']} {sent.get('broken', '')}")

    def sub_agents(self, turns):
        """How far each sub-agent came, by the conversations that the agent's headers tell apart."""
        total = provider.sub_total(self.settings.turns)
        done = collections.Counter()
        for seen in turns:
            done[seen["session"]] = max(done[seen["session"]], seen["step"])
        self.add("sub-agents", len(done), len(done) == self.settings.sub_agents)
        for name, step in done.items():
            self.add(f"  {name[-40:]}", f"steps done {step} of {total}", step == total)
            back = [seen["n"] for seen in turns if seen["session"] == name and "repeats" in seen]
            self.add(f"  {name[-40:]} went back", f"{len(back)} {back[:5]}", not back)

    def size_of_answer(self, sent):
        return (self.log / "agent" / f"{sent['n']:04}.answer").stat().st_size

    def difference(self, sent, got):
        difference = []
        if sent["method"] != got["method"]:
            difference.append("method")
        if self.path(sent) != got["path"]:
            difference.append(f"path {got['path']}")
        one, other = tap.comparable(sent["headers"]), tap.comparable(got["headers"])
        if one != other:
            difference.append("headers " + ", ".join(sorted({name for name, _ in set(map(tuple, one)) ^ set(map(tuple, other))})))
        if sent["sha256"] != got["sha256"]:
            difference.append("body")
        return difference

    def is_documented(self, sent):
        """An opaque item of the gateway's is replaced by its text, and /assemble replaces the list."""
        return self.settings.assemble or b'"anchord:' in self.decoded(sent)

    def decoded(self, sent):
        """The body of a request of the agent's, as JSON has it."""
        encoding = next((value for name, value in sent["headers"] if name.lower() == "content-encoding"), None)
        return provider.decoded(self.body("agent", sent), encoding)

    def stored(self):
        """What anchord has of the sessions, beside what the agent sent and was answered."""
        sessions = pages("/v1/sessions")
        self.belonging(sessions)
        calls, results, messages, bare = collections.Counter(), collections.Counter(), 0, set()
        for session in sessions:
            name = session["session_id"]
            branches = [branch["name"] for branch in pages(f"/v1/sessions/{name}/branches")]
            stored = {branch: pages(f"/v1/sessions/{name}/messages", branch=branch) for branch in branches}
            (self.log / f"stored-{name[:40]}.json").write_text(json.dumps(stored, indent=1))
            count = ", ".join(f"{branch} {len(messages)}" for branch, messages in stored.items())
            self.add(f"session {name[:40]}", f"messages of its branches: {count}", len(branches) == 1)
            # The longest has to have all: what stands on another branch alone, the agent's context does not get.
            for message in max(stored.values(), key=len, default=[]):
                said, got = calls_in(message["message"])
                calls.update(said)
                results.update(got)
                bare.add(plain(message["message"]))
                messages += 1
        self.add("sessions", len(sessions))
        sent_calls, sent_results, sent_bare = set(), set(), set()
        turns = {sent["n"] for sent, got in self.pairs()[0] if got.get("kind") == "turn"}
        for sent in self.sent:
            if not sent["bytes"]:
                continue
            body = json.loads(self.decoded(sent))
            for message in body.get("messages") or body.get("input"):
                # What ran just before a compaction stands in no turn's list, only in that of the compaction.
                said, got = calls_in(message)
                sent_calls.update(said)
                sent_results.update(got)
                if sent["n"] in turns and message.get("role") not in ("system", "developer"):
                    sent_bare.add(plain(message))
        for what, there, wanted in (("calls", calls, sent_calls), ("results", results, sent_results)):
            missing, twice = sorted(wanted - set(there)), [call for call, count in there.items() if count > 1]
            good = not missing and not twice
            self.add(f"{what} stored", f"{len(wanted & set(there))} of {len(wanted)}, missing {missing[:5]}, twice {twice[:5]}", good)
        self.add("messages stored", messages)
        self.add("  sent, but not stored as they are", len(sent_bare - bare))
        self.add("  stored, but not sent as they are", len(bare - sent_bare))
        (self.log / "not-stored.jsonl").write_text("\n".join(sorted(sent_bare - bare)))
        (self.log / "not-sent.jsonl").write_text("\n".join(sorted(bare - sent_bare)))

    def belonging(self, sessions):
        """Whether each conversation of the agent's is one session, a sub-agent's names its parent, and none has another's calls."""
        parents = {session["session_id"]: session["parent_session_id"] for session in sessions}
        named, said = collections.defaultdict(set), collections.defaultdict(set)
        for sent in self.sent:
            name = self.header(sent, "x-anchord-session")
            if not name or self.header(sent, "x-anchord-not-kept"):
                continue
            named[self.conversation(sent)].add(name)
            body = json.loads(self.decoded(sent))
            for message in body.get("messages") or body.get("input"):
                said[name].update(calls_in(message)[0])
        if named.keys() != {"-"}:
            mixed = [conversation for conversation, names in named.items() if len(names) > 1]
            self.add("conversations of several sessions", f"{len(mixed)} {mixed[:5]}", not mixed and len(named) == len(sessions))
        main = [name for name, parent in parents.items() if parent is None]
        children = [name for name, parent in parents.items() if parent in main]
        self.add("sessions that name the parent", len(children), len(main) == 1 and len(children) == self.settings.sub_agents)
        for name in parents:
            stored = pages(f"/v1/sessions/{name}/messages")
            there = {call for message in stored for call in calls_in(message["message"])[0]}
            # The last call may never be sent back.
            others = set().union(*(calls for session, calls in said.items() if session != name))
            strange, missing = sorted(there & others - said[name]), sorted(said[name] - there)
            whole = f"calls {len(there & said[name])} of {len(said[name])}, of others {strange[:5]}, missing {missing[:5]}"
            self.add(f"  {name[:60]}", whole, not strange and not missing)
            if name in main and self.settings.sub_agents:
                reported = {step for message in stored for unit, step, _ in provider.needles_in(json.dumps(message)) if unit == "part"}
                told = max((seen.get("reported", 0) for seen in self.got), default=0)
                self.add("needles of reports stored", f"{len(reported)} of {told}", len(reported) == told)

    def slim(self):
        """Most bodies are the same on both sides: one file is enough."""
        for sent, got in self.pairs()[0]:
            if sent["sha256"] == got["sha256"]:
                twin = self.log / "provider" / "bodies" / f"{got['n']:04}.json"
                twin.unlink()
                twin.hardlink_to(self.log / "agent" / f"{sent['n']:04}.json")

    def show(self):
        width = max(len(name) for name, _ in self.rows)
        for name, value in self.rows:
            print(f"{name:<{width}}  {value}{'   <-- NOT AS IT SHOULD BE' if name in self.failures else ''}")
        print("logs:", self.log)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", choices=KINDS)
    parser.add_argument("--direct", action="store_true", help="without a gateway")
    parser.add_argument("--assemble", action="store_true", help="the gateway's mode for agents that never compact")
    parser.add_argument("--answers", choices=["model", "code"], help="ANCHORD_GATEWAY_ANSWERS")
    parser.add_argument("--unkept", choices=["pass", "refuse"], help="ANCHORD_GATEWAY_UNKEPT")
    parser.add_argument("--sub-agents", type=int, default=0, help="how many sub-agents the provider has the agent start")
    parser.add_argument("--no-model", action="store_true", help="the service has no model for summaries")
    parser.add_argument("--key", choices=["none", "path", "header"], default="none", help="where anchord's key stands")
    parser.add_argument("--window", type=int, default=24_000, help="with --assemble: the model's window, in tokens")
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--scale", type=float, default=1.0, help="tokens that the provider reports for four bytes")
    parser.add_argument("--size", type=int, help="bytes of a file")
    parser.add_argument("--timeout", type=int, default=900, help="seconds")
    parser.add_argument("--log", help="folder for the logs")
    parser.add_argument("--keep", action="store_true", help="keep the agent's folders")
    parser.add_argument("--anchord", default=ROOT / "target/debug/anchord", help="the program")
    settings = parser.parse_args()
    alone()
    report = run(settings)
    report.show()
    sys.exit(1 if report.failures else 0)


if __name__ == "__main__":
    main()
