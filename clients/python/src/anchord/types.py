# Made by `just clients` from openapi/anchord.json; changes here are lost.
"""The documents that the service takes and returns, as JSON has them.

Dictionaries at run time: nothing is dropped, added or converted, and fields of a newer service are there.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, NotRequired, TypeAlias

# Pydantic reads dictionaries by their types, those of `typing` from 3.12 on.
if sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    from typing_extensions import TypedDict

AnsweredBy: TypeAlias = Literal["code", "model"]
ApiKeyScope: TypeAlias = Literal["admin", "gateway", "read", "write"]
CommandFactKind: TypeAlias = Literal["command"]
ComponentRemedy: TypeAlias = Literal["compress", "load_on_demand", "mask"]
CompressionStatus: TypeAlias = Literal[
    "cancelled", "failed", "queued", "rejected", "running", "skipped", "succeeded", "superseded"
]
ConstraintFactKind: TypeAlias = Literal["constraint"]
ConstraintMode: TypeAlias = Literal["bind", "propose"]
ConstraintSource: TypeAlias = Literal["pin", "system", "user"]
ContextComponent: TypeAlias = Literal["history", "retrieved_documents", "tool_outputs"]
ContextGetCacheControl: TypeAlias = Literal["1h", "5m"]
Degraded: TypeAlias = Literal["no_vectors", "server_invalid", "server_slow", "server_unavailable"]
Engine: TypeAlias = Literal["extractive", "llm"]
EngineChoice: TypeAlias = Literal["auto", "extractive", "llm"]
ErrorFactKind: TypeAlias = Literal["error"]
ErrorStatus: TypeAlias = Literal["investigating", "open", "resolved"]
EventType: TypeAlias = Literal[
    "compression.failed",
    "compression.skipped",
    "compression.started",
    "compression.succeeded",
    "session.branch_switched",
    "summary.published",
    "trigger.warned",
    "webhook.test",
]
ExamMode: TypeAlias = Literal["always", "off", "sampled"]
ExportLineFactKind: TypeAlias = Literal["command", "test_run"]
ExportLineKind: TypeAlias = Literal[
    "branch", "compression", "counts", "end", "evaluation", "facts", "message", "probes", "session", "version"
]
FileAction: TypeAlias = Literal["created", "deleted", "modified", "renamed"]
FileFactKind: TypeAlias = Literal["file"]
FileStatus: TypeAlias = Literal["fail", "pass", "unknown"]
GateOutcome: TypeAlias = Literal["accept", "fall_back", "reject", "repair", "skip"]
HeldBack: TypeAlias = Literal[
    "auto_is_off", "backing_off", "few_messages", "just_compressed", "nothing_to_cover", "suspended"
]
IdentifierFactKind: TypeAlias = Literal["identifier"]
JobKind: TypeAlias = Literal["compress", "evaluate", "index"]
KeepOutput: TypeAlias = Literal["always", "never"]
LedgerFileAction: TypeAlias = Literal["created", "deleted", "modified", "read", "renamed"]
LedgerListKind: TypeAlias = Literal["command", "constraint", "error", "file", "identifier", "request", "test_run"]
MaskMode: TypeAlias = Literal["auto", "off"]
MessageFormat: TypeAlias = Literal["anthropic", "openai-chat", "openai-responses"]
MessageMarkComponent: TypeAlias = Literal["retrieved_documents"]
MessagesAppendCacheControl: TypeAlias = Literal["1h", "5m"]
MessagesAppendIncludeItem: TypeAlias = Literal["format", "signals", "usage", "warnings"]
MessagesAppendReturn: TypeAlias = Literal["context"]
ModelOrigin: TypeAlias = Literal["built-in", "tenant"]
Phase: TypeAlias = Literal["implementation", "planning", "research"]
PolicyName: TypeAlias = Literal["combined", "message_count", "protocol", "utilization"]
ProbeKind: TypeAlias = Literal["artifact", "blocker", "constraint", "continuation", "decision", "recall"]
ProbeMatchKind: TypeAlias = Literal["all", "any", "ratio"]
ProbeSource: TypeAlias = Literal["caller", "exam", "generated"]
ProbeVerdict: TypeAlias = Literal["cut", "fail", "pass"]
QualityFlagLevel: TypeAlias = Literal["advisory", "caution", "red"]
QualityMetric: TypeAlias = Literal[
    "callers_probes", "critical_probes", "latency", "low_exam", "probe_pass_rate", "span_compression"
]
QuotaScope: TypeAlias = Literal["session", "tenant", "webhook"]
RecallMode: TypeAlias = Literal["hybrid", "lexical"]
RejectReason: TypeAlias = Literal["bad_id", "bad_line", "bad_path", "malformed_marker", "no_closer", "no_nonce"]
RequestFactKind: TypeAlias = Literal["request"]
RetryMeasure: TypeAlias = Literal["code", "detail", "facts", "smaller_pieces", "strategy"]
Role: TypeAlias = Literal["assistant", "developer", "system", "tool", "user"]
SessionsListIncludeItem: TypeAlias = Literal["policy", "settings"]
SignalAction: TypeAlias = Literal["advise", "compress", "evaluate", "force", "immediate", "none", "optional", "warn"]
SignalKind: TypeAlias = Literal[
    "circular_reasoning",
    "cycles",
    "growth",
    "intent_lost",
    "message_count",
    "rereading",
    "task_boundary",
    "turn_count",
    "utilization",
    "verbosity",
]
Strategy: TypeAlias = Literal["anchored", "opaque", "regenerative", "rollback", "sliding_window"]
SummariesGetCurrentStyle: TypeAlias = Literal["anchored", "opaque", "protocol", "scratch", "state", "strict"]
SummariesGetStyle: TypeAlias = Literal["anchored", "opaque", "protocol", "scratch", "state", "strict"]
SummaryForm: TypeAlias = Literal["full", "least", "reduced"]
SummarySection: TypeAlias = Literal[
    "blockers",
    "constraints",
    "current_state",
    "decisions_made",
    "errors",
    "files_modified",
    "files_read",
    "findings",
    "next_steps",
    "notes",
    "open_questions",
    "requests",
    "session_intent",
    "test_results",
    "things",
]
SyncOutcome: TypeAlias = Literal["appended", "branched", "returned", "unchanged", "went_back"]
TaskStatus: TypeAlias = Literal["abandoned", "active", "completed", "failed"]
TenantStatus: TypeAlias = Literal["active", "suspended"]
TestOutcome: TypeAlias = Literal["error", "fail", "pass", "unknown"]
TestRunFactKind: TypeAlias = Literal["test_run"]
TodoStatus: TypeAlias = Literal["completed", "in_progress", "pending"]
Tokenizer: TypeAlias = Literal["cl100k_base", "estimate", "o200k_base"]
ToolMode: TypeAlias = Literal["none", "offered"]
TranscriptSyncCacheControl: TypeAlias = Literal["1h", "5m"]
TranscriptSyncIncludeItem: TypeAlias = Literal["format", "signals", "usage", "warnings"]
UsageReportBasis: TypeAlias = Literal["given", "head", "served"]
UsageReportVerdict: TypeAlias = Literal["ignored", "too_small", "used"]
UserRequestState: TypeAlias = Literal["done", "dropped", "open", "superseded"]
Verifiability: TypeAlias = Literal["no", "partly", "yes"]
WarningCode: TypeAlias = Literal[
    "empty-user-message",
    "model-unknown",
    "output-larger-than-window",
    "requested-model-unknown",
    "tool-result-without-call",
    "window-assumed",
]
WebhookDeliveryFailure: TypeAlias = Literal["address", "connection", "secret", "status", "timeout", "tls"]
WebhookDeliveryStatus: TypeAlias = Literal["cancelled", "failed", "pending", "succeeded"]
WebhookDisabledReason: TypeAlias = Literal["caller", "failing", "gone"]
WebhookEventType: TypeAlias = Literal[
    "compression.failed",
    "compression.skipped",
    "compression.started",
    "compression.succeeded",
    "session.branch_switched",
    "summary.published",
    "trigger.warned",
]


class AddedLatency(TypedDict):
    """The time that the service adds to the agent's: from a request's arrival at its operation until its reply
    is made. Compressions run beside the agent and are not in it."""

    context_ms_per_request: float | None
    """Milliseconds for each context; null without one."""

    append_ms_per_request: float | None
    """Milliseconds for each append; null without one."""

    total_ms: float
    """Milliseconds of all of them."""

    share: float | None
    """Share of the time that the sessions were at work, from the first to the last request of each
    session and day; null when that is not known."""


class AgentNote(TypedDict):
    """A note of the agent's."""

    id: str
    """Its id, which is never used again in its session."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    text: str
    """Its text, without secrets."""

    created_at: str
    """When it was made or last replaced."""


class AgentNotes(TypedDict):
    """A session's notes, in the order in which contexts show them."""

    notes: list[AgentNote]
    """The notes."""


class ApiKey(TypedDict):
    """An API key, without the key itself."""

    id: str
    """An id that starts with `key_`."""

    name: None | str
    """Its name for people."""

    prefix: str
    """The first characters of the key, by which keys can be told apart."""

    scopes: list[str]
    """Its scopes: `read`, `write`, `admin`."""

    created_at: str
    """When it was created."""

    expires_at: None | str
    """When it ends; null for never."""

    last_used_at: None | str
    """When it was last used, to the minute; null for never."""

    revoked_at: None | str
    """When it was revoked; null when it was not."""


class ApiKeyPage(TypedDict):
    """One page of a list."""

    items: list[ApiKey]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class ApiKeyRotation(TypedDict):
    """How a key is replaced."""

    overlap_seconds: NotRequired[int | None]
    """How long the old key stays valid beside the new one, in seconds. Default 86,400 (a day)."""


class AppendRequest(TypedDict):
    """A batch of messages to append."""

    messages: list[Message]
    """The messages, oldest first, as the format writes them. Each comes back exactly as it was sent."""

    format: NotRequired[MessageFormat]
    """A conversation format, in and out."""

    model: NotRequired[None | str]
    """The model that the session talks to from now on: it becomes the session's setting `model`, from which context window,
    output reserve and tokenizer follow. The tokenizer of a session that has messages stays."""

    expected_next_seq: NotRequired[int | None]
    """The position that the first message must get; another one is 409 and nothing is stored."""

    task_boundary: NotRequired[bool]
    """Whether a task has just ended; some policies then compress."""

    marks: NotRequired[list[MessageMark]]
    """The caller's marks of single messages of the batch."""

    user: NotRequired[None | str]
    """The session's `user`, when this batch makes the session; one that is there keeps its own."""

    metadata: NotRequired[AppendRequestMetadataType0 | None]
    """The session's `metadata`, when this batch makes the session; one that is there keeps its own."""


AppendRequestMetadataType0: TypeAlias = dict[str, Any]


class AppendResult(TypedDict):
    """The result of an append, and the session's state after it."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    first_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    last_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    next_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    tokens_added: int
    """Tokens of the batch."""

    usage: BriefUsage
    """How full the context is: the figures that decide, and the rest when it is asked for."""

    decision: TriggerDecision
    """The decision from the signals, as the reply to an append says it."""

    compression: LiveCompression | None
    """The live compression; null when there is none."""

    branch: NotRequired[None | str]
    """The branch; absent when it is main."""

    format: NotRequired[MessageFormat | None]
    """The format that the messages were recognised as; only with `include=format`, and absent when the caller stated one, or they
    show none."""

    warnings: NotRequired[list[Warning_]]
    """Warnings: about the batch's messages (`tool-result-without-call`, `empty-user-message`, `output-larger-than-window` for
    each output that contexts cannot serve whole); about an assumed window only with `include=warnings`, though
    `usage.assumed` is true without it. Absent when there are none."""

    context: NotRequired[Context]
    """An assembled context."""

    context_problem: NotRequired[Problem]
    """A refusal or failure (RFC 9457). Members beyond these are documented with the operation."""


class AuditEvent(TypedDict):
    """An entry of the audit log."""

    id: str
    """An id that starts with `aud_`."""

    tenant_id: str
    """An id that starts with `ten_`."""

    actor: str
    """Who made the change: `operator`, `cli` or the id of an API key."""

    action: str
    """The action."""

    subject: str
    """The id of what it was done to."""

    created_at: str
    """When the change was made."""


class AuditEventPage(TypedDict):
    """One page of a list."""

    items: list[AuditEvent]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class Blocker(TypedDict):
    """Something that blocks progress."""

    text: str
    """What it is."""

    seqs: list[int]
    """The messages that it came from."""


Branch = TypedDict(
    "Branch",
    {
        "name": "str",
        "from": "None | str",
        "seq": "int",
        "head_seq": "int",
        "messages": "int",
        "version": "int | None",
        "is_current": "bool",
        "created_at": "str",
        "updated_at": "str",
    },
)


class BranchPage(TypedDict):
    """One page of a list."""

    items: list[Branch]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class BriefUsage(TypedDict):
    """How full the context is: the figures that decide, and the rest when it is asked for."""

    effective_utilization: float
    """`context_tokens` as a share of the effective window; at most 1."""

    context_tokens: int
    """The tokens of a default context now: beside a context its own, elsewhere as the session counts it, with
    placeholders about, and the effective window where something has to be cut to fit."""

    effective_window: int
    """Usable tokens: the window minus what anchord does not store."""

    assumed: NotRequired[bool]
    """The window is assumed, because nobody told it; absent when somebody did. `warnings` has the reason."""

    static_utilization: NotRequired[float | None]
    """`context_tokens` as a share of the context window."""

    uncompressed_messages: NotRequired[int | None]
    """Messages after the anchor, the system prompt aside."""

    calibration: NotRequired[Calibration | None]
    """How the provider counts otherwise; absent until its figures are reported."""

    components: NotRequired[ComponentTokens | None]
    """The tokens by component, before anything is cut to fit."""

    shares: NotRequired[ComponentShares | None]
    """The components as shares."""

    advice: NotRequired[list[ComponentAdvice] | None]
    """Advice about dominant components, the largest first; nothing acts on it."""


class Calibration(TypedDict):
    """The correction in force."""

    offset_tokens: int
    """Tokens of each call that the provider counts and the service does not see: a system prompt that the caller keeps,
    tool definitions. 0 until three reports about contexts of at least 4,000 tokens were taken; at most half of such a context."""

    factor: float
    """The provider's tokens for each token that the service counts. 1 until five reports about contexts of
    different sizes were taken."""

    reports: int
    """Reports whose verdict was `used`."""


class CommandFact(TypedDict):
    """A command that was run."""

    command: str
    """The command."""

    seqs: list[int]
    """The call and its result."""

    kind: CommandFactKind
    exit_code: NotRequired[int | None]
    """Its exit code, when the result says so."""

    failed: NotRequired[bool | None]
    """Whether it failed, when the result says so."""


class ComponentAdvice(TypedDict):
    """Advice about a dominant component. Nothing acts on it: only declared signals start work."""

    component: ContextComponent
    """A component that there is something to do about."""

    share: float
    """Its share, from 0 to 1."""

    action: ComponentRemedy
    """The remedy against a dominant component."""

    detail: str
    """The advice as a sentence."""


class ComponentShares(TypedDict):
    """The components as shares of all that the caller sends, from 0 to 1."""

    system: float
    """The system prompt and the pins."""

    tool_definitions: float
    """Tokens that the caller sends beside the context."""

    history: float
    """Messages, tool outputs and retrieved documents aside."""

    tool_outputs: float
    """Tool outputs, as they are served."""

    retrieved_documents: float
    """Messages that the caller marked as retrieved documents."""

    summary: float
    """The summary."""

    digest: float
    """The digest of the messages that it covers."""

    notes: float
    """The agent's notes."""


