# Made by `just clients` from openapi/anchord.json; changes here are lost.
"""Every operation of the service, by its tag: `messages.append` is `client.messages.append`."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Iterator

from anchord._calls import AsyncCalls, Calls
from anchord.types import (
    AgentNotes,
    ApiKey,
    ApiKeyPage,
    ApiKeyRotation,
    AppendRequest,
    AppendResult,
    AuditEvent,
    AuditEventPage,
    Branch,
    BranchPage,
    CommandFact,
    CompressedMessages,
    Compression,
    CompressionPage,
    CompressRequest,
    ConstraintFact,
    Context,
    ContextGetCacheControl,
    CreateApiKey,
    CreateBranch,
    CreateCompression,
    CreatedApiKey,
    CreateEvaluation,
    CreateProbe,
    CreateTenant,
    CreateWebhook,
    ErrorFact,
    Evaluation,
    EvaluationDetail,
    EvaluationPage,
    FileFact,
    Handoff,
    Health,
    IdentifierFact,
    LedgerListKind,
    LedgerPage,
    MessageFormat,
    MessagesAppendCacheControl,
    MessagesAppendIncludeItem,
    MessagesAppendReturn,
    Model,
    ModelCall,
    ModelCallPage,
    ModelPage,
    ModelRequest,
    PendingCompression,
    Pin,
    PinInput,
    PreaggregateRequest,
    PreaggregateResult,
    ProbePatch,
    QuotaReport,
    RecallMode,
    RecallResult,
    ReplaceCurrentBranch,
    ReplacePins,
    ReplaceTodos,
    RequestFact,
    RollbackRequest,
    ServedContext,
    ServedContextPage,
    Session,
    SessionItem,
    SessionPage,
    SessionPins,
    SessionProbe,
    SessionProbePage,
    SessionsListIncludeItem,
    SessionsRecallResult,
    SessionState,
    Settings,
    StoredMessage,
    StoredMessagePage,
    SummariesGetCurrentStyle,
    SummariesGetStyle,
    Summary,
    SummaryDiff,
    SummaryVersion,
    SummaryVersionPage,
    SyncResult,
    Task,
    TaskUpdate,
    Tenant,
    TenantPage,
    TenantPatch,
    TenantPins,
    TenantSettings,
    TenantUsage,
    TestRunFact,
    Todos,
    TokenCount,
    TokenCountRequest,
    ToolCallRequest,
    ToolCallResult,
    ToolDefinitions,
    ToolOutput,
    TranscriptRequest,
    TranscriptSyncCacheControl,
    TranscriptSyncIncludeItem,
    TruncateSession,
    UsageReport,
    UsageReportResult,
    Webhook,
    WebhookDelivery,
    WebhookDeliveryDetail,
    WebhookDeliveryPage,
    WebhookDeliveryStatus,
    WebhookPage,
    WebhookPatch,
    WebhookSecretRotation,
    WebhookWithSecret,
)


class SessionsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def get(self, session_id: str, *, branch: str | None = None) -> Session:
        """Reads a session."""
        reply: Session = self._calls.call(
            "GET", "/v1/sessions/{session_id}", path={"session_id": session_id}, query={"branch": branch}
        )
        return reply

    def put(self, session_id: str, body: Settings, *, branch: str | None = None) -> Session:
        """Creates a session or replaces its settings.

        An absent or null field has its default; `PATCH` changes single fields. A change starts a new `context_revision`. Context
        window, output reserve and tokenizer: what the session sets, else what follows from its `model`, else what the tenant
        sets, else what follows from the tenant's `model`, else the defaults of the installation. The tokenizer is fixed by the
        first message or the first fork, because every stored count depends on it: without the field it stays as it is; the window
        follows a later `model`.

        Settings are those of the session on all of its branches; `branch` says whose figures the reply has.
        """
        reply: Session = self._calls.call(
            "PUT", "/v1/sessions/{session_id}", path={"session_id": session_id}, query={"branch": branch}, body=body
        )
        return reply

    def delete(self, session_id: str) -> None:
        """Erases a session and everything that belongs to it.

        Its messages, versions, pins and stored replies go with it, and live work is cancelled. Nothing of it is shown from
        then on, and a new session may take the name at once; the rows of a large one are deleted in the background, and its
        bytes count until they are.
        """
        self._calls.call("DELETE", "/v1/sessions/{session_id}", path={"session_id": session_id})

    def update(self, session_id: str, body: Settings, *, branch: str | None = None) -> Session:
        """Changes a session's settings.

        An absent field keeps its value and null resets it (JSON Merge Patch); `metadata` is replaced as a whole. A change
        starts a new `context_revision`. Settings are those of the session on all of its branches; `branch` says whose figures the
        reply has.
        """
        reply: Session = self._calls.call(
            "PATCH", "/v1/sessions/{session_id}", path={"session_id": session_id}, query={"branch": branch}, body=body
        )
        return reply

    def list(
        self,
        *,
        task_id: str | None = None,
        parent_session_id: str | None = None,
        user: str | None = None,
        named: str | None = None,
        metadata: builtins.list[str] | None = None,
        updated_since: str | None = None,
        include: builtins.list[SessionsListIncludeItem] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SessionPage:
        """Lists sessions, newest first.

        A session is one row, with the figures of its current branch.
        """
        reply: SessionPage = self._calls.call(
            "GET",
            "/v1/sessions",
            query={
                "task_id": task_id,
                "parent_session_id": parent_session_id,
                "user": user,
                "named": named,
                "metadata": metadata,
                "updated_since": updated_since,
                "include": include,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return reply

    def iter(
        self,
        *,
        task_id: str | None = None,
        parent_session_id: str | None = None,
        user: str | None = None,
        named: str | None = None,
        metadata: builtins.list[str] | None = None,
        updated_since: str | None = None,
        include: builtins.list[SessionsListIncludeItem] | None = None,
        limit: int | None = None,
    ) -> Iterator[SessionItem]:
        """Lists sessions, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[SessionItem] = self._calls.pages(
            "GET",
            "/v1/sessions",
            query={
                "task_id": task_id,
                "parent_session_id": parent_session_id,
                "user": user,
                "named": named,
                "metadata": metadata,
                "updated_since": updated_since,
                "include": include,
                "limit": limit,
            },
        )
        return pages

    def get_state(self, session_id: str, *, max_tokens: int | None = None, branch: str | None = None) -> SessionState:
        """Reads a session's state file: the current version as JSON, for an agent that keeps one."""
        reply: SessionState = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/state",
            path={"session_id": session_id},
            query={"max_tokens": max_tokens, "branch": branch},
        )
        return reply

    def get_handoff(
        self, session_id: str, *, level: int | None = None, words: int | None = None, branch: str | None = None
    ) -> Handoff | None:
        """Reads the hand-off of a session: a text for another agent.

        The text has at most `level` tokens and level-3 headings, so that it goes under
        `## Prior Session Context` in a prompt. From 1,500 tokens on it ends with a
        digest of what was said and the notes of the agent.
        """
        reply: Handoff | None = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/handoff",
            path={"session_id": session_id},
            query={"level": level, "words": words, "branch": branch},
        )
        return reply


class AsyncSessionsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def get(self, session_id: str, *, branch: str | None = None) -> Session:
        """Reads a session."""
        reply: Session = await self._calls.call(
            "GET", "/v1/sessions/{session_id}", path={"session_id": session_id}, query={"branch": branch}
        )
        return reply

    async def put(self, session_id: str, body: Settings, *, branch: str | None = None) -> Session:
        """Creates a session or replaces its settings.

        An absent or null field has its default; `PATCH` changes single fields. A change starts a new `context_revision`. Context
        window, output reserve and tokenizer: what the session sets, else what follows from its `model`, else what the tenant
        sets, else what follows from the tenant's `model`, else the defaults of the installation. The tokenizer is fixed by the
        first message or the first fork, because every stored count depends on it: without the field it stays as it is; the window
        follows a later `model`.

        Settings are those of the session on all of its branches; `branch` says whose figures the reply has.
        """
        reply: Session = await self._calls.call(
            "PUT", "/v1/sessions/{session_id}", path={"session_id": session_id}, query={"branch": branch}, body=body
        )
        return reply

    async def delete(self, session_id: str) -> None:
        """Erases a session and everything that belongs to it.

        Its messages, versions, pins and stored replies go with it, and live work is cancelled. Nothing of it is shown from
        then on, and a new session may take the name at once; the rows of a large one are deleted in the background, and its
        bytes count until they are.
        """
        await self._calls.call("DELETE", "/v1/sessions/{session_id}", path={"session_id": session_id})

    async def update(self, session_id: str, body: Settings, *, branch: str | None = None) -> Session:
        """Changes a session's settings.

        An absent field keeps its value and null resets it (JSON Merge Patch); `metadata` is replaced as a whole. A change
        starts a new `context_revision`. Settings are those of the session on all of its branches; `branch` says whose figures the
        reply has.
        """
        reply: Session = await self._calls.call(
            "PATCH", "/v1/sessions/{session_id}", path={"session_id": session_id}, query={"branch": branch}, body=body
        )
        return reply

    async def list(
        self,
        *,
        task_id: str | None = None,
        parent_session_id: str | None = None,
        user: str | None = None,
        named: str | None = None,
        metadata: builtins.list[str] | None = None,
        updated_since: str | None = None,
        include: builtins.list[SessionsListIncludeItem] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SessionPage:
        """Lists sessions, newest first.

        A session is one row, with the figures of its current branch.
        """
        reply: SessionPage = await self._calls.call(
            "GET",
            "/v1/sessions",
            query={
                "task_id": task_id,
                "parent_session_id": parent_session_id,
                "user": user,
                "named": named,
                "metadata": metadata,
                "updated_since": updated_since,
                "include": include,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return reply

    def iter(
        self,
        *,
        task_id: str | None = None,
        parent_session_id: str | None = None,
        user: str | None = None,
        named: str | None = None,
        metadata: builtins.list[str] | None = None,
        updated_since: str | None = None,
        include: builtins.list[SessionsListIncludeItem] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[SessionItem]:
        """Lists sessions, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[SessionItem] = self._calls.pages(
            "GET",
            "/v1/sessions",
            query={
                "task_id": task_id,
                "parent_session_id": parent_session_id,
                "user": user,
                "named": named,
                "metadata": metadata,
                "updated_since": updated_since,
                "include": include,
                "limit": limit,
            },
        )
        return pages

    async def get_state(
        self, session_id: str, *, max_tokens: int | None = None, branch: str | None = None
    ) -> SessionState:
        """Reads a session's state file: the current version as JSON, for an agent that keeps one."""
        reply: SessionState = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/state",
            path={"session_id": session_id},
            query={"max_tokens": max_tokens, "branch": branch},
        )
        return reply

    async def get_handoff(
        self, session_id: str, *, level: int | None = None, words: int | None = None, branch: str | None = None
    ) -> Handoff | None:
        """Reads the hand-off of a session: a text for another agent.

        The text has at most `level` tokens and level-3 headings, so that it goes under
        `## Prior Session Context` in a prompt. From 1,500 tokens on it ends with a
        digest of what was said and the notes of the agent.
        """
        reply: Handoff | None = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/handoff",
            path={"session_id": session_id},
            query={"level": level, "words": words, "branch": branch},
        )
        return reply


class MessagesOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(
        self,
        session_id: str,
        *,
        from_seq: int | None = None,
        to_seq: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        branch: str | None = None,
    ) -> StoredMessagePage:
        """Lists the original messages in order."""
        reply: StoredMessagePage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/messages",
            path={"session_id": session_id},
            query={"from_seq": from_seq, "to_seq": to_seq, "limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(
        self,
        session_id: str,
        *,
        from_seq: int | None = None,
        to_seq: int | None = None,
        limit: int | None = None,
        branch: str | None = None,
    ) -> Iterator[StoredMessage]:
        """Lists the original messages in order. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[StoredMessage] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/messages",
            path={"session_id": session_id},
            query={"from_seq": from_seq, "to_seq": to_seq, "limit": limit, "branch": branch},
        )
        return pages

    def append(
        self,
        session_id: str,
        body: AppendRequest,
        *,
        include: builtins.list[MessagesAppendIncludeItem] | None = None,
        return_: MessagesAppendReturn | None = None,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
        recap: bool | None = None,
        cache_control: MessagesAppendCacheControl | None = None,
        branch: str | None = None,
        idempotency_key: str | None = None,
    ) -> AppendResult:
        """Appends a batch of messages; makes the session when it is new.

        The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply tells the positions, how
        full the context is, the signals that ask for something, and the live compression, when there is one; `include` adds the rest.
        With `return=context` it also has the context to send to the model next, which saves a round trip.
        `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`; with `include=warnings`
        the reply says why (`window-assumed`, `model-unknown`) and what to do.
        """
        reply: AppendResult = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/messages",
            path={"session_id": session_id},
            query={
                "include": include,
                "return": return_,
                "format": format,
                "max_input_tokens": max_input_tokens,
                "recap": recap,
                "cache_control": cache_control,
                "branch": branch,
            },
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def release(self, session_id: str, seq: int, *, branch: str | None = None) -> None:
        """Ends the mark `keep: always` of a message.

        Contexts then treat it as any other: what a summary covers is no longer served beside it. A message without such a mark
        stays as it is. Each branch has marks of its own.
        """
        self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/messages/{seq}/mark",
            path={"session_id": session_id, "seq": seq},
            query={"branch": branch},
        )


class AsyncMessagesOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(
        self,
        session_id: str,
        *,
        from_seq: int | None = None,
        to_seq: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        branch: str | None = None,
    ) -> StoredMessagePage:
        """Lists the original messages in order."""
        reply: StoredMessagePage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/messages",
            path={"session_id": session_id},
            query={"from_seq": from_seq, "to_seq": to_seq, "limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(
        self,
        session_id: str,
        *,
        from_seq: int | None = None,
        to_seq: int | None = None,
        limit: int | None = None,
        branch: str | None = None,
    ) -> AsyncIterator[StoredMessage]:
        """Lists the original messages in order. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[StoredMessage] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/messages",
            path={"session_id": session_id},
            query={"from_seq": from_seq, "to_seq": to_seq, "limit": limit, "branch": branch},
        )
        return pages

    async def append(
        self,
        session_id: str,
        body: AppendRequest,
        *,
        include: builtins.list[MessagesAppendIncludeItem] | None = None,
        return_: MessagesAppendReturn | None = None,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
        recap: bool | None = None,
        cache_control: MessagesAppendCacheControl | None = None,
        branch: str | None = None,
        idempotency_key: str | None = None,
    ) -> AppendResult:
        """Appends a batch of messages; makes the session when it is new.

        The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply tells the positions, how
        full the context is, the signals that ask for something, and the live compression, when there is one; `include` adds the rest.
        With `return=context` it also has the context to send to the model next, which saves a round trip.
        `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`; with `include=warnings`
        the reply says why (`window-assumed`, `model-unknown`) and what to do.
        """
        reply: AppendResult = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/messages",
            path={"session_id": session_id},
            query={
                "include": include,
                "return": return_,
                "format": format,
                "max_input_tokens": max_input_tokens,
                "recap": recap,
                "cache_control": cache_control,
                "branch": branch,
            },
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def release(self, session_id: str, seq: int, *, branch: str | None = None) -> None:
        """Ends the mark `keep: always` of a message.

        Contexts then treat it as any other: what a summary covers is no longer served beside it. A message without such a mark
        stays as it is. Each branch has marks of its own.
        """
        await self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/messages/{seq}/mark",
            path={"session_id": session_id, "seq": seq},
            query={"branch": branch},
        )


class ContextOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def get(
        self,
        session_id: str,
        *,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
        model: str | None = None,
        recap: bool | None = None,
        cache_control: ContextGetCacheControl | None = None,
        version: int | None = None,
        through_seq: int | None = None,
        pinned_by: str | None = None,
        branch: str | None = None,
    ) -> Context:
        """Assembles the context: what to send to the model next.

        Always valid for its provider and within its budget, and never waits for a compression. The reply
        has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed.
        """
        reply: Context = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/context",
            path={"session_id": session_id},
            query={
                "format": format,
                "max_input_tokens": max_input_tokens,
                "model": model,
                "recap": recap,
                "cache_control": cache_control,
                "version": version,
                "through_seq": through_seq,
                "pinned_by": pinned_by,
                "branch": branch,
            },
        )
        return reply

    def list_served(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> ServedContextPage:
        """Lists the contexts that a session was served, newest first.

        A context with `through_seq`, `version` (0 for none) and the same parameters is the one that was served, as far as pins, settings and
        marks are as they were; its messages digested as `sha256` say whether it is. About the newest 2,000 of a session are kept.
        They reach the list within about a second; a crash loses the newest ones.
        """
        reply: ServedContextPage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/served-contexts",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter_served(
        self, session_id: str, *, limit: int | None = None, branch: str | None = None
    ) -> Iterator[ServedContext]:
        """Lists the contexts that a session was served, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[ServedContext] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/served-contexts",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages


class AsyncContextOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def get(
        self,
        session_id: str,
        *,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
        model: str | None = None,
        recap: bool | None = None,
        cache_control: ContextGetCacheControl | None = None,
        version: int | None = None,
        through_seq: int | None = None,
        pinned_by: str | None = None,
        branch: str | None = None,
    ) -> Context:
        """Assembles the context: what to send to the model next.

        Always valid for its provider and within its budget, and never waits for a compression. The reply
        has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed.
        """
        reply: Context = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/context",
            path={"session_id": session_id},
            query={
                "format": format,
                "max_input_tokens": max_input_tokens,
                "model": model,
                "recap": recap,
                "cache_control": cache_control,
                "version": version,
                "through_seq": through_seq,
                "pinned_by": pinned_by,
                "branch": branch,
            },
        )
        return reply

    async def list_served(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> ServedContextPage:
        """Lists the contexts that a session was served, newest first.

        A context with `through_seq`, `version` (0 for none) and the same parameters is the one that was served, as far as pins, settings and
        marks are as they were; its messages digested as `sha256` say whether it is. About the newest 2,000 of a session are kept.
        They reach the list within about a second; a crash loses the newest ones.
        """
        reply: ServedContextPage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/served-contexts",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter_served(
        self, session_id: str, *, limit: int | None = None, branch: str | None = None
    ) -> AsyncIterator[ServedContext]:
        """Lists the contexts that a session was served, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[ServedContext] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/served-contexts",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages


class TranscriptOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def sync(
        self,
        session_id: str,
        body: TranscriptRequest,
        *,
        include: builtins.list[TranscriptSyncIncludeItem] | None = None,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
        recap: bool | None = None,
        cache_control: TranscriptSyncCacheControl | None = None,
        branch: str | None = None,
    ) -> SyncResult:
        """Brings a session to a list of messages: stores what is new, on the branch that holds the list.

        A framework sends all messages of its agent before each call of the model. The list is compared with the current branch by
        the content of the messages. Messages beyond the branch are appended; a shorter list takes the session back; a list that
        differs is appended to the branch that has its next message, or to a new one. The branch that holds the list is the current
        one then, unless another sync of that moment has switched since. Nothing that is stored is deleted. The same list twice stores nothing the second time, so
        that a request whose reply was lost is simply repeated.
        """
        reply: SyncResult = self._calls.call(
            "PUT",
            "/v1/sessions/{session_id}/transcript",
            path={"session_id": session_id},
            query={
                "include": include,
                "format": format,
                "max_input_tokens": max_input_tokens,
                "recap": recap,
                "cache_control": cache_control,
                "branch": branch,
            },
            body=body,
        )
        return reply


class AsyncTranscriptOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def sync(
        self,
        session_id: str,
        body: TranscriptRequest,
        *,
        include: builtins.list[TranscriptSyncIncludeItem] | None = None,
        format: MessageFormat | None = None,
        max_input_tokens: int | None = None,
        recap: bool | None = None,
        cache_control: TranscriptSyncCacheControl | None = None,
        branch: str | None = None,
    ) -> SyncResult:
        """Brings a session to a list of messages: stores what is new, on the branch that holds the list.

        A framework sends all messages of its agent before each call of the model. The list is compared with the current branch by
        the content of the messages. Messages beyond the branch are appended; a shorter list takes the session back; a list that
        differs is appended to the branch that has its next message, or to a new one. The branch that holds the list is the current
        one then, unless another sync of that moment has switched since. Nothing that is stored is deleted. The same list twice stores nothing the second time, so
        that a request whose reply was lost is simply repeated.
        """
        reply: SyncResult = await self._calls.call(
            "PUT",
            "/v1/sessions/{session_id}/transcript",
            path={"session_id": session_id},
            query={
                "include": include,
                "format": format,
                "max_input_tokens": max_input_tokens,
                "recap": recap,
                "cache_control": cache_control,
                "branch": branch,
            },
            body=body,
        )
        return reply


class BranchesOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, session_id: str, *, limit: int | None = None, cursor: str | None = None) -> BranchPage:
        """Lists the branches of a session, oldest first."""
        reply: BranchPage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/branches",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor},
        )
        return reply

    def iter(self, session_id: str, *, limit: int | None = None) -> Iterator[Branch]:
        """Lists the branches of a session, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[Branch] = self._calls.pages(
            "GET", "/v1/sessions/{session_id}/branches", path={"session_id": session_id}, query={"limit": limit}
        )
        return pages

    def create(
        self, session_id: str, body: CreateBranch, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> Branch:
        """Forks a branch.

        The new one shares the messages through `seq`, with the newest version that covers none beyond, and goes on by itself.
        Nothing is copied but pins, todo list, notes and the caller's probes, so that it costs the same at any length.
        """
        reply: Branch = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/branches",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def get(self, session_id: str, branch: str) -> Branch:
        """Reads a branch."""
        reply: Branch = self._calls.call(
            "GET", "/v1/sessions/{session_id}/branches/{branch}", path={"session_id": session_id, "branch": branch}
        )
        return reply

    def delete(self, session_id: str, branch: str) -> None:
        """Erases a branch.

        It can be named no more from then on. Messages that other branches share with it stay with them, and the rest is deleted in the
        background.
        """
        self._calls.call(
            "DELETE", "/v1/sessions/{session_id}/branches/{branch}", path={"session_id": session_id, "branch": branch}
        )

    def switch(self, session_id: str, body: ReplaceCurrentBranch) -> Branch:
        """Switches to a branch.

        Operations that name no branch act on it from then on.
        """
        reply: Branch = self._calls.call(
            "PUT", "/v1/sessions/{session_id}/current-branch", path={"session_id": session_id}, body=body
        )
        return reply

    def truncate(
        self, session_id: str, body: TruncateSession, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> Branch:
        """Goes back to a message.

        A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it. Going back to the newest
        message changes nothing, and a branch that was gone back to and has no message of its own yet is used again.
        """
        reply: Branch = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/truncate",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply


class AsyncBranchesOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, session_id: str, *, limit: int | None = None, cursor: str | None = None) -> BranchPage:
        """Lists the branches of a session, oldest first."""
        reply: BranchPage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/branches",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor},
        )
        return reply

    def iter(self, session_id: str, *, limit: int | None = None) -> AsyncIterator[Branch]:
        """Lists the branches of a session, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[Branch] = self._calls.pages(
            "GET", "/v1/sessions/{session_id}/branches", path={"session_id": session_id}, query={"limit": limit}
        )
        return pages

    async def create(
        self, session_id: str, body: CreateBranch, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> Branch:
        """Forks a branch.

        The new one shares the messages through `seq`, with the newest version that covers none beyond, and goes on by itself.
        Nothing is copied but pins, todo list, notes and the caller's probes, so that it costs the same at any length.
        """
        reply: Branch = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/branches",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def get(self, session_id: str, branch: str) -> Branch:
        """Reads a branch."""
        reply: Branch = await self._calls.call(
            "GET", "/v1/sessions/{session_id}/branches/{branch}", path={"session_id": session_id, "branch": branch}
        )
        return reply

    async def delete(self, session_id: str, branch: str) -> None:
        """Erases a branch.

        It can be named no more from then on. Messages that other branches share with it stay with them, and the rest is deleted in the
        background.
        """
        await self._calls.call(
            "DELETE", "/v1/sessions/{session_id}/branches/{branch}", path={"session_id": session_id, "branch": branch}
        )

    async def switch(self, session_id: str, body: ReplaceCurrentBranch) -> Branch:
        """Switches to a branch.

        Operations that name no branch act on it from then on.
        """
        reply: Branch = await self._calls.call(
            "PUT", "/v1/sessions/{session_id}/current-branch", path={"session_id": session_id}, body=body
        )
        return reply

    async def truncate(
        self, session_id: str, body: TruncateSession, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> Branch:
        """Goes back to a message.

        A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it. Going back to the newest
        message changes nothing, and a branch that was gone back to and has no message of its own yet is used again.
        """
        reply: Branch = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/truncate",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply


class ToolOutputsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def get(
        self,
        session_id: str,
        ref: str,
        *,
        from_line: int | None = None,
        to_line: int | None = None,
        branch: str | None = None,
    ) -> ToolOutput:
        """Reads an offloaded tool output, in full or by lines.

        Text is returned verbatim. Images and files are in the message itself (`seq`).
        """
        reply: ToolOutput = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/tool-outputs/{ref}",
            path={"session_id": session_id, "ref": ref},
            query={"from_line": from_line, "to_line": to_line, "branch": branch},
        )
        return reply


class AsyncToolOutputsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def get(
        self,
        session_id: str,
        ref: str,
        *,
        from_line: int | None = None,
        to_line: int | None = None,
        branch: str | None = None,
    ) -> ToolOutput:
        """Reads an offloaded tool output, in full or by lines.

        Text is returned verbatim. Images and files are in the message itself (`seq`).
        """
        reply: ToolOutput = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/tool-outputs/{ref}",
            path={"session_id": session_id, "ref": ref},
            query={"from_line": from_line, "to_line": to_line, "branch": branch},
        )
        return reply


class ToolsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, *, format: MessageFormat | None = None) -> ToolDefinitions:
        """Returns the definitions of the tools to offer to an agent's model.

        They are in the form of the provider, small enough to be sent with every call of the model. With the setting `tools`
        of a session, contexts name the tools where they leave something out.
        """
        reply: ToolDefinitions = self._calls.call("GET", "/v1/tools", query={"format": format})
        return reply

    def run(
        self,
        session_id: str,
        tool: str,
        body: ToolCallRequest,
        *,
        branch: str | None = None,
        idempotency_key: str | None = None,
    ) -> ToolCallResult:
        """Runs a tool with the arguments that the model gave.

        The result is text for the model, within `max_tokens`; `next` has the arguments that read on, and the text says so, too. A
        mistake of the model's is a result with `is_error` that tells it what to do. The reading tools (`search_past`,
        `read_messages`, `read_tool_output`, `read_record`) need the scope `read`, and their replies are not kept; `note` needs
        `write`, and is done once with an `Idempotency-Key`.
        """
        reply: ToolCallResult = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/tools/{tool}",
            path={"session_id": session_id, "tool": tool},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply


class AsyncToolsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, *, format: MessageFormat | None = None) -> ToolDefinitions:
        """Returns the definitions of the tools to offer to an agent's model.

        They are in the form of the provider, small enough to be sent with every call of the model. With the setting `tools`
        of a session, contexts name the tools where they leave something out.
        """
        reply: ToolDefinitions = await self._calls.call("GET", "/v1/tools", query={"format": format})
        return reply

    async def run(
        self,
        session_id: str,
        tool: str,
        body: ToolCallRequest,
        *,
        branch: str | None = None,
        idempotency_key: str | None = None,
    ) -> ToolCallResult:
        """Runs a tool with the arguments that the model gave.

        The result is text for the model, within `max_tokens`; `next` has the arguments that read on, and the text says so, too. A
        mistake of the model's is a result with `is_error` that tells it what to do. The reading tools (`search_past`,
        `read_messages`, `read_tool_output`, `read_record`) need the scope `read`, and their replies are not kept; `note` needs
        `write`, and is done once with an `Idempotency-Key`.
        """
        reply: ToolCallResult = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/tools/{tool}",
            path={"session_id": session_id, "tool": tool},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply


class NotesOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, session_id: str, *, branch: str | None = None) -> AgentNotes:
        """Lists the notes that a session's agent made.

        Contexts show them as data of the agent's: they bind nobody.
        """
        reply: AgentNotes = self._calls.call(
            "GET", "/v1/sessions/{session_id}/notes", path={"session_id": session_id}, query={"branch": branch}
        )
        return reply

    def remove(self, session_id: str, note_id: str, *, branch: str | None = None) -> None:
        """Removes a note of a session's agent.

        Contexts stop showing it at once, under a new `context_revision`.
        """
        self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/notes/{note_id}",
            path={"session_id": session_id, "note_id": note_id},
            query={"branch": branch},
        )


class AsyncNotesOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, session_id: str, *, branch: str | None = None) -> AgentNotes:
        """Lists the notes that a session's agent made.

        Contexts show them as data of the agent's: they bind nobody.
        """
        reply: AgentNotes = await self._calls.call(
            "GET", "/v1/sessions/{session_id}/notes", path={"session_id": session_id}, query={"branch": branch}
        )
        return reply

    async def remove(self, session_id: str, note_id: str, *, branch: str | None = None) -> None:
        """Removes a note of a session's agent.

        Contexts stop showing it at once, under a new `context_revision`.
        """
        await self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/notes/{note_id}",
            path={"session_id": session_id, "note_id": note_id},
            query={"branch": branch},
        )


class PinsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, session_id: str, *, branch: str | None = None) -> SessionPins:
        """Lists a session's pins, and the tenant's pins that apply to it."""
        reply: SessionPins = self._calls.call(
            "GET", "/v1/sessions/{session_id}/pins", path={"session_id": session_id}, query={"branch": branch}
        )
        return reply

    def replace(self, session_id: str, body: ReplacePins, *, branch: str | None = None) -> SessionPins:
        """Replaces a session's own pins.

        Contexts show them from the next read on, under a new `context_revision`. Together with the tenant's
        they may take a tenth of the effective window.
        """
        reply: SessionPins = self._calls.call(
            "PUT",
            "/v1/sessions/{session_id}/pins",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
        )
        return reply

    def add(
        self, session_id: str, body: PinInput, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> Pin:
        """Adds a pin to a session's own, as the last.

        A pin that is there already stays where it is.
        """
        reply: Pin = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/pins",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def remove(self, session_id: str, pin_id: str, *, branch: str | None = None) -> None:
        """Removes a pin from a session's own."""
        self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/pins/{pin_id}",
            path={"session_id": session_id, "pin_id": pin_id},
            query={"branch": branch},
        )

    def list_shared(self) -> TenantPins:
        """Lists the pins that apply to every session of the tenant."""
        reply: TenantPins = self._calls.call("GET", "/v1/pins")
        return reply

    def replace_shared(self, body: ReplacePins) -> TenantPins:
        """Replaces the pins that apply to every session of the tenant.

        Contexts show them before a session's own from the next read on, under a new `context_revision`, and
        every later summary carries them. Together they may take a tenth of the effective window that the
        tenant's settings give.
        """
        reply: TenantPins = self._calls.call("PUT", "/v1/pins", body=body)
        return reply

    def add_shared(self, body: PinInput, *, idempotency_key: str | None = None) -> Pin:
        """Adds a pin to those of every session of the tenant, as the last.

        A pin that is there already stays where it is.
        """
        reply: Pin = self._calls.call("POST", "/v1/pins", body=body, idempotency_key=idempotency_key)
        return reply

    def remove_shared(self, pin_id: str) -> None:
        """Removes a pin from those of every session of the tenant."""
        self._calls.call("DELETE", "/v1/pins/{pin_id}", path={"pin_id": pin_id})


class AsyncPinsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, session_id: str, *, branch: str | None = None) -> SessionPins:
        """Lists a session's pins, and the tenant's pins that apply to it."""
        reply: SessionPins = await self._calls.call(
            "GET", "/v1/sessions/{session_id}/pins", path={"session_id": session_id}, query={"branch": branch}
        )
        return reply

    async def replace(self, session_id: str, body: ReplacePins, *, branch: str | None = None) -> SessionPins:
        """Replaces a session's own pins.

        Contexts show them from the next read on, under a new `context_revision`. Together with the tenant's
        they may take a tenth of the effective window.
        """
        reply: SessionPins = await self._calls.call(
            "PUT",
            "/v1/sessions/{session_id}/pins",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
        )
        return reply

    async def add(
        self, session_id: str, body: PinInput, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> Pin:
        """Adds a pin to a session's own, as the last.

        A pin that is there already stays where it is.
        """
        reply: Pin = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/pins",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def remove(self, session_id: str, pin_id: str, *, branch: str | None = None) -> None:
        """Removes a pin from a session's own."""
        await self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/pins/{pin_id}",
            path={"session_id": session_id, "pin_id": pin_id},
            query={"branch": branch},
        )

    async def list_shared(self) -> TenantPins:
        """Lists the pins that apply to every session of the tenant."""
        reply: TenantPins = await self._calls.call("GET", "/v1/pins")
        return reply

    async def replace_shared(self, body: ReplacePins) -> TenantPins:
        """Replaces the pins that apply to every session of the tenant.

        Contexts show them before a session's own from the next read on, under a new `context_revision`, and
        every later summary carries them. Together they may take a tenth of the effective window that the
        tenant's settings give.
        """
        reply: TenantPins = await self._calls.call("PUT", "/v1/pins", body=body)
        return reply

    async def add_shared(self, body: PinInput, *, idempotency_key: str | None = None) -> Pin:
        """Adds a pin to those of every session of the tenant, as the last.

        A pin that is there already stays where it is.
        """
        reply: Pin = await self._calls.call("POST", "/v1/pins", body=body, idempotency_key=idempotency_key)
        return reply

    async def remove_shared(self, pin_id: str) -> None:
        """Removes a pin from those of every session of the tenant."""
        await self._calls.call("DELETE", "/v1/pins/{pin_id}", path={"pin_id": pin_id})


class SettingsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def get(self) -> TenantSettings:
        """Reads the defaults of the tenant's sessions."""
        reply: TenantSettings = self._calls.call("GET", "/v1/settings")
        return reply

    def put(self, body: Settings) -> TenantSettings:
        """Replaces the defaults of the tenant's sessions.

        An absent or null field has the service's own default. Settings of a session, and those that follow from a `model`
        that it names, take precedence. They apply from the next request on, and each session's `context_revision` grows.
        """
        reply: TenantSettings = self._calls.call("PUT", "/v1/settings", body=body)
        return reply

    def update(self, body: Settings) -> TenantSettings:
        """Changes the defaults of the tenant's sessions.

        An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take precedence. They
        apply from the next request on, and each session's `context_revision` grows.
        """
        reply: TenantSettings = self._calls.call("PATCH", "/v1/settings", body=body)
        return reply


class AsyncSettingsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def get(self) -> TenantSettings:
        """Reads the defaults of the tenant's sessions."""
        reply: TenantSettings = await self._calls.call("GET", "/v1/settings")
        return reply

    async def put(self, body: Settings) -> TenantSettings:
        """Replaces the defaults of the tenant's sessions.

        An absent or null field has the service's own default. Settings of a session, and those that follow from a `model`
        that it names, take precedence. They apply from the next request on, and each session's `context_revision` grows.
        """
        reply: TenantSettings = await self._calls.call("PUT", "/v1/settings", body=body)
        return reply

    async def update(self, body: Settings) -> TenantSettings:
        """Changes the defaults of the tenant's sessions.

        An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take precedence. They
        apply from the next request on, and each session's `context_revision` grows.
        """
        reply: TenantSettings = await self._calls.call("PATCH", "/v1/settings", body=body)
        return reply


class ModelsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> ModelPage:
        """Lists the models that are known: the tenant's, then those of the service."""
        reply: ModelPage = self._calls.call("GET", "/v1/models", query={"limit": limit, "cursor": cursor})
        return reply

    def iter(self, *, limit: int | None = None) -> Iterator[Model]:
        """Lists the models that are known: the tenant's, then those of the service. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[Model] = self._calls.pages("GET", "/v1/models", query={"limit": limit})
        return pages

    def get(self, name: str) -> Model:
        """Finds the model that a name stands for."""
        reply: Model = self._calls.call("GET", "/v1/models/{name}", path={"name": name})
        return reply

    def put(self, name: str, body: ModelRequest) -> Model:
        """Adds a model of the tenant's, or replaces it.

        It overrides a built-in model of the same name, from the next request on in every session that names it.
        A tenant has at most 50.
        """
        reply: Model = self._calls.call("PUT", "/v1/models/{name}", path={"name": name}, body=body)
        return reply

    def delete(self, name: str) -> None:
        """Removes a model of the tenant's.

        Sessions that name it go on with a built-in one of the name, or with the default window when there is none.
        """
        self._calls.call("DELETE", "/v1/models/{name}", path={"name": name})


class AsyncModelsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> ModelPage:
        """Lists the models that are known: the tenant's, then those of the service."""
        reply: ModelPage = await self._calls.call("GET", "/v1/models", query={"limit": limit, "cursor": cursor})
        return reply

    def iter(self, *, limit: int | None = None) -> AsyncIterator[Model]:
        """Lists the models that are known: the tenant's, then those of the service. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[Model] = self._calls.pages("GET", "/v1/models", query={"limit": limit})
        return pages

    async def get(self, name: str) -> Model:
        """Finds the model that a name stands for."""
        reply: Model = await self._calls.call("GET", "/v1/models/{name}", path={"name": name})
        return reply

    async def put(self, name: str, body: ModelRequest) -> Model:
        """Adds a model of the tenant's, or replaces it.

        It overrides a built-in model of the same name, from the next request on in every session that names it.
        A tenant has at most 50.
        """
        reply: Model = await self._calls.call("PUT", "/v1/models/{name}", path={"name": name}, body=body)
        return reply

    async def delete(self, name: str) -> None:
        """Removes a model of the tenant's.

        Sessions that name it go on with a built-in one of the name, or with the default window when there is none.
        """
        await self._calls.call("DELETE", "/v1/models/{name}", path={"name": name})


class ConstraintsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def delete(self, session_id: str, constraint_id: str, *, branch: str | None = None) -> None:
        """Drops an extracted constraint.

        Contexts stop showing it at once, under a new `context_revision`, and no later version takes it up
        again. The record of the current version stays as it is. Delete pins with `DELETE …/pins/{pin_id}`.
        """
        self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/constraints/{constraint_id}",
            path={"session_id": session_id, "constraint_id": constraint_id},
            query={"branch": branch},
        )


class AsyncConstraintsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def delete(self, session_id: str, constraint_id: str, *, branch: str | None = None) -> None:
        """Drops an extracted constraint.

        Contexts stop showing it at once, under a new `context_revision`, and no later version takes it up
        again. The record of the current version stays as it is. Delete pins with `DELETE …/pins/{pin_id}`.
        """
        await self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/constraints/{constraint_id}",
            path={"session_id": session_id, "constraint_id": constraint_id},
            query={"branch": branch},
        )


class RequestsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def close(self, session_id: str, request_id: str, *, branch: str | None = None) -> None:
        """Closes a request of a person that is open in the record.

        Contexts show it as dropped at once, under a new `context_revision`, and so do the records of later versions, until a person asks for
        it again. The record of the current version stays as it is, and the intent follows with the next one. One that is over already stays as it is.
        """
        self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/requests/{request_id}",
            path={"session_id": session_id, "request_id": request_id},
            query={"branch": branch},
        )


class AsyncRequestsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def close(self, session_id: str, request_id: str, *, branch: str | None = None) -> None:
        """Closes a request of a person that is open in the record.

        Contexts show it as dropped at once, under a new `context_revision`, and so do the records of later versions, until a person asks for
        it again. The record of the current version stays as it is, and the intent follows with the next one. One that is over already stays as it is.
        """
        await self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/requests/{request_id}",
            path={"session_id": session_id, "request_id": request_id},
            query={"branch": branch},
        )


class StatelessOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def count_tokens(self, body: TokenCountRequest, *, idempotency_key: str | None = None) -> TokenCount:
        """Counts the tokens of messages or of a text, as sessions count them."""
        reply: TokenCount = self._calls.call("POST", "/v1/tokens", body=body, idempotency_key=idempotency_key)
        return reply

    def preaggregate(self, body: PreaggregateRequest, *, idempotency_key: str | None = None) -> PreaggregateResult:
        """Condenses the outputs of several agents by their markers, when together they are large.

        No model is asked. Kept are each file's header, every finding (P1 and P2 byte for byte), and the sections
        `## Reviewer Assumptions` and `## Summary`; rejected findings are listed, and kept verbatim. Nothing
        is stored.
        """
        reply: PreaggregateResult = self._calls.call(
            "POST", "/v1/preaggregate", body=body, idempotency_key=idempotency_key
        )
        return reply

    def compress(
        self, body: CompressRequest, *, prefer: str | None = None, idempotency_key: str | None = None
    ) -> CompressedMessages | PendingCompression:
        """Compresses messages.

        Code reads them as it reads a session, within the request, and stores nothing. With `engine` `llm` the call is
        queued like any compression: `Prefer: wait` waits for it, and `GET /v1/compress/{compression_id}` reads it for
        a day. The reply is valid in the format of the messages and at most as large as `target_tokens`.
        """
        reply: CompressedMessages | PendingCompression = self._calls.call(
            "POST", "/v1/compress", headers={"Prefer": prefer}, body=body, idempotency_key=idempotency_key
        )
        return reply

    def get_compressed(self, compression_id: str) -> CompressedMessages | PendingCompression:
        """Reads the result of a stateless compression by a model.

        It can be read for a day; then the messages and the result are erased.
        """
        reply: CompressedMessages | PendingCompression = self._calls.call(
            "GET", "/v1/compress/{compression_id}", path={"compression_id": compression_id}
        )
        return reply

    def delete_compressed(self, compression_id: str) -> None:
        """Erases a compression that a model was asked for: its messages, its result, and its work when it has not ended."""
        self._calls.call("DELETE", "/v1/compress/{compression_id}", path={"compression_id": compression_id})


class AsyncStatelessOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def count_tokens(self, body: TokenCountRequest, *, idempotency_key: str | None = None) -> TokenCount:
        """Counts the tokens of messages or of a text, as sessions count them."""
        reply: TokenCount = await self._calls.call("POST", "/v1/tokens", body=body, idempotency_key=idempotency_key)
        return reply

    async def preaggregate(
        self, body: PreaggregateRequest, *, idempotency_key: str | None = None
    ) -> PreaggregateResult:
        """Condenses the outputs of several agents by their markers, when together they are large.

        No model is asked. Kept are each file's header, every finding (P1 and P2 byte for byte), and the sections
        `## Reviewer Assumptions` and `## Summary`; rejected findings are listed, and kept verbatim. Nothing
        is stored.
        """
        reply: PreaggregateResult = await self._calls.call(
            "POST", "/v1/preaggregate", body=body, idempotency_key=idempotency_key
        )
        return reply

    async def compress(
        self, body: CompressRequest, *, prefer: str | None = None, idempotency_key: str | None = None
    ) -> CompressedMessages | PendingCompression:
        """Compresses messages.

        Code reads them as it reads a session, within the request, and stores nothing. With `engine` `llm` the call is
        queued like any compression: `Prefer: wait` waits for it, and `GET /v1/compress/{compression_id}` reads it for
        a day. The reply is valid in the format of the messages and at most as large as `target_tokens`.
        """
        reply: CompressedMessages | PendingCompression = await self._calls.call(
            "POST", "/v1/compress", headers={"Prefer": prefer}, body=body, idempotency_key=idempotency_key
        )
        return reply

    async def get_compressed(self, compression_id: str) -> CompressedMessages | PendingCompression:
        """Reads the result of a stateless compression by a model.

        It can be read for a day; then the messages and the result are erased.
        """
        reply: CompressedMessages | PendingCompression = await self._calls.call(
            "GET", "/v1/compress/{compression_id}", path={"compression_id": compression_id}
        )
        return reply

    async def delete_compressed(self, compression_id: str) -> None:
        """Erases a compression that a model was asked for: its messages, its result, and its work when it has not ended."""
        await self._calls.call("DELETE", "/v1/compress/{compression_id}", path={"compression_id": compression_id})


class CompressionsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> CompressionPage:
        """Lists a session's compressions, newest first."""
        reply: CompressionPage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/compressions",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(self, session_id: str, *, limit: int | None = None, branch: str | None = None) -> Iterator[Compression]:
        """Lists a session's compressions, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[Compression] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/compressions",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages

    def create(
        self,
        session_id: str,
        body: CreateCompression | None = None,
        *,
        branch: str | None = None,
        prefer: str | None = None,
        idempotency_key: str | None = None,
    ) -> Compression:
        """Compresses a session now.

        With a compression live, the same parameters wait for that one and answer with its id; others are
        refused as `/problems/compression-live` with its `compression_id`. A manual compression ends the
        suspension that a rollback brought.
        """
        reply: Compression = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/compressions",
            path={"session_id": session_id},
            query={"branch": branch},
            headers={"Prefer": prefer},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def get(self, session_id: str, compression_id: str, *, branch: str | None = None) -> Compression:
        """Reads one compression."""
        reply: Compression = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/compressions/{compression_id}",
            path={"session_id": session_id, "compression_id": compression_id},
            query={"branch": branch},
        )
        return reply

    def cancel(self, session_id: str, compression_id: str, *, branch: str | None = None) -> Compression:
        """Cancels a compression that has not ended; what it has done so far is discarded."""
        reply: Compression = self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/compressions/{compression_id}",
            path={"session_id": session_id, "compression_id": compression_id},
            query={"branch": branch},
        )
        return reply

    def list_model_calls(
        self,
        session_id: str,
        compression_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        branch: str | None = None,
    ) -> ModelCallPage:
        """Lists what a compression or an evaluation asked of models, in the order of the calls."""
        reply: ModelCallPage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/compressions/{compression_id}/calls",
            path={"session_id": session_id, "compression_id": compression_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter_model_calls(
        self, session_id: str, compression_id: str, *, limit: int | None = None, branch: str | None = None
    ) -> Iterator[ModelCall]:
        """Lists what a compression or an evaluation asked of models, in the order of the calls. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[ModelCall] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/compressions/{compression_id}/calls",
            path={"session_id": session_id, "compression_id": compression_id},
            query={"limit": limit, "branch": branch},
        )
        return pages


class AsyncCompressionsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> CompressionPage:
        """Lists a session's compressions, newest first."""
        reply: CompressionPage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/compressions",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(
        self, session_id: str, *, limit: int | None = None, branch: str | None = None
    ) -> AsyncIterator[Compression]:
        """Lists a session's compressions, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[Compression] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/compressions",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages

    async def create(
        self,
        session_id: str,
        body: CreateCompression | None = None,
        *,
        branch: str | None = None,
        prefer: str | None = None,
        idempotency_key: str | None = None,
    ) -> Compression:
        """Compresses a session now.

        With a compression live, the same parameters wait for that one and answer with its id; others are
        refused as `/problems/compression-live` with its `compression_id`. A manual compression ends the
        suspension that a rollback brought.
        """
        reply: Compression = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/compressions",
            path={"session_id": session_id},
            query={"branch": branch},
            headers={"Prefer": prefer},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def get(self, session_id: str, compression_id: str, *, branch: str | None = None) -> Compression:
        """Reads one compression."""
        reply: Compression = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/compressions/{compression_id}",
            path={"session_id": session_id, "compression_id": compression_id},
            query={"branch": branch},
        )
        return reply

    async def cancel(self, session_id: str, compression_id: str, *, branch: str | None = None) -> Compression:
        """Cancels a compression that has not ended; what it has done so far is discarded."""
        reply: Compression = await self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/compressions/{compression_id}",
            path={"session_id": session_id, "compression_id": compression_id},
            query={"branch": branch},
        )
        return reply

    async def list_model_calls(
        self,
        session_id: str,
        compression_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        branch: str | None = None,
    ) -> ModelCallPage:
        """Lists what a compression or an evaluation asked of models, in the order of the calls."""
        reply: ModelCallPage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/compressions/{compression_id}/calls",
            path={"session_id": session_id, "compression_id": compression_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter_model_calls(
        self, session_id: str, compression_id: str, *, limit: int | None = None, branch: str | None = None
    ) -> AsyncIterator[ModelCall]:
        """Lists what a compression or an evaluation asked of models, in the order of the calls. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[ModelCall] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/compressions/{compression_id}/calls",
            path={"session_id": session_id, "compression_id": compression_id},
            query={"limit": limit, "branch": branch},
        )
        return pages


class SummariesOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def get_current(
        self,
        session_id: str,
        *,
        style: SummariesGetCurrentStyle | None = None,
        max_tokens: int | None = None,
        branch: str | None = None,
    ) -> Summary:
        """Reads the current summary.

        As JSON it is the complete record. `Accept: text/markdown` or `style` gives a rendering: Markdown
        for `anchored`, `strict`, `protocol` and `scratch`, plain text for `opaque`, and for `state` the session state file
        under a media type of its own.
        """
        reply: Summary = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/summary",
            path={"session_id": session_id},
            query={"style": style, "max_tokens": max_tokens, "branch": branch},
        )
        return reply

    def list(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> SummaryVersionPage:
        """Lists the versions of a session, newest first, without their documents."""
        reply: SummaryVersionPage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/summaries",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(self, session_id: str, *, limit: int | None = None, branch: str | None = None) -> Iterator[SummaryVersion]:
        """Lists the versions of a session, newest first, without their documents. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[SummaryVersion] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/summaries",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages

    def get(
        self,
        session_id: str,
        version: int,
        *,
        style: SummariesGetStyle | None = None,
        max_tokens: int | None = None,
        branch: str | None = None,
    ) -> Summary:
        """Reads one version, as its document or as a rendering."""
        reply: Summary = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/summaries/{version}",
            path={"session_id": session_id, "version": version},
            query={"style": style, "max_tokens": max_tokens, "branch": branch},
        )
        return reply

    def diff(
        self, session_id: str, version: int, *, from_: int | None = None, branch: str | None = None
    ) -> SummaryDiff:
        """Compares a version with an earlier one, or any two."""
        reply: SummaryDiff = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/summaries/{version}/diff",
            path={"session_id": session_id, "version": version},
            query={"from": from_, "branch": branch},
        )
        return reply

    def rollback(
        self,
        session_id: str,
        version: int,
        body: RollbackRequest | None = None,
        *,
        branch: str | None = None,
        idempotency_key: str | None = None,
    ) -> Summary:
        """Makes a version current again, as a new version with its document and anchor.

        A live compression is cancelled, `compression_count` stays as it is, and automatic compression
        pauses below the critical level until the next manual one or the next change of settings.
        """
        reply: Summary = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/summaries/{version}/rollback",
            path={"session_id": session_id, "version": version},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply


class AsyncSummariesOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def get_current(
        self,
        session_id: str,
        *,
        style: SummariesGetCurrentStyle | None = None,
        max_tokens: int | None = None,
        branch: str | None = None,
    ) -> Summary:
        """Reads the current summary.

        As JSON it is the complete record. `Accept: text/markdown` or `style` gives a rendering: Markdown
        for `anchored`, `strict`, `protocol` and `scratch`, plain text for `opaque`, and for `state` the session state file
        under a media type of its own.
        """
        reply: Summary = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/summary",
            path={"session_id": session_id},
            query={"style": style, "max_tokens": max_tokens, "branch": branch},
        )
        return reply

    async def list(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> SummaryVersionPage:
        """Lists the versions of a session, newest first, without their documents."""
        reply: SummaryVersionPage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/summaries",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(
        self, session_id: str, *, limit: int | None = None, branch: str | None = None
    ) -> AsyncIterator[SummaryVersion]:
        """Lists the versions of a session, newest first, without their documents. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[SummaryVersion] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/summaries",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages

    async def get(
        self,
        session_id: str,
        version: int,
        *,
        style: SummariesGetStyle | None = None,
        max_tokens: int | None = None,
        branch: str | None = None,
    ) -> Summary:
        """Reads one version, as its document or as a rendering."""
        reply: Summary = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/summaries/{version}",
            path={"session_id": session_id, "version": version},
            query={"style": style, "max_tokens": max_tokens, "branch": branch},
        )
        return reply

    async def diff(
        self, session_id: str, version: int, *, from_: int | None = None, branch: str | None = None
    ) -> SummaryDiff:
        """Compares a version with an earlier one, or any two."""
        reply: SummaryDiff = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/summaries/{version}/diff",
            path={"session_id": session_id, "version": version},
            query={"from": from_, "branch": branch},
        )
        return reply

    async def rollback(
        self,
        session_id: str,
        version: int,
        body: RollbackRequest | None = None,
        *,
        branch: str | None = None,
        idempotency_key: str | None = None,
    ) -> Summary:
        """Makes a version current again, as a new version with its document and anchor.

        A live compression is cancelled, `compression_count` stays as it is, and automatic compression
        pauses below the critical level until the next manual one or the next change of settings.
        """
        reply: Summary = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/summaries/{version}/rollback",
            path={"session_id": session_id, "version": version},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply


class TodosOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, session_id: str, *, branch: str | None = None) -> Todos:
        """Reads a session's todo list.

        After a compression it tells what the messages completed (`changes`), and what they seem to complete
        (`proposed_status`), which only the caller sets.
        """
        reply: Todos = self._calls.call(
            "GET", "/v1/sessions/{session_id}/todos", path={"session_id": session_id}, query={"branch": branch}
        )
        return reply

    def replace(self, session_id: str, body: ReplaceTodos, *, branch: str | None = None) -> Todos:
        """Replaces a session's todo list.

        At the next compression its completed items become decisions made, those in progress the task in hand,
        and the open ones the next steps; it overrides lists written by tools. The reply tells what is
        different from the list before.
        """
        reply: Todos = self._calls.call(
            "PUT",
            "/v1/sessions/{session_id}/todos",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
        )
        return reply


class AsyncTodosOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, session_id: str, *, branch: str | None = None) -> Todos:
        """Reads a session's todo list.

        After a compression it tells what the messages completed (`changes`), and what they seem to complete
        (`proposed_status`), which only the caller sets.
        """
        reply: Todos = await self._calls.call(
            "GET", "/v1/sessions/{session_id}/todos", path={"session_id": session_id}, query={"branch": branch}
        )
        return reply

    async def replace(self, session_id: str, body: ReplaceTodos, *, branch: str | None = None) -> Todos:
        """Replaces a session's todo list.

        At the next compression its completed items become decisions made, those in progress the task in hand,
        and the open ones the next steps; it overrides lists written by tools. The reply tells what is
        different from the list before.
        """
        reply: Todos = await self._calls.call(
            "PUT",
            "/v1/sessions/{session_id}/todos",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
        )
        return reply


class TasksOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def get_handoff(self, task_id: str, *, level: int | None = None, words: int | None = None) -> Handoff | None:
        """Reads the hand-off of a task: its sessions' current versions in one text for another agent.

        The newest session gives the goal and state; files, decisions and errors of all are joined, each with
        the session that it came from.
        """
        reply: Handoff | None = self._calls.call(
            "GET", "/v1/tasks/{task_id}/handoff", path={"task_id": task_id}, query={"level": level, "words": words}
        )
        return reply

    def get(self, task_id: str) -> Task:
        """Reads a task: tokens, requests, what was fetched again, and what the service added to the agent's time.

        A use belongs to the task that its session had at that time. Erasing a session takes its figures along,
        and the last one of a task takes the task.
        """
        reply: Task = self._calls.call("GET", "/v1/tasks/{task_id}", path={"task_id": task_id})
        return reply

    def put(self, task_id: str, body: TaskUpdate) -> Task:
        """Sets the status of a task.

        A task exists as soon as a session names it, and is active until its status is set here.
        """
        reply: Task = self._calls.call("PUT", "/v1/tasks/{task_id}", path={"task_id": task_id}, body=body)
        return reply


class AsyncTasksOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def get_handoff(self, task_id: str, *, level: int | None = None, words: int | None = None) -> Handoff | None:
        """Reads the hand-off of a task: its sessions' current versions in one text for another agent.

        The newest session gives the goal and state; files, decisions and errors of all are joined, each with
        the session that it came from.
        """
        reply: Handoff | None = await self._calls.call(
            "GET", "/v1/tasks/{task_id}/handoff", path={"task_id": task_id}, query={"level": level, "words": words}
        )
        return reply

    async def get(self, task_id: str) -> Task:
        """Reads a task: tokens, requests, what was fetched again, and what the service added to the agent's time.

        A use belongs to the task that its session had at that time. Erasing a session takes its figures along,
        and the last one of a task takes the task.
        """
        reply: Task = await self._calls.call("GET", "/v1/tasks/{task_id}", path={"task_id": task_id})
        return reply

    async def put(self, task_id: str, body: TaskUpdate) -> Task:
        """Sets the status of a task.

        A task exists as soon as a session names it, and is active until its status is set here.
        """
        reply: Task = await self._calls.call("PUT", "/v1/tasks/{task_id}", path={"task_id": task_id}, body=body)
        return reply


class LedgerOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(
        self,
        session_id: str,
        *,
        kind: LedgerListKind | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        branch: str | None = None,
    ) -> LedgerPage:
        """Lists the facts of a session: files, commands, test runs, errors, identifiers, constraints, requests."""
        reply: LedgerPage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/ledger",
            path={"session_id": session_id},
            query={"kind": kind, "limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(
        self,
        session_id: str,
        *,
        kind: LedgerListKind | None = None,
        limit: int | None = None,
        branch: str | None = None,
    ) -> Iterator[CommandFact | ConstraintFact | ErrorFact | FileFact | IdentifierFact | RequestFact | TestRunFact]:
        """Lists the facts of a session: files, commands, test runs, errors, identifiers, constraints, requests. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[
            CommandFact | ConstraintFact | ErrorFact | FileFact | IdentifierFact | RequestFact | TestRunFact
        ] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/ledger",
            path={"session_id": session_id},
            query={"kind": kind, "limit": limit, "branch": branch},
        )
        return pages


class AsyncLedgerOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(
        self,
        session_id: str,
        *,
        kind: LedgerListKind | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        branch: str | None = None,
    ) -> LedgerPage:
        """Lists the facts of a session: files, commands, test runs, errors, identifiers, constraints, requests."""
        reply: LedgerPage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/ledger",
            path={"session_id": session_id},
            query={"kind": kind, "limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(
        self,
        session_id: str,
        *,
        kind: LedgerListKind | None = None,
        limit: int | None = None,
        branch: str | None = None,
    ) -> AsyncIterator[
        CommandFact | ConstraintFact | ErrorFact | FileFact | IdentifierFact | RequestFact | TestRunFact
    ]:
        """Lists the facts of a session: files, commands, test runs, errors, identifiers, constraints, requests. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[
            CommandFact | ConstraintFact | ErrorFact | FileFact | IdentifierFact | RequestFact | TestRunFact
        ] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/ledger",
            path={"session_id": session_id},
            query={"kind": kind, "limit": limit, "branch": branch},
        )
        return pages


class ProbesOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> SessionProbePage:
        """Lists a session's probes, oldest first, retired ones included."""
        reply: SessionProbePage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/probes",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(self, session_id: str, *, limit: int | None = None, branch: str | None = None) -> Iterator[SessionProbe]:
        """Lists a session's probes, oldest first, retired ones included. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[SessionProbe] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/probes",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages

    def create(
        self, session_id: str, body: CreateProbe, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> SessionProbe:
        """Adds a probe of the caller's own; it is asked after every later compression until it is removed."""
        reply: SessionProbe = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/probes",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def delete(self, session_id: str, probe_id: str, *, branch: str | None = None) -> None:
        """Removes a probe of the caller's own; no later version is asked it."""
        self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/probes/{probe_id}",
            path={"session_id": session_id, "probe_id": probe_id},
            query={"branch": branch},
        )

    def update(self, session_id: str, probe_id: str, body: ProbePatch, *, branch: str | None = None) -> SessionProbe:
        """Changes a probe of the caller's own.

        The next version is asked the probe as it is then; results of earlier versions stay as they are.
        """
        reply: SessionProbe = self._calls.call(
            "PATCH",
            "/v1/sessions/{session_id}/probes/{probe_id}",
            path={"session_id": session_id, "probe_id": probe_id},
            query={"branch": branch},
            body=body,
        )
        return reply


class AsyncProbesOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> SessionProbePage:
        """Lists a session's probes, oldest first, retired ones included."""
        reply: SessionProbePage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/probes",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(
        self, session_id: str, *, limit: int | None = None, branch: str | None = None
    ) -> AsyncIterator[SessionProbe]:
        """Lists a session's probes, oldest first, retired ones included. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[SessionProbe] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/probes",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages

    async def create(
        self, session_id: str, body: CreateProbe, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> SessionProbe:
        """Adds a probe of the caller's own; it is asked after every later compression until it is removed."""
        reply: SessionProbe = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/probes",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def delete(self, session_id: str, probe_id: str, *, branch: str | None = None) -> None:
        """Removes a probe of the caller's own; no later version is asked it."""
        await self._calls.call(
            "DELETE",
            "/v1/sessions/{session_id}/probes/{probe_id}",
            path={"session_id": session_id, "probe_id": probe_id},
            query={"branch": branch},
        )

    async def update(
        self, session_id: str, probe_id: str, body: ProbePatch, *, branch: str | None = None
    ) -> SessionProbe:
        """Changes a probe of the caller's own.

        The next version is asked the probe as it is then; results of earlier versions stay as they are.
        """
        reply: SessionProbe = await self._calls.call(
            "PATCH",
            "/v1/sessions/{session_id}/probes/{probe_id}",
            path={"session_id": session_id, "probe_id": probe_id},
            query={"branch": branch},
            body=body,
        )
        return reply


class EvaluationsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> EvaluationPage:
        """Lists a session's evaluations, newest first, without their verdicts."""
        reply: EvaluationPage = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/evaluations",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(self, session_id: str, *, limit: int | None = None, branch: str | None = None) -> Iterator[Evaluation]:
        """Lists a session's evaluations, newest first, without their verdicts. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[Evaluation] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/evaluations",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages

    def create(
        self,
        session_id: str,
        body: CreateEvaluation | None = None,
        *,
        branch: str | None = None,
        prefer: str | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluationDetail | Compression:
        """Evaluates a version now.

        The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
        is the evaluation itself as soon as it is there.
        """
        reply: EvaluationDetail | Compression = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/evaluations",
            path={"session_id": session_id},
            query={"branch": branch},
            headers={"Prefer": prefer},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def get(self, session_id: str, evaluation_id: str, *, branch: str | None = None) -> EvaluationDetail:
        """Reads one evaluation, probe by probe."""
        reply: EvaluationDetail = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/evaluations/{evaluation_id}",
            path={"session_id": session_id, "evaluation_id": evaluation_id},
            query={"branch": branch},
        )
        return reply


class AsyncEvaluationsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(
        self, session_id: str, *, limit: int | None = None, cursor: str | None = None, branch: str | None = None
    ) -> EvaluationPage:
        """Lists a session's evaluations, newest first, without their verdicts."""
        reply: EvaluationPage = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/evaluations",
            path={"session_id": session_id},
            query={"limit": limit, "cursor": cursor, "branch": branch},
        )
        return reply

    def iter(
        self, session_id: str, *, limit: int | None = None, branch: str | None = None
    ) -> AsyncIterator[Evaluation]:
        """Lists a session's evaluations, newest first, without their verdicts. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[Evaluation] = self._calls.pages(
            "GET",
            "/v1/sessions/{session_id}/evaluations",
            path={"session_id": session_id},
            query={"limit": limit, "branch": branch},
        )
        return pages

    async def create(
        self,
        session_id: str,
        body: CreateEvaluation | None = None,
        *,
        branch: str | None = None,
        prefer: str | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluationDetail | Compression:
        """Evaluates a version now.

        The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
        is the evaluation itself as soon as it is there.
        """
        reply: EvaluationDetail | Compression = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/evaluations",
            path={"session_id": session_id},
            query={"branch": branch},
            headers={"Prefer": prefer},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def get(self, session_id: str, evaluation_id: str, *, branch: str | None = None) -> EvaluationDetail:
        """Reads one evaluation, probe by probe."""
        reply: EvaluationDetail = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/evaluations/{evaluation_id}",
            path={"session_id": session_id, "evaluation_id": evaluation_id},
            query={"branch": branch},
        )
        return reply


class KeysOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> ApiKeyPage:
        """Lists the tenant's keys, oldest first."""
        reply: ApiKeyPage = self._calls.call("GET", "/v1/keys", query={"limit": limit, "cursor": cursor})
        return reply

    def iter(self, *, limit: int | None = None) -> Iterator[ApiKey]:
        """Lists the tenant's keys, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[ApiKey] = self._calls.pages("GET", "/v1/keys", query={"limit": limit})
        return pages

    def create(self, body: CreateApiKey, *, idempotency_key: str | None = None) -> CreatedApiKey:
        """Makes a key of the tenant.

        A key mints only what it may do itself. The key is shown in this reply and never again: the same call with the same
        `Idempotency-Key` makes no second one, and its reply is without the key.
        """
        reply: CreatedApiKey = self._calls.call("POST", "/v1/keys", body=body, idempotency_key=idempotency_key)
        return reply

    def get_current(self) -> ApiKey:
        """Tells what the key may do that this call is made with."""
        reply: ApiKey = self._calls.call("GET", "/v1/keys/current")
        return reply

    def revoke(self, key_id: str) -> None:
        """Revokes a key of the tenant.

        It is refused from now on, by every process of the installation.
        """
        self._calls.call("DELETE", "/v1/keys/{key_id}", path={"key_id": key_id})

    def rotate(
        self, key_id: str, body: ApiKeyRotation | None = None, *, idempotency_key: str | None = None
    ) -> CreatedApiKey:
        """Replaces a key of the tenant by a new one with the same scopes; both work for a while.

        The new key is shown to the caller, so the caller needs every scope of the key that it replaces: 403 otherwise.
        """
        reply: CreatedApiKey = self._calls.call(
            "POST", "/v1/keys/{key_id}/rotate", path={"key_id": key_id}, body=body, idempotency_key=idempotency_key
        )
        return reply


class AsyncKeysOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> ApiKeyPage:
        """Lists the tenant's keys, oldest first."""
        reply: ApiKeyPage = await self._calls.call("GET", "/v1/keys", query={"limit": limit, "cursor": cursor})
        return reply

    def iter(self, *, limit: int | None = None) -> AsyncIterator[ApiKey]:
        """Lists the tenant's keys, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[ApiKey] = self._calls.pages("GET", "/v1/keys", query={"limit": limit})
        return pages

    async def create(self, body: CreateApiKey, *, idempotency_key: str | None = None) -> CreatedApiKey:
        """Makes a key of the tenant.

        A key mints only what it may do itself. The key is shown in this reply and never again: the same call with the same
        `Idempotency-Key` makes no second one, and its reply is without the key.
        """
        reply: CreatedApiKey = await self._calls.call("POST", "/v1/keys", body=body, idempotency_key=idempotency_key)
        return reply

    async def get_current(self) -> ApiKey:
        """Tells what the key may do that this call is made with."""
        reply: ApiKey = await self._calls.call("GET", "/v1/keys/current")
        return reply

    async def revoke(self, key_id: str) -> None:
        """Revokes a key of the tenant.

        It is refused from now on, by every process of the installation.
        """
        await self._calls.call("DELETE", "/v1/keys/{key_id}", path={"key_id": key_id})

    async def rotate(
        self, key_id: str, body: ApiKeyRotation | None = None, *, idempotency_key: str | None = None
    ) -> CreatedApiKey:
        """Replaces a key of the tenant by a new one with the same scopes; both work for a while.

        The new key is shown to the caller, so the caller needs every scope of the key that it replaces: 403 otherwise.
        """
        reply: CreatedApiKey = await self._calls.call(
            "POST", "/v1/keys/{key_id}/rotate", path={"key_id": key_id}, body=body, idempotency_key=idempotency_key
        )
        return reply


class WebhooksOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> WebhookPage:
        """Lists the tenant's webhooks, oldest first."""
        reply: WebhookPage = self._calls.call("GET", "/v1/webhooks", query={"limit": limit, "cursor": cursor})
        return reply

    def iter(self, *, limit: int | None = None) -> Iterator[Webhook]:
        """Lists the tenant's webhooks, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[Webhook] = self._calls.pages("GET", "/v1/webhooks", query={"limit": limit})
        return pages

    def create(self, body: CreateWebhook, *, idempotency_key: str | None = None) -> WebhookWithSecret:
        """Makes a webhook.

        It receives the events listed under `webhooks`. The secret is shown in this
        reply and never again, so an `Idempotency-Key` replays nothing here: erase what was made twice.
        """
        reply: WebhookWithSecret = self._calls.call("POST", "/v1/webhooks", body=body, idempotency_key=idempotency_key)
        return reply

    def get(self, webhook_id: str) -> Webhook:
        """Reads a webhook."""
        reply: Webhook = self._calls.call("GET", "/v1/webhooks/{webhook_id}", path={"webhook_id": webhook_id})
        return reply

    def delete(self, webhook_id: str) -> None:
        """Erases a webhook with its deliveries."""
        self._calls.call("DELETE", "/v1/webhooks/{webhook_id}", path={"webhook_id": webhook_id})

    def update(self, webhook_id: str, body: WebhookPatch) -> Webhook:
        """Changes a webhook, disables it or enables it again.

        Deliveries that are pending for a webhook that is disabled are cancelled, and events while it is disabled are not
        delivered; a cancelled delivery can be asked for again.
        """
        reply: Webhook = self._calls.call(
            "PATCH", "/v1/webhooks/{webhook_id}", path={"webhook_id": webhook_id}, body=body
        )
        return reply

    def rotate_secret(
        self, webhook_id: str, body: WebhookSecretRotation | None = None, *, idempotency_key: str | None = None
    ) -> WebhookWithSecret:
        """Gives a webhook a new secret; the old one signs beside it for a while.

        Until then `webhook-signature` holds a signature of each, so that receivers can change over at any time. A
        rotation within the overlap of the one before ends the oldest secret at once.
        """
        reply: WebhookWithSecret = self._calls.call(
            "POST",
            "/v1/webhooks/{webhook_id}/rotate",
            path={"webhook_id": webhook_id},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def test(self, webhook_id: str, *, idempotency_key: str | None = None) -> WebhookDelivery:
        """Sends a test message, `webhook.test`.

        It is delivered as every other message: signed, retried and logged.
        """
        reply: WebhookDelivery = self._calls.call(
            "POST", "/v1/webhooks/{webhook_id}/test", path={"webhook_id": webhook_id}, idempotency_key=idempotency_key
        )
        return reply

    def list_deliveries(
        self,
        webhook_id: str,
        *,
        status: WebhookDeliveryStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> WebhookDeliveryPage:
        """Lists a webhook's deliveries, newest first.

        They are kept for thirty days, and no longer than the session that they are about.
        """
        reply: WebhookDeliveryPage = self._calls.call(
            "GET",
            "/v1/webhooks/{webhook_id}/deliveries",
            path={"webhook_id": webhook_id},
            query={"status": status, "limit": limit, "cursor": cursor},
        )
        return reply

    def iter_deliveries(
        self, webhook_id: str, *, status: WebhookDeliveryStatus | None = None, limit: int | None = None
    ) -> Iterator[WebhookDelivery]:
        """Lists a webhook's deliveries, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[WebhookDelivery] = self._calls.pages(
            "GET",
            "/v1/webhooks/{webhook_id}/deliveries",
            path={"webhook_id": webhook_id},
            query={"status": status, "limit": limit},
        )
        return pages

    def get_delivery(self, webhook_id: str, delivery_id: str) -> WebhookDeliveryDetail:
        """Reads a delivery, with the message that is sent."""
        reply: WebhookDeliveryDetail = self._calls.call(
            "GET",
            "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}",
            path={"webhook_id": webhook_id, "delivery_id": delivery_id},
        )
        return reply

    def redeliver(self, webhook_id: str, delivery_id: str, *, idempotency_key: str | None = None) -> WebhookDelivery:
        """Delivers a message again immediately, whatever its status.

        It keeps its id and its body, and is tried again as a new one is.
        """
        reply: WebhookDelivery = self._calls.call(
            "POST",
            "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
            path={"webhook_id": webhook_id, "delivery_id": delivery_id},
            idempotency_key=idempotency_key,
        )
        return reply


class AsyncWebhooksOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> WebhookPage:
        """Lists the tenant's webhooks, oldest first."""
        reply: WebhookPage = await self._calls.call("GET", "/v1/webhooks", query={"limit": limit, "cursor": cursor})
        return reply

    def iter(self, *, limit: int | None = None) -> AsyncIterator[Webhook]:
        """Lists the tenant's webhooks, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[Webhook] = self._calls.pages("GET", "/v1/webhooks", query={"limit": limit})
        return pages

    async def create(self, body: CreateWebhook, *, idempotency_key: str | None = None) -> WebhookWithSecret:
        """Makes a webhook.

        It receives the events listed under `webhooks`. The secret is shown in this
        reply and never again, so an `Idempotency-Key` replays nothing here: erase what was made twice.
        """
        reply: WebhookWithSecret = await self._calls.call(
            "POST", "/v1/webhooks", body=body, idempotency_key=idempotency_key
        )
        return reply

    async def get(self, webhook_id: str) -> Webhook:
        """Reads a webhook."""
        reply: Webhook = await self._calls.call("GET", "/v1/webhooks/{webhook_id}", path={"webhook_id": webhook_id})
        return reply

    async def delete(self, webhook_id: str) -> None:
        """Erases a webhook with its deliveries."""
        await self._calls.call("DELETE", "/v1/webhooks/{webhook_id}", path={"webhook_id": webhook_id})

    async def update(self, webhook_id: str, body: WebhookPatch) -> Webhook:
        """Changes a webhook, disables it or enables it again.

        Deliveries that are pending for a webhook that is disabled are cancelled, and events while it is disabled are not
        delivered; a cancelled delivery can be asked for again.
        """
        reply: Webhook = await self._calls.call(
            "PATCH", "/v1/webhooks/{webhook_id}", path={"webhook_id": webhook_id}, body=body
        )
        return reply

    async def rotate_secret(
        self, webhook_id: str, body: WebhookSecretRotation | None = None, *, idempotency_key: str | None = None
    ) -> WebhookWithSecret:
        """Gives a webhook a new secret; the old one signs beside it for a while.

        Until then `webhook-signature` holds a signature of each, so that receivers can change over at any time. A
        rotation within the overlap of the one before ends the oldest secret at once.
        """
        reply: WebhookWithSecret = await self._calls.call(
            "POST",
            "/v1/webhooks/{webhook_id}/rotate",
            path={"webhook_id": webhook_id},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def test(self, webhook_id: str, *, idempotency_key: str | None = None) -> WebhookDelivery:
        """Sends a test message, `webhook.test`.

        It is delivered as every other message: signed, retried and logged.
        """
        reply: WebhookDelivery = await self._calls.call(
            "POST", "/v1/webhooks/{webhook_id}/test", path={"webhook_id": webhook_id}, idempotency_key=idempotency_key
        )
        return reply

    async def list_deliveries(
        self,
        webhook_id: str,
        *,
        status: WebhookDeliveryStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> WebhookDeliveryPage:
        """Lists a webhook's deliveries, newest first.

        They are kept for thirty days, and no longer than the session that they are about.
        """
        reply: WebhookDeliveryPage = await self._calls.call(
            "GET",
            "/v1/webhooks/{webhook_id}/deliveries",
            path={"webhook_id": webhook_id},
            query={"status": status, "limit": limit, "cursor": cursor},
        )
        return reply

    def iter_deliveries(
        self, webhook_id: str, *, status: WebhookDeliveryStatus | None = None, limit: int | None = None
    ) -> AsyncIterator[WebhookDelivery]:
        """Lists a webhook's deliveries, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[WebhookDelivery] = self._calls.pages(
            "GET",
            "/v1/webhooks/{webhook_id}/deliveries",
            path={"webhook_id": webhook_id},
            query={"status": status, "limit": limit},
        )
        return pages

    async def get_delivery(self, webhook_id: str, delivery_id: str) -> WebhookDeliveryDetail:
        """Reads a delivery, with the message that is sent."""
        reply: WebhookDeliveryDetail = await self._calls.call(
            "GET",
            "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}",
            path={"webhook_id": webhook_id, "delivery_id": delivery_id},
        )
        return reply

    async def redeliver(
        self, webhook_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> WebhookDelivery:
        """Delivers a message again immediately, whatever its status.

        It keeps its id and its body, and is tried again as a new one is.
        """
        reply: WebhookDelivery = await self._calls.call(
            "POST",
            "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
            path={"webhook_id": webhook_id, "delivery_id": delivery_id},
            idempotency_key=idempotency_key,
        )
        return reply


class AuditOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> AuditEventPage:
        """Lists what was done to the tenant and by its keys, newest first."""
        reply: AuditEventPage = self._calls.call("GET", "/v1/audit", query={"limit": limit, "cursor": cursor})
        return reply

    def iter(self, *, limit: int | None = None) -> Iterator[AuditEvent]:
        """Lists what was done to the tenant and by its keys, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[AuditEvent] = self._calls.pages("GET", "/v1/audit", query={"limit": limit})
        return pages

    def list_all(self, *, limit: int | None = None, cursor: str | None = None) -> AuditEventPage:
        """Lists what was done to any tenant, erased ones included, newest first."""
        reply: AuditEventPage = self._calls.call("GET", "/v1/admin/audit", query={"limit": limit, "cursor": cursor})
        return reply

    def iter_all(self, *, limit: int | None = None) -> Iterator[AuditEvent]:
        """Lists what was done to any tenant, erased ones included, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[AuditEvent] = self._calls.pages("GET", "/v1/admin/audit", query={"limit": limit})
        return pages


class AsyncAuditOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> AuditEventPage:
        """Lists what was done to the tenant and by its keys, newest first."""
        reply: AuditEventPage = await self._calls.call("GET", "/v1/audit", query={"limit": limit, "cursor": cursor})
        return reply

    def iter(self, *, limit: int | None = None) -> AsyncIterator[AuditEvent]:
        """Lists what was done to the tenant and by its keys, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[AuditEvent] = self._calls.pages("GET", "/v1/audit", query={"limit": limit})
        return pages

    async def list_all(self, *, limit: int | None = None, cursor: str | None = None) -> AuditEventPage:
        """Lists what was done to any tenant, erased ones included, newest first."""
        reply: AuditEventPage = await self._calls.call(
            "GET", "/v1/admin/audit", query={"limit": limit, "cursor": cursor}
        )
        return reply

    def iter_all(self, *, limit: int | None = None) -> AsyncIterator[AuditEvent]:
        """Lists what was done to any tenant, erased ones included, newest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[AuditEvent] = self._calls.pages("GET", "/v1/admin/audit", query={"limit": limit})
        return pages


class TenantsOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def list(self, *, name: str | None = None, limit: int | None = None, cursor: str | None = None) -> TenantPage:
        """Lists the tenants, oldest first."""
        reply: TenantPage = self._calls.call(
            "GET", "/v1/admin/tenants", query={"name": name, "limit": limit, "cursor": cursor}
        )
        return reply

    def iter(self, *, name: str | None = None, limit: int | None = None) -> Iterator[Tenant]:
        """Lists the tenants, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[Tenant] = self._calls.pages("GET", "/v1/admin/tenants", query={"name": name, "limit": limit})
        return pages

    def create(self, body: CreateTenant, *, idempotency_key: str | None = None) -> Tenant:
        """Creates a tenant.

        With an `Idempotency-Key` the same call makes the same tenant, forever.
        """
        reply: Tenant = self._calls.call("POST", "/v1/admin/tenants", body=body, idempotency_key=idempotency_key)
        return reply

    def get(self, tenant_id: str) -> Tenant:
        """Reads a tenant."""
        reply: Tenant = self._calls.call("GET", "/v1/admin/tenants/{tenant_id}", path={"tenant_id": tenant_id})
        return reply

    def delete(self, tenant_id: str) -> None:
        """Erases a tenant with everything that it owns.

        Its keys open nothing from then on, and nothing of it is shown; the rows are deleted in the background. Only the
        audit log stays, which names things by their ids alone.
        """
        self._calls.call("DELETE", "/v1/admin/tenants/{tenant_id}", path={"tenant_id": tenant_id})

    def update(self, tenant_id: str, body: TenantPatch) -> Tenant:
        """Changes a tenant: its name, its quotas, its retention, whether it is suspended.

        An absent field keeps its value. A suspended tenant's keys are refused with 403 and its waiting jobs are paused; nothing
        is lost. Keys of model providers need an installation with `ANCHORD_SECRETS_KEY`, and are never shown again.
        """
        reply: Tenant = self._calls.call(
            "PATCH", "/v1/admin/tenants/{tenant_id}", path={"tenant_id": tenant_id}, body=body
        )
        return reply

    def get_settings(self, tenant_id: str) -> TenantSettings:
        """Reads the defaults of a tenant's sessions."""
        reply: TenantSettings = self._calls.call(
            "GET", "/v1/admin/tenants/{tenant_id}/settings", path={"tenant_id": tenant_id}
        )
        return reply

    def put_settings(self, tenant_id: str, body: Settings) -> TenantSettings:
        """Replaces the defaults of a tenant's sessions.

        An absent or null field has the service's own default.
        """
        reply: TenantSettings = self._calls.call(
            "PUT", "/v1/admin/tenants/{tenant_id}/settings", path={"tenant_id": tenant_id}, body=body
        )
        return reply

    def update_settings(self, tenant_id: str, body: Settings) -> TenantSettings:
        """Changes the defaults of a tenant's sessions.

        An absent field keeps its value and null resets it (JSON Merge Patch).
        """
        reply: TenantSettings = self._calls.call(
            "PATCH", "/v1/admin/tenants/{tenant_id}/settings", path={"tenant_id": tenant_id}, body=body
        )
        return reply

    def list_keys(self, tenant_id: str, *, limit: int | None = None, cursor: str | None = None) -> ApiKeyPage:
        """Lists a tenant's keys, oldest first."""
        reply: ApiKeyPage = self._calls.call(
            "GET",
            "/v1/admin/tenants/{tenant_id}/keys",
            path={"tenant_id": tenant_id},
            query={"limit": limit, "cursor": cursor},
        )
        return reply

    def iter_keys(self, tenant_id: str, *, limit: int | None = None) -> Iterator[ApiKey]:
        """Lists a tenant's keys, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: Iterator[ApiKey] = self._calls.pages(
            "GET", "/v1/admin/tenants/{tenant_id}/keys", path={"tenant_id": tenant_id}, query={"limit": limit}
        )
        return pages

    def create_key(self, tenant_id: str, body: CreateApiKey, *, idempotency_key: str | None = None) -> CreatedApiKey:
        """Makes a key of a tenant.

        The key is shown in this reply and never again: the same call with the same `Idempotency-Key` makes no second one, and
        its reply is without the key.
        """
        reply: CreatedApiKey = self._calls.call(
            "POST",
            "/v1/admin/tenants/{tenant_id}/keys",
            path={"tenant_id": tenant_id},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def revoke_key(self, tenant_id: str, key_id: str) -> None:
        """Revokes a key of a tenant."""
        self._calls.call(
            "DELETE", "/v1/admin/tenants/{tenant_id}/keys/{key_id}", path={"tenant_id": tenant_id, "key_id": key_id}
        )

    def rotate_key(
        self, tenant_id: str, key_id: str, body: ApiKeyRotation | None = None, *, idempotency_key: str | None = None
    ) -> CreatedApiKey:
        """Replaces a key of a tenant by a new one with the same scopes; both work for a while."""
        reply: CreatedApiKey = self._calls.call(
            "POST",
            "/v1/admin/tenants/{tenant_id}/keys/{key_id}/rotate",
            path={"tenant_id": tenant_id, "key_id": key_id},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply


class AsyncTenantsOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def list(self, *, name: str | None = None, limit: int | None = None, cursor: str | None = None) -> TenantPage:
        """Lists the tenants, oldest first."""
        reply: TenantPage = await self._calls.call(
            "GET", "/v1/admin/tenants", query={"name": name, "limit": limit, "cursor": cursor}
        )
        return reply

    def iter(self, *, name: str | None = None, limit: int | None = None) -> AsyncIterator[Tenant]:
        """Lists the tenants, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[Tenant] = self._calls.pages(
            "GET", "/v1/admin/tenants", query={"name": name, "limit": limit}
        )
        return pages

    async def create(self, body: CreateTenant, *, idempotency_key: str | None = None) -> Tenant:
        """Creates a tenant.

        With an `Idempotency-Key` the same call makes the same tenant, forever.
        """
        reply: Tenant = await self._calls.call("POST", "/v1/admin/tenants", body=body, idempotency_key=idempotency_key)
        return reply

    async def get(self, tenant_id: str) -> Tenant:
        """Reads a tenant."""
        reply: Tenant = await self._calls.call("GET", "/v1/admin/tenants/{tenant_id}", path={"tenant_id": tenant_id})
        return reply

    async def delete(self, tenant_id: str) -> None:
        """Erases a tenant with everything that it owns.

        Its keys open nothing from then on, and nothing of it is shown; the rows are deleted in the background. Only the
        audit log stays, which names things by their ids alone.
        """
        await self._calls.call("DELETE", "/v1/admin/tenants/{tenant_id}", path={"tenant_id": tenant_id})

    async def update(self, tenant_id: str, body: TenantPatch) -> Tenant:
        """Changes a tenant: its name, its quotas, its retention, whether it is suspended.

        An absent field keeps its value. A suspended tenant's keys are refused with 403 and its waiting jobs are paused; nothing
        is lost. Keys of model providers need an installation with `ANCHORD_SECRETS_KEY`, and are never shown again.
        """
        reply: Tenant = await self._calls.call(
            "PATCH", "/v1/admin/tenants/{tenant_id}", path={"tenant_id": tenant_id}, body=body
        )
        return reply

    async def get_settings(self, tenant_id: str) -> TenantSettings:
        """Reads the defaults of a tenant's sessions."""
        reply: TenantSettings = await self._calls.call(
            "GET", "/v1/admin/tenants/{tenant_id}/settings", path={"tenant_id": tenant_id}
        )
        return reply

    async def put_settings(self, tenant_id: str, body: Settings) -> TenantSettings:
        """Replaces the defaults of a tenant's sessions.

        An absent or null field has the service's own default.
        """
        reply: TenantSettings = await self._calls.call(
            "PUT", "/v1/admin/tenants/{tenant_id}/settings", path={"tenant_id": tenant_id}, body=body
        )
        return reply

    async def update_settings(self, tenant_id: str, body: Settings) -> TenantSettings:
        """Changes the defaults of a tenant's sessions.

        An absent field keeps its value and null resets it (JSON Merge Patch).
        """
        reply: TenantSettings = await self._calls.call(
            "PATCH", "/v1/admin/tenants/{tenant_id}/settings", path={"tenant_id": tenant_id}, body=body
        )
        return reply

    async def list_keys(self, tenant_id: str, *, limit: int | None = None, cursor: str | None = None) -> ApiKeyPage:
        """Lists a tenant's keys, oldest first."""
        reply: ApiKeyPage = await self._calls.call(
            "GET",
            "/v1/admin/tenants/{tenant_id}/keys",
            path={"tenant_id": tenant_id},
            query={"limit": limit, "cursor": cursor},
        )
        return reply

    def iter_keys(self, tenant_id: str, *, limit: int | None = None) -> AsyncIterator[ApiKey]:
        """Lists a tenant's keys, oldest first. An iterator over all pages; `limit` is the size of a page."""
        pages: AsyncIterator[ApiKey] = self._calls.pages(
            "GET", "/v1/admin/tenants/{tenant_id}/keys", path={"tenant_id": tenant_id}, query={"limit": limit}
        )
        return pages

    async def create_key(
        self, tenant_id: str, body: CreateApiKey, *, idempotency_key: str | None = None
    ) -> CreatedApiKey:
        """Makes a key of a tenant.

        The key is shown in this reply and never again: the same call with the same `Idempotency-Key` makes no second one, and
        its reply is without the key.
        """
        reply: CreatedApiKey = await self._calls.call(
            "POST",
            "/v1/admin/tenants/{tenant_id}/keys",
            path={"tenant_id": tenant_id},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def revoke_key(self, tenant_id: str, key_id: str) -> None:
        """Revokes a key of a tenant."""
        await self._calls.call(
            "DELETE", "/v1/admin/tenants/{tenant_id}/keys/{key_id}", path={"tenant_id": tenant_id, "key_id": key_id}
        )

    async def rotate_key(
        self, tenant_id: str, key_id: str, body: ApiKeyRotation | None = None, *, idempotency_key: str | None = None
    ) -> CreatedApiKey:
        """Replaces a key of a tenant by a new one with the same scopes; both work for a while."""
        reply: CreatedApiKey = await self._calls.call(
            "POST",
            "/v1/admin/tenants/{tenant_id}/keys/{key_id}/rotate",
            path={"tenant_id": tenant_id, "key_id": key_id},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply


class HealthOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def live(self) -> Health:
        """Reports that the process is alive."""
        reply: Health = self._calls.call("GET", "/healthz")
        return reply

    def ready(self) -> Health:
        """Reports whether requests can be served: whether the database answers, or did within the last second."""
        reply: Health = self._calls.call("GET", "/readyz")
        return reply

    def metrics(self) -> str:
        """Serves metrics in the Prometheus text format."""
        reply: str = self._calls.call("GET", "/metrics")
        return reply


class AsyncHealthOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def live(self) -> Health:
        """Reports that the process is alive."""
        reply: Health = await self._calls.call("GET", "/healthz")
        return reply

    async def ready(self) -> Health:
        """Reports whether requests can be served: whether the database answers, or did within the last second."""
        reply: Health = await self._calls.call("GET", "/readyz")
        return reply

    async def metrics(self) -> str:
        """Serves metrics in the Prometheus text format."""
        reply: str = await self._calls.call("GET", "/metrics")
        return reply


class RecallOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def search(
        self,
        session_id: str,
        *,
        q: str,
        limit: int | None = None,
        mode: RecallMode | None = None,
        branch: str | None = None,
    ) -> RecallResult:
        """Searches all original messages of a branch, compressed ones included.

        Full text in any script; identifiers and paths are found whole and by their parts. A message counts
        for more among neighbours that match too, what is said for more than tool output, and of equals the
        newer one comes first. Where the operator has configured an embeddings server, messages are also found by what they
        mean; when it is away or slow, the reply says so (`degraded`) and ranks by words.
        """
        reply: RecallResult = self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/recall",
            path={"session_id": session_id},
            query={"q": q, "limit": limit, "mode": mode, "branch": branch},
        )
        return reply

    def search_sessions(
        self,
        *,
        q: str,
        limit: int | None = None,
        mode: RecallMode | None = None,
        user: str | None = None,
        task_id: str | None = None,
        parent_session_id: str | None = None,
    ) -> SessionsRecallResult:
        """Searches the original messages of an end user's sessions, of a task's, or of those that a session started.

        The newest 50 sessions are searched as one, each in its current branch, so that scores are comparable; each hit names
        its session. Otherwise as
        the search of one session.
        """
        reply: SessionsRecallResult = self._calls.call(
            "GET",
            "/v1/recall",
            query={
                "q": q,
                "limit": limit,
                "mode": mode,
                "user": user,
                "task_id": task_id,
                "parent_session_id": parent_session_id,
            },
        )
        return reply


class AsyncRecallOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def search(
        self,
        session_id: str,
        *,
        q: str,
        limit: int | None = None,
        mode: RecallMode | None = None,
        branch: str | None = None,
    ) -> RecallResult:
        """Searches all original messages of a branch, compressed ones included.

        Full text in any script; identifiers and paths are found whole and by their parts. A message counts
        for more among neighbours that match too, what is said for more than tool output, and of equals the
        newer one comes first. Where the operator has configured an embeddings server, messages are also found by what they
        mean; when it is away or slow, the reply says so (`degraded`) and ranks by words.
        """
        reply: RecallResult = await self._calls.call(
            "GET",
            "/v1/sessions/{session_id}/recall",
            path={"session_id": session_id},
            query={"q": q, "limit": limit, "mode": mode, "branch": branch},
        )
        return reply

    async def search_sessions(
        self,
        *,
        q: str,
        limit: int | None = None,
        mode: RecallMode | None = None,
        user: str | None = None,
        task_id: str | None = None,
        parent_session_id: str | None = None,
    ) -> SessionsRecallResult:
        """Searches the original messages of an end user's sessions, of a task's, or of those that a session started.

        The newest 50 sessions are searched as one, each in its current branch, so that scores are comparable; each hit names
        its session. Otherwise as
        the search of one session.
        """
        reply: SessionsRecallResult = await self._calls.call(
            "GET",
            "/v1/recall",
            query={
                "q": q,
                "limit": limit,
                "mode": mode,
                "user": user,
                "task_id": task_id,
                "parent_session_id": parent_session_id,
            },
        )
        return reply


class UsageOperations:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def report(
        self, session_id: str, body: UsageReport, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> UsageReportResult:
        """Reports the provider's own figures of the last call.

        They go to the ledger of the session's task, and correct how large the session's windows are in tokens of its
        tokenizer. A provider counts `offset + factor × ours`: the offset is what the service does not see (a system prompt that the
        caller keeps, tool definitions), the factor the difference of the tokenizers. Both are fitted to the newest reports by
        medians, so that a few odd ones change nothing. The offset takes effect from three reports on, as far as
        `system_tokens` does not say it already; the factor (0.5 to 2) from five about contexts whose sizes differ by 4,000 tokens and by a fifth.
        `usage.calibration` has what is in force. A report that cannot be about the context, or
        is about fewer than 4,000 tokens, corrects nothing; `verdict` says so.
        Another `model` of the session, which counts otherwise, starts anew.
        """
        reply: UsageReportResult = self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/usage",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    def get(self, *, from_: str | None = None, to: str | None = None) -> TenantUsage:
        """Reports what the tenant used, by day, and what a completed task costs with and without compression.

        Figures of requests reach the report within about a second. Sums by day stay when sessions are erased;
        tasks are those whose sessions are still there.
        """
        reply: TenantUsage = self._calls.call("GET", "/v1/usage", query={"from": from_, "to": to})
        return reply

    def get_quotas(self) -> QuotaReport:
        """Reads the tenant's quotas, and what is used of them.

        Messages and tokens of the day begin anew at midnight (UTC). Sessions and kept replies are counted by each process, which
        learns within two minutes what others have made.
        """
        reply: QuotaReport = self._calls.call("GET", "/v1/quotas")
        return reply


class AsyncUsageOperations:
    def __init__(self, calls: AsyncCalls) -> None:
        self._calls = calls

    async def report(
        self, session_id: str, body: UsageReport, *, branch: str | None = None, idempotency_key: str | None = None
    ) -> UsageReportResult:
        """Reports the provider's own figures of the last call.

        They go to the ledger of the session's task, and correct how large the session's windows are in tokens of its
        tokenizer. A provider counts `offset + factor × ours`: the offset is what the service does not see (a system prompt that the
        caller keeps, tool definitions), the factor the difference of the tokenizers. Both are fitted to the newest reports by
        medians, so that a few odd ones change nothing. The offset takes effect from three reports on, as far as
        `system_tokens` does not say it already; the factor (0.5 to 2) from five about contexts whose sizes differ by 4,000 tokens and by a fifth.
        `usage.calibration` has what is in force. A report that cannot be about the context, or
        is about fewer than 4,000 tokens, corrects nothing; `verdict` says so.
        Another `model` of the session, which counts otherwise, starts anew.
        """
        reply: UsageReportResult = await self._calls.call(
            "POST",
            "/v1/sessions/{session_id}/usage",
            path={"session_id": session_id},
            query={"branch": branch},
            body=body,
            idempotency_key=idempotency_key,
        )
        return reply

    async def get(self, *, from_: str | None = None, to: str | None = None) -> TenantUsage:
        """Reports what the tenant used, by day, and what a completed task costs with and without compression.

        Figures of requests reach the report within about a second. Sums by day stay when sessions are erased;
        tasks are those whose sessions are still there.
        """
        reply: TenantUsage = await self._calls.call("GET", "/v1/usage", query={"from": from_, "to": to})
        return reply

    async def get_quotas(self) -> QuotaReport:
        """Reads the tenant's quotas, and what is used of them.

        Messages and tokens of the day begin anew at midnight (UTC). Sessions and kept replies are counted by each process, which
        learns within two minutes what others have made.
        """
        reply: QuotaReport = await self._calls.call("GET", "/v1/quotas")
        return reply


class Operations:
    """The operations by their tags."""

    def __init__(self, calls: Calls) -> None:
        self.sessions = SessionsOperations(calls)
        self.messages = MessagesOperations(calls)
        self.context = ContextOperations(calls)
        self.transcript = TranscriptOperations(calls)
        self.branches = BranchesOperations(calls)
        self.tool_outputs = ToolOutputsOperations(calls)
        self.tools = ToolsOperations(calls)
        self.notes = NotesOperations(calls)
        self.pins = PinsOperations(calls)
        self.settings = SettingsOperations(calls)
        self.models = ModelsOperations(calls)
        self.constraints = ConstraintsOperations(calls)
        self.requests = RequestsOperations(calls)
        self.stateless = StatelessOperations(calls)
        self.compressions = CompressionsOperations(calls)
        self.summaries = SummariesOperations(calls)
        self.todos = TodosOperations(calls)
        self.tasks = TasksOperations(calls)
        self.ledger = LedgerOperations(calls)
        self.probes = ProbesOperations(calls)
        self.evaluations = EvaluationsOperations(calls)
        self.keys = KeysOperations(calls)
        self.webhooks = WebhooksOperations(calls)
        self.audit = AuditOperations(calls)
        self.tenants = TenantsOperations(calls)
        self.health = HealthOperations(calls)
        self.recall = RecallOperations(calls)
        self.usage = UsageOperations(calls)


class AsyncOperations:
    """The operations by their tags."""

    def __init__(self, calls: AsyncCalls) -> None:
        self.sessions = AsyncSessionsOperations(calls)
        self.messages = AsyncMessagesOperations(calls)
        self.context = AsyncContextOperations(calls)
        self.transcript = AsyncTranscriptOperations(calls)
        self.branches = AsyncBranchesOperations(calls)
        self.tool_outputs = AsyncToolOutputsOperations(calls)
        self.tools = AsyncToolsOperations(calls)
        self.notes = AsyncNotesOperations(calls)
        self.pins = AsyncPinsOperations(calls)
        self.settings = AsyncSettingsOperations(calls)
        self.models = AsyncModelsOperations(calls)
        self.constraints = AsyncConstraintsOperations(calls)
        self.requests = AsyncRequestsOperations(calls)
        self.stateless = AsyncStatelessOperations(calls)
        self.compressions = AsyncCompressionsOperations(calls)
        self.summaries = AsyncSummariesOperations(calls)
        self.todos = AsyncTodosOperations(calls)
        self.tasks = AsyncTasksOperations(calls)
        self.ledger = AsyncLedgerOperations(calls)
        self.probes = AsyncProbesOperations(calls)
        self.evaluations = AsyncEvaluationsOperations(calls)
        self.keys = AsyncKeysOperations(calls)
        self.webhooks = AsyncWebhooksOperations(calls)
        self.audit = AsyncAuditOperations(calls)
        self.tenants = AsyncTenantsOperations(calls)
        self.health = AsyncHealthOperations(calls)
        self.recall = AsyncRecallOperations(calls)
        self.usage = AsyncUsageOperations(calls)