class ComponentTokens(TypedDict):
    """Tokens by component."""

    system: int
    """The system prompt, the pins, and the messages that are kept beside the summary."""

    tool_definitions: int
    """Tokens that the caller sends beside the context, as set in `system_tokens`."""

    history: int
    """Messages, tool outputs and retrieved documents aside."""

    tool_outputs: int
    """Tool outputs, as they are served."""

    retrieved_documents: int
    """Messages that the caller marked as retrieved documents."""

    summary: int
    """The summary."""

    digest: int
    """The digest of the messages that it covers."""

    notes: int
    """The agent's notes."""


class CompressedMessages(TypedDict):
    """Compressed messages."""

    format: MessageFormat
    """A conversation format, in and out."""

    messages: list[Message]
    """The messages to send to the model: system prompt, summary and the newest ones."""

    summary: None | Summary
    """The summary's record, with positions that count `messages` of the request from 1; null when there
    was nothing to compress, or no summary was smaller or held (`warnings` say why)."""

    rendering: None | str
    """The summary's text, as `messages` show it."""

    tokens_before: int
    """Tokens of the messages that came in."""

    tokens_after: int
    """Tokens of what comes back."""

    reduction: float | None
    """The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one."""

    probe_score: float | None
    """The share of the probes that passed, from 0 to 1; null without probes."""

    facts_score: float | None
    """The same of the probes that ask for facts which code found."""

    probes_asked: int
    """Probes that were judged."""

    probes_failed: int
    """Probes that failed."""

    critical_failed: int
    """Critical probes that failed."""

    strategy: Strategy
    """What a compression reads and what it makes of it."""

    pending_tool_calls: list[str]
    """Calls that wait for their results, by their ids in `messages`."""

    omitted: list[OmittedRange]
    """Messages that are neither shown in full nor covered by the summary."""

    warnings: list[str]
    """Warnings for the caller."""

    system: NotRequired[str]
    """The system prompt, where the format keeps it apart."""


class CompressedTokens(TypedDict):
    """Results of compressions: the sums of their reports."""

    tokens_before: int
    """Tokens of record and digest before each, and of the messages that it covered."""

    tokens_after: int
    """Tokens of the record and digest that it left."""

    tokens_saved: int
    """The difference: what each context after it has fewer of."""


class Compression(TypedDict):
    """One attempt to make the next summary version, or to evaluate one."""

    reduction: float | None
    """The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one."""

    id: str
    """An id that starts with `cmp_`."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    kind: JobKind
    """The work of a job."""

    status: CompressionStatus
    """How far a compression is."""

    strategy: Strategy
    """What a compression reads and what it makes of it."""

    verifiable: Verifiability
    """How far a version can be checked against the originals."""

    trigger: str
    """Its cause: `manual`, or the signal's name."""

    reason: None | str
    """The caller's reason."""

    from_seq: int | None
    """The first message of the span; null until a worker has fixed it."""

    through_seq: int | None
    """The last message of the span."""

    version: int | None
    """The version that it made or evaluated; null when there is none."""

    attempts: int
    """How many times a worker has started it."""

    flags: list[QualityFlag]
    """Figures outside their targets."""

    created_at: str
    """When it was requested."""

    started_at: None | str
    """When a worker first started it."""

    finished_at: None | str
    """When it ended."""

    strategy_used: NotRequired[None | Strategy]
    """The strategy of the last candidate: another one than was asked for when the gate fell back."""

    engine: NotRequired[Engine | None]
    """Who read the span."""

    model: NotRequired[None | str]
    """The model that read it."""

    tokens_before: NotRequired[int | None]
    """Record and digest of the version before plus the span, as contexts would serve them, in tokens."""

    tokens_after: NotRequired[int | None]
    """Record and digest of the new version, as contexts serve them, in tokens."""

    context_tokens_before: NotRequired[int | None]
    """Tokens of a default context before: `usage.context_tokens` of the session then."""

    context_tokens_after: NotRequired[int | None]
    """The same after."""

    target_met: NotRequired[bool | None]
    """Whether the context is at or below the target."""

    probe_score: NotRequired[float | None]
    """The share of the probes that passed, from 0 to 1."""

    facts_score: NotRequired[float | None]
    """The same of the probes that ask for facts which code found."""

    exam: NotRequired[ExamScores | None]
    """How a reader did in an exam that was written from the messages; null without one."""

    probes_asked: NotRequired[int]
    """The number of probes."""

    probes_failed: NotRequired[int]
    """Probes failed."""

    probes_cut: NotRequired[int]
    """Probes whose fact the rendering's bound cut."""

    critical_failed: NotRequired[int]
    """Critical probes failed."""

    callers_failed: NotRequired[int]
    """The caller's own probes that failed."""

    rubric: NotRequired[float | None]
    """The judge's overall score, 0 to 5; absent without a judge."""

    entries: NotRequired[ModelAnswerCounts | None]
    """How much of the model's answer was published, and what was not; absent when no model was asked."""

    warnings: NotRequired[list[str]]
    """Warnings for the reader."""

    gate: NotRequired[list[GateRecord]]
    """The gate's decisions, candidate by candidate."""

    error: NotRequired[CompressionError | None]
    """Why nothing was published."""

    cost: NotRequired[ModelCost]
    """Tokens and calls that the engine's LLM used."""

    timings: NotRequired[CompressionTimings]
    """The durations of the steps, in milliseconds."""


class CompressionError(TypedDict):
    """Why nothing was published."""

    type: str
    """A stable word."""

    detail: str
    """The reason in a sentence."""


class CompressionPage(TypedDict):
    """One page of a list."""

    items: list[Compression]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class CompressionTimings(TypedDict):
    """The durations of the steps, in milliseconds."""

    queued_ms: NotRequired[int]
    """From the request to the claim."""

    ledger_ms: NotRequired[int]
    """Reading the ledger."""

    engine_ms: NotRequired[int]
    """The engine's proposal and the merge."""

    probe_ms: NotRequired[int]
    """Probes, rendering and repair."""

    total_ms: NotRequired[int]
    """From the claim to the end."""


class CompressRequest(TypedDict):
    """Messages to compress."""

    messages: list[Message]
    """The messages, as their format writes them."""

    format: NotRequired[MessageFormat]
    """A conversation format, in and out."""

    target_tokens: NotRequired[int | None]
    """The most tokens of what comes back, the system prompt included; no bound without it."""

    keep: NotRequired[list[int]]
    """Messages that come back in full although the summary covers them, by their places from 0. With `target_tokens` they may
    take a tenth of it."""

    strategy: NotRequired[Strategy]
    """What a compression reads and what it makes of it."""

    engine: NotRequired[EngineChoice]
    """The engine that a session requests."""

    summary_model: NotRequired[None | str]
    """The model that writes the summary, with `engine` `llm`. Without effect for other engines."""

    tokenizer: NotRequired[Tokenizer]
    """A way to count tokens."""


class CondensedFile(TypedDict):
    """A condensed output."""

    name: str
    """The file's name."""

    content: str
    """Its condensed content."""

    original_bytes: int
    """Its bytes before."""

    condensed_bytes: int
    """Its bytes after."""

    kept: int
    """Valid findings; all of them are in `content`."""

    rejected: list[RejectedFinding]
    """Findings that are not valid, in order; they are in `content` word for word."""


class Constraint(TypedDict):
    """A requirement, verbatim."""

    id: str
    """Its id, derived from its source and text."""

    text: str
    """Its text, verbatim."""

    source: ConstraintSource
    """Where a constraint comes from."""

    seqs: list[int]
    """The messages that it came from; empty for pins."""

    speaker: NotRequired[None | str]
    """Who made it, when the message names its speaker."""

    permits: NotRequired[bool]
    """Whether it permits what an earlier one forbade, or releases from it, and demands nothing."""

    replaces: NotRequired[list[str]]
    """The texts of the earlier constraints that it replaced."""


class ConstraintFact(TypedDict):
    """The requirement, verbatim."""

    id: str
    """Its id, for `DELETE …/constraints/{id}`."""

    text: str
    """Its text, verbatim."""

    source: ConstraintSource
    """Where a constraint comes from."""

    seqs: list[int]
    """The messages that show it; empty for pins."""

    kind: ConstraintFactKind
    proposed: NotRequired[bool]
    """Whether it is only proposed: it takes effect when its text is pinned (setting `constraints`: `propose`)."""

    permits: NotRequired[bool]
    """Whether it permits what an earlier one forbade, or releases from it, and demands nothing."""

    replaces: NotRequired[list[str]]
    """The texts of the earlier constraints that it replaced."""


class Context(TypedDict):
    """An assembled context."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    format: MessageFormat
    """A conversation format, in and out."""

    summary_version: int | None
    """The summary version that it shows; null when there is none."""

    anchor_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    head_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    messages: list[Message]
    """The messages, in the format's own shape."""

    sources: list[list[int] | None]
    """Parallel to `messages`: the messages that each came from; null for what the service wrote."""

    tokens: ContextTokens
    """Tokens of a context by component."""

    max_input_tokens: int
    """The budget: the most tokens that this context may have."""

    within_budget: bool
    """Whether the budget is kept; always true."""

    pending_tool_calls: list[str]
    """Ids of calls that wait for their results, at the head."""

    context_revision: int
    """Grows with every change of pins, notes or settings."""

    masked: list[MaskedOutput]
    """Tool outputs that are served as placeholders."""

    omitted: list[OmittedRange]
    """Messages that are not served, or not in full."""

    stable_prefix: StablePrefix
    """The part of a context that stays the same until the next version or revision."""

    usage: ContextUsage
    """How full the context is, as every append and read of a session reports it."""

    branch: NotRequired[None | str]
    """The branch; absent when it is main."""

    summary_form: NotRequired[None | SummaryForm]
    """How much of it the budget holds; absent without a summary."""

    system: NotRequired[Any]
    """The system prompt, where the format keeps it apart: a text, or with `cache_control` a list of blocks."""

    warnings: NotRequired[list[Warning_]]
    """Warnings about the window, until it is told; absent when there are none."""


class ContextTokens(TypedDict):
    """Tokens of a context by component."""

    system: int
    """System prompt, pins and kept messages."""

    summary: int
    """The summary."""

    digest: int
    """The digest: shortened quotes of the messages that the summary covers."""

    notes: int
    """The agent's notes."""

    tail: int
    """Everything after them."""

    total: int
    """All of them."""


class ContextUsage(TypedDict):
    """How full the context is, as every append and read of a session reports it."""

    static_utilization: float
    """`context_tokens` as a share of the context window."""

    effective_utilization: float
    """`context_tokens` as a share of the effective window; at most 1."""

    context_tokens: int
    """The tokens of a default context now: beside a context its own, elsewhere as the session counts it, with
    placeholders about, and the effective window where something has to be cut to fit."""

    effective_window: int
    """Usable tokens: the window minus what anchord does not store, divided by the factor of `calibration`."""

    uncompressed_messages: int
    """Messages after the anchor, the system prompt aside."""

    components: ComponentTokens
    """Tokens by component."""

    shares: ComponentShares
    """The components as shares of all that the caller sends, from 0 to 1."""

    advice: list[ComponentAdvice]
    """Advice about dominant components, the largest first; nothing acts on it."""

    assumed: NotRequired[bool]
    """The window is assumed, because nobody told it; absent when somebody did. `warnings` has the reason."""

    calibration: NotRequired[Calibration | None]
    """How the provider counts otherwise; absent until its figures are reported."""


class CreateApiKey(TypedDict):
    """A key to create."""

    scopes: list[ApiKeyScope]
    """Its scopes."""

    name: NotRequired[None | str]
    """Its name for people."""

    expires_at: NotRequired[None | str]
    """When it ends; never, without it."""


CreateBranch = TypedDict(
    "CreateBranch",
    {
        "name": NotRequired["None | str"],
        "seq": NotRequired["int | None"],
        "from": NotRequired["None | str"],
        "switch": NotRequired["bool"],
    },
)


class CreateCompression(TypedDict):
    """A compression to make; absent fields follow the session's settings."""

    reason: NotRequired[None | str]
    """The caller's reason, kept with the compression."""

    strategy: NotRequired[None | Strategy]
    """How the version is made; never `rollback`, and not `opaque` for critical sessions."""

    engine: NotRequired[EngineChoice | None]
    """The engine that reads the span."""

    summary_model: NotRequired[None | str]
    """The model that writes the summary."""

    preserve_recent: NotRequired[int | None]
    """Messages that stay verbatim."""

    preserve_recent_tokens: NotRequired[int | None]
    """Tokens of the newest messages that stay verbatim, as far as the fill has room; at most the effective window."""

    target: NotRequired[float | None]
    """Share of the effective window that record, digest and newest messages take, in place of `fill`. It is held below
    the compress level less 0.10, with a warning. Without it and `through_seq`, a session that is within its fill is
    `skipped` as `fits`."""

    through_seq: NotRequired[int | None]
    """The last message to cover."""


class CreatedApiKey(TypedDict):
    """A key that was just made; this is the only reply that shows it."""

    id: str
    """An id that starts with `key_`."""

    name: None | str
    """Its name for people."""

    prefix: str
    """The first characters of the key, by which keys can be told apart."""

    key: None | str
    """The key. It is stored as a digest alone, so it cannot be shown again: null in the reply to a repeated request with
    the same `Idempotency-Key`. Revoke a key that was lost, and make another one."""

    scopes: list[str]
    """Its scopes: `read`, `write`, `admin`."""

    created_at: str
    """When it was created."""

    expires_at: None | str
    """When it ends; null for never."""

    replaced_ends_at: NotRequired[None | str]
    """When the key that it replaces ends; only of a rotation."""


class CreateEvaluation(TypedDict):
    """The version to evaluate."""

    version: NotRequired[int | None]
    """The version. Default: the current one."""


class CreateProbe(TypedDict):
    """A probe of the caller's own."""

    kind: ProbeKind
    """The subject of a probe."""

    question: str
    """The question."""

    expected: list[str]
    """The facts that the answer must hold, as the summary has to show them."""

    match: NotRequired[None | ProbeMatch]
    """How many of them it needs. Default `{"kind": "all"}`."""

    exact: NotRequired[bool]
    """Whether the facts match to the letter, like paths and identifiers. Default false."""

    critical: NotRequired[bool]
    """Whether a version that fails it is refused. Default false: then it is told in the version's warnings and the
    compression's flags. Either way, what the compressed messages answer is added to the summary."""


class CreateTenant(TypedDict):
    """A tenant to create."""

    name: str
    """Its name, unique in the installation."""

    quotas: NotRequired[None | TenantQuotas]
    """Its quotas."""

    cell: NotRequired[None | str]
    """The cell to make it in, of an installation with several. Default: the one with the fewest tenants."""


class CreateWebhook(TypedDict):
    """A webhook to create."""

    url: str
    """Where it is: `https`, and public on the internet, unless the operator allows others."""

    events: NotRequired[list[WebhookEventType] | None]
    """The events that it gets; all of them, also later ones, when it is absent or null."""

    description: NotRequired[None | str]
    """A description for people."""

    enabled: NotRequired[bool]
    """Whether it gets anything."""


class CriterionScore(TypedDict):
    """One criterion, judged."""

    name: str
    """The criterion."""

    weight: float
    """Its weight within the dimension."""

    score: float
    """The judge's score, 0 to 5."""


class CurrentState(TypedDict):
    """The current state of the work."""

    text: str
    """The state as a sentence."""

    seqs: list[int]
    """The messages that it came from."""

    phase: NotRequired[None | str]
    """The phase of the work."""

    task: NotRequired[None | str]
    """The task in hand."""

    done: NotRequired[list[Note]]
    """The newest calls and commands that changed something that is no file, each as its name and arguments; oldest first."""

    since: NotRequired[list[Note]]
    """News in the messages after the covered ones, when the version was made: what was done, the last test run."""


class Decision(TypedDict):
    """A choice that was made."""

    decision: str
    """The decision."""

    rationale: str
    """Why; empty when the source states no reason."""

    alternatives: list[str]
    """The alternatives that were not chosen."""

    seqs: list[int]
    """The messages that it came from."""

    superseded_by: NotRequired[None | str]
    """The decision that reversed this one."""


class DimensionScore(TypedDict):
    """One dimension, judged."""

    name: str
    """`accuracy`, `context_awareness`, `artifact_trail`, `completeness`, `continuity` or
    `instruction_following`."""

    score: float
    """The weighted mean of its criteria, 0 to 5."""

    target: float
    """The target score."""

    criteria: list[CriterionScore]
    """Criterion by criterion."""


class Entity(TypedDict):
    """Something with an identity: a reservation, a ticket, a person, a commit, an endpoint."""

    id: str
    """The identifier, unique within the kind."""

    properties: list[EntityProperty]
    """What is known of it, in the order in which it was shown."""

    seqs: list[int]
    """The messages that it came from, the latest twenty."""

    kind: NotRequired[str]
    """The kind (`reservation`, `pr`, `pod`); empty when unknown."""

    more: NotRequired[int]
    """Properties that had no room."""

    named: NotRequired[int]
    """How often a person, the agent or a call named it."""


class EntityProperty(TypedDict):
    """One property of a thing."""

    value: str
    """Its latest known value, verbatim; `…` marks where it was cut."""

    name: NotRequired[str]
    """Its name; empty when unknown."""

    was: NotRequired[None | str]
    """The value before, when it changed."""


class ErrorEntry(TypedDict):
    """An error that occurred in the session."""

    message: str
    """Its first useful line."""

    status: ErrorStatus
    """Whether an error is resolved."""

    count: int
    """How many times it occurred."""

    seqs: list[int]
    """The messages that it came from."""

    type: NotRequired[None | str]
    """Its kind (`TypeError`, `E0308`, `TS2322`, `git` …), when it has one."""

    resolution: NotRequired[None | str]
    """How it was resolved."""

    location: NotRequired[None | str]
    """Where it occurred: a file and line, or the command."""

    resolved_in_version: NotRequired[int | None]
    """The first version that shows it as resolved; it is rendered in that version and the next."""


class ErrorFact(TypedDict):
    """An error that occurred."""

    message: str
    """Its first useful line."""

    status: ErrorStatus
    """Whether an error is resolved."""

    count: int
    """How many times it occurred."""

    seqs: list[int]
    """The messages that show it."""

    kind: ErrorFactKind
    type: NotRequired[None | str]
    """Its kind (`TypeError`, `E0308` …), when it has one."""

    resolution: NotRequired[None | str]
    """How it was resolved."""

    location: NotRequired[None | str]
    """Where it occurred."""


class Evaluation(TypedDict):
    """One run of the probes against a version, or against a candidate that was refused."""

    score: float | None
    """The share of the probes that passed, from 0 to 1; null without probes."""

    facts_score: float | None
    """The same of those that ask for facts which code found (files, errors, figures, demands); null when none did. They
    are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
    has what the work needs."""

    exam: ExamScores | None
    """How a reader did in an exam that was written from the messages; its questions count in none of the figures above.
    Null without one."""

    id: str
    """An id that starts with `evl_`."""

    version: int | None
    """The version; null for a candidate that was refused."""

    compression_id: None | str
    """The compression or evaluation job that made it."""

    rubric: None | Rubric
    """The scores of the judge model; null without a judge, or when it did not answer."""

    created_at: str
    """When it was created."""

    asked: NotRequired[int]
    """Probes that were judged: passed or failed, not cut."""

    failed: NotRequired[int]
    """Probes that failed."""

    cut: NotRequired[int]
    """Probes whose facts the rendering's bound cut."""

    critical_failed: NotRequired[int]
    """Critical probes that failed."""


class EvaluationDetail(TypedDict):
    """One run of the probes, probe by probe."""

    score: float | None
    """The share of the probes that passed, from 0 to 1; null without probes."""

    facts_score: float | None
    """The same of those that ask for facts which code found (files, errors, figures, demands); null when none did. They
    are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
    has what the work needs."""

    exam: ExamScores | None
    """How a reader did in an exam that was written from the messages; its questions count in none of the figures above.
    Null without one."""

    id: str
    """An id that starts with `evl_`."""

    version: int | None
    """The version; null for a candidate that was refused."""

    compression_id: None | str
    """The compression or evaluation job that made it."""

    rubric: None | Rubric
    """The scores of the judge model; null without a judge, or when it did not answer."""

    created_at: str
    """When it was created."""

    results: list[ProbeResult]
    """Probe by probe."""

    asked: NotRequired[int]
    """Probes that were judged: passed or failed, not cut."""

    failed: NotRequired[int]
    """Probes that failed."""

    cut: NotRequired[int]
    """Probes whose facts the rendering's bound cut."""

    critical_failed: NotRequired[int]
    """Critical probes that failed."""


class EvaluationPage(TypedDict):
    """One page of a list."""

    items: list[Evaluation]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class Event(TypedDict):
    """Something that happened in a session. Streams and webhooks send the same JSON."""

    id: int | None
    """Its id, which grows within a session; a stream resumes after it. Null in a `webhook.test`."""

    type: EventType
    """The types of events. A webhook can subscribe to all but `webhook.test`, which is sent on request."""

    session_id: None | str
    """The session. Null in a `webhook.test`."""

    created_at: str
    """When it happened."""

    data: EventData
    """The details of an event; see `type` for the fields that it has."""

    branch: NotRequired[None | str]
    """The branch of the session; absent when it is `main`, and in what is no branch's."""


EventData = TypedDict(
    "EventData",
    {
        "compression_id": NotRequired["None | str"],
        "version": NotRequired["int | None"],
        "status": NotRequired["None | str"],
        "trigger": NotRequired["None | str"],
        "from_seq": NotRequired["int | None"],
        "through_seq": NotRequired["int | None"],
        "tokens_before": NotRequired["int | None"],
        "tokens_after": NotRequired["int | None"],
        "reduction": NotRequired["float | None"],
        "probe_score": NotRequired["float | None"],
        "facts_score": NotRequired["float | None"],
        "exam_score": NotRequired["float | None"],
        "error": NotRequired["EventError | None"],
        "action": NotRequired["None | str"],
        "effective_utilization": NotRequired["float | None"],
        "context_tokens": NotRequired["int | None"],
        "effective_window": NotRequired["int | None"],
        "head_seq": NotRequired["int | None"],
        "from": NotRequired["None | str"],
        "to": NotRequired["None | str"],
        "webhook_id": NotRequired["None | str"],
    },
)


class EventError(TypedDict):
    """Why a compression failed."""

    type: str
    """The kind of failure."""

    detail: str
    """The failure in a sentence."""


class ExamScores(TypedDict):
    """The result of an exam: a model answered questions with nothing but a version's context."""

    asked: int
    """The number of questions."""

    passed: int
    """Questions whose answer had every fact."""

    score: float | None
    """The share of `asked` that passed; null with fewer than three questions."""

    low: bool
    """Whether the score is below the session's threshold."""


ExportLine = TypedDict(
    "ExportLine",
    {
        "kind": "ExportLineKind",
        "format_version": NotRequired["int | None"],
        "branch": NotRequired["None | str"],
        "session_id": NotRequired["None | str"],
        "settings": NotRequired["ExportLineSettingsType0 | None"],
        "from": NotRequired["ExportLineFork | None"],
        "begun_with": NotRequired["ExportLineBegunWith | None"],
        "pins": NotRequired["list[str] | None"],
        "notes": NotRequired["list[ExportLineNote] | None"],
        "todos": NotRequired["ExportLineTodos | None"],
        "dropped_entries": NotRequired["list[str] | None"],
        "seq": NotRequired["int | None"],
        "format": NotRequired["MessageFormat | None"],
        "tokens": NotRequired["int | None"],
        "role": NotRequired["None | str"],
        "keep": NotRequired["KeepOutput | None"],
        "component": NotRequired["None | str"],
        "message": NotRequired["Message | None"],
        "version": NotRequired["ExportLineVersion | None"],
        "facts": NotRequired["list[ExportLineFact] | None"],
        "probes": NotRequired["list[ExportLineProbe] | None"],
        "evaluation": NotRequired["ExportLineEvaluation | None"],
        "compression": NotRequired["ExportLineCompression | None"],
        "counts": NotRequired["ExportLineCounts | None"],
        "messages": NotRequired["int | None"],
        "current": NotRequired["None | str"],
        "erased": NotRequired["list[str] | None"],
        "created_at": NotRequired["None | str"],
    },
)


class ExportLineBegunWith(TypedDict):
    """The version that a branch begins with."""

    branch: str
    """The name of a branch, unique in its session."""

    version: int
    """Its number."""


class ExportLineCompression(TypedDict):
    """A compression or an evaluation job that has ended."""

    id: str
    """An id that starts with `cmp_`."""

    kind: JobKind
    """The work of a job."""

    status: CompressionStatus
    """How far a compression is."""

    trigger: str
    """What asked for it."""

    request: ExportLineCompressionRequest
    """Its parameters."""

    attempts: int
    """How often it was claimed."""

    created_at: str
    """When it was queued."""

    parent_version: NotRequired[int | None]
    """The version that it builds on."""

    from_seq: NotRequired[int | None]
    """The first message of its span."""

    through_seq: NotRequired[int | None]
    """The last one."""

    version: NotRequired[int | None]
    """The version that it published."""

    report: NotRequired[ExportLineCompressionReportType0 | None]
    """What came of it, as a `CompressionReport`."""

    started_at: NotRequired[None | str]
    """When a worker first claimed it."""

    finished_at: NotRequired[None | str]
    """When it ended."""


ExportLineCompressionReportType0: TypeAlias = dict[str, Any]

ExportLineCompressionRequest: TypeAlias = dict[str, Any]


class ExportLineCounts(TypedDict):
    """Counts of a branch that cannot be counted again from its messages, versions, pins and notes."""

    calibration: NotRequired[ExportLineCountsCalibration]
    """How the provider counts, by its reports."""

    begun_with: NotRequired[list[ExportLineCountsBegunWithItem]]
    """The versions with which this branch and its ancestors began."""

    kept: NotRequired[list[int]]
    """The messages that are kept, shared ones included."""

    carried: NotRequired[int | None]
    """The user message that is served beside the version."""

    mask_upto: NotRequired[int]
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    mask_from: NotRequired[int]
    """The size from which on an output is clipped, in tokens."""

    settled_tokens: NotRequired[int]
    """Tokens of all messages when the last compression ended."""

    settled_head: NotRequired[int]
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    attempted_through: NotRequired[int]
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    refused: NotRequired[int]
    """How many automatic compressions in a row published nothing."""

    last_note: NotRequired[int]
    """The id of the newest note that was ever made."""

    suspended: NotRequired[bool]
    """Whether a rollback suspended automatic compression."""


ExportLineCountsBegunWithItem: TypeAlias = dict[str, Any]

ExportLineCountsCalibration: TypeAlias = dict[str, Any]


class ExportLineEvaluation(TypedDict):
    """A run of the probes."""

    id: str
    """An id that starts with `evl_`."""

    scores: ExportLineEvaluationScores
    """The figures."""

    results: list[ExportLineEvaluationResultsItem]
    """The verdicts, probe by probe."""

    created_at: str
    """When it was made."""

    version: NotRequired[int | None]
    """The version; null for a candidate that was refused."""

    compression_id: NotRequired[None | str]
    """The compression or evaluation job that made it."""


ExportLineEvaluationResultsItem: TypeAlias = dict[str, Any]

ExportLineEvaluationScores: TypeAlias = dict[str, Any]


class ExportLineFact(TypedDict):
    """A command or a test run of the summarised messages."""

    kind: ExportLineFactKind
    """The kind of an entry of the ledger."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    ordinal: int
    """Its place among the entries of that message."""

    value: ExportLineFactValue
    """The fact."""


ExportLineFactValue: TypeAlias = dict[str, Any]


class ExportLineFork(TypedDict):
    """A place in the session: a branch, and a message or a version of it."""

    branch: str
    """The name of a branch, unique in its session."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""


class ExportLineNote(TypedDict):
    """A text of a note, as the agent gave it at some message."""

    id: int
    """The note's number."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    created_at: str
    """When it got this text."""

    text: NotRequired[None | str]
    """Its text; null from where it was removed."""


class ExportLinePart(TypedDict):
    """A part of the lists of a record."""

    id: int
    """Its id."""

    entries: ExportLinePartEntries
    """Its entries, as they are stored."""


ExportLinePartEntries: TypeAlias = dict[str, Any]


class ExportLineProbe(TypedDict):
    """A probe."""

    id: str
    """An id that starts with `prb_`."""

    probe: ExportLineProbeProbe
    """The probe, as a `Probe`."""

    created_at: str
    """When it was made."""

    version: NotRequired[int | None]
    """The version whose span it came from; null for a caller's."""

    retired_in_version: NotRequired[int | None]
    """The version from which on it is no longer asked."""


ExportLineProbeProbe: TypeAlias = dict[str, Any]

ExportLineSettingsType0: TypeAlias = dict[str, Any]


class ExportLineText(TypedDict):
    """A text of a version, with its tokens as contexts serve it."""

    text: str
    """The text."""

    tokens: int
    """Its tokens."""


class ExportLineTodos(TypedDict):
    """A todo list, and what its last change was."""

    items: list[Todo]
    """The items, in order."""

    changes: list[TodoChange]
    """What the last change did."""

    revision: int
    """Grows with every change."""

    updated_at: str
    """When it was last changed."""

    version: NotRequired[int | None]
    """The version that brought it."""


class ExportLineVersion(TypedDict):
    """A version, with what no version before it has."""

    meta: ExportLineVersionMeta
    """Figures of its making, as a `SummaryMetadata`."""

    document: ExportLineVersionDocument
    """What of its record stands in no list."""

    parts: list[int]
    """The ids of the parts of its lists, in order."""

    new_parts: list[ExportLinePart]
    """Those of them that are new."""

    carry: ExportLineVersionCarry
    """What reading the next span needs to know."""

    rendering: ExportLineText
    """A text of a version, with its tokens as contexts serve it."""

    smaller: list[ExportLineText]
    """The same in smaller forms, the largest first."""

    recap: str
    """The part that is repeated behind the newest messages."""

    head_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    mask_upto: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    mask_from: int
    """The tokens from which on they were."""

    created_at: str
    """When it was stored."""

    digest: NotRequired[ExportLineText | None]
    """The digest."""

    carried_seq: NotRequired[int | None]
    """The user message that was served beside it."""

    compression_id: NotRequired[None | str]
    """The compression that made it."""


ExportLineVersionCarry: TypeAlias = dict[str, Any]

ExportLineVersionDocument: TypeAlias = dict[str, Any]

ExportLineVersionMeta: TypeAlias = dict[str, Any]


class FieldError(TypedDict):
    """One invalid place in the request."""

    pointer: str
    """JSON pointer into the body, or `/` and the name of the parameter or header."""

    detail: str
    """The fault there, and the values that are allowed."""


class FileFact(TypedDict):
    """A file that the session read or changed."""

    path: str
    """The path, one spelling for one file."""

    action: LedgerFileAction
    """The change of a file."""

    changes: list[str]
    """Its changes, oldest first."""

    transient: bool
    """Created and deleted within the session."""

    seqs: list[int]
    """The messages that show it."""

    kind: FileFactKind
    renamed_from: NotRequired[None | str]
    """Its path before it was renamed."""

    status: NotRequired[FileStatus | None]
    """Whether the latest test run after the change passed."""

    reason: NotRequired[None | str]
    """Why it was read, when the session says so."""


class GateRecord(TypedDict):
    """The gate's decision on one candidate."""

    score: float | None
    """The share of the probes that passed, from 0 to 1; null without probes."""

    facts_score: float | None
    """The same of those that ask for facts which code found (files, errors, figures, demands); null when none did. They
    are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
    has what the work needs."""

    exam: ExamScores | None
    """How a reader did in an exam that was written from the messages; its questions count in none of the figures above.
    Null without one."""

    strategy: Strategy
    """What a compression reads and what it makes of it."""

    engine: Engine
    """The engine that read the span of a version."""

    outcome: GateOutcome
    """The gate's decision on a candidate."""

    rendering_tokens: int
    """Tokens of its rendering."""

    answered_by: AnsweredBy
    """The reader that answered a probe."""

    reasons: list[str]
    """Why it was not accepted, a few at most."""

    asked: NotRequired[int]
    """Probes that were judged: passed or failed, not cut."""

    failed: NotRequired[int]
    """Probes that failed."""

    cut: NotRequired[int]
    """Probes whose facts the rendering's bound cut."""

    critical_failed: NotRequired[int]
    """Critical probes that failed."""

    next: NotRequired[None | RetryMeasure]
    """What was tried next; absent when it was the last word."""


class Handoff(TypedDict):
    """The text for a sub-agent's prompt."""

    markdown: str
    """Markdown with level-3 headings, to be put under `## Prior Session Context`."""

    tokens: int
    """Its tokens, at most the level when there is one."""

    version: int
    """The summary version that it renders; for a task, that of the newest session."""

    sessions: list[HandoffSession]
    """The sessions that it includes, newest first."""


class HandoffSession(TypedDict):
    """A session that a hand-off includes."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    version: int
    """Its version."""


class Health(TypedDict):
    """The health of the service."""

    status: str
    """`ok` or `unavailable`."""


class HistoryThresholds(TypedDict):
    """The thresholds of the signals about history, with every default resolved."""

    savings: float
    """Share of the served tokens that a compression must save to be worth it."""

    repeats: int
    """Repetitions among the last 12 messages or calls."""

    rereads: int
    """Readings of the same among the last 20 calls."""

    reread_share: float
    """Readings of the same as a share of all."""

    verbosity: float
    """Length of the last messages, in medians of the session."""

    growth: float
    """Share of the effective window within 5 minutes."""

    cycles: int
    """Published versions."""


class IdentifierFact(TypedDict):
    """A version, port, URL, id or figure."""

    key: str
    """Its name."""

    value: str
    """Its value, verbatim."""

    seqs: list[int]
    """The messages that show it."""

    kind: IdentifierFactKind


class ImportResult(TypedDict):
    """The result of an import."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    messages: int
    """Messages of this call."""

    branches: int
    """Branches of this call beside main."""

    versions: int
    """Versions of this call. Each says `imported`: nothing of it was checked against the messages here."""

    probes: int
    """Probes of this call, the caller's and those that the service made."""

    evaluations: int
    """Evaluations of this call."""

    compressions: int
    """Compressions and evaluation jobs of this call, all of which have ended."""

    next_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""


class LedgerPage(TypedDict):
    """A page of facts."""

    items: list[CommandFact | ConstraintFact | ErrorFact | FileFact | IdentifierFact | RequestFact | TestRunFact]
    """The facts, by kind, and within a kind in the order of their first appearance."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""

    through_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""


class LiveCompression(TypedDict):
    """A compression that waits or runs."""

    id: str
    """Its id."""

    status: CompressionStatus
    """How far a compression is."""


class LlmBreaker(TypedDict):
    """The circuit breaker of a session's calls to models."""

    failures: int
    """Consecutive compressions for which the model gave no usable result, including those that fell back to code."""

    open_until: None | str
    """Until when summaries are written by code only; null while the model is still called."""


class MaskedOutput(TypedDict):
    """A tool output that is served as a placeholder."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    ref: str
    """The output's reference."""


#: A message as its provider writes it. Open, so that it is assignable to the provider's own types, and theirs to it.
Message: TypeAlias = Any


class MessageMark(TypedDict):
    """The caller's mark of one message of the batch."""

    index: int
    """The message's place in the batch, from 0."""

    keep: NotRequired[KeepOutput | None]
    """`always`: it is served in full, also when a summary covers it, until `DELETE …/messages/{seq}/mark` or a budget that
    holds nothing else. Together such messages may take a tenth of the effective window. `never`: its tool outputs are
    placeholders at once, and without any it is left out."""

    component: NotRequired[MessageMarkComponent | None]
    """The component that its tokens count as."""


class MessageThresholds(TypedDict):
    """Uncompressed messages at which the message-count signal acts."""

    optional: NotRequired[int | None]
    """Default 30."""

    compress: NotRequired[int | None]
    """Default 50."""

    force: NotRequired[int | None]
    """Default 70."""


class Model(TypedDict):
    """A model that sessions can name."""

    names: list[str]
    """Its names. The names of a built-in model stand for their variants, too: with a provider prefix, or a date, size or tag
    suffix (`openai/gpt-4o`, `gpt-4o-2024-08-06`, `qwen3:8b`). Upper and lower case are the same, and so are `.`, `_`, `:` and
    `-`. A tenant's model has one name, which stands for itself, provider and `:latest` aside."""

    context_window: int
    """The context window, in tokens of the model: prompt and answer."""

    reserved_output_tokens: int
    """The reserve for the answer of sessions that set none: the longest answer, at most a fifth of the window, and at
    least what a prompt may not take."""

    tokenizer: Tokenizer
    """A way to count tokens."""

    origin: ModelOrigin
    """Who says what a model takes."""

    provider: NotRequired[None | str]
    """Who made it; absent for a tenant's."""

    max_input_tokens: NotRequired[int | None]
    """The most tokens of a prompt, where its provider takes fewer than the window has."""

    max_output_tokens: NotRequired[int | None]
    """The most tokens of an answer, where it is known."""

    source: NotRequired[None | str]
    """Where the figures come from; absent for a tenant's."""

    as_of: NotRequired[None | str]
    """The day on which they were read there."""


class ModelAnswerCounts(TypedDict):
    """How much of a model's answer was published."""

    published: float | None
    """The published share of the entries; null without entries."""

    told: NotRequired[int]
    """Entries in its answer: added, changed, closed; intent and state."""

    unverified: NotRequired[int]
    """Entries that are published with the mark `unverified`: an id, a path or a figure in them stands in no message,
    no entry and no fact."""

    dropped: NotRequired[int]
    """Entries that were left out."""

    losses: NotRequired[list[UnpublishedEntry]]
    """The first entries that were left out."""


class ModelCall(TypedDict):
    """One call to a model's server, a failed one too."""

    id: str
    """Its id."""

    attempt: int
    """Which claim of the compression sent it, from 1."""

    purpose: str
    """`summarise`, `repair`, `detail`, `probe`, `examine`, `read` or `judge`."""

    from_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    through_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    provider: str
    """The wire format."""

    model: str
    """The model."""

    outcome: str
    """`ok`, the error's word, or `sent` when its worker died over it."""

    http_status: int | None
    """The server's status, when it answered with an error."""

    input_tokens: int
    """Tokens in, as the server counts them."""

    cached_tokens: int
    """The part of them that the server read from its cache."""

    output_tokens: int
    """Tokens out."""

    latency_ms: int
    """The duration, in milliseconds."""

    cost_micros: int
    """Its cost, in millionths of the currency of the operator's prices."""

    created_at: str
    """When it was sent."""


class ModelCallPage(TypedDict):
    """One page of a list."""

    items: list[ModelCall]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class ModelCost(TypedDict):
    """Tokens and calls that the engine's LLM used."""

    input_tokens: NotRequired[int]
    """Tokens in, cached ones included."""

    cached_tokens: NotRequired[int]
    """The part of the tokens in that the server read from its cache."""

    output_tokens: NotRequired[int]
    """Tokens out."""

    calls: NotRequired[int]
    """Calls, failed ones included."""

    failed_calls: NotRequired[int]
    """Calls that failed."""

    latency_ms: NotRequired[int]
    """The total duration of the calls, in milliseconds."""

    micros: NotRequired[int]
    """Their cost, in millionths of the currency of the operator's prices; 0 without prices."""


class ModelPage(TypedDict):
    """One page of a list."""

    items: list[Model]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class ModelRequest(TypedDict):
    """A model of the tenant's."""

    context_window: int
    """The context window, in tokens of the model: prompt and answer."""

    max_output_tokens: NotRequired[int | None]
    """The most tokens of an answer."""

    tokenizer: NotRequired[Tokenizer]
    """A way to count tokens."""


class ModelUsage(TypedDict):
    """The use of the engine's model."""

    calls: int
    """Calls."""

    failed_calls: int
    """Failed calls."""

    input_tokens: int
    """Tokens in, as the server counts them."""

    output_tokens: int
    """Tokens out."""

    cached_tokens: int
    """The part of the tokens in that came from the server's cache."""

    cost_micros: int
    """Millionths of the currency of the operator's prices; 0 without prices."""


class ModifiedFile(TypedDict):
    """A file that the session changed."""

    path: str
    """The path, one spelling for one file."""

    action: FileAction
    """The net change of a file over the session."""

    changes: list[str]
    """Its changes, in words or identifiers, oldest first."""

    status: FileStatus
    """Whether the latest test run after the change passed."""

    seqs: list[int]
    """The messages that it came from."""

    renamed_from: NotRequired[None | str]
    """Its path before it was renamed."""

    purpose: NotRequired[None | str]
    """The change and its reason, as a model summarised them."""

    overwrite_possible: NotRequired[bool]
    """Written in full by a tool whose output does not show whether the file existed before."""

    transient: NotRequired[bool]
    """Created and deleted within the session."""


class NamedFile(TypedDict):
    """An agent's output."""

    name: str
    """The file's name, or its path below the folder of outputs: no `..`, no leading `/`, no `\\`."""

    content: str
    """Its Markdown."""


class Note(TypedDict):
    """A question, a finding or a note."""

    text: str
    """The text."""

    seqs: list[int]
    """The messages that it came from."""


class OmittedRange(TypedDict):
    """A run of messages that is not served, or not in full."""

    from_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    to_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    reason: str
    """The reason: `budget`, `clipped`, `thinking`, `unsupported`, `marked`, `in_system` or `held`."""


class PendingCompression(TypedDict):
    """A single call that has not ended yet."""

    id: str
    """An id that starts with `cmp_`."""

    status: CompressionStatus
    """How far a compression is."""

    expires_at: str
    """Until when it can be read; then messages and result are erased."""


class Pin(TypedDict):
    """One pin."""

    id: str
    """Its id, derived from its text."""

    text: str
    """Its text, verbatim."""


class PinInput(TypedDict):
    """A pin to set. Its text alone, as a JSON string, is accepted too."""

    text: str
    """Its text, which contexts show verbatim."""

    id: NotRequired[None | str]
    """Its id, as a GET returns it. Ignored: it follows from the text."""


class PreaggregateReport(TypedDict):
    """Sizes, findings and coverage of all files."""

    original_bytes: int
    """Bytes of all files before."""

    condensed_bytes: int
    """Bytes of all files after."""

    reduction: float
    """The share of bytes that was saved: 1 − `condensed_bytes` / `original_bytes`; 0 when nothing was condensed."""

    threshold_bytes: int
    """Bytes from which on files are condensed."""

    kept: int
    """Valid findings of all files."""

    rejected: int
    """Findings of all files that are not valid."""

    coverage_incomplete: bool
    """Whether an expected file is absent."""

    missing: list[str]
    """The expected files that are absent, in the order of the request."""

    warnings: list[str]
    """Warnings for the reader."""


class PreaggregateRequest(TypedDict):
    """The outputs of several agents."""

    files: list[NamedFile]
    """The files."""

    threshold_bytes: NotRequired[int | None]
    """Bytes of all files together from which on they are condensed. Default 25,000."""

    prefix: NotRequired[None | str]
    """The prefix of markers, as in `<!-- PREFIX:FINDING … -->`. Default `RUNE`."""

    expected: NotRequired[list[str]]
    """Names of the files that should be there."""


class PreaggregateResult(TypedDict):
    """The condensed outputs."""

    condensed: bool
    """Whether the files together reached the threshold; if not, they are as they were."""

    files: list[CondensedFile]
    """The files, in the order of the request."""

    report: PreaggregateReport
    """Sizes, findings and coverage of all files."""


class PrefixUsage(TypedDict):
    """The tokens of contexts by what a provider's cache can have of them. Each is compared with the one before that the same process
    served to the session: the first that it serves counts as new. The prompt of the caller, the time for which a cache lives and the steps
    in which it grows are not known here; `reported` has what the provider counted."""

    cached_tokens: int
    """Tokens that the context before began with, too."""

    new_tokens: int
    """Tokens of messages that came since the context before."""

    rewritten_tokens: int
    """The rest: what a compression, a clipping or a changed setting wrote anew, and what stands behind that."""


class Probe(TypedDict):
    """A question with the facts that its answer must hold."""

    kind: ProbeKind
    """The subject of a probe."""

    question: str
    """The question."""

    expected: list[str]
    """The facts that the answer must hold; one of an exam's may name several spellings, with ` | ` between them."""

    match: NotRequired[ProbeMatch]
    """How many of the expected facts an answer needs."""

    section: NotRequired[None | SummarySection]
    """The section that must hold them; any when absent."""

    exact: NotRequired[bool]
    """Whether the facts are paths or identifiers, which match to the letter."""

    critical: NotRequired[bool]
    """Whether a version that fails it is refused; asked again after every later compression."""

    seqs: NotRequired[list[int]]
    """The messages that the facts came from."""

    reference: NotRequired[None | str]
    """The answer that an examiner wrote from the messages. Only questions of an exam have one, and a model
    answers them, not code."""


class ProbeMatch(TypedDict):
    """How many of the expected facts an answer needs."""

    kind: ProbeMatchKind
    """How an answer is judged."""

    ratio: NotRequired[float | None]
    """With `ratio`: the least share of the facts, above 0 and at most 1."""


class ProbePatch(TypedDict):
    """A change of a probe of the caller's own; what is absent stays."""

    kind: NotRequired[None | ProbeKind]
    """The subject of the question."""

    question: NotRequired[None | str]
    """The question."""

    expected: NotRequired[list[str] | None]
    """The facts that the answer must hold, in place of those before."""

    match: NotRequired[None | ProbeMatch]
    """How many of them it needs; null for all."""

    exact: NotRequired[bool | None]
    """Whether the facts match to the letter, like paths and identifiers; null for false."""

    critical: NotRequired[bool | None]
    """Whether a version that fails it is refused; null for false."""


class ProbeResult(TypedDict):
    """The result of one probe."""

    probe: Probe
    """A question with the facts that its answer must hold."""

    answer: str
    """The answer; `information not found` when there is none."""

    verdict: ProbeVerdict
    """The verdict on a probe."""

    missing: NotRequired[list[str]]
    """The expected facts that were not found."""

    answered_by: NotRequired[AnsweredBy]
    """The reader that answered a probe."""

    latency_ms: NotRequired[int]
    """How long the model's call took, in milliseconds; one call answers several probes. 0 for code."""

    cost_micros: NotRequired[int]
    """Its share of that call's cost, in millionths of the currency of the operator's prices."""


class Problem(TypedDict):
    """A refusal or failure (RFC 9457). Members beyond these are documented with the operation."""

    type: str
    """The kind of problem; stable, relative to the server, where it opens a page that explains it."""

    title: str
    """A short title; the same for every problem of the type."""

    status: int
    """The reply's status."""

    detail: str
    """The explanation of this occurrence."""

    instance: str
    """The request id, as in `X-Request-Id`."""

    errors: NotRequired[list[FieldError]]
    """The invalid places in the request."""


class ProviderKeys(TypedDict):
    """A change of a tenant's keys of model providers; an absent field keeps its value, and null takes the key away."""

    anthropic: NotRequired[None | str]
    """The key that goes to Anthropic."""

    openai: NotRequired[None | str]
    """The key that goes to OpenAI."""


class QualityFlag(TypedDict):
    """A figure outside its target."""

    metric: QualityMetric
    """A figure that has a target."""

    level: QualityFlagLevel
    """How far a figure is outside its target."""

    detail: str
    """The figure and its target, as a sentence."""


class QuotaReport(TypedDict):
    """The bounds of the tenant."""

    quotas: list[QuotaStatus]
    """Every bound."""


class QuotaStatus(TypedDict):
    """A bound of the tenant."""

    quota: str
    """Its name, as the problem `quota-exceeded` tells it."""

    scope: QuotaScope
    """The scope of a bound."""

    limit: NotRequired[int | None]
    """The most that is allowed; null when nothing is bounded."""

    used: NotRequired[int | None]
    """The used part; null for requests per second, and for a bound of each session or webhook."""

    resets_at: NotRequired[None | str]
    """When what is used begins anew; null when it does not by itself."""


class ReadFile(TypedDict):
    """A file that was read and not changed."""

    path: str
    """The path, one spelling for one file."""

    seqs: list[int]
    """The messages that it came from."""

    reason: NotRequired[None | str]
    """Why it was read, when the session says so."""


class RecallHit(TypedDict):
    """A message that matches."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    role: Role
    """The role of a message's author."""

    snippet: str
    """The stretch of the message that matches best, at most 300 characters."""

    score: float
    """How well it matches; comparable within one reply."""


class RecallResult(TypedDict):
    """The result of a search."""

    items: list[RecallHit]
    """The messages that the question is about, best first, spread over the session; empty when there are none."""

    mode: RecallMode
    """How a search ranks messages."""

    degraded: Degraded | None
    """Why they were ranked by words alone although `hybrid` was asked for, or is the default; null otherwise."""

    branch: NotRequired[None | str]
    """The name of a branch, unique in its session."""


class RefetchedUsage(TypedDict):
    """Figures of what was fetched again."""

    requests: int
    """Requests that gave back something that the context no longer shows."""

    tokens: int
    """Tokens of it."""

    messages_tokens: int
    """Tokens of original messages."""

    tool_outputs_tokens: int
    """Tokens of tool outputs."""

    recall_tokens: int
    """Tokens of recall."""


class RejectedFinding(TypedDict):
    """A finding that is not valid."""

    reason: RejectReason
    """Why a finding is not valid."""

    id: NotRequired[None | str]
    """The id that its marker has, when it can be read."""


class ReplaceCurrentBranch(TypedDict):
    """Which branch becomes the current one."""

    name: str
    """The name of a branch, unique in its session."""

    is_current: NotRequired[bool | None]
    """As a GET returns it. Ignored."""


class ReplacePins(TypedDict):
    """The pins that replace the ones there are. The reply of a GET can be sent back."""

    pins: list[PinInput]
    """The pins, in the order in which contexts show them. A text that comes twice counts once."""

    tenant_pins: NotRequired[list[Pin] | None]
    """The tenant's pins, as a GET returns them. Ignored: `PUT /v1/pins` sets them."""


class ReplaceTodos(TypedDict):
    """The list that replaces the one there is. The reply of a GET can be sent back."""

    todos: list[TodoInput]
    """The items, in order."""

    changes: NotRequired[list[TodoChange] | None]
    """As a GET returns it. Ignored."""

    changed_in_version: NotRequired[int | None]
    """As a GET returns it. Ignored."""

    revision: NotRequired[int | None]
    """As a GET returns it. Ignored."""

    updated_at: NotRequired[None | str]
    """As a GET returns it. Ignored."""


class ReportedUsage(TypedDict):
    """The provider's figures, as callers reported them."""

    reports: int
    """Reports."""

    input_tokens: int
    """Tokens in, cached ones included."""

    output_tokens: int
    """Tokens out."""

    cached_tokens: int
    """The part of the tokens in that came from the provider's cache."""


class RequestFact(TypedDict):
    """What a person asked for."""

    id: str
    """Its id, for `DELETE …/requests/{id}`."""

    text: str
    """The request, quoted and shortened."""

    state: UserRequestState
    """The state of a request."""

    seqs: list[int]
    """The messages that it came from."""

    kind: RequestFactKind


class ResolvedPolicy(TypedDict):
    """Settings with every default resolved."""

    effective_window: int
    """The effective window, in tokens."""

    context_window: int
    """The context window, in tokens."""

    reserved_output_tokens: int
    """Tokens of the window that are reserved for the answer."""

    system_tokens: int
    """Tokens that the service does not store, as they were set."""

    tokenizer: Tokenizer
    """A way to count tokens."""

    name: PolicyName
    """A named set of signals."""

    warn: float
    """Share at which a warning is given."""

    compress: float
    """Share at which a compression starts."""

    fill: float
    """Share of the effective window that record, digest and newest messages take after a compression."""

    force: float
    """Share at which a compression is forced."""

    critical: float
    """Share at which a compression is immediate."""

    exam: float
    """Share of right answers below which an exam is low."""

    messages: list[int]
    """Uncompressed messages: optional, compress, force."""

    turns: int
    """Turns since the anchor."""

    history: HistoryThresholds
    """The thresholds of the signals about history, with every default resolved."""

    preserve_recent: int
    """Messages that always stay verbatim."""

    preserve_recent_tokens: int
    """Tokens of the newest messages that stay verbatim, as far as the fill has room."""

    min_messages: int
    """Uncompressed messages below which only force and above compress."""

    auto: bool
    """Whether signals start compressions."""

    mask: MaskMode
    """Whether tool outputs are masked."""

    max_summary_tokens: int
    """Bound of a rendered summary, in tokens."""


class RollbackRequest(TypedDict):
    """A rollback has no parameters."""

    pass


class Rubric(TypedDict):
    """A judged summary."""

    model: str
    """The judge."""

    overall: float
    """The mean of the dimensions, 0 to 5."""

    dimensions: list[DimensionScore]
    """Dimension by dimension."""


class ServedContext(TypedDict):
    """A context that was served."""

    format: MessageFormat
    """A conversation format, in and out."""

    max_input_tokens: int
    """The budget."""

    recap: bool
    """Whether current task, open errors and next steps came once more at the end."""

    context_revision: int
    """The revision of pins, notes and settings."""

    id: str
    """Its id."""

    served_at: str
    """When it was served."""

    head_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    version: int | None
    """The summary version that it showed; null without one."""

    tokens: ServedTokens
    """Tokens of a context that was served."""

    sha256: str
    """SHA-256 in hex over `system` as JSON, when there is one, and the JSON of each message, each with a line feed behind it."""

    cache_control: NotRequired[None | str]
    """The marks for Anthropic's cache, when it was asked with any."""


class ServedContextPage(TypedDict):
    """One page of a list."""

    items: list[ServedContext]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class ServedTokens(TypedDict):
    """Tokens of a context that was served."""

    total: int
    """All of them."""

    system: int
    """System prompt, pins and kept messages."""

    summary: int
    """The summary."""

    digest: int
    """The digest."""

    notes: int
    """The agent's notes."""

    messages: int
    """Messages, tool outputs aside."""

    tool_outputs: int
    """Tool outputs."""

    whole: int
    """Tokens of all messages and pins, as if nothing had been left out."""

    cached: int
    """Tokens that the context before began with, too, which a provider's cache can have; as far as the process knew that context."""

    new: int
    """Tokens behind them that came since. The rest was sent before, behind something that has changed."""


class Session(TypedDict):
    """A session: its settings, the resolved policy and its current state."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    settings: Settings
    """Settings as the caller gave them; every field is optional."""

    policy: ResolvedPolicy
    """Settings with every default resolved."""

    head_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    next_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    anchor_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    summary_version: int | None
    """The current summary version; null when there is none."""

    compression_count: int
    """Versions that compressions published."""

    context_revision: int
    """Grows with every change of pins, notes or settings."""

    usage: ContextUsage
    """How full the context is, as every append and read of a session reports it."""

    compression: LiveCompression | None
    """The live compression; null when there is none."""

    created_at: str
    """When the session was created."""

    updated_at: str
    """When it was last written to."""

    branch: NotRequired[None | str]
    """The branch; absent when it is main."""

    warnings: NotRequired[list[Warning_]]
    """Warnings about the window, until it is told; absent when there are none."""

    llm_breaker: NotRequired[LlmBreaker | None]
    """Only when one session is read, and when models came to nothing for its last compressions."""


class SessionItem(TypedDict):
    """A session in a list: its state; settings only on request."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    task_id: None | str
    """The task that it belongs to; null when there is none."""

    parent_session_id: None | str
    """The session that started it; null when there is none."""

    head_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    next_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    anchor_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    summary_version: int | None
    """The current summary version; null when there is none."""

    compression_count: int
    """Versions that compressions published."""

    context_revision: int
    """Grows with every change of pins, notes or settings."""

    usage: BriefUsage
    """How full the context is: the figures that decide, and the rest when it is asked for."""

    compression: LiveCompression | None
    """The live compression; null when there is none."""

    created_at: str
    """When the session was created."""

    updated_at: str
    """When it was last written to."""

    branch: NotRequired[None | str]
    """The branch; absent when it is main."""

    settings: NotRequired[Settings]
    """Settings as the caller gave them; every field is optional."""

    policy: NotRequired[ResolvedPolicy]
    """Settings with every default resolved."""


class SessionPage(TypedDict):
    """One page of a list."""

    items: list[SessionItem]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class SessionPins(TypedDict):
    """A session's pins."""

    pins: list[Pin]
    """The session's own, in the order in which contexts show them."""

    tenant_pins: list[Pin]
    """The tenant's, which contexts show before them."""


class SessionProbe(TypedDict):
    """A probe of a session."""

    kind: ProbeKind
    """The subject of a probe."""

    question: str
    """The question."""

    expected: list[str]
    """The facts that the answer must hold; one of an exam's may name several spellings, with ` | ` between them."""

    id: str
    """An id that starts with `prb_`."""

    source: ProbeSource
    """Where a probe comes from."""

    version: int | None
    """The version whose span it came from; null for a caller's."""

    retired_in_version: int | None
    """The version that retired it; null while it is in use."""

    created_at: str
    """When it was created."""

    match: NotRequired[ProbeMatch]
    """How many of the expected facts an answer needs."""

    section: NotRequired[None | SummarySection]
    """The section that must hold them; any when absent."""

    exact: NotRequired[bool]
    """Whether the facts are paths or identifiers, which match to the letter."""

    critical: NotRequired[bool]
    """Whether a version that fails it is refused; asked again after every later compression."""

    seqs: NotRequired[list[int]]
    """The messages that the facts came from."""

    reference: NotRequired[None | str]
    """The answer that an examiner wrote from the messages. Only questions of an exam have one, and a model
    answers them, not code."""


class SessionProbePage(TypedDict):
    """One page of a list."""

    items: list[SessionProbe]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class SessionsRecallHit(TypedDict):
    """A message that the question is about, and its session."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    role: Role
    """The role of a message's author."""

    snippet: str
    """The stretch of the message that matches best, at most 300 characters."""

    score: float
    """How well it matches; comparable within one reply."""

    branch: NotRequired[None | str]
    """The name of a branch, unique in its session."""


class SessionsRecallResult(TypedDict):
    """The result of a search over several sessions."""

    items: list[SessionsRecallHit]
    """The messages that the question is about, best first; empty when there are none."""

    mode: RecallMode
    """How a search ranks messages."""

    degraded: Degraded | None
    """Why they were ranked by words alone although `hybrid` was asked for, or is the default; null otherwise."""

    sessions_searched: int
    """How many sessions were searched."""

    is_partial: bool
    """Whether there are more sessions, or messages, than a search looks at; the newest were searched."""


SessionState = TypedDict(
    "SessionState",
    {
        "$schema": "str",
        "session_id": "str",
        "started": "str",
        "last_activity": "str",
        "_meta": "SessionStateMeta",
        "current_task": "SessionStateCurrentTask",
        "next_steps": "list[str]",
        "blockers": "list[str]",
        "compression_state": "SessionStateCompressionState",
    },
)

SessionStateCompressionState: TypeAlias = dict[str, Any]

SessionStateCurrentTask: TypeAlias = dict[str, Any]

SessionStateMeta: TypeAlias = dict[str, Any]


class Settings(TypedDict):
    """Settings as the caller gave them; every field is optional."""

    model: NotRequired[None | str]
    """The model that the session talks to, as its provider calls it (`gpt-4o`, `anthropic/claude-sonnet-4-5`, `qwen3:8b`). Context
    window, output reserve and tokenizer follow from it where the session does not set them; `GET /v1/models` lists what
    is known. An append that names another model changes it."""

    context_window: NotRequired[int | None]
    """The model's context window, in tokens. Default: that of `model`, else the tenant's, else 200,000."""

    reserved_output_tokens: NotRequired[int | None]
    """Tokens that the model's answer needs. Default: the longest answer of `model`, at most a fifth of the window; a fifth
    of the window where it is not known."""

    system_tokens: NotRequired[int | None]
    """Tokens that the service does not store: tool definitions, a system prompt kept by the caller."""

    safety_buffer: NotRequired[int | None]
    """Tokens kept free for miscounting."""

    policy: NotRequired[None | PolicyName]
    """Which signals count. Default `utilization`."""

    thresholds: NotRequired[None | Thresholds]
    """Overrides of the policy's thresholds."""

    mask: NotRequired[MaskMode | None]
    """Whether tool outputs may be clipped or become placeholders. Default `auto`."""

    fill: NotRequired[float | None]
    """The share of the effective window that record, digest and newest messages take after a compression; system
    prompt and pins come on top. At most the compress level less 0.10. Default 0.20; in small windows 5,000 tokens, up to
    0.40; at most 24,000 tokens. About eight calls fit before the next compression; down to three quarters of it for that."""

    preserve_recent: NotRequired[int | None]
    """Messages that always stay verbatim. Default 5."""

    preserve_recent_tokens: NotRequired[int | None]
    """Tokens of the newest messages that stay verbatim, as far as the fill has room. Default 0; at most the effective
    window."""

    min_messages: NotRequired[int | None]
    """Uncompressed messages below which only force and above compress. Default 10."""

    auto: NotRequired[bool | None]
    """Whether signals start compressions. Default true."""

    strategy: NotRequired[None | Strategy]
    """How versions are made. Default `anchored`."""

    engine: NotRequired[EngineChoice | None]
    """The engine that reads the spans. Default `auto`."""

    summary_model: NotRequired[None | str]
    """The model that writes the summaries, when the operator allows the choice."""

    exam: NotRequired[ExamMode | None]
    """Which sessions a model examines, where the operator named one for it. Default `sampled`: one in four."""

    tokenizer: NotRequired[None | Tokenizer]
    """How tokens are counted. Default: the closest to that of `model`, else the tenant's, else `o200k_base`. The first
    message fixes it, or the first fork."""

    phase: NotRequired[None | Phase]
    """The phase of the work."""

    task_id: NotRequired[None | str]
    """The task that the session works on."""

    parent_session_id: NotRequired[None | str]
    """The session that started this one."""

    user: NotRequired[None | str]
    """The end user whom the session is with, as the caller names them: lists filter by it, and recall searches the
    sessions of a user."""

    critical: NotRequired[bool | None]
    """Refuses strategies that cannot be verified. Default false."""

    max_summary_tokens: NotRequired[int | None]
    """Bound of a rendered summary, in tokens. Default 4,000 or a tenth of the effective window, whichever is less, at least 800."""

    constraints: NotRequired[ConstraintMode | None]
    """Whether a requirement that a person states in a message becomes a constraint (`bind`) or is only proposed
    until it is pinned (`propose`). Default `bind`."""

    metadata: NotRequired[None | SettingsMetadataType0]
    """The caller's own data, kept as it is and replaced as a whole: at most 16 KiB as JSON, 64 fields, 8 levels, and whole
    numbers of 64 bits. Lists filter by its fields that are texts of at most 200 characters, numbers or booleans."""

    tools: NotRequired[None | ToolMode]
    """Whether the service's tools are offered to the model that gets the contexts (`offered`): then they name the call that
    gives what they leave out. Default `none`."""


SettingsMetadataType0: TypeAlias = dict[str, Any]


class Signal(TypedDict):
    """The result of one rule."""

    kind: SignalKind
    """The rule."""

    action: SignalAction
    """The action that a signal requests, in order of severity."""

    detail: str
    """The reason, with the figure."""

    counts: bool
    """Whether the policy counts it."""


class StablePrefix(TypedDict):
    """The part of a context that stays the same until the next version or revision."""

    messages: int
    """Messages at the start that are wholly in it."""

    tokens: int
    """Its tokens."""

    sha256: str
    """SHA-256 in hex over the text of `system`, the JSON text of each message that is counted here, and the text of the digest,
    each with a newline after it; `cache_control` does not change it."""


class StoredMessage(TypedDict):
    """A message as it was sent, with what the service knows of it."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    role: Role
    """The role of a message's author."""

    tokens: int
    """Its tokens."""

    created_at: str
    """When it was stored."""

    message: Message
    """A message as its conversation format writes it. Every field is stored and comes back as it was sent.

    An open object without declared fields: generators of clients drop fields that they do not know of a type with declared
    ones, and send null for those that are absent."""


class StoredMessagePage(TypedDict):
    """One page of a list."""

    items: list[StoredMessage]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class Summary(TypedDict):
    """A version as the API shows it: the document and its metadata in one object."""

    version: int
    """Its number in the session: 1, 2, 3 …"""

    strategy: Strategy
    """What a compression reads and what it makes of it."""

    verifiable: Verifiability
    """How far a version can be checked against the originals."""

    engine: Engine
    """The engine that read the span of a version."""

    compression_count: int
    """Versions published by a compression so far, this one included."""

    last_compressed_at: str
    """When it was published."""

    from_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    through_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    tokens_before: int
    """Record and digest of the version before plus the span, as contexts would serve them, in tokens."""

    tokens_after: int
    """Its record and digest when it was made, as contexts serve them, in tokens."""

    max_tokens: int
    """The most tokens that its rendering was given."""

    reduction: float | None
    """The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one."""

    warnings: list[str]
    """Warnings about it."""

    session_intent: str
    """The current request."""

    session_intent_seqs: list[int]
    """The messages that the intent came from."""

    requests: list[UserRequest]
    """Requests of people, oldest first."""

    files_modified: list[ModifiedFile]
    """Files that the session changed."""

    files_read: list[ReadFile]
    """Files that the session read and did not change."""

    decisions_made: list[Decision]
    """Decisions, oldest first."""

    current_state: CurrentState
    """The current state of the work."""

    errors: list[ErrorEntry]
    """Errors, open and resolved."""

    test_results: list[TestResult]
    """The latest run of each test command."""

    blockers: list[Blocker]
    """Obstacles to progress."""

    open_questions: list[Note]
    """Unanswered questions."""

    findings: list[Note]
    """What was learnt and is not obvious: causes, limits, dead ends."""

    next_steps: list[str]
    """The next steps, in order."""

    next_steps_seqs: list[int]
    """The messages that the next steps came from."""

    things: list[Entity]
    """Things with an identity in the session, and their properties as last known."""

    notes: list[Note]
    """The agent's own notes."""

    constraints: list[Constraint]
    """Requirements, verbatim."""

    parent_version: NotRequired[int | None]
    """The version that it was merged into."""

    model: NotRequired[None | str]
    """The model, when one was asked."""

    probe_score: NotRequired[float | None]
    """The share of the probes that passed, from 0 to 1; absent without probes."""

    facts_score: NotRequired[float | None]
    """The same of the probes that ask for facts which code found."""

    exam: NotRequired[ExamScores | None]
    """How a reader did in an exam that was written from the messages; absent without one."""

    phase: NotRequired[None | Phase]
    """The phase of the work that it was made in, which decides how it is rendered."""

    imported: NotRequired[bool]
    """It came from an import: what it says was checked where it was made, if it was, and not here. Absent for one that was
    made here."""

    proposed_constraints: NotRequired[list[Constraint]]
    """Requirements found in messages that take effect only when the caller pins them (setting `constraints`: `propose`)."""

    left_out: NotRequired[SummaryLeftOut]
    """How many entries of a section a bound left out; recall finds what they came from."""


SummaryDiff = TypedDict("SummaryDiff", {"sections": "list[SummarySectionDiff]", "from": "int | None", "to": "int"})

SummaryEntryChange = TypedDict("SummaryEntryChange", {"key": "str", "from": "Any", "to": "Any"})

SummaryLeftOut: TypeAlias = dict[str, int]


class SummarySectionDiff(TypedDict):
    """The difference within one section."""

    section: SummarySection
    """One section of the summary, under its JSON field's name."""

    added: list[Any]
    """Entries that only the later version has."""

    changed: list[SummaryEntryChange]
    """Entries that both have, in another form."""

    dropped: list[Any]
    """Entries that only the earlier version has."""


class SummaryVersion(TypedDict):
    """A version in the history."""

    version: int
    """Its number in the session: 1, 2, 3 …"""

    strategy: Strategy
    """What a compression reads and what it makes of it."""

    verifiable: Verifiability
    """How far a version can be checked against the originals."""

    engine: Engine
    """The engine that read the span of a version."""

    compression_count: int
    """Versions published by a compression so far, this one included."""

    last_compressed_at: str
    """When it was published."""

    from_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    through_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    tokens_before: int
    """Record and digest of the version before plus the span, as contexts would serve them, in tokens."""

    tokens_after: int
    """Its record and digest when it was made, as contexts serve them, in tokens."""

    max_tokens: int
    """The most tokens that its rendering was given."""

    reduction: float | None
    """The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one."""

    warnings: list[str]
    """Warnings about it."""

    current: bool
    """Whether it is the current one."""

    created_at: str
    """When it was made; later than `last_compressed_at` for a rollback."""

    parent_version: NotRequired[int | None]
    """The version that it was merged into."""

    model: NotRequired[None | str]
    """The model, when one was asked."""

    probe_score: NotRequired[float | None]
    """The share of the probes that passed, from 0 to 1; absent without probes."""

    facts_score: NotRequired[float | None]
    """The same of the probes that ask for facts which code found."""

    exam: NotRequired[ExamScores | None]
    """How a reader did in an exam that was written from the messages; absent without one."""

    phase: NotRequired[None | Phase]
    """The phase of the work that it was made in, which decides how it is rendered."""

    imported: NotRequired[bool]
    """It came from an import: what it says was checked where it was made, if it was, and not here. Absent for one that was
    made here."""


class SummaryVersionPage(TypedDict):
    """One page of a list."""

    items: list[SummaryVersion]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class SyncResult(TypedDict):
    """The outcome of a sync, the session's state after it, and the context to send to the model next."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    next_seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    tokens_added: int
    """Tokens of the messages that were stored now."""

    usage: BriefUsage
    """How full the context is: the figures that decide, and the rest when it is asked for."""

    compression: LiveCompression | None
    """The live compression; null when there is none."""

    sync: SyncState
    """The result for a list."""

    branch: NotRequired[None | str]
    """The branch; absent when it is main."""

    first_seq: NotRequired[int]
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    last_seq: NotRequired[int]
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    format: NotRequired[MessageFormat]
    """A conversation format, in and out."""

    decision: NotRequired[TriggerDecision]
    """The decision from the signals, as the reply to an append says it."""

    warnings: NotRequired[list[Warning_]]
    """Warnings: about the messages that were stored now, as the reply to an append has them; about an assumed window only
    with `include=warnings`, and the context has them too. Absent when there are none."""

    context: NotRequired[Context]
    """An assembled context."""

    context_problem: NotRequired[Problem]
    """A refusal or failure (RFC 9457). Members beyond these are documented with the operation."""


class SyncState(TypedDict):
    """The result for a list."""

    branch: str
    """The name of a branch, unique in its session."""

    outcome: SyncOutcome
    """The outcome of a sync."""

    common: int
    """How many messages of the list it had already."""

    appended: int
    """How many were stored now."""


class Task(TypedDict):
    """A task: its status, and the usage of all its sessions."""

    requests: int
    """Contexts that were served: one for each call of the agent's model."""

    context_tokens: int
    """Tokens of these contexts."""

    uncompressed_tokens: int
    """Tokens that the whole sessions would have taken instead."""

    tokens_saved: int
    """Tokens that the contexts were smaller by."""

    prefix: PrefixUsage
    """The tokens of contexts by what a provider's cache can have of them. Each is compared with the one before that the same process
    served to the session: the first that it serves counts as new. The prompt of the caller, the time for which a cache lives and the steps
    in which it grows are not known here; `reported` has what the provider counted."""

    total_tokens: int
    """Tokens of the contexts and of the engine's own model, in and out."""

    tokens_per_request: float | None
    """`context_tokens` for each request; null without one."""

    llm: ModelUsage
    """The use of the engine's model."""

    compressed: CompressedTokens
    """Results of compressions: the sums of their reports."""

    refetched: RefetchedUsage
    """Figures of what was fetched again."""

    refetch_rate: float | None
    """Requests that fetched again, for each request for a context; null without one."""

    too_aggressive: bool
    """Whether the re-fetch rate is above 0.20: compression removes what the agent needs."""

    reported: ReportedUsage
    """The provider's figures, as callers reported them."""

    appends: int
    """Batches that were appended."""

    appended_tokens: int
    """Their tokens."""

    appended_messages: int
    """Their messages."""

    stored_bytes: int
    """Bytes of their texts and vectors, less those of sessions that were erased in the time of the report."""

    latency: AddedLatency
    """The time that the service adds to the agent's: from a request's arrival at its operation until its reply
    is made. Compressions run beside the agent and are not in it."""

    task_id: str
    """The task's id."""

    status: TaskStatus
    """The status of a task."""

    ended_at: None | str
    """When it ended; null while it is active."""

    sessions: int
    """Sessions that are part of it, or were when they used something."""

    compressions: int
    """Versions that compressions of these sessions published."""


class TaskOutcomes(TypedDict):
    """How the tasks of one sort ended."""

    ended: int
    """Tasks that ended."""

    completed: int
    """Completed tasks."""

    completion_rate: float | None
    """`completed` of `ended`; null when none ended."""

    tokens_per_completed_task: float | None
    """Tokens of the contexts and of the engine's model for each completed task; null without one."""

    requests_per_completed_task: float | None
    """Contexts that were served for each completed task; null without one."""


class TasksUsage(TypedDict):
    """How tasks ended, with compression and without."""

    with_compression: TaskOutcomes
    """How the tasks of one sort ended."""

    without_compression: TaskOutcomes
    """How the tasks of one sort ended."""


class TaskUpdate(TypedDict):
    """The status of a task."""

    status: TaskStatus
    """The status of a task."""


class Tenant(TypedDict):
    """A tenant."""

    id: str
    """An id that starts with `ten_`."""

    name: str
    """Its name, unique in the installation."""

    status: TenantStatus
    """Whether a tenant's keys are accepted."""

    quotas: TenantQuotas
    """The bounds of one tenant; what is absent or null is not bounded for it alone."""

    retention_days: int | None
    """How many days it keeps sessions without a write; null means forever."""

    provider_keys_for: list[str]
    """Providers for which the gateway has a key of the tenant's."""

    created_at: str
    """When it was created."""

    cell: NotRequired[None | str]
    """The cell that has it, of an installation with several."""


class TenantPage(TypedDict):
    """One page of a list."""

    items: list[Tenant]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class TenantPatch(TypedDict):
    """A change of a tenant; an absent field keeps its value."""

    name: NotRequired[None | str]
    """Its name."""

    status: NotRequired[None | TenantStatus]
    """Whether its keys are accepted."""

    quotas: NotRequired[None | TenantQuotas]
    """Its quotas; they replace the ones there are."""

    retention_days: NotRequired[int | None]
    """How many days it keeps sessions without a write; null means forever."""

    provider_keys: NotRequired[None | ProviderKeys]
    """Keys of model providers, which the gateway sends upstream for the tenant's agents."""


class TenantPins(TypedDict):
    """The tenant's pins, in the order in which contexts show them."""

    pins: list[Pin]
    """The pins."""


class TenantQuotas(TypedDict):
    """The bounds of one tenant; what is absent or null is not bounded for it alone."""

    requests_per_second: NotRequired[int | None]
    """Requests per second, over all keys."""

    messages_per_day: NotRequired[int | None]
    """Messages appended in a day (UTC)."""

    stored_bytes: NotRequired[int | None]
    """Bytes of messages that are stored."""

    llm_tokens_per_day: NotRequired[int | None]
    """Tokens that summarising by models may take in a day (UTC); beyond it code makes the summaries."""

    concurrent_compressions: NotRequired[int | None]
    """Compressions at the same time."""

    sessions: NotRequired[int | None]
    """Sessions; 1,000,000 when absent."""

    keys: NotRequired[int | None]
    """API keys that are neither revoked nor expired; 1,000 when absent."""

    kept_replies: NotRequired[int | None]
    """Replies that are kept for idempotency keys, for a day each; 5,000,000 when absent."""

    waiting_jobs: NotRequired[int | None]
    """Jobs that wait for a worker when a caller asks for another one; 10,000 when absent."""

    waiting_deliveries: NotRequired[int | None]
    """Deliveries that wait for each webhook; 10,000 when absent. Further events are not delivered to it."""

    jobs_per_session: NotRequired[int | None]
    """Jobs of one session, ended ones included, when a caller asks for another one; 20,000 when absent."""

    versions_per_session: NotRequired[int | None]
    """Versions of one session when a caller asks for a rollback; 20,000 when absent."""

    tasks_per_session: NotRequired[int | None]
    """Tasks that one session was part of; 1,000 when absent."""


class TenantSettings(TypedDict):
    """The defaults of the tenant's sessions, and what follows from them."""

    settings: Settings
    """Settings as the caller gave them; every field is optional."""

    policy: ResolvedPolicy
    """Settings with every default resolved."""


TenantUsage = TypedDict(
    "TenantUsage",
    {"from": "str", "to": "str", "total": "UsageFigures", "days": "list[UsageDay]", "tasks": "TasksUsage"},
)


class TestResult(TypedDict):
    """One run of a test command."""

    command: str
    """The command."""

    outcome: TestOutcome
    """How a test run ended."""

    failing: list[str]
    """Names of failing tests."""

    seqs: list[int]
    """The messages that it came from."""

    passed: NotRequired[int | None]
    """Tests passed."""

    failed: NotRequired[int | None]
    """Tests failed."""

    superseded_by: NotRequired[None | str]
    """The later run that covers this one."""


class TestRunFact(TypedDict):
    """A run of tests."""

    command: str
    """The command."""

    outcome: TestOutcome
    """How a test run ended."""

    failing: list[str]
    """Names of failing tests."""

    seqs: list[int]
    """The call and its result."""

    kind: TestRunFactKind
    passed: NotRequired[int | None]
    """Tests passed."""

    failed: NotRequired[int | None]
    """Tests failed."""


class Thresholds(TypedDict):
    """Overrides of thresholds; shares are of the effective window, from 0 to 1."""

    warn: NotRequired[float | None]
    """Share at which a warning is given. Default 0.60."""

    compress: NotRequired[float | None]
    """Share at which a compression starts. Default 0.70."""

    force: NotRequired[float | None]
    """Share at which a compression is forced, and large tool outputs are clipped where none helps. Default 0.85."""

    critical: NotRequired[float | None]
    """Share at which a compression is immediate. Default 0.90."""

    exam: NotRequired[float | None]
    """Share of right answers below which an exam is flagged as low and a model writes again what the reader missed.
    Default 0.50."""

    messages: NotRequired[MessageThresholds | None]
    """Message counts of the message-count signal."""

    turns: NotRequired[int | None]
    """Turns since the anchor above which a compression is evaluated. Default 20."""

    savings: NotRequired[float | None]
    """Share of the served tokens that a compression must save for `evaluate` to become `compress`. Default 0.20."""

    repeats: NotRequired[int | None]
    """Near-duplicate messages, or equal tool calls, among the last 12 that are called circular. Default 3."""

    rereads: NotRequired[int | None]
    """Readings of the same, or files read again, among the last 20 tool calls that are called re-reading. Default 3."""

    reread_share: NotRequired[float | None]
    """Share of all readings above which readings of the same are called re-reading. Default 0.20."""

    verbosity: NotRequired[float | None]
    """How many times the session's median length the last messages must have to be verbose. Default 2."""

    growth: NotRequired[float | None]
    """Share of the effective window within 5 minutes above which growth is warned of. Default 0.20."""

    cycles: NotRequired[int | None]
    """Published versions from which on a new session is advised. Default 10."""


class Todo(TypedDict):
    """One item of a caller's list."""

    content: str
    """The task."""

    status: TodoStatus
    """How far a todo item is."""

    proposed_status: NotRequired[None | TodoStatus]
    """The status that a compression infers without certainty. Only the caller changes `status`."""

    seqs: NotRequired[list[int]]
    """The messages about its completion."""


TodoChange = TypedDict(
    "TodoChange",
    {
        "content": "str",
        "from": "None | TodoStatus",
        "to": "None | TodoStatus",
        "proposed": "bool",
        "evidence": NotRequired["None | str"],
        "seqs": NotRequired["list[int]"],
    },
)


class TodoInput(TypedDict):
    """One item of a list."""

    content: str
    """The task."""

    status: TodoStatus
    """How far a todo item is."""


class Todos(TypedDict):
    """A session's todo list, and what its last change was."""

    todos: list[Todo]
    """The items, in the caller's order."""

    changes: list[TodoChange]
    """The latest changes, a caller's or a compression's, proposals included."""

    changed_in_version: int | None
    """The version whose compression brought the last change; null when the caller did."""

    revision: int
    """Grows with every change; 0 before the first list."""

    updated_at: None | str
    """When it was last changed; null before the first list."""


class TokenCount(TypedDict):
    """Token counts."""

    tokens: int
    """All tokens."""

    format: NotRequired[MessageFormat]
    """A conversation format, in and out."""

    per_message: NotRequired[list[int] | None]
    """The tokens of each message, in order; absent for a text."""


class TokenCountRequest(TypedDict):
    """Messages or a text to count."""

    messages: NotRequired[list[Message] | None]
    """The messages to count, as their format writes them."""

    text: NotRequired[None | str]
    """The text to count."""

    tokenizer: NotRequired[Tokenizer]
    """A way to count tokens."""

    format: NotRequired[MessageFormat]
    """A conversation format, in and out."""


class ToolCallRequest(TypedDict):
    """A call as the model made it."""

    arguments: NotRequired[Any]
    """The arguments that the model gave, unchanged: an object, or its JSON text, as OpenAI's models give it. Absent, null
    and empty are no arguments. The result names their errors to the model."""

    max_tokens: NotRequired[int | None]
    """The most tokens of the result, as the session counts."""


class ToolCallResult(TypedDict):
    """A tool's result."""

    content: str
    """The text for the model: a line of the service's, then what was read, as data."""

    is_error: bool
    """Whether the model has to call otherwise; `content` says how."""

    tokens: int
    """The tokens of `content`."""

    next: None | ToolCallResultNextType0
    """The arguments of the call that reads on; null at the end."""


ToolCallResultNextType0: TypeAlias = dict[str, Any]


class ToolDefinitions(TypedDict):
    """The definitions of the service's tools."""

    format: MessageFormat
    """A conversation format, in and out."""

    tools: list[ToolDefinitionsToolsItem]
    """One for each tool, as a request to the provider has them in its `tools`."""

    names: list[str]
    """The names of the tools, in the same order: a call of one of them is for the service."""

    tokens: int
    """About the tokens that they add to every call of the model; part of `system_tokens`."""


ToolDefinitionsToolsItem: TypeAlias = dict[str, Any]


class ToolOutput(TypedDict):
    """A tool output, in full or a range of its lines."""

    ref: str
    """Its reference."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    call_id: str
    """The call that it answers."""

    lines: int
    """The number of lines of the whole output."""

    from_line: int
    """The first line that was read; 0 when none was."""

    to_line: int
    """The last line that was read; 0 when none was."""

    content: str
    """The text of these lines."""


class TranscriptRequest(TypedDict):
    """All messages of an agent, as its framework keeps them."""

    messages: list[Message]
    """All messages from the first on, or from the one behind `after`; oldest first, as the format writes them."""

    format: NotRequired[MessageFormat]
    """A conversation format, in and out."""

    model: NotRequired[None | str]
    """The model that the session talks to from now on, as in an append."""

    after: NotRequired[int]
    """The position of a message in its session: 1, 2, 3 … without gaps."""

    may_be_longer: NotRequired[bool]
    """Whether the branch may have more than the list. Then it stays as it is, and does not go back to the list's last
    message; the context is that of the list. Default false."""

    may_be_trimmed: NotRequired[bool]
    """Whether a message may be sent again with less than was said: an answer without its thoughts, white space or end, and a
    user's message without its end. It counts as the stored one when those before it and behind it agree. Default false."""

    task_boundary: NotRequired[bool]
    """Whether a task has just ended; some policies then compress. It is of no effect when nothing is stored."""

    user: NotRequired[None | str]
    """The session's `user`, when this list makes the session; one that is there keeps its own."""

    metadata: NotRequired[None | TranscriptRequestMetadataType0]
    """The session's `metadata`, when this list makes the session; one that is there keeps its own."""


TranscriptRequestMetadataType0: TypeAlias = dict[str, Any]


class TriggerDecision(TypedDict):
    """The decision from the signals, as the reply to an append says it."""

    action: SignalAction
    """The action that a signal requests, in order of severity."""

    signals: list[Signal]
    """The signals that count and ask for something, and advice; or every signal, with its own action."""

    reasons: NotRequired[list[SignalKind] | None]
    """The signals that ask for it; only with every signal."""

    held_back: NotRequired[HeldBack | None]
    """Why no compression starts, although they ask for one; absent when one waits or runs."""


class TruncateSession(TypedDict):
    """Where to go back to."""

    seq: int
    """The position of a message in its session: 1, 2, 3 … without gaps."""


class UnpublishedEntry(TypedDict):
    """An entry of a model's answer that was not published."""

    text: str
    """The entry."""

    reason: str
    """Why it was left out."""


class UsageDay(TypedDict):
    """The use of the tenant on one day."""

    requests: int
    """Contexts that were served: one for each call of the agent's model."""

    context_tokens: int
    """Tokens of these contexts."""

    uncompressed_tokens: int
    """Tokens that the whole sessions would have taken instead."""

    tokens_saved: int
    """Tokens that the contexts were smaller by."""

    prefix: PrefixUsage
    """The tokens of contexts by what a provider's cache can have of them. Each is compared with the one before that the same process
    served to the session: the first that it serves counts as new. The prompt of the caller, the time for which a cache lives and the steps
    in which it grows are not known here; `reported` has what the provider counted."""

    total_tokens: int
    """Tokens of the contexts and of the engine's own model, in and out."""

    tokens_per_request: float | None
    """`context_tokens` for each request; null without one."""

    llm: ModelUsage
    """The use of the engine's model."""

    compressed: CompressedTokens
    """Results of compressions: the sums of their reports."""

    refetched: RefetchedUsage
    """Figures of what was fetched again."""

    refetch_rate: float | None
    """Requests that fetched again, for each request for a context; null without one."""

    too_aggressive: bool
    """Whether the re-fetch rate is above 0.20: compression removes what the agent needs."""

    reported: ReportedUsage
    """The provider's figures, as callers reported them."""

    appends: int
    """Batches that were appended."""

    appended_tokens: int
    """Their tokens."""

    appended_messages: int
    """Their messages."""

    stored_bytes: int
    """Bytes of their texts and vectors, less those of sessions that were erased in the time of the report."""

    latency: AddedLatency
    """The time that the service adds to the agent's: from a request's arrival at its operation until its reply
    is made. Compressions run beside the agent and are not in it."""

    day: str
    """The day in UTC."""


class UsageFigures(TypedDict):
    """Usage figures and what follows from them."""

    requests: int
    """Contexts that were served: one for each call of the agent's model."""

    context_tokens: int
    """Tokens of these contexts."""

    uncompressed_tokens: int
    """Tokens that the whole sessions would have taken instead."""

    tokens_saved: int
    """Tokens that the contexts were smaller by."""

    prefix: PrefixUsage
    """The tokens of contexts by what a provider's cache can have of them. Each is compared with the one before that the same process
    served to the session: the first that it serves counts as new. The prompt of the caller, the time for which a cache lives and the steps
    in which it grows are not known here; `reported` has what the provider counted."""

    total_tokens: int
    """Tokens of the contexts and of the engine's own model, in and out."""

    tokens_per_request: float | None
    """`context_tokens` for each request; null without one."""

    llm: ModelUsage
    """The use of the engine's model."""

    compressed: CompressedTokens
    """Results of compressions: the sums of their reports."""

    refetched: RefetchedUsage
    """Figures of what was fetched again."""

    refetch_rate: float | None
    """Requests that fetched again, for each request for a context; null without one."""

    too_aggressive: bool
    """Whether the re-fetch rate is above 0.20: compression removes what the agent needs."""

    reported: ReportedUsage
    """The provider's figures, as callers reported them."""

    appends: int
    """Batches that were appended."""

    appended_tokens: int
    """Their tokens."""

    appended_messages: int
    """Their messages."""

    stored_bytes: int
    """Bytes of their texts and vectors, less those of sessions that were erased in the time of the report."""

    latency: AddedLatency
    """The time that the service adds to the agent's: from a request's arrival at its operation until its reply
    is made. Compressions run beside the agent and are not in it."""


class UsageReport(TypedDict):
    """The provider's own figures of the last call."""

    input_tokens: int
    """Tokens in, cached ones included. A provider that reports them apart: the sum."""

    output_tokens: int
    """Tokens out."""

    cached_tokens: NotRequired[int | None]
    """The part of the tokens in that came from the provider's cache."""

    model: NotRequired[None | str]
    """The model, for the caller's records: it comes back in the reply."""

    context_tokens: NotRequired[int | None]
    """`tokens.total` of the context that was sent; default that of the context served last."""


class UsageReportResult(TypedDict):
    """The result of a report."""

    session_id: str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    counted_tokens: int
    """The service's count for the context that was sent."""

    reported_tokens: int
    """The provider's count."""

    ratio: float | None
    """`reported_tokens` of `counted_tokens`; null when nothing was counted."""

    basis: UsageReportBasis
    """The context that a usage report was compared with."""

    verdict: UsageReportVerdict
    """The use of a report."""

    context_revision: int
    """Grows when the correction in force moved."""

    usage: ContextUsage
    """How full the context is, as every append and read of a session reports it."""

    model: NotRequired[None | str]
    """The model, as reported."""


class UserRequest(TypedDict):
    """A person's request."""

    text: str
    """The request, quoted and shortened."""

    state: UserRequestState
    """The state of a request."""

    seqs: list[int]
    """The messages that it came from."""

    superseded_by: NotRequired[None | str]
    """The request that replaced it."""

    outcome: NotRequired[None | str]
    """The outcome, as a model summarised it."""

    answers: NotRequired[bool]
    """Whether it answers a question of the agent, so that what was asked before it is not over."""


class Warning_(TypedDict):
    """Warnings for a caller whose request was served."""

    code: WarningCode
    """The subject of a warning."""

    model: NotRequired[None | str]
    """The model that is not known."""

    window: NotRequired[int | None]
    """The tokens of the context window that is assumed; absent when the session's own was used."""

    seqs: NotRequired[list[int]]
    """The messages that it is about."""

    tokens: NotRequired[int | None]
    """The tokens of the output that is too large to be served whole."""

    max_tokens: NotRequired[int | None]
    """The most tokens that an output may have here to be served whole."""

    detail: NotRequired[None | str]
    """Its meaning, and what to do."""


class Webhook(TypedDict):
    """A webhook, without its secret."""

    id: str
    """An id that starts with `whk_`."""

    url: str
    """Where it is."""

    events: list[WebhookEventType] | None
    """The events that it gets; null for all."""

    description: None | str
    """A description for people."""

    enabled: bool
    """Whether it gets anything."""

    disabled_reason: None | WebhookDisabledReason
    """Why it gets nothing: `caller`, `gone` (the receiver answered 410) or `failing` (every attempt of five
    days failed); null while it is enabled."""

    disabled_at: None | str
    """Since when it gets nothing."""

    failing_since: None | str
    """When the first of the attempts failed since which none has succeeded; null when the last one did."""

    previous_secret_until: None | str
    """The previous secret stays valid until this time."""

    created_at: str
    """When it was created."""

    updated_at: str
    """When it was last changed."""


class WebhookDelivery(TypedDict):
    """A message to a webhook and what became of it."""

    id: str
    """An id that starts with `dlv_`."""

    webhook_id: str
    """An id that starts with `whk_`."""

    event: str
    """The type of the event."""

    session_id: None | str
    """The caller's name for a session (`session_id` in the API), unique per tenant."""

    status: WebhookDeliveryStatus
    """The status of a delivery to a webhook."""

    attempts: int
    """Attempts so far."""

    last_status_code: int | None
    """The receiver's last answer; null when there was none."""

    last_error: None | WebhookDeliveryFailure
    """Why the last attempt failed: `status`, `timeout`, `connection`, `tls` or `address`; null when it
    succeeded."""

    last_duration_ms: int | None
    """The duration of the last attempt, in milliseconds."""

    last_attempt_at: None | str
    """When it was last tried."""

    next_attempt_at: None | str
    """When it is tried next; null while it is being tried and when it is not tried again."""

    created_at: str
    """When it was made: in the commit of its event."""

    finished_at: None | str
    """When it succeeded or was given up."""

    branch: NotRequired[None | str]
    """The name of a branch, unique in its session."""


class WebhookDeliveryDetail(TypedDict):
    """A delivery with what is sent."""

    delivery: WebhookDelivery
    """A message to a webhook and what became of it."""

    message: Event
    """Something that happened in a session. Streams and webhooks send the same JSON."""


class WebhookDeliveryPage(TypedDict):
    """One page of a list."""

    items: list[WebhookDelivery]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class WebhookPage(TypedDict):
    """One page of a list."""

    items: list[Webhook]
    """The items, in the list's order."""

    next_cursor: None | str
    """The `cursor` of the next page; null on the last one."""


class WebhookPatch(TypedDict):
    """A change of a webhook; what is absent stays."""

    url: NotRequired[None | str]
    """The URL. Pending deliveries go to the new one."""

    events: NotRequired[list[WebhookEventType] | None]
    """The events that it gets; null for all."""

    description: NotRequired[None | str]
    """A description for people; null removes it."""

    enabled: NotRequired[bool | None]
    """Whether it gets messages. Deliveries that are pending when it is disabled are cancelled."""


class WebhookSecretRotation(TypedDict):
    """How a secret is replaced."""

    overlap_seconds: NotRequired[int | None]
    """How long the old secret signs beside the new one, in seconds; default a day, 0 when it has leaked."""


class WebhookWithSecret(TypedDict):
    """A webhook with a secret that was just made; this is the only reply that shows it."""

    webhook: Webhook
    """A webhook, without its secret."""

    secret: str
    """The secret that signs its messages: `whsec_` and the secret in base64, as libraries for Standard Webhooks take it."""
