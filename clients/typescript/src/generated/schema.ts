// Made by generate.mjs from openapi/anchord.json; changes belong there.

export interface components {
    schemas: {
        /**
         * @description The time that the service adds to the agent's: from a request's arrival at its operation until its reply
         *     is made. Compressions run beside the agent and are not in it.
         */
        AddedLatency: {
            /**
             * Format: double
             * @description Milliseconds for each context; null without one.
             */
            context_ms_per_request: number | null;
            /**
             * Format: double
             * @description Milliseconds for each append; null without one.
             */
            append_ms_per_request: number | null;
            /**
             * Format: double
             * @description Milliseconds of all of them.
             */
            total_ms: number;
            /**
             * Format: double
             * @description Share of the time that the sessions were at work, from the first to the last request of each
             *     session and day; null when that is not known.
             */
            share: number | null;
        };
        /** @description A note of the agent's. */
        AgentNote: {
            /** @description Its id, which is never used again in its session. */
            id: string;
            /** @description The newest message when it was made or last replaced; 0 before the first. */
            seq: components["schemas"]["Seq"];
            /** @description Its text, without secrets. */
            text: string;
            /**
             * Format: date-time
             * @description When it was made or last replaced.
             */
            created_at: string;
        };
        /** @description A session's notes, in the order in which contexts show them. */
        AgentNotes: {
            /** @description The notes. */
            notes: components["schemas"]["AgentNote"][];
        };
        /**
         * @description The reader that answered a probe.
         * @enum {string}
         */
        AnsweredBy: "code" | "model";
        /** @description An API key, without the key itself. */
        ApiKey: {
            /** @description Its id. */
            id: components["schemas"]["KeyId"];
            /** @description Its name for people. */
            name: string | null;
            /** @description The first characters of the key, by which keys can be told apart. */
            prefix: string;
            /** @description Its scopes: `read`, `write`, `admin`. */
            scopes: string[];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ends; null for never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the minute; null for never.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When it was revoked; null when it was not.
             */
            revoked_at: string | null;
        };
        /** @description How a key is replaced. */
        ApiKeyRotation: {
            /**
             * Format: int64
             * @description How long the old key stays valid beside the new one, in seconds. Default 86,400 (a day).
             */
            overlap_seconds?: number | null;
        };
        /**
         * @description The scope of a key.
         * @enum {string}
         */
        ApiKeyScope: "read" | "write" | "admin" | "gateway";
        /** @description A batch of messages to append. */
        AppendRequest: {
            /**
             * @description The conversation format of the messages. Without it they are recognised by their shapes; messages that read the
             *     same in every format, such as plain texts, get the session's format so far, and `openai-chat` in a session
             *     without one. A format that the messages contradict is 422.
             */
            format?: components["schemas"]["MessageFormat"];
            /**
             * @description The model that the session talks to from now on: it becomes the session's setting `model`, from which context window,
             *     output reserve and tokenizer follow. The tokenizer of a session that has messages stays.
             */
            model?: string | null;
            /** @description The messages, oldest first, as the format writes them. Each comes back exactly as it was sent. */
            messages: components["schemas"]["Message"][];
            /**
             * Format: int64
             * @description The position that the first message must get; another one is 409 and nothing is stored.
             */
            expected_next_seq?: number | null;
            /** @description Whether a task has just ended; some policies then compress. */
            task_boundary?: boolean;
            /** @description The caller's marks of single messages of the batch. */
            marks?: components["schemas"]["MessageMark"][];
            /** @description The session's `user`, when this batch makes the session; one that is there keeps its own. */
            user?: string | null;
            /** @description The session's `metadata`, when this batch makes the session; one that is there keeps its own. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The result of an append, and the session's state after it. */
        AppendResult: {
            /** @description The session. */
            session_id: components["schemas"]["SessionId"];
            /** @description The branch; absent when it is main. */
            branch?: components["schemas"]["BranchName"] | null;
            /** @description Position of the batch's first message. */
            first_seq: components["schemas"]["Seq"];
            /** @description Position of the batch's last message. */
            last_seq: components["schemas"]["Seq"];
            /** @description Position that the next message will get. */
            next_seq: components["schemas"]["Seq"];
            /**
             * @description The format that the messages were recognised as; only with `include=format`, and absent when the caller stated one, or they
             *     show none.
             */
            format?: components["schemas"]["MessageFormat"] | null;
            /**
             * Format: int64
             * @description Tokens of the batch.
             */
            tokens_added: number;
            /** @description How full the context is, and whether the window is assumed; with `include=usage` by component. */
            usage: components["schemas"]["BriefUsage"];
            /** @description The decision from the signals; with `include=signals` every signal. */
            decision: components["schemas"]["TriggerDecision"];
            /** @description The live compression; null when there is none. */
            compression: components["schemas"]["LiveCompression"] | null;
            /**
             * @description Warnings: about the batch's messages (`tool-result-without-call`, `empty-user-message`, `output-larger-than-window` for
             *     each output that contexts cannot serve whole); about an assumed window only with `include=warnings`, though
             *     `usage.assumed` is true without it. Absent when there are none.
             */
            warnings?: components["schemas"]["Warning"][];
            /** @description The context to send to the model next; only with `return=context`. */
            context?: components["schemas"]["Context"];
            /** @description Why there is no context, though `return=context` asked for it. The messages are stored all the same. */
            context_problem?: components["schemas"]["Problem"];
        };
        /** @description An entry of the audit log. */
        AuditEvent: {
            /** @description Its id. */
            id: components["schemas"]["AuditId"];
            /** @description The tenant that it is about. */
            tenant_id: components["schemas"]["TenantId"];
            /** @description Who made the change: `operator`, `cli` or the id of an API key. */
            actor: string;
            /** @description The action. */
            action: string;
            /** @description The id of what it was done to. */
            subject: string;
            /**
             * Format: date-time
             * @description When the change was made.
             */
            created_at: string;
        };
        /** @description An id that starts with `aud_`. */
        AuditId: string;
        /** @description Something that blocks progress. */
        Blocker: {
            /** @description What it is. */
            text: string;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
        };
        /** @description A branch of a session. */
        Branch: {
            /** @description Its name, unique in the session. */
            name: components["schemas"]["BranchName"];
            /** @description The branch that owns the last message that it shares; null for `main`, and when that branch is erased. */
            from: components["schemas"]["BranchName"] | null;
            /** @description The last message that it shares; 0 when it shares none. */
            seq: components["schemas"]["Seq"];
            /** @description Position of its newest message; 0 when there is none. */
            head_seq: components["schemas"]["Seq"];
            /** @description How many messages are its own. */
            messages: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description Its current summary version; null when there is none.
             */
            version: number | null;
            /** @description Whether operations act on it that name no branch. */
            is_current: boolean;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last written to.
             */
            updated_at: string;
        };
        /** @description The name of a branch, unique in its session. */
        BranchName: string;
        /** @description How full the context is: the figures that decide, and the rest when it is asked for. */
        BriefUsage: {
            /**
             * Format: double
             * @description `context_tokens` as a share of the effective window; at most 1.
             */
            effective_utilization: number;
            /**
             * Format: int64
             * @description The tokens of a default context now: beside a context its own, elsewhere as the session counts it, with
             *     placeholders about, and the effective window where something has to be cut to fit.
             */
            context_tokens: number;
            /**
             * Format: int64
             * @description Usable tokens: the window minus what anchord does not store.
             */
            effective_window: number;
            /** @description The window is assumed, because nobody told it; absent when somebody did. `warnings` has the reason. */
            assumed?: boolean;
            /**
             * Format: double
             * @description `context_tokens` as a share of the context window.
             */
            static_utilization?: number | null;
            /**
             * Format: int64
             * @description Messages after the anchor, the system prompt aside.
             */
            uncompressed_messages?: number | null;
            /** @description How the provider counts otherwise; absent until its figures are reported. */
            calibration?: components["schemas"]["Calibration"] | null;
            /** @description The tokens by component, before anything is cut to fit. */
            components?: components["schemas"]["ComponentTokens"] | null;
            /** @description The components as shares. */
            shares?: components["schemas"]["ComponentShares"] | null;
            /** @description Advice about dominant components, the largest first; nothing acts on it. */
            advice?: components["schemas"]["ComponentAdvice"][] | null;
        };
        /** @description The correction in force. */
        Calibration: {
            /**
             * Format: int64
             * @description Tokens of each call that the provider counts and the service does not see: a system prompt that the caller keeps,
             *     tool definitions. 0 until three reports about contexts of at least 4,000 tokens were taken; at most half of such a context.
             */
            offset_tokens: number;
            /**
             * Format: double
             * @description The provider's tokens for each token that the service counts. 1 until five reports about contexts of
             *     different sizes were taken.
             */
            factor: number;
            /**
             * Format: int64
             * @description Reports whose verdict was `used`.
             */
            reports: number;
        };
        /** @description Advice about a dominant component. Nothing acts on it: only declared signals start work. */
        ComponentAdvice: {
            /** @description The component. */
            component: components["schemas"]["ContextComponent"];
            /**
             * Format: double
             * @description Its share, from 0 to 1.
             */
            share: number;
            /** @description The remedy. */
            action: components["schemas"]["ComponentRemedy"];
            /** @description The advice as a sentence. */
            detail: string;
        };
        /**
         * @description The remedy against a dominant component.
         * @enum {string}
         */
        ComponentRemedy: "mask" | "load_on_demand" | "compress";
        /** @description The components as shares of all that the caller sends, from 0 to 1. */
        ComponentShares: {
            /**
             * Format: double
             * @description The system prompt and the pins.
             */
            system: number;
            /**
             * Format: double
             * @description Tokens that the caller sends beside the context.
             */
            tool_definitions: number;
            /**
             * Format: double
             * @description Messages, tool outputs and retrieved documents aside.
             */
            history: number;
            /**
             * Format: double
             * @description Tool outputs, as they are served.
             */
            tool_outputs: number;
            /**
             * Format: double
             * @description Messages that the caller marked as retrieved documents.
             */
            retrieved_documents: number;
            /**
             * Format: double
             * @description The summary.
             */
            summary: number;
            /**
             * Format: double
             * @description The digest of the messages that it covers.
             */
            digest: number;
            /**
             * Format: double
             * @description The agent's notes.
             */
            notes: number;
        };
        /** @description Tokens by component. */
        ComponentTokens: {
            /**
             * Format: int64
             * @description The system prompt, the pins, and the messages that are kept beside the summary.
             */
            system: number;
            /**
             * Format: int64
             * @description Tokens that the caller sends beside the context, as set in `system_tokens`.
             */
            tool_definitions: number;
            /**
             * Format: int64
             * @description Messages, tool outputs and retrieved documents aside.
             */
            history: number;
            /**
             * Format: int64
             * @description Tool outputs, as they are served.
             */
            tool_outputs: number;
            /**
             * Format: int64
             * @description Messages that the caller marked as retrieved documents.
             */
            retrieved_documents: number;
            /**
             * Format: int64
             * @description The summary.
             */
            summary: number;
            /**
             * Format: int64
             * @description The digest of the messages that it covers.
             */
            digest: number;
            /**
             * Format: int64
             * @description The agent's notes.
             */
            notes: number;
        };
        /** @description Messages to compress. */
        CompressRequest: {
            /** @description The messages, as their format writes them. */
            messages: components["schemas"]["Message"][];
            /**
             * @description The conversation format of the messages, and of what comes back. Without it they are recognised by their shapes,
             *     and `openai-chat` when these show none.
             */
            format?: components["schemas"]["MessageFormat"];
            /**
             * Format: int64
             * @description The most tokens of what comes back, the system prompt included; no bound without it.
             */
            target_tokens?: number | null;
            /**
             * @description Messages that come back in full although the summary covers them, by their places from 0. With `target_tokens` they may
             *     take a tenth of it.
             */
            keep?: number[];
            /** @description How the summary is made. Default `anchored`; `rollback` is refused. */
            strategy?: components["schemas"]["Strategy"];
            /**
             * @description `auto` and `extractive` are code alone, within the request; `llm` is queued and has a model word the
             *     summary, with code in its place when it fails.
             */
            engine?: components["schemas"]["EngineChoice"];
            /** @description The model that writes the summary, with `engine` `llm`. Without effect for other engines. */
            summary_model?: string | null;
            /** @description How to count. Default `o200k_base`. */
            tokenizer?: components["schemas"]["Tokenizer"];
        };
        /** @description Compressed messages. */
        CompressedMessages: {
            /** @description The conversation format of `messages`. */
            format: components["schemas"]["MessageFormat"];
            /** @description The system prompt, where the format keeps it apart. */
            system?: string;
            /** @description The messages to send to the model: system prompt, summary and the newest ones. */
            messages: components["schemas"]["Message"][];
            /**
             * @description The summary's record, with positions that count `messages` of the request from 1; null when there
             *     was nothing to compress, or no summary was smaller or held (`warnings` say why).
             */
            summary: components["schemas"]["Summary"] | null;
            /** @description The summary's text, as `messages` show it. */
            rendering: string | null;
            /**
             * Format: int64
             * @description Tokens of the messages that came in.
             */
            tokens_before: number;
            /**
             * Format: int64
             * @description Tokens of what comes back.
             */
            tokens_after: number;
            /**
             * Format: double
             * @description The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one.
             */
            reduction: number | null;
            /**
             * Format: double
             * @description The share of the probes that passed, from 0 to 1; null without probes.
             */
            probe_score: number | null;
            /**
             * Format: double
             * @description The same of the probes that ask for facts which code found.
             */
            facts_score: number | null;
            /**
             * Format: int64
             * @description Probes that were judged.
             */
            probes_asked: number;
            /**
             * Format: int64
             * @description Probes that failed.
             */
            probes_failed: number;
            /**
             * Format: int64
             * @description Critical probes that failed.
             */
            critical_failed: number;
            /** @description The strategy that made the summary, which may be a fallback. */
            strategy: components["schemas"]["Strategy"];
            /** @description Calls that wait for their results, by their ids in `messages`. */
            pending_tool_calls: string[];
            /** @description Messages that are neither shown in full nor covered by the summary. */
            omitted: components["schemas"]["OmittedRange"][];
            /** @description Warnings for the caller. */
            warnings: string[];
        };
        /** @description Results of compressions: the sums of their reports. */
        CompressedTokens: {
            /**
             * Format: int64
             * @description Tokens of record and digest before each, and of the messages that it covered.
             */
            tokens_before: number;
            /**
             * Format: int64
             * @description Tokens of the record and digest that it left.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description The difference: what each context after it has fewer of.
             */
            tokens_saved: number;
        };
        /** @description One attempt to make the next summary version, or to evaluate one. */
        Compression: {
            /** @description The strategy of the last candidate: another one than was asked for when the gate fell back. */
            strategy_used?: components["schemas"]["Strategy"] | null;
            /** @description Who read the span. */
            engine?: components["schemas"]["Engine"] | null;
            /** @description The model that read it. */
            model?: string | null;
            /**
             * Format: int64
             * @description Record and digest of the version before plus the span, as contexts would serve them, in tokens.
             */
            tokens_before?: number | null;
            /**
             * Format: int64
             * @description Record and digest of the new version, as contexts serve them, in tokens.
             */
            tokens_after?: number | null;
            /**
             * Format: double
             * @description The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one.
             */
            reduction: number | null;
            /**
             * Format: int64
             * @description Tokens of a default context before: `usage.context_tokens` of the session then.
             */
            context_tokens_before?: number | null;
            /**
             * Format: int64
             * @description The same after.
             */
            context_tokens_after?: number | null;
            /** @description Whether the context is at or below the target. */
            target_met?: boolean | null;
            /**
             * Format: double
             * @description The share of the probes that passed, from 0 to 1.
             */
            probe_score?: number | null;
            /**
             * Format: double
             * @description The same of the probes that ask for facts which code found.
             */
            facts_score?: number | null;
            /** @description How a reader did in an exam that was written from the messages; null without one. */
            exam?: components["schemas"]["ExamScores"] | null;
            /**
             * Format: int64
             * @description The number of probes.
             * @default 0
             */
            probes_asked: number;
            /**
             * Format: int64
             * @description Probes failed.
             * @default 0
             */
            probes_failed: number;
            /**
             * Format: int64
             * @description Probes whose fact the rendering's bound cut.
             * @default 0
             */
            probes_cut: number;
            /**
             * Format: int64
             * @description Critical probes failed.
             * @default 0
             */
            critical_failed: number;
            /**
             * Format: int64
             * @description The caller's own probes that failed.
             * @default 0
             */
            callers_failed: number;
            /**
             * Format: double
             * @description The judge's overall score, 0 to 5; absent without a judge.
             */
            rubric?: number | null;
            /** @description How much of the model's answer was published, and what was not; absent when no model was asked. */
            entries?: components["schemas"]["ModelAnswerCounts"] | null;
            /** @description Warnings for the reader. */
            warnings?: string[];
            /** @description The gate's decisions, candidate by candidate. */
            gate?: components["schemas"]["GateRecord"][];
            /** @description Why nothing was published. */
            error?: components["schemas"]["CompressionError"] | null;
            /** @description The use of the engine's LLM, failed attempts included. */
            cost?: components["schemas"]["ModelCost"];
            /** @description The durations of the steps. */
            timings?: components["schemas"]["CompressionTimings"];
            /** @description Its id. */
            id: components["schemas"]["CompressionId"];
            /** @description The session's id. */
            session_id: components["schemas"]["SessionId"];
            /** @description `compress`, or `evaluate` for an evaluation. */
            kind: components["schemas"]["JobKind"];
            /** @description How far it is. */
            status: components["schemas"]["CompressionStatus"];
            /** @description How the version is made. */
            strategy: components["schemas"]["Strategy"];
            /** @description How far its result can be verified against the originals. */
            verifiable: components["schemas"]["Verifiability"];
            /** @description Its cause: `manual`, or the signal's name. */
            trigger: string;
            /** @description The caller's reason. */
            reason: string | null;
            /** @description The first message of the span; null until a worker has fixed it. */
            from_seq: components["schemas"]["Seq"] | null;
            /** @description The last message of the span. */
            through_seq: components["schemas"]["Seq"] | null;
            /**
             * Format: int64
             * @description The version that it made or evaluated; null when there is none.
             */
            version: number | null;
            /**
             * Format: int32
             * @description How many times a worker has started it.
             */
            attempts: number;
            /** @description Figures outside their targets. */
            flags: components["schemas"]["QualityFlag"][];
            /**
             * Format: date-time
             * @description When it was requested.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a worker first started it.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            finished_at: string | null;
        };
        /** @description Why nothing was published. */
        CompressionError: {
            /** @description A stable word. */
            type: string;
            /** @description The reason in a sentence. */
            detail: string;
        };
        /** @description An id that starts with `cmp_`. */
        CompressionId: string;
        /**
         * @description How far a compression is.
         * @enum {string}
         */
        CompressionStatus: "queued" | "running" | "succeeded" | "failed" | "rejected" | "skipped" | "superseded" | "cancelled";
        /** @description The durations of the steps, in milliseconds. */
        CompressionTimings: {
            /**
             * Format: int64
             * @description From the request to the claim.
             * @default 0
             */
            queued_ms: number;
            /**
             * Format: int64
             * @description Reading the ledger.
             * @default 0
             */
            ledger_ms: number;
            /**
             * Format: int64
             * @description The engine's proposal and the merge.
             * @default 0
             */
            engine_ms: number;
            /**
             * Format: int64
             * @description Probes, rendering and repair.
             * @default 0
             */
            probe_ms: number;
            /**
             * Format: int64
             * @description From the claim to the end.
             * @default 0
             */
            total_ms: number;
        };
        /** @description A condensed output. */
        CondensedFile: {
            /** @description The file's name. */
            name: string;
            /** @description Its condensed content. */
            content: string;
            /** @description Its bytes before. */
            original_bytes: number;
            /** @description Its bytes after. */
            condensed_bytes: number;
            /** @description Valid findings; all of them are in `content`. */
            kept: number;
            /** @description Findings that are not valid, in order; they are in `content` word for word. */
            rejected: components["schemas"]["RejectedFinding"][];
        };
        /** @description A requirement, verbatim. */
        Constraint: {
            /** @description Its id, derived from its source and text. */
            id: string;
            /** @description Its text, verbatim. */
            text: string;
            /** @description Where it comes from. */
            source: components["schemas"]["ConstraintSource"];
            /** @description The messages that it came from; empty for pins. */
            seqs: components["schemas"]["Seq"][];
            /** @description Who made it, when the message names its speaker. */
            speaker?: string | null;
            /** @description Whether it permits what an earlier one forbade, or releases from it, and demands nothing. */
            permits?: boolean;
            /** @description The texts of the earlier constraints that it replaced. */
            replaces?: string[];
        };
        /**
         * @description Treatment of the user's demands that are found in messages.
         * @enum {string}
         */
        ConstraintMode: "bind" | "propose";
        /**
         * @description Where a constraint comes from.
         * @enum {string}
         */
        ConstraintSource: "pin" | "user" | "system";
        /** @description An assembled context. */
        Context: {
            /** @description The session. */
            session_id: components["schemas"]["SessionId"];
            /** @description The branch; absent when it is main. */
            branch?: components["schemas"]["BranchName"] | null;
            /** @description The conversation format of `messages`. */
            format: components["schemas"]["MessageFormat"];
            /**
             * Format: int64
             * @description The summary version that it shows; null when there is none.
             */
            summary_version: number | null;
            /** @description How much of it the budget holds; absent without a summary. */
            summary_form?: components["schemas"]["SummaryForm"] | null;
            /** @description Through which message the summary covers the session; 0 without one. */
            anchor_seq: components["schemas"]["Seq"];
            /** @description The session's newest message. */
            head_seq: components["schemas"]["Seq"];
            /** @description The system prompt, where the format keeps it apart: a text, or with `cache_control` a list of blocks. */
            system?: unknown;
            /** @description The messages, in the format's own shape. */
            messages: components["schemas"]["Message"][];
            /** @description Parallel to `messages`: the messages that each came from; null for what the service wrote. */
            sources: (components["schemas"]["Seq"][] | null)[];
            /** @description Tokens by component. */
            tokens: components["schemas"]["ContextTokens"];
            /**
             * Format: int64
             * @description The budget: the most tokens that this context may have.
             */
            max_input_tokens: number;
            /** @description Whether the budget is kept; always true. */
            within_budget: boolean;
            /** @description Ids of calls that wait for their results, at the head. */
            pending_tool_calls: string[];
            /**
             * Format: int64
             * @description Grows with every change of pins, notes or settings.
             */
            context_revision: number;
            /** @description Tool outputs that are served as placeholders. */
            masked: components["schemas"]["MaskedOutput"][];
            /** @description Messages that are not served, or not in full. */
            omitted: components["schemas"]["OmittedRange"][];
            /** @description The part that stays the same until the next version or revision. */
            stable_prefix: components["schemas"]["StablePrefix"];
            /**
             * @description How full a default context is, by component. Where the query asks for no other budget, format or recap, it is of this
             *     very context; else the session's own.
             */
            usage: components["schemas"]["ContextUsage"];
            /** @description Warnings about the window, until it is told; absent when there are none. */
            warnings?: components["schemas"]["Warning"][];
        };
        /**
         * @description A component that there is something to do about.
         * @enum {string}
         */
        ContextComponent: "tool_outputs" | "retrieved_documents" | "history";
        /** @description Tokens of a context by component. */
        ContextTokens: {
            /**
             * Format: int64
             * @description System prompt, pins and kept messages.
             */
            system: number;
            /**
             * Format: int64
             * @description The summary.
             */
            summary: number;
            /**
             * Format: int64
             * @description The digest: shortened quotes of the messages that the summary covers.
             */
            digest: number;
            /**
             * Format: int64
             * @description The agent's notes.
             */
            notes: number;
            /**
             * Format: int64
             * @description Everything after them.
             */
            tail: number;
            /**
             * Format: int64
             * @description All of them.
             */
            total: number;
        };
        /** @description How full the context is, as every append and read of a session reports it. */
        ContextUsage: {
            /**
             * Format: double
             * @description `context_tokens` as a share of the context window.
             */
            static_utilization: number;
            /**
             * Format: double
             * @description `context_tokens` as a share of the effective window; at most 1.
             */
            effective_utilization: number;
            /**
             * Format: int64
             * @description The tokens of a default context now: beside a context its own, elsewhere as the session counts it, with
             *     placeholders about, and the effective window where something has to be cut to fit.
             */
            context_tokens: number;
            /**
             * Format: int64
             * @description Usable tokens: the window minus what anchord does not store, divided by the factor of `calibration`.
             */
            effective_window: number;
            /** @description The window is assumed, because nobody told it; absent when somebody did. `warnings` has the reason. */
            assumed?: boolean;
            /**
             * Format: int64
             * @description Messages after the anchor, the system prompt aside.
             */
            uncompressed_messages: number;
            /** @description How the provider counts otherwise; absent until its figures are reported. */
            calibration?: components["schemas"]["Calibration"] | null;
            /** @description The tokens by component, before anything is cut to fit. */
            components: components["schemas"]["ComponentTokens"];
            /** @description The components as shares. */
            shares: components["schemas"]["ComponentShares"];
            /** @description Advice about dominant components, the largest first; nothing acts on it. */
            advice: components["schemas"]["ComponentAdvice"][];
        };
        /** @description A key to create. */
        CreateApiKey: {
            /** @description Its name for people. */
            name?: string | null;
            /** @description Its scopes. */
            scopes: components["schemas"]["ApiKeyScope"][];
            /**
             * Format: date-time
             * @description When it ends; never, without it.
             */
            expires_at?: string | null;
        };
        /** @description Where to fork, and how the new branch is called. */
        CreateBranch: {
            /** @description The new branch's name. Default: a generated one. */
            name?: components["schemas"]["BranchName"] | null;
            /** @description The last message that it shares; 0 shares none. Default: the newest. */
            seq?: components["schemas"]["Seq"] | null;
            /** @description The branch to fork. Default: the current one. */
            from?: components["schemas"]["BranchName"] | null;
            /**
             * @description Whether the new branch becomes the current one. Default false.
             * @default false
             */
            switch: boolean;
        };
        /** @description A compression to make; absent fields follow the session's settings. */
        CreateCompression: {
            /** @description The caller's reason, kept with the compression. */
            reason?: string | null;
            /** @description How the version is made; never `rollback`, and not `opaque` for critical sessions. */
            strategy?: components["schemas"]["Strategy"] | null;
            /** @description The engine that reads the span. */
            engine?: components["schemas"]["EngineChoice"] | null;
            /** @description The model that writes the summary. */
            summary_model?: string | null;
            /**
             * Format: int64
             * @description Messages that stay verbatim.
             */
            preserve_recent?: number | null;
            /**
             * Format: int64
             * @description Tokens of the newest messages that stay verbatim, as far as the fill has room; at most the effective window.
             */
            preserve_recent_tokens?: number | null;
            /**
             * Format: double
             * @description Share of the effective window that record, digest and newest messages take, in place of `fill`. It is held below
             *     the compress level less 0.10, with a warning. Without it and `through_seq`, a session that is within its fill is
             *     `skipped` as `fits`.
             */
            target?: number | null;
            /**
             * Format: int64
             * @description The last message to cover.
             */
            through_seq?: number | null;
        };
        /** @description The version to evaluate. */
        CreateEvaluation: {
            /**
             * Format: int64
             * @description The version. Default: the current one.
             */
            version?: number | null;
        };
        /** @description A probe of the caller's own. */
        CreateProbe: {
            /** @description The subject of the question. */
            kind: components["schemas"]["ProbeKind"];
            /** @description The question. */
            question: string;
            /** @description The facts that the answer must hold, as the summary has to show them. */
            expected: string[];
            /** @description How many of them it needs. Default `{"kind": "all"}`. */
            match?: components["schemas"]["ProbeMatch"] | null;
            /** @description Whether the facts match to the letter, like paths and identifiers. Default false. */
            exact?: boolean;
            /**
             * @description Whether a version that fails it is refused. Default false: then it is told in the version's warnings and the
             *     compression's flags. Either way, what the compressed messages answer is added to the summary.
             */
            critical?: boolean;
        };
        /** @description A tenant to create. */
        CreateTenant: {
            /** @description Its name, unique in the installation. */
            name: string;
            /** @description Its quotas. */
            quotas?: components["schemas"]["TenantQuotas"] | null;
            /** @description The cell to make it in, of an installation with several. Default: the one with the fewest tenants. */
            cell?: string | null;
        };
        /** @description A webhook to create. */
        CreateWebhook: {
            /**
             * Format: uri
             * @description Where it is: `https`, and public on the internet, unless the operator allows others.
             */
            url: string;
            /** @description The events that it gets; all of them, also later ones, when it is absent or null. */
            events?: components["schemas"]["WebhookEventType"][] | null;
            /** @description A description for people. */
            description?: string | null;
            /**
             * @description Whether it gets anything.
             * @default true
             */
            enabled: boolean;
        };
        /** @description A key that was just made; this is the only reply that shows it. */
        CreatedApiKey: {
            /** @description Its id. */
            id: components["schemas"]["KeyId"];
            /** @description Its name for people. */
            name: string | null;
            /** @description The first characters of the key, by which keys can be told apart. */
            prefix: string;
            /**
             * @description The key. It is stored as a digest alone, so it cannot be shown again: null in the reply to a repeated request with
             *     the same `Idempotency-Key`. Revoke a key that was lost, and make another one.
             */
            key: string | null;
            /** @description Its scopes: `read`, `write`, `admin`. */
            scopes: string[];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ends; null for never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the key that it replaces ends; only of a rotation.
             */
            replaced_ends_at?: string | null;
        };
        /** @description One criterion, judged. */
        CriterionScore: {
            /** @description The criterion. */
            name: string;
            /**
             * Format: double
             * @description Its weight within the dimension.
             */
            weight: number;
            /**
             * Format: double
             * @description The judge's score, 0 to 5.
             */
            score: number;
        };
        /** @description The current state of the work. */
        CurrentState: {
            /** @description The phase of the work. */
            phase?: string | null;
            /** @description The task in hand. */
            task?: string | null;
            /** @description The state as a sentence. */
            text: string;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
            /** @description The newest calls and commands that changed something that is no file, each as its name and arguments; oldest first. */
            done?: components["schemas"]["Note"][];
            /** @description News in the messages after the covered ones, when the version was made: what was done, the last test run. */
            since?: components["schemas"]["Note"][];
        };
        /** @description A choice that was made. */
        Decision: {
            /** @description The decision. */
            decision: string;
            /** @description Why; empty when the source states no reason. */
            rationale: string;
            /** @description The alternatives that were not chosen. */
            alternatives: string[];
            /** @description The decision that reversed this one. */
            superseded_by?: string | null;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
        };
        /**
         * @description Why a hybrid search ranked by words alone.
         * @enum {string}
         */
        Degraded: "server_unavailable" | "server_slow" | "server_invalid" | "no_vectors";
        /** @description An id that starts with `dlv_`. */
        DeliveryId: string;
        /** @description One dimension, judged. */
        DimensionScore: {
            /**
             * @description `accuracy`, `context_awareness`, `artifact_trail`, `completeness`, `continuity` or
             *     `instruction_following`.
             */
            name: string;
            /**
             * Format: double
             * @description The weighted mean of its criteria, 0 to 5.
             */
            score: number;
            /**
             * Format: double
             * @description The target score.
             */
            target: number;
            /** @description Criterion by criterion. */
            criteria: components["schemas"]["CriterionScore"][];
        };
        /**
         * @description The engine that read the span of a version.
         * @enum {string}
         */
        Engine: "extractive" | "llm";
        /**
         * @description The engine that a session requests.
         * @enum {string}
         */
        EngineChoice: "auto" | "extractive" | "llm";
        /** @description Something with an identity: a reservation, a ticket, a person, a commit, an endpoint. */
        Entity: {
            /** @description The kind (`reservation`, `pr`, `pod`); empty when unknown. */
            kind?: string;
            /** @description The identifier, unique within the kind. */
            id: string;
            /** @description What is known of it, in the order in which it was shown. */
            properties: components["schemas"]["EntityProperty"][];
            /**
             * Format: int64
             * @description Properties that had no room.
             */
            more?: number;
            /**
             * Format: int64
             * @description How often a person, the agent or a call named it.
             */
            named?: number;
            /** @description The messages that it came from, the latest twenty. */
            seqs: components["schemas"]["Seq"][];
        };
        /** @description One property of a thing. */
        EntityProperty: {
            /** @description Its name; empty when unknown. */
            name?: string;
            /** @description Its latest known value, verbatim; `…` marks where it was cut. */
            value: string;
            /** @description The value before, when it changed. */
            was?: string | null;
        };
        /** @description An error that occurred in the session. */
        ErrorEntry: {
            /** @description Its kind (`TypeError`, `E0308`, `TS2322`, `git` …), when it has one. */
            type?: string | null;
            /** @description Its first useful line. */
            message: string;
            /** @description Whether it is resolved. */
            status: components["schemas"]["ErrorStatus"];
            /** @description How it was resolved. */
            resolution?: string | null;
            /** @description Where it occurred: a file and line, or the command. */
            location?: string | null;
            /**
             * Format: int64
             * @description How many times it occurred.
             */
            count: number;
            /**
             * Format: int64
             * @description The first version that shows it as resolved; it is rendered in that version and the next.
             */
            resolved_in_version?: number | null;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
        };
        /**
         * @description Whether an error is resolved.
         * @enum {string}
         */
        ErrorStatus: "open" | "investigating" | "resolved";
        /** @description One run of the probes against a version, or against a candidate that was refused. */
        Evaluation: {
            /**
             * Format: double
             * @description The share of the probes that passed, from 0 to 1; null without probes.
             */
            score: number | null;
            /**
             * Format: double
             * @description The same of those that ask for facts which code found (files, errors, figures, demands); null when none did. They
             *     are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
             *     has what the work needs.
             */
            facts_score: number | null;
            /**
             * Format: int64
             * @description Probes that were judged: passed or failed, not cut.
             * @default 0
             */
            asked: number;
            /**
             * Format: int64
             * @description Probes that failed.
             * @default 0
             */
            failed: number;
            /**
             * Format: int64
             * @description Probes whose facts the rendering's bound cut.
             * @default 0
             */
            cut: number;
            /**
             * Format: int64
             * @description Critical probes that failed.
             * @default 0
             */
            critical_failed: number;
            /**
             * @description How a reader did in an exam that was written from the messages; its questions count in none of the figures above.
             *     Null without one.
             */
            exam: components["schemas"]["ExamScores"] | null;
            /** @description Its id. */
            id: components["schemas"]["EvaluationId"];
            /**
             * Format: int64
             * @description The version; null for a candidate that was refused.
             */
            version: number | null;
            /** @description The compression or evaluation job that made it. */
            compression_id: components["schemas"]["CompressionId"] | null;
            /** @description The scores of the judge model; null without a judge, or when it did not answer. */
            rubric: components["schemas"]["Rubric"] | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description One run of the probes, probe by probe. */
        EvaluationDetail: {
            /**
             * Format: double
             * @description The share of the probes that passed, from 0 to 1; null without probes.
             */
            score: number | null;
            /**
             * Format: double
             * @description The same of those that ask for facts which code found (files, errors, figures, demands); null when none did. They
             *     are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
             *     has what the work needs.
             */
            facts_score: number | null;
            /**
             * Format: int64
             * @description Probes that were judged: passed or failed, not cut.
             * @default 0
             */
            asked: number;
            /**
             * Format: int64
             * @description Probes that failed.
             * @default 0
             */
            failed: number;
            /**
             * Format: int64
             * @description Probes whose facts the rendering's bound cut.
             * @default 0
             */
            cut: number;
            /**
             * Format: int64
             * @description Critical probes that failed.
             * @default 0
             */
            critical_failed: number;
            /**
             * @description How a reader did in an exam that was written from the messages; its questions count in none of the figures above.
             *     Null without one.
             */
            exam: components["schemas"]["ExamScores"] | null;
            /** @description Its id. */
            id: components["schemas"]["EvaluationId"];
            /**
             * Format: int64
             * @description The version; null for a candidate that was refused.
             */
            version: number | null;
            /** @description The compression or evaluation job that made it. */
            compression_id: components["schemas"]["CompressionId"] | null;
            /** @description The scores of the judge model; null without a judge, or when it did not answer. */
            rubric: components["schemas"]["Rubric"] | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description Probe by probe. */
            results: components["schemas"]["ProbeResult"][];
        };
        /** @description An id that starts with `evl_`. */
        EvaluationId: string;
        /** @description Something that happened in a session. Streams and webhooks send the same JSON. */
        Event: {
            /**
             * Format: int64
             * @description Its id, which grows within a session; a stream resumes after it. Null in a `webhook.test`.
             */
            id: number | null;
            /** @description The event. */
            type: components["schemas"]["EventType"];
            /** @description The session. Null in a `webhook.test`. */
            session_id: components["schemas"]["SessionId"] | null;
            /** @description The branch of the session; absent when it is `main`, and in what is no branch's. */
            branch?: components["schemas"]["BranchName"] | null;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /** @description The details; which fields there are depends on the type. */
            data: components["schemas"]["EventData"];
        };
        /** @description The details of an event; see `type` for the fields that it has. */
        EventData: {
            /** @description The compression. */
            compression_id?: components["schemas"]["CompressionId"] | null;
            /**
             * Format: int64
             * @description The summary version.
             */
            version?: number | null;
            /** @description How the compression ended: `succeeded`, `failed`, `rejected`, `skipped`, `superseded` or `cancelled`. */
            status?: string | null;
            /** @description The cause of the compression: `manual`, or the signal's name. */
            trigger?: string | null;
            /** @description The first message of the span. */
            from_seq?: components["schemas"]["Seq"] | null;
            /** @description The last message of the span. */
            through_seq?: components["schemas"]["Seq"] | null;
            /**
             * Format: int64
             * @description Record and digest of the version before plus the span, as contexts would serve them, in tokens.
             */
            tokens_before?: number | null;
            /**
             * Format: int64
             * @description Record and digest of the new version, as contexts serve them, in tokens.
             */
            tokens_after?: number | null;
            /**
             * Format: double
             * @description The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`.
             */
            reduction?: number | null;
            /**
             * Format: double
             * @description The share of the probes that passed, from 0 to 1.
             */
            probe_score?: number | null;
            /**
             * Format: double
             * @description The share of the probes about facts that passed, from 0 to 1.
             */
            facts_score?: number | null;
            /**
             * Format: double
             * @description The score of the exam, from 0 to 1.
             */
            exam_score?: number | null;
            /** @description Why the compression failed. */
            error?: components["schemas"]["EventError"] | null;
            /** @description The most severe action of the signals. */
            action?: string | null;
            /**
             * Format: double
             * @description The share of the effective window that the context takes; above 1 when it is larger.
             */
            effective_utilization?: number | null;
            /**
             * Format: int64
             * @description Tokens of the context.
             */
            context_tokens?: number | null;
            /**
             * Format: int64
             * @description Tokens of the effective window.
             */
            effective_window?: number | null;
            /** @description The position of the newest message. */
            head_seq?: components["schemas"]["Seq"] | null;
            /** @description The branch that was current before. */
            from?: components["schemas"]["BranchName"] | null;
            /** @description The branch that is current now. */
            to?: components["schemas"]["BranchName"] | null;
            /** @description The webhook that is tested. */
            webhook_id?: components["schemas"]["WebhookId"] | null;
        };
        /** @description Why a compression failed. */
        EventError: {
            /** @description The kind of failure. */
            type: string;
            /** @description The failure in a sentence. */
            detail: string;
        };
        /**
         * @description The types of events. A webhook can subscribe to all but `webhook.test`, which is sent on request.
         * @enum {string}
         */
        EventType: "compression.started" | "compression.succeeded" | "compression.failed" | "compression.skipped" | "summary.published" | "trigger.warned" | "session.branch_switched" | "webhook.test";
        /**
         * @description Which sessions a model examines.
         * @enum {string}
         */
        ExamMode: "off" | "sampled" | "always";
        /** @description The result of an exam: a model answered questions with nothing but a version's context. */
        ExamScores: {
            /**
             * Format: int64
             * @description The number of questions.
             */
            asked: number;
            /**
             * Format: int64
             * @description Questions whose answer had every fact.
             */
            passed: number;
            /**
             * Format: double
             * @description The share of `asked` that passed; null with fewer than three questions.
             */
            score: number | null;
            /** @description Whether the score is below the session's threshold. */
            low: boolean;
        };
        /** @description A line of an export; which fields it has follows from its kind. */
        ExportLine: {
            /** @description The kind of the line. */
            kind: components["schemas"]["ExportLineKind"];
            /**
             * Format: int64
             * @description Of the session: the format of the file, which is 1.
             */
            format_version?: number | null;
            /** @description The branch that the line is of; absent for main. */
            branch?: components["schemas"]["BranchName"] | null;
            /** @description Of the session: its id where it was exported. */
            session_id?: string | null;
            /** @description Of the session: its own settings. */
            settings?: {
                [key: string]: unknown;
            } | null;
            /** @description Of another branch: the last message that it shares, and a branch that has it. */
            from?: components["schemas"]["ExportLineFork"] | null;
            /** @description Of another branch: the version that it begins with; absent when it began without one. */
            begun_with?: components["schemas"]["ExportLineBegunWith"] | null;
            /** @description Of the session or a branch: its own pins. */
            pins?: string[] | null;
            /** @description Of the session or a branch: its agent's notes, with what they were before. */
            notes?: components["schemas"]["ExportLineNote"][] | null;
            /** @description Of the session or a branch: its caller's todo list. */
            todos?: components["schemas"]["ExportLineTodos"] | null;
            /** @description Of the session or a branch: ids of extracted constraints and of requests that its caller dropped. */
            dropped_entries?: string[] | null;
            /** @description Of a message: its position. */
            seq?: components["schemas"]["Seq"] | null;
            /**
             * @description Of a message: its conversation format. The messages of an import that have none are one batch, whose format is
             *     recognised as that of an append.
             */
            format?: components["schemas"]["MessageFormat"] | null;
            /**
             * Format: int32
             * @description Of a message: its tokens where it was exported.
             */
            tokens?: number | null;
            /** @description Of a message: the role. */
            role?: string | null;
            /** @description Of a message: its mark. */
            keep?: components["schemas"]["KeepOutput"] | null;
            /** @description Of a message: what its tokens count as. */
            component?: string | null;
            /** @description Of a message: exactly as it was sent. */
            message?: components["schemas"]["Message"] | null;
            /** @description Of a version: all of it. */
            version?: components["schemas"]["ExportLineVersion"] | null;
            /** @description Of facts: some commands and test runs of the summarised messages. */
            facts?: components["schemas"]["ExportLineFact"][] | null;
            /** @description Of probes: some probes, the service's and the caller's. */
            probes?: components["schemas"]["ExportLineProbe"][] | null;
            /** @description Of an evaluation: all of it. */
            evaluation?: components["schemas"]["ExportLineEvaluation"] | null;
            /** @description Of a compression that has ended: all of it. */
            compression?: components["schemas"]["ExportLineCompression"] | null;
            /** @description Of counts: those of a branch that follow from nothing else. */
            counts?: components["schemas"]["ExportLineCounts"] | null;
            /**
             * Format: int64
             * @description Of the end: how many messages the file has.
             */
            messages?: number | null;
            /** @description Of the end: the current branch; absent when it is main. */
            current?: components["schemas"]["BranchName"] | null;
            /** @description Of the end: branches that are erased, though others stand on them. */
            erased?: components["schemas"]["BranchName"][] | null;
            /**
             * Format: date-time
             * @description When the session, the branch or the message was stored.
             */
            created_at?: string | null;
        };
        /** @description The version that a branch begins with. */
        ExportLineBegunWith: {
            /** @description The branch that made it. */
            branch: components["schemas"]["BranchName"];
            /**
             * Format: int64
             * @description Its number.
             */
            version: number;
        };
        /** @description A compression or an evaluation job that has ended. */
        ExportLineCompression: {
            /** @description Its id. */
            id: components["schemas"]["CompressionId"];
            /** @description Its kind. */
            kind: components["schemas"]["JobKind"];
            /** @description How it ended. */
            status: components["schemas"]["CompressionStatus"];
            /** @description What asked for it. */
            trigger: string;
            /** @description Its parameters. */
            request: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description The version that it builds on.
             */
            parent_version?: number | null;
            /** @description The first message of its span. */
            from_seq?: components["schemas"]["Seq"] | null;
            /** @description The last one. */
            through_seq?: components["schemas"]["Seq"] | null;
            /**
             * Format: int64
             * @description The version that it published.
             */
            version?: number | null;
            /**
             * Format: int32
             * @description How often it was claimed.
             */
            attempts: number;
            /** @description What came of it, as a `CompressionReport`. */
            report?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was queued.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a worker first claimed it.
             */
            started_at?: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            finished_at?: string | null;
        };
        /** @description Counts of a branch that cannot be counted again from its messages, versions, pins and notes. */
        ExportLineCounts: {
            /** @description How the provider counts, by its reports. */
            calibration?: {
                [key: string]: unknown;
            };
            /** @description The versions with which this branch and its ancestors began. */
            begun_with?: {
                [key: string]: unknown;
            }[];
            /** @description The messages that are kept, shared ones included. */
            kept?: components["schemas"]["Seq"][];
            /** @description The user message that is served beside the version. */
            carried?: components["schemas"]["Seq"] | null;
            /**
             * @description Through which message large outputs are served clipped.
             * @default 0
             */
            mask_upto: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description The size from which on an output is clipped, in tokens.
             * @default 0
             */
            mask_from: number;
            /**
             * Format: int64
             * @description Tokens of all messages when the last compression ended.
             * @default 0
             */
            settled_tokens: number;
            /**
             * @description The newest message at that moment.
             * @default 0
             */
            settled_head: components["schemas"]["Seq"];
            /**
             * @description The last message of the last attempt's span.
             * @default 0
             */
            attempted_through: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description How many automatic compressions in a row published nothing.
             * @default 0
             */
            refused: number;
            /**
             * Format: int64
             * @description The id of the newest note that was ever made.
             * @default 0
             */
            last_note: number;
            /**
             * @description Whether a rollback suspended automatic compression.
             * @default false
             */
            suspended: boolean;
        };
        /** @description A run of the probes. */
        ExportLineEvaluation: {
            /** @description Its id. */
            id: components["schemas"]["EvaluationId"];
            /**
             * Format: int64
             * @description The version; null for a candidate that was refused.
             */
            version?: number | null;
            /** @description The compression or evaluation job that made it. */
            compression_id?: components["schemas"]["CompressionId"] | null;
            /** @description The figures. */
            scores: {
                [key: string]: unknown;
            };
            /** @description The verdicts, probe by probe. */
            results: {
                [key: string]: unknown;
            }[];
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
        };
        /** @description A command or a test run of the summarised messages. */
        ExportLineFact: {
            /** @description Its kind. */
            kind: components["schemas"]["ExportLineFactKind"];
            /** @description Its first message. */
            seq: components["schemas"]["Seq"];
            /**
             * Format: int32
             * @description Its place among the entries of that message.
             */
            ordinal: number;
            /** @description The fact. */
            value: {
                [key: string]: unknown;
            };
        };
        /**
         * @description The kind of an entry of the ledger.
         * @enum {string}
         */
        ExportLineFactKind: "command" | "test_run";
        /** @description A place in the session: a branch, and a message or a version of it. */
        ExportLineFork: {
            /** @description The branch. */
            branch: components["schemas"]["BranchName"];
            /** @description The last message that is shared with it. */
            seq: components["schemas"]["Seq"];
        };
        /**
         * @description The kind of a line of an export.
         * @enum {string}
         */
        ExportLineKind: "session" | "branch" | "message" | "version" | "facts" | "compression" | "evaluation" | "probes" | "counts" | "end";
        /** @description A text of a note, as the agent gave it at some message. */
        ExportLineNote: {
            /**
             * Format: int64
             * @description The note's number.
             */
            id: number;
            /** @description The newest message when it got this text. */
            seq: components["schemas"]["Seq"];
            /** @description Its text; null from where it was removed. */
            text?: string | null;
            /**
             * Format: date-time
             * @description When it got this text.
             */
            created_at: string;
        };
        /** @description A part of the lists of a record. */
        ExportLinePart: {
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Its entries, as they are stored. */
            entries: {
                [key: string]: unknown;
            };
        };
        /** @description A probe. */
        ExportLineProbe: {
            /** @description Its id. */
            id: components["schemas"]["ProbeId"];
            /**
             * Format: int64
             * @description The version whose span it came from; null for a caller's.
             */
            version?: number | null;
            /**
             * Format: int64
             * @description The version from which on it is no longer asked.
             */
            retired_in_version?: number | null;
            /** @description The probe, as a `Probe`. */
            probe: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
        };
        /** @description A text of a version, with its tokens as contexts serve it. */
        ExportLineText: {
            /** @description The text. */
            text: string;
            /**
             * Format: int32
             * @description Its tokens.
             */
            tokens: number;
        };
        /** @description A todo list, and what its last change was. */
        ExportLineTodos: {
            /** @description The items, in order. */
            items: components["schemas"]["Todo"][];
            /** @description What the last change did. */
            changes: components["schemas"]["TodoChange"][];
            /**
             * Format: int64
             * @description The version that brought it.
             */
            version?: number | null;
            /**
             * Format: int64
             * @description Grows with every change.
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description A version, with what no version before it has. */
        ExportLineVersion: {
            /** @description Figures of its making, as a `SummaryMetadata`. */
            meta: {
                [key: string]: unknown;
            };
            /** @description What of its record stands in no list. */
            document: {
                [key: string]: unknown;
            };
            /** @description The ids of the parts of its lists, in order. */
            parts: number[];
            /** @description Those of them that are new. */
            new_parts: components["schemas"]["ExportLinePart"][];
            /** @description What reading the next span needs to know. */
            carry: {
                [key: string]: unknown;
            };
            /** @description The text that contexts serve. */
            rendering: components["schemas"]["ExportLineText"];
            /** @description The same in smaller forms, the largest first. */
            smaller: components["schemas"]["ExportLineText"][];
            /** @description The part that is repeated behind the newest messages. */
            recap: string;
            /** @description The digest. */
            digest?: components["schemas"]["ExportLineText"] | null;
            /** @description The newest message when it was published. */
            head_seq: components["schemas"]["Seq"];
            /** @description Through which message large outputs were clipped then. */
            mask_upto: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description The tokens from which on they were.
             */
            mask_from: number;
            /** @description The user message that was served beside it. */
            carried_seq?: components["schemas"]["Seq"] | null;
            /** @description The compression that made it. */
            compression_id?: components["schemas"]["CompressionId"] | null;
            /**
             * Format: date-time
             * @description When it was stored.
             */
            created_at: string;
        };
        /** @description One invalid place in the request. */
        FieldError: {
            /** @description JSON pointer into the body, or `/` and the name of the parameter or header. */
            pointer: string;
            /** @description The fault there, and the values that are allowed. */
            detail: string;
        };
        /**
         * @description The net change of a file over the session.
         * @enum {string}
         */
        FileAction: "created" | "modified" | "deleted" | "renamed";
        /**
         * @description Whether the latest test run after the change passed.
         * @enum {string}
         */
        FileStatus: "pass" | "fail" | "unknown";
        /**
         * @description The gate's decision on a candidate.
         * @enum {string}
         */
        GateOutcome: "accept" | "repair" | "fall_back" | "reject" | "skip";
        /** @description The gate's decision on one candidate. */
        GateRecord: {
            /**
             * Format: double
             * @description The share of the probes that passed, from 0 to 1; null without probes.
             */
            score: number | null;
            /**
             * Format: double
             * @description The same of those that ask for facts which code found (files, errors, figures, demands); null when none did. They
             *     are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
             *     has what the work needs.
             */
            facts_score: number | null;
            /**
             * Format: int64
             * @description Probes that were judged: passed or failed, not cut.
             * @default 0
             */
            asked: number;
            /**
             * Format: int64
             * @description Probes that failed.
             * @default 0
             */
            failed: number;
            /**
             * Format: int64
             * @description Probes whose facts the rendering's bound cut.
             * @default 0
             */
            cut: number;
            /**
             * Format: int64
             * @description Critical probes that failed.
             * @default 0
             */
            critical_failed: number;
            /**
             * @description How a reader did in an exam that was written from the messages; its questions count in none of the figures above.
             *     Null without one.
             */
            exam: components["schemas"]["ExamScores"] | null;
            /** @description How the candidate was made. */
            strategy: components["schemas"]["Strategy"];
            /** @description The engine that wrote its narrative. */
            engine: components["schemas"]["Engine"];
            /** @description Its state. */
            outcome: components["schemas"]["GateOutcome"];
            /**
             * Format: int64
             * @description Tokens of its rendering.
             */
            rendering_tokens: number;
            /** @description The reader that answered its probes. */
            answered_by: components["schemas"]["AnsweredBy"];
            /** @description Why it was not accepted, a few at most. */
            reasons: string[];
            /** @description What was tried next; absent when it was the last word. */
            next?: components["schemas"]["RetryMeasure"] | null;
        };
        /** @description The text for a sub-agent's prompt. */
        Handoff: {
            /** @description Markdown with level-3 headings, to be put under `## Prior Session Context`. */
            markdown: string;
            /**
             * Format: int64
             * @description Its tokens, at most the level when there is one.
             */
            tokens: number;
            /**
             * Format: int64
             * @description The summary version that it renders; for a task, that of the newest session.
             */
            version: number;
            /** @description The sessions that it includes, newest first. */
            sessions: components["schemas"]["HandoffSession"][];
        };
        /** @description A session that a hand-off includes. */
        HandoffSession: {
            /** @description The session's id. */
            session_id: components["schemas"]["SessionId"];
            /**
             * Format: int64
             * @description Its version.
             */
            version: number;
        };
        /** @description The health of the service. */
        Health: {
            /** @description `ok` or `unavailable`. */
            status: string;
        };
        /**
         * @description Why a compression that signals ask for does not start.
         * @enum {string}
         */
        HeldBack: "auto_is_off" | "suspended" | "few_messages" | "nothing_to_cover" | "backing_off" | "just_compressed";
        /** @description The thresholds of the signals about history, with every default resolved. */
        HistoryThresholds: {
            /**
             * Format: double
             * @description Share of the served tokens that a compression must save to be worth it.
             */
            savings: number;
            /**
             * Format: int64
             * @description Repetitions among the last 12 messages or calls.
             */
            repeats: number;
            /**
             * Format: int64
             * @description Readings of the same among the last 20 calls.
             */
            rereads: number;
            /**
             * Format: double
             * @description Readings of the same as a share of all.
             */
            reread_share: number;
            /**
             * Format: double
             * @description Length of the last messages, in medians of the session.
             */
            verbosity: number;
            /**
             * Format: double
             * @description Share of the effective window within 5 minutes.
             */
            growth: number;
            /**
             * Format: int64
             * @description Published versions.
             */
            cycles: number;
        };
        /** @description The result of an import. */
        ImportResult: {
            /** @description The session. */
            session_id: components["schemas"]["SessionId"];
            /** @description Messages of this call. */
            messages: number;
            /** @description Branches of this call beside main. */
            branches: number;
            /** @description Versions of this call. Each says `imported`: nothing of it was checked against the messages here. */
            versions: number;
            /** @description Probes of this call, the caller's and those that the service made. */
            probes: number;
            /** @description Evaluations of this call. */
            evaluations: number;
            /** @description Compressions and evaluation jobs of this call, all of which have ended. */
            compressions: number;
            /** @description Position that the next message of main will get. */
            next_seq: components["schemas"]["Seq"];
        };
        /**
         * @description The work of a job.
         * @enum {string}
         */
        JobKind: "compress" | "evaluate" | "index";
        /**
         * @description How the tool outputs of a message are served.
         * @enum {string}
         */
        KeepOutput: "always" | "never";
        /** @description An id that starts with `key_`. */
        KeyId: string;
        /**
         * @description The change of a file.
         * @enum {string}
         */
        LedgerFileAction: "created" | "modified" | "deleted" | "renamed" | "read";
        /** @description One fact. Every fact has `kind` and `seqs`, the messages that show it. */
        LedgerItem: components["schemas"]["FileFact"] | components["schemas"]["CommandFact"] | components["schemas"]["TestRunFact"] | components["schemas"]["ErrorFact"] | components["schemas"]["IdentifierFact"] | components["schemas"]["ConstraintFact"] | components["schemas"]["RequestFact"];
        /** @description A page of facts. */
        LedgerPage: {
            /** @description The facts, by kind, and within a kind in the order of their first appearance. */
            items: components["schemas"]["LedgerItem"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
            /**
             * @description The last message that the facts were read from; less than the newest one when very much lies
             *     after the anchor.
             */
            through_seq: components["schemas"]["Seq"];
        };
        /** @description A compression that waits or runs. */
        LiveCompression: {
            /** @description Its id. */
            id: string;
            /** @description How far it is. */
            status: components["schemas"]["CompressionStatus"];
        };
        /** @description The circuit breaker of a session's calls to models. */
        LlmBreaker: {
            /**
             * Format: int32
             * @description Consecutive compressions for which the model gave no usable result, including those that fell back to code.
             */
            failures: number;
            /**
             * Format: date-time
             * @description Until when summaries are written by code only; null while the model is still called.
             */
            open_until: string | null;
        };
        /**
         * @description Whether tool outputs are masked.
         * @enum {string}
         */
        MaskMode: "auto" | "off";
        /** @description A tool output that is served as a placeholder. */
        MaskedOutput: {
            /** @description The message. */
            seq: components["schemas"]["Seq"];
            /** @description The output's reference. */
            ref: string;
        };
        /**
         * @description A message as its conversation format writes it. Every field is stored and comes back as it was sent.
         *
         *     An open object without declared fields: generators of clients drop fields that they do not know of a type with declared
         *     ones, and send null for those that are absent.
         */
        Message: {
            [field: string]: any;
        };
        /**
         * @description A conversation format, in and out.
         * @enum {string}
         */
        MessageFormat: "openai-chat" | "anthropic" | "openai-responses";
        /** @description The caller's mark of one message of the batch. */
        MessageMark: {
            /**
             * Format: int64
             * @description The message's place in the batch, from 0.
             */
            index: number;
            /**
             * @description `always`: it is served in full, also when a summary covers it, until `DELETE …/messages/{seq}/mark` or a budget that
             *     holds nothing else. Together such messages may take a tenth of the effective window. `never`: its tool outputs are
             *     placeholders at once, and without any it is left out.
             */
            keep?: components["schemas"]["KeepOutput"] | null;
            /** @description The component that its tokens count as. */
            component?: components["schemas"]["MessageMarkComponent"] | null;
        };
        /**
         * @description A component that the caller declares.
         * @enum {string}
         */
        MessageMarkComponent: "retrieved_documents";
        /** @description Uncompressed messages at which the message-count signal acts. */
        MessageThresholds: {
            /**
             * Format: int64
             * @description Default 30.
             */
            optional?: number | null;
            /**
             * Format: int64
             * @description Default 50.
             */
            compress?: number | null;
            /**
             * Format: int64
             * @description Default 70.
             */
            force?: number | null;
        };
        /** @description A model that sessions can name. */
        Model: {
            /**
             * @description Its names. The names of a built-in model stand for their variants, too: with a provider prefix, or a date, size or tag
             *     suffix (`openai/gpt-4o`, `gpt-4o-2024-08-06`, `qwen3:8b`). Upper and lower case are the same, and so are `.`, `_`, `:` and
             *     `-`. A tenant's model has one name, which stands for itself, provider and `:latest` aside.
             */
            names: string[];
            /** @description Who made it; absent for a tenant's. */
            provider?: string | null;
            /**
             * Format: int64
             * @description The context window, in tokens of the model: prompt and answer.
             */
            context_window: number;
            /**
             * Format: int64
             * @description The most tokens of a prompt, where its provider takes fewer than the window has.
             */
            max_input_tokens?: number | null;
            /**
             * Format: int64
             * @description The most tokens of an answer, where it is known.
             */
            max_output_tokens?: number | null;
            /**
             * Format: int64
             * @description The reserve for the answer of sessions that set none: the longest answer, at most a fifth of the window, and at
             *     least what a prompt may not take.
             */
            reserved_output_tokens: number;
            /** @description The tokenizer that is closest to the model's own. */
            tokenizer: components["schemas"]["Tokenizer"];
            /** @description Where the figures come from; absent for a tenant's. */
            source?: string | null;
            /** @description The day on which they were read there. */
            as_of?: string | null;
            /** @description Who says so. */
            origin: components["schemas"]["ModelOrigin"];
        };
        /** @description How much of a model's answer was published. */
        ModelAnswerCounts: {
            /**
             * Format: int64
             * @description Entries in its answer: added, changed, closed; intent and state.
             * @default 0
             */
            told: number;
            /**
             * Format: int64
             * @description Entries that are published with the mark `unverified`: an id, a path or a figure in them stands in no message,
             *     no entry and no fact.
             * @default 0
             */
            unverified: number;
            /**
             * Format: int64
             * @description Entries that were left out.
             * @default 0
             */
            dropped: number;
            /**
             * Format: double
             * @description The published share of the entries; null without entries.
             */
            published: number | null;
            /** @description The first entries that were left out. */
            losses?: components["schemas"]["UnpublishedEntry"][];
        };
        /** @description One call to a model's server, a failed one too. */
        ModelCall: {
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * Format: int32
             * @description Which claim of the compression sent it, from 1.
             */
            attempt: number;
            /** @description `summarise`, `repair`, `detail`, `probe`, `examine`, `read` or `judge`. */
            purpose: string;
            /** @description The first message that it was about. */
            from_seq: components["schemas"]["Seq"];
            /** @description The last message that it was about. */
            through_seq: components["schemas"]["Seq"];
            /** @description The wire format. */
            provider: string;
            /** @description The model. */
            model: string;
            /** @description `ok`, the error's word, or `sent` when its worker died over it. */
            outcome: string;
            /**
             * Format: int32
             * @description The server's status, when it answered with an error.
             */
            http_status: number | null;
            /**
             * Format: int64
             * @description Tokens in, as the server counts them.
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description The part of them that the server read from its cache.
             */
            cached_tokens: number;
            /**
             * Format: int64
             * @description Tokens out.
             */
            output_tokens: number;
            /**
             * Format: int64
             * @description The duration, in milliseconds.
             */
            latency_ms: number;
            /**
             * Format: int64
             * @description Its cost, in millionths of the currency of the operator's prices.
             */
            cost_micros: number;
            /**
             * Format: date-time
             * @description When it was sent.
             */
            created_at: string;
        };
        /** @description Tokens and calls that the engine's LLM used. */
        ModelCost: {
            /**
             * Format: int64
             * @description Tokens in, cached ones included.
             * @default 0
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description The part of the tokens in that the server read from its cache.
             * @default 0
             */
            cached_tokens: number;
            /**
             * Format: int64
             * @description Tokens out.
             * @default 0
             */
            output_tokens: number;
            /**
             * Format: int64
             * @description Calls, failed ones included.
             * @default 0
             */
            calls: number;
            /**
             * Format: int64
             * @description Calls that failed.
             * @default 0
             */
            failed_calls: number;
            /**
             * Format: int64
             * @description The total duration of the calls, in milliseconds.
             * @default 0
             */
            latency_ms: number;
            /**
             * Format: int64
             * @description Their cost, in millionths of the currency of the operator's prices; 0 without prices.
             * @default 0
             */
            micros: number;
        };
        /**
         * @description Who says what a model takes.
         * @enum {string}
         */
        ModelOrigin: "built-in" | "tenant";
        /** @description A model of the tenant's. */
        ModelRequest: {
            /**
             * Format: int64
             * @description The context window, in tokens of the model: prompt and answer.
             */
            context_window: number;
            /**
             * Format: int64
             * @description The most tokens of an answer.
             */
            max_output_tokens?: number | null;
            /** @description The tokenizer that is closest to the model's own. Default `o200k_base`. */
            tokenizer?: components["schemas"]["Tokenizer"];
        };
        /** @description The use of the engine's model. */
        ModelUsage: {
            /**
             * Format: int64
             * @description Calls.
             */
            calls: number;
            /**
             * Format: int64
             * @description Failed calls.
             */
            failed_calls: number;
            /**
             * Format: int64
             * @description Tokens in, as the server counts them.
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description Tokens out.
             */
            output_tokens: number;
            /**
             * Format: int64
             * @description The part of the tokens in that came from the server's cache.
             */
            cached_tokens: number;
            /**
             * Format: int64
             * @description Millionths of the currency of the operator's prices; 0 without prices.
             */
            cost_micros: number;
        };
        /** @description A file that the session changed. */
        ModifiedFile: {
            /** @description The path, one spelling for one file. */
            path: string;
            /** @description Its change. */
            action: components["schemas"]["FileAction"];
            /** @description Its path before it was renamed. */
            renamed_from?: string | null;
            /** @description Its changes, in words or identifiers, oldest first. */
            changes: string[];
            /** @description The change and its reason, as a model summarised them. */
            purpose?: string | null;
            /** @description Whether the latest test run after the change passed. */
            status: components["schemas"]["FileStatus"];
            /** @description Written in full by a tool whose output does not show whether the file existed before. */
            overwrite_possible?: boolean;
            /** @description Created and deleted within the session. */
            transient?: boolean;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
        };
        /** @description An agent's output. */
        NamedFile: {
            /** @description The file's name, or its path below the folder of outputs: no `..`, no leading `/`, no `\`. */
            name: string;
            /** @description Its Markdown. */
            content: string;
        };
        /** @description A question, a finding or a note. */
        Note: {
            /** @description The text. */
            text: string;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
        };
        /** @description A run of messages that is not served, or not in full. */
        OmittedRange: {
            /** @description The first. */
            from_seq: components["schemas"]["Seq"];
            /** @description The last. */
            to_seq: components["schemas"]["Seq"];
            /** @description The reason: `budget`, `clipped`, `thinking`, `unsupported`, `marked`, `in_system` or `held`. */
            reason: string;
        };
        /**
         * RequestFact
         * @description What a person asked for.
         */
        RequestFact: {
            /** @description Its id, for `DELETE …/requests/{id}`. */
            id: string;
            /** @description The request, quoted and shortened. */
            text: string;
            /** @description Its state. */
            state: components["schemas"]["UserRequestState"];
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "request";
        };
        /** @description One page of a list. */
        ApiKeyPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["ApiKey"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        AuditEventPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["AuditEvent"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        BranchPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["Branch"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        CompressionPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["Compression"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        EvaluationPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["Evaluation"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        ModelPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["Model"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        ModelCallPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["ModelCall"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        ServedContextPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["ServedContext"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        SessionPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["SessionItem"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        SessionProbePage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["SessionProbe"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        StoredMessagePage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["StoredMessage"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        SummaryVersionPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["SummaryVersion"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        TenantPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["Tenant"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One page of a list. */
        WebhookPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["Webhook"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description A single call that has not ended yet. */
        PendingCompression: {
            /** @description Its id; `GET /v1/compress/{id}` reads the result. */
            id: components["schemas"]["CompressionId"];
            /** @description How far it is. */
            status: components["schemas"]["CompressionStatus"];
            /**
             * Format: date-time
             * @description Until when it can be read; then messages and result are erased.
             */
            expires_at: string;
        };
        /**
         * @description The phase of the work.
         * @enum {string}
         */
        Phase: "research" | "planning" | "implementation";
        /** @description One pin. */
        Pin: {
            /** @description Its id, derived from its text. */
            id: string;
            /** @description Its text, verbatim. */
            text: string;
        };
        /** @description A pin to set. Its text alone, as a JSON string, is accepted too. */
        PinInput: {
            /** @description Its text, which contexts show verbatim. */
            text: string;
            /** @description Its id, as a GET returns it. Ignored: it follows from the text. */
            readonly id?: string | null;
        };
        /**
         * @description A named set of signals.
         * @enum {string}
         */
        PolicyName: "utilization" | "message_count" | "protocol" | "combined";
        /** @description Sizes, findings and coverage of all files. */
        PreaggregateReport: {
            /** @description Bytes of all files before. */
            original_bytes: number;
            /** @description Bytes of all files after. */
            condensed_bytes: number;
            /**
             * Format: double
             * @description The share of bytes that was saved: 1 − `condensed_bytes` / `original_bytes`; 0 when nothing was condensed.
             */
            reduction: number;
            /** @description Bytes from which on files are condensed. */
            threshold_bytes: number;
            /** @description Valid findings of all files. */
            kept: number;
            /** @description Findings of all files that are not valid. */
            rejected: number;
            /** @description Whether an expected file is absent. */
            coverage_incomplete: boolean;
            /** @description The expected files that are absent, in the order of the request. */
            missing: string[];
            /** @description Warnings for the reader. */
            warnings: string[];
        };
        /** @description The outputs of several agents. */
        PreaggregateRequest: {
            /** @description The files. */
            files: components["schemas"]["NamedFile"][];
            /**
             * Format: int64
             * @description Bytes of all files together from which on they are condensed. Default 25,000.
             */
            threshold_bytes?: number | null;
            /** @description The prefix of markers, as in `<!-- PREFIX:FINDING … -->`. Default `RUNE`. */
            prefix?: string | null;
            /** @description Names of the files that should be there. */
            expected?: string[];
        };
        /** @description The condensed outputs. */
        PreaggregateResult: {
            /** @description Whether the files together reached the threshold; if not, they are as they were. */
            condensed: boolean;
            /** @description The files, in the order of the request. */
            files: components["schemas"]["CondensedFile"][];
            /** @description Sizes, findings and coverage of all files. */
            report: components["schemas"]["PreaggregateReport"];
        };
        /**
         * @description The tokens of contexts by what a provider's cache can have of them. Each is compared with the one before that the same process
         *     served to the session: the first that it serves counts as new. The prompt of the caller, the time for which a cache lives and the steps
         *     in which it grows are not known here; `reported` has what the provider counted.
         */
        PrefixUsage: {
            /**
             * Format: int64
             * @description Tokens that the context before began with, too.
             */
            cached_tokens: number;
            /**
             * Format: int64
             * @description Tokens of messages that came since the context before.
             */
            new_tokens: number;
            /**
             * Format: int64
             * @description The rest: what a compression, a clipping or a changed setting wrote anew, and what stands behind that.
             */
            rewritten_tokens: number;
        };
        /** @description A question with the facts that its answer must hold. */
        Probe: {
            /** @description The subject of the question. */
            kind: components["schemas"]["ProbeKind"];
            /** @description The question. */
            question: string;
            /** @description The facts that the answer must hold; one of an exam's may name several spellings, with ` | ` between them. */
            expected: string[];
            /** @description How many of them it needs. */
            match?: components["schemas"]["ProbeMatch"];
            /** @description The section that must hold them; any when absent. */
            section?: components["schemas"]["SummarySection"] | null;
            /** @description Whether the facts are paths or identifiers, which match to the letter. */
            exact?: boolean;
            /** @description Whether a version that fails it is refused; asked again after every later compression. */
            critical?: boolean;
            /** @description The messages that the facts came from. */
            seqs?: components["schemas"]["Seq"][];
            /**
             * @description The answer that an examiner wrote from the messages. Only questions of an exam have one, and a model
             *     answers them, not code.
             */
            reference?: string | null;
        };
        /** @description An id that starts with `prb_`. */
        ProbeId: string;
        /**
         * @description The subject of a probe.
         * @enum {string}
         */
        ProbeKind: "recall" | "artifact" | "continuation" | "decision" | "blocker" | "constraint";
        /** @description How many of the expected facts an answer needs. */
        ProbeMatch: {
            /** @description How the answer is judged. */
            kind: components["schemas"]["ProbeMatchKind"];
            /**
             * Format: double
             * @description With `ratio`: the least share of the facts, above 0 and at most 1.
             */
            ratio?: number | null;
        };
        /**
         * @description How an answer is judged.
         * @enum {string}
         */
        ProbeMatchKind: "all" | "any" | "ratio";
        /** @description A change of a probe of the caller's own; what is absent stays. */
        ProbePatch: {
            /** @description The subject of the question. */
            kind?: components["schemas"]["ProbeKind"] | null;
            /** @description The question. */
            question?: string | null;
            /** @description The facts that the answer must hold, in place of those before. */
            expected?: string[] | null;
            /** @description How many of them it needs; null for all. */
            match?: components["schemas"]["ProbeMatch"] | null;
            /** @description Whether the facts match to the letter, like paths and identifiers; null for false. */
            exact?: boolean | null;
            /** @description Whether a version that fails it is refused; null for false. */
            critical?: boolean | null;
        };
        /** @description The result of one probe. */
        ProbeResult: {
            /** @description The probe. */
            probe: components["schemas"]["Probe"];
            /** @description The answer; `information not found` when there is none. */
            answer: string;
            /** @description The verdict. */
            verdict: components["schemas"]["ProbeVerdict"];
            /** @description The expected facts that were not found. */
            missing?: string[];
            /** @description The reader that answered it. */
            answered_by?: components["schemas"]["AnsweredBy"];
            /**
             * Format: int64
             * @description How long the model's call took, in milliseconds; one call answers several probes. 0 for code.
             */
            latency_ms?: number;
            /**
             * Format: int64
             * @description Its share of that call's cost, in millionths of the currency of the operator's prices.
             */
            cost_micros?: number;
        };
        /**
         * @description Where a probe comes from.
         * @enum {string}
         */
        ProbeSource: "generated" | "exam" | "caller";
        /**
         * @description The verdict on a probe.
         * @enum {string}
         */
        ProbeVerdict: "pass" | "fail" | "cut";
        /** @description A refusal or failure (RFC 9457). Members beyond these are documented with the operation. */
        Problem: {
            /** @description The kind of problem; stable, relative to the server, where it opens a page that explains it. */
            type: string;
            /** @description A short title; the same for every problem of the type. */
            title: string;
            /**
             * Format: int64
             * @description The reply's status.
             */
            status: number;
            /** @description The explanation of this occurrence. */
            detail: string;
            /** @description The request id, as in `X-Request-Id`. */
            instance: string;
            /** @description The invalid places in the request. */
            errors?: components["schemas"]["FieldError"][];
        } & {
            [key: string]: unknown;
        };
        /** @description A change of a tenant's keys of model providers; an absent field keeps its value, and null takes the key away. */
        ProviderKeys: {
            /** @description The key that goes to Anthropic. */
            anthropic?: string | null;
            /** @description The key that goes to OpenAI. */
            openai?: string | null;
        };
        /** @description A figure outside its target. */
        QualityFlag: {
            /** @description Which figure. */
            metric: components["schemas"]["QualityMetric"];
            /** @description How far outside. */
            level: components["schemas"]["QualityFlagLevel"];
            /** @description The figure and its target, as a sentence. */
            detail: string;
        };
        /**
         * @description How far a figure is outside its target.
         * @enum {string}
         */
        QualityFlagLevel: "caution" | "advisory" | "red";
        /**
         * @description A figure that has a target.
         * @enum {string}
         */
        QualityMetric: "probe_pass_rate" | "critical_probes" | "callers_probes" | "span_compression" | "latency" | "low_exam";
        /** @description The bounds of the tenant. */
        QuotaReport: {
            /** @description Every bound. */
            quotas: components["schemas"]["QuotaStatus"][];
        };
        /**
         * @description The scope of a bound.
         * @enum {string}
         */
        QuotaScope: "tenant" | "session" | "webhook";
        /** @description A bound of the tenant. */
        QuotaStatus: {
            /** @description Its name, as the problem `quota-exceeded` tells it. */
            quota: string;
            /** @description Its scope. */
            scope: components["schemas"]["QuotaScope"];
            /**
             * Format: int64
             * @description The most that is allowed; null when nothing is bounded.
             */
            limit?: number | null;
            /**
             * Format: int64
             * @description The used part; null for requests per second, and for a bound of each session or webhook.
             */
            used?: number | null;
            /**
             * Format: date-time
             * @description When what is used begins anew; null when it does not by itself.
             */
            resets_at?: string | null;
        };
        /** @description A file that was read and not changed. */
        ReadFile: {
            /** @description The path, one spelling for one file. */
            path: string;
            /** @description Why it was read, when the session says so. */
            reason?: string | null;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
        };
        /** @description A message that matches. */
        RecallHit: {
            /** @description The message's position. */
            seq: components["schemas"]["Seq"];
            /** @description The role of its author. */
            role: components["schemas"]["Role"];
            /** @description The stretch of the message that matches best, at most 300 characters. */
            snippet: string;
            /**
             * Format: double
             * @description How well it matches; comparable within one reply.
             */
            score: number;
        };
        /**
         * @description How a search ranks messages.
         * @enum {string}
         */
        RecallMode: "lexical" | "hybrid";
        /** @description The result of a search. */
        RecallResult: {
            /** @description The messages that the question is about, best first, spread over the session; empty when there are none. */
            items: components["schemas"]["RecallHit"][];
            /** @description The name of a branch, unique in its session. */
            branch?: string | null;
            /** @description How they were ranked. */
            mode: components["schemas"]["RecallMode"];
            /** @description Why they were ranked by words alone although `hybrid` was asked for, or is the default; null otherwise. */
            degraded: components["schemas"]["Degraded"] | null;
        };
        /** @description Figures of what was fetched again. */
        RefetchedUsage: {
            /**
             * Format: int64
             * @description Requests that gave back something that the context no longer shows.
             */
            requests: number;
            /**
             * Format: int64
             * @description Tokens of it.
             */
            tokens: number;
            /**
             * Format: int64
             * @description Tokens of original messages.
             */
            messages_tokens: number;
            /**
             * Format: int64
             * @description Tokens of tool outputs.
             */
            tool_outputs_tokens: number;
            /**
             * Format: int64
             * @description Tokens of recall.
             */
            recall_tokens: number;
        };
        /**
         * @description Why a finding is not valid.
         * @enum {string}
         */
        RejectReason: "malformed_marker" | "bad_id" | "bad_path" | "no_nonce" | "bad_line" | "no_closer";
        /** @description A finding that is not valid. */
        RejectedFinding: {
            /** @description The id that its marker has, when it can be read. */
            id?: string | null;
            /** @description Why it was rejected. */
            reason: components["schemas"]["RejectReason"];
        };
        /** @description Which branch becomes the current one. */
        ReplaceCurrentBranch: {
            /** @description Its name. */
            name: components["schemas"]["BranchName"];
            /** @description As a GET returns it. Ignored. */
            readonly is_current?: boolean | null;
        };
        /** @description The pins that replace the ones there are. The reply of a GET can be sent back. */
        ReplacePins: {
            /** @description The pins, in the order in which contexts show them. A text that comes twice counts once. */
            pins: components["schemas"]["PinInput"][];
            /** @description The tenant's pins, as a GET returns them. Ignored: `PUT /v1/pins` sets them. */
            tenant_pins?: components["schemas"]["Pin"][] | null;
        };
        /** @description The list that replaces the one there is. The reply of a GET can be sent back. */
        ReplaceTodos: {
            /** @description The items, in order. */
            todos: components["schemas"]["TodoInput"][];
            /** @description As a GET returns it. Ignored. */
            changes?: components["schemas"]["TodoChange"][] | null;
            /**
             * Format: int64
             * @description As a GET returns it. Ignored.
             */
            readonly changed_in_version?: number | null;
            /**
             * Format: int64
             * @description As a GET returns it. Ignored.
             */
            readonly revision?: number | null;
            /**
             * Format: date-time
             * @description As a GET returns it. Ignored.
             */
            readonly updated_at?: string | null;
        };
        /** @description The provider's figures, as callers reported them. */
        ReportedUsage: {
            /**
             * Format: int64
             * @description Reports.
             */
            reports: number;
            /**
             * Format: int64
             * @description Tokens in, cached ones included.
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description Tokens out.
             */
            output_tokens: number;
            /**
             * Format: int64
             * @description The part of the tokens in that came from the provider's cache.
             */
            cached_tokens: number;
        };
        /** @description Settings with every default resolved. */
        ResolvedPolicy: {
            /**
             * Format: int64
             * @description The effective window, in tokens.
             */
            effective_window: number;
            /**
             * Format: int64
             * @description The context window, in tokens.
             */
            context_window: number;
            /**
             * Format: int64
             * @description Tokens of the window that are reserved for the answer.
             */
            reserved_output_tokens: number;
            /**
             * Format: int64
             * @description Tokens that the service does not store, as they were set.
             */
            system_tokens: number;
            /** @description How tokens are counted. */
            tokenizer: components["schemas"]["Tokenizer"];
            /** @description Which signals count. */
            name: components["schemas"]["PolicyName"];
            /**
             * Format: double
             * @description Share at which a warning is given.
             */
            warn: number;
            /**
             * Format: double
             * @description Share at which a compression starts.
             */
            compress: number;
            /**
             * Format: double
             * @description Share of the effective window that record, digest and newest messages take after a compression.
             */
            fill: number;
            /**
             * Format: double
             * @description Share at which a compression is forced.
             */
            force: number;
            /**
             * Format: double
             * @description Share at which a compression is immediate.
             */
            critical: number;
            /**
             * Format: double
             * @description Share of right answers below which an exam is low.
             */
            exam: number;
            /** @description Uncompressed messages: optional, compress, force. */
            messages: number[];
            /**
             * Format: int64
             * @description Turns since the anchor.
             */
            turns: number;
            /** @description The thresholds of the signals about history. */
            history: components["schemas"]["HistoryThresholds"];
            /**
             * Format: int64
             * @description Messages that always stay verbatim.
             */
            preserve_recent: number;
            /**
             * Format: int64
             * @description Tokens of the newest messages that stay verbatim, as far as the fill has room.
             */
            preserve_recent_tokens: number;
            /**
             * Format: int64
             * @description Uncompressed messages below which only force and above compress.
             */
            min_messages: number;
            /** @description Whether signals start compressions. */
            auto: boolean;
            /** @description Whether tool outputs may become placeholders. */
            mask: components["schemas"]["MaskMode"];
            /**
             * Format: int64
             * @description Bound of a rendered summary, in tokens.
             */
            max_summary_tokens: number;
        };
        /**
         * @description What is tried when a candidate fails, in this order.
         * @enum {string}
         */
        RetryMeasure: "facts" | "detail" | "smaller_pieces" | "code" | "strategy";
        /**
         * @description The role of a message's author.
         * @enum {string}
         */
        Role: "system" | "developer" | "user" | "assistant" | "tool";
        /** @description A rollback has no parameters. */
        RollbackRequest: Record<string, never>;
        /** @description A judged summary. */
        Rubric: {
            /** @description The judge. */
            model: string;
            /**
             * Format: double
             * @description The mean of the dimensions, 0 to 5.
             */
            overall: number;
            /** @description Dimension by dimension. */
            dimensions: components["schemas"]["DimensionScore"][];
        };
        /** @description A context that was served. */
        ServedContext: {
            /** @description The conversation format. */
            format: components["schemas"]["MessageFormat"];
            /**
             * Format: int64
             * @description The budget.
             */
            max_input_tokens: number;
            /** @description Whether current task, open errors and next steps came once more at the end. */
            recap: boolean;
            /** @description The marks for Anthropic's cache, when it was asked with any. */
            cache_control?: string | null;
            /**
             * Format: int64
             * @description The revision of pins, notes and settings.
             */
            context_revision: number;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was served.
             */
            served_at: string;
            /** @description The newest message at that moment. */
            head_seq: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description The summary version that it showed; null without one.
             */
            version: number | null;
            /** @description Its tokens. */
            tokens: components["schemas"]["ServedTokens"];
            /** @description SHA-256 in hex over `system` as JSON, when there is one, and the JSON of each message, each with a line feed behind it. */
            sha256: string;
        };
        /** @description Tokens of a context that was served. */
        ServedTokens: {
            /**
             * Format: int64
             * @description All of them.
             */
            total: number;
            /**
             * Format: int64
             * @description System prompt, pins and kept messages.
             */
            system: number;
            /**
             * Format: int64
             * @description The summary.
             */
            summary: number;
            /**
             * Format: int64
             * @description The digest.
             */
            digest: number;
            /**
             * Format: int64
             * @description The agent's notes.
             */
            notes: number;
            /**
             * Format: int64
             * @description Messages, tool outputs aside.
             */
            messages: number;
            /**
             * Format: int64
             * @description Tool outputs.
             */
            tool_outputs: number;
            /**
             * Format: int64
             * @description Tokens of all messages and pins, as if nothing had been left out.
             */
            whole: number;
            /**
             * Format: int64
             * @description Tokens that the context before began with, too, which a provider's cache can have; as far as the process knew that context.
             */
            cached: number;
            /**
             * Format: int64
             * @description Tokens behind them that came since. The rest was sent before, behind something that has changed.
             */
            new: number;
        };
        /** @description A session: its settings, the resolved policy and its current state. */
        Session: {
            /** @description The session's id. */
            session_id: components["schemas"]["SessionId"];
            /** @description The branch; absent when it is main. */
            branch?: components["schemas"]["BranchName"] | null;
            /** @description The settings as the caller made them, for all branches. */
            settings: components["schemas"]["Settings"];
            /** @description The settings with every default resolved, the tenant's included. */
            policy: components["schemas"]["ResolvedPolicy"];
            /** @description Position of the newest message; 0 when there is none. */
            head_seq: components["schemas"]["Seq"];
            /** @description Position that the next message will get. */
            next_seq: components["schemas"]["Seq"];
            /** @description Through which message the current summary covers the session; 0 when there is none. */
            anchor_seq: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description The current summary version; null when there is none.
             */
            summary_version: number | null;
            /**
             * Format: int32
             * @description Versions that compressions published.
             */
            compression_count: number;
            /**
             * Format: int64
             * @description Grows with every change of pins, notes or settings.
             */
            context_revision: number;
            /** @description How full the context is. */
            usage: components["schemas"]["ContextUsage"];
            /** @description The live compression; null when there is none. */
            compression: components["schemas"]["LiveCompression"] | null;
            /** @description Warnings about the window, until it is told; absent when there are none. */
            warnings?: components["schemas"]["Warning"][];
            /** @description Only when one session is read, and when models came to nothing for its last compressions. */
            llm_breaker?: components["schemas"]["LlmBreaker"] | null;
            /**
             * Format: date-time
             * @description When the session was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last written to.
             */
            updated_at: string;
        };
        /** @description The caller's name for a session (`session_id` in the API), unique per tenant. */
        SessionId: string;
        /** @description A session in a list: its state; settings only on request. */
        SessionItem: {
            /** @description The session's id. */
            session_id: components["schemas"]["SessionId"];
            /** @description The branch; absent when it is main. */
            branch?: components["schemas"]["BranchName"] | null;
            /** @description The task that it belongs to; null when there is none. */
            task_id: string | null;
            /** @description The session that started it; null when there is none. */
            parent_session_id: string | null;
            /** @description Position of the newest message; 0 when there is none. */
            head_seq: components["schemas"]["Seq"];
            /** @description Position that the next message will get. */
            next_seq: components["schemas"]["Seq"];
            /** @description Through which message the current summary covers the session; 0 when there is none. */
            anchor_seq: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description The current summary version; null when there is none.
             */
            summary_version: number | null;
            /**
             * Format: int32
             * @description Versions that compressions published.
             */
            compression_count: number;
            /**
             * Format: int64
             * @description Grows with every change of pins, notes or settings.
             */
            context_revision: number;
            /** @description How full the context is. */
            usage: components["schemas"]["BriefUsage"];
            /** @description The live compression; null when there is none. */
            compression: components["schemas"]["LiveCompression"] | null;
            /**
             * Format: date-time
             * @description When the session was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last written to.
             */
            updated_at: string;
            /** @description The settings as the caller made them; only with `include=settings`. */
            settings?: components["schemas"]["Settings"];
            /** @description The settings with every default resolved, the tenant's included; only with `include=policy`. */
            policy?: components["schemas"]["ResolvedPolicy"];
        };
        /** @description A session's pins. */
        SessionPins: {
            /** @description The session's own, in the order in which contexts show them. */
            pins: components["schemas"]["Pin"][];
            /** @description The tenant's, which contexts show before them. */
            tenant_pins: components["schemas"]["Pin"][];
        };
        /** @description A probe of a session. */
        SessionProbe: {
            /** @description The subject of the question. */
            kind: components["schemas"]["ProbeKind"];
            /** @description The question. */
            question: string;
            /** @description The facts that the answer must hold; one of an exam's may name several spellings, with ` | ` between them. */
            expected: string[];
            /** @description How many of them it needs. */
            match?: components["schemas"]["ProbeMatch"];
            /** @description The section that must hold them; any when absent. */
            section?: components["schemas"]["SummarySection"] | null;
            /** @description Whether the facts are paths or identifiers, which match to the letter. */
            exact?: boolean;
            /** @description Whether a version that fails it is refused; asked again after every later compression. */
            critical?: boolean;
            /** @description The messages that the facts came from. */
            seqs?: components["schemas"]["Seq"][];
            /**
             * @description The answer that an examiner wrote from the messages. Only questions of an exam have one, and a model
             *     answers them, not code.
             */
            reference?: string | null;
            /** @description Its id. */
            id: components["schemas"]["ProbeId"];
            /** @description Where it comes from. */
            source: components["schemas"]["ProbeSource"];
            /**
             * Format: int64
             * @description The version whose span it came from; null for a caller's.
             */
            version: number | null;
            /**
             * Format: int64
             * @description The version that retired it; null while it is in use.
             */
            retired_in_version: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description A session state file. It is rendered as text; this is its shape. */
        SessionState: {
            /** @description Always `context://session/v1`. */
            $schema: string;
            /** @description The session's id. */
            session_id: string;
            /**
             * Format: date-time
             * @description When the session was created.
             */
            started: string;
            /**
             * Format: date-time
             * @description When it was last written to.
             */
            last_activity: string;
            /** @description For loaders of such files: where the file goes in a prompt and how many tokens it may take. */
            _meta: {
                [key: string]: unknown;
            };
            /** @description The task in hand, and whether it is `in_progress` or `blocked`. */
            current_task: {
                [key: string]: unknown;
            };
            /** @description The next steps. */
            next_steps: string[];
            /** @description Obstacles. */
            blockers: string[];
            /** @description The summary's sections and the figures of its making. */
            compression_state: {
                [key: string]: unknown;
            };
        };
        /** @description A message that the question is about, and its session. */
        SessionsRecallHit: {
            /** @description The session. */
            session_id: components["schemas"]["SessionId"];
            /** @description The name of a branch, unique in its session. */
            branch?: string | null;
            /** @description The message's position. */
            seq: components["schemas"]["Seq"];
            /** @description Who speaks in it. */
            role: components["schemas"]["Role"];
            /** @description The stretch of the message that matches best, at most 300 characters. */
            snippet: string;
            /**
             * Format: double
             * @description How well it matches; comparable within one reply.
             */
            score: number;
        };
        /** @description The result of a search over several sessions. */
        SessionsRecallResult: {
            /** @description The messages that the question is about, best first; empty when there are none. */
            items: components["schemas"]["SessionsRecallHit"][];
            /** @description How they were ranked. */
            mode: components["schemas"]["RecallMode"];
            /** @description Why they were ranked by words alone although `hybrid` was asked for, or is the default; null otherwise. */
            degraded: components["schemas"]["Degraded"] | null;
            /** @description How many sessions were searched. */
            sessions_searched: number;
            /** @description Whether there are more sessions, or messages, than a search looks at; the newest were searched. */
            is_partial: boolean;
        };
        /** @description Settings as the caller gave them; every field is optional. */
        Settings: {
            /**
             * @description The model that the session talks to, as its provider calls it (`gpt-4o`, `anthropic/claude-sonnet-4-5`, `qwen3:8b`). Context
             *     window, output reserve and tokenizer follow from it where the session does not set them; `GET /v1/models` lists what
             *     is known. An append that names another model changes it.
             */
            model?: string | null;
            /**
             * Format: int64
             * @description The model's context window, in tokens. Default: that of `model`, else the tenant's, else 200,000.
             */
            context_window?: number | null;
            /**
             * Format: int64
             * @description Tokens that the model's answer needs. Default: the longest answer of `model`, at most a fifth of the window; a fifth
             *     of the window where it is not known.
             */
            reserved_output_tokens?: number | null;
            /**
             * Format: int64
             * @description Tokens that the service does not store: tool definitions, a system prompt kept by the caller.
             */
            system_tokens?: number | null;
            /**
             * Format: int64
             * @description Tokens kept free for miscounting.
             */
            safety_buffer?: number | null;
            /** @description Which signals count. Default `utilization`. */
            policy?: components["schemas"]["PolicyName"] | null;
            /** @description Overrides of the policy's thresholds. */
            thresholds?: components["schemas"]["Thresholds"] | null;
            /** @description Whether tool outputs may be clipped or become placeholders. Default `auto`. */
            mask?: components["schemas"]["MaskMode"] | null;
            /**
             * Format: double
             * @description The share of the effective window that record, digest and newest messages take after a compression; system
             *     prompt and pins come on top. At most the compress level less 0.10. Default 0.20; in small windows 5,000 tokens, up to
             *     0.40; at most 24,000 tokens. About eight calls fit before the next compression; down to three quarters of it for that.
             */
            fill?: number | null;
            /**
             * Format: int64
             * @description Messages that always stay verbatim. Default 5.
             */
            preserve_recent?: number | null;
            /**
             * Format: int64
             * @description Tokens of the newest messages that stay verbatim, as far as the fill has room. Default 0; at most the effective
             *     window.
             */
            preserve_recent_tokens?: number | null;
            /**
             * Format: int64
             * @description Uncompressed messages below which only force and above compress. Default 10.
             */
            min_messages?: number | null;
            /** @description Whether signals start compressions. Default true. */
            auto?: boolean | null;
            /** @description How versions are made. Default `anchored`. */
            strategy?: components["schemas"]["Strategy"] | null;
            /** @description The engine that reads the spans. Default `auto`. */
            engine?: components["schemas"]["EngineChoice"] | null;
            /** @description The model that writes the summaries, when the operator allows the choice. */
            summary_model?: string | null;
            /** @description Which sessions a model examines, where the operator named one for it. Default `sampled`: one in four. */
            exam?: components["schemas"]["ExamMode"] | null;
            /**
             * @description How tokens are counted. Default: the closest to that of `model`, else the tenant's, else `o200k_base`. The first
             *     message fixes it, or the first fork.
             */
            tokenizer?: components["schemas"]["Tokenizer"] | null;
            /** @description The phase of the work. */
            phase?: components["schemas"]["Phase"] | null;
            /** @description The task that the session works on. */
            task_id?: string | null;
            /** @description The session that started this one. */
            parent_session_id?: string | null;
            /**
             * @description The end user whom the session is with, as the caller names them: lists filter by it, and recall searches the
             *     sessions of a user.
             */
            user?: string | null;
            /** @description Refuses strategies that cannot be verified. Default false. */
            critical?: boolean | null;
            /**
             * Format: int64
             * @description Bound of a rendered summary, in tokens. Default 4,000 or a tenth of the effective window, whichever is less, at least 800.
             */
            max_summary_tokens?: number | null;
            /**
             * @description Whether a requirement that a person states in a message becomes a constraint (`bind`) or is only proposed
             *     until it is pinned (`propose`). Default `bind`.
             */
            constraints?: components["schemas"]["ConstraintMode"] | null;
            /**
             * @description The caller's own data, kept as it is and replaced as a whole: at most 16 KiB as JSON, 64 fields, 8 levels, and whole
             *     numbers of 64 bits. Lists filter by its fields that are texts of at most 200 characters, numbers or booleans.
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whether the service's tools are offered to the model that gets the contexts (`offered`): then they name the call that
             *     gives what they leave out. Default `none`.
             */
            tools?: components["schemas"]["ToolMode"] | null;
        };
        /** @description The result of one rule. */
        Signal: {
            /** @description Which rule. */
            kind: components["schemas"]["SignalKind"];
            /** @description The requested action, whether or not the policy counts it. */
            action: components["schemas"]["SignalAction"];
            /** @description The reason, with the figure. */
            detail: string;
            /** @description Whether the policy counts it. */
            counts: boolean;
        };
        /**
         * @description The action that a signal requests, in order of severity.
         * @enum {string}
         */
        SignalAction: "none" | "advise" | "optional" | "evaluate" | "warn" | "compress" | "force" | "immediate";
        /**
         * @description The rule.
         * @enum {string}
         */
        SignalKind: "utilization" | "message_count" | "turn_count" | "task_boundary" | "intent_lost" | "circular_reasoning" | "rereading" | "verbosity" | "growth" | "cycles";
        /** @description The part of a context that stays the same until the next version or revision. */
        StablePrefix: {
            /** @description Messages at the start that are wholly in it. */
            messages: number;
            /**
             * Format: int64
             * @description Its tokens.
             */
            tokens: number;
            /**
             * @description SHA-256 in hex over the text of `system`, the JSON text of each message that is counted here, and the text of the digest,
             *     each with a newline after it; `cache_control` does not change it.
             */
            sha256: string;
        };
        /** @description A message as it was sent, with what the service knows of it. */
        StoredMessage: {
            /** @description Its position. */
            seq: components["schemas"]["Seq"];
            /** @description Who speaks. */
            role: components["schemas"]["Role"];
            /**
             * Format: int32
             * @description Its tokens.
             */
            tokens: number;
            /**
             * Format: date-time
             * @description When it was stored.
             */
            created_at: string;
            /** @description The message, exactly as it was sent. */
            message: components["schemas"]["Message"];
        };
        /**
         * @description What a compression reads and what it makes of it.
         * @enum {string}
         */
        Strategy: "anchored" | "opaque" | "regenerative" | "sliding_window" | "rollback";
        /** @description A version as the API shows it: the document and its metadata in one object. */
        Summary: {
            /**
             * Format: int64
             * @description Its number in the session: 1, 2, 3 …
             */
            version: number;
            /**
             * Format: int64
             * @description The version that it was merged into.
             */
            parent_version?: number | null;
            /** @description How it was made. */
            strategy: components["schemas"]["Strategy"];
            /** @description How far it can be verified against the originals; a rollback keeps the version's value. */
            verifiable: components["schemas"]["Verifiability"];
            /** @description Who read the span. */
            engine: components["schemas"]["Engine"];
            /** @description The model, when one was asked. */
            model?: string | null;
            /**
             * Format: int64
             * @description Versions published by a compression so far, this one included.
             */
            compression_count: number;
            /**
             * Format: date-time
             * @description When it was published.
             */
            last_compressed_at: string;
            /** @description The first message of its span. */
            from_seq: components["schemas"]["Seq"];
            /** @description The last message that it covers: the anchor. */
            through_seq: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description Record and digest of the version before plus the span, as contexts would serve them, in tokens.
             */
            tokens_before: number;
            /**
             * Format: int64
             * @description Its record and digest when it was made, as contexts serve them, in tokens.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description The most tokens that its rendering was given.
             */
            max_tokens: number;
            /**
             * Format: double
             * @description The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one.
             */
            reduction: number | null;
            /**
             * Format: double
             * @description The share of the probes that passed, from 0 to 1; absent without probes.
             */
            probe_score?: number | null;
            /**
             * Format: double
             * @description The same of the probes that ask for facts which code found.
             */
            facts_score?: number | null;
            /** @description How a reader did in an exam that was written from the messages; absent without one. */
            exam?: components["schemas"]["ExamScores"] | null;
            /** @description The phase of the work that it was made in, which decides how it is rendered. */
            phase?: components["schemas"]["Phase"] | null;
            /** @description Warnings about it. */
            warnings: string[];
            /**
             * @description It came from an import: what it says was checked where it was made, if it was, and not here. Absent for one that was
             *     made here.
             */
            imported?: boolean;
            /** @description The current request. */
            session_intent: string;
            /** @description The messages that the intent came from. */
            session_intent_seqs: components["schemas"]["Seq"][];
            /** @description Requests of people, oldest first. */
            requests: components["schemas"]["UserRequest"][];
            /** @description Files that the session changed. */
            files_modified: components["schemas"]["ModifiedFile"][];
            /** @description Files that the session read and did not change. */
            files_read: components["schemas"]["ReadFile"][];
            /** @description Decisions, oldest first. */
            decisions_made: components["schemas"]["Decision"][];
            /** @description The current state of the work. */
            current_state: components["schemas"]["CurrentState"];
            /** @description Errors, open and resolved. */
            errors: components["schemas"]["ErrorEntry"][];
            /** @description The latest run of each test command. */
            test_results: components["schemas"]["TestResult"][];
            /** @description Obstacles to progress. */
            blockers: components["schemas"]["Blocker"][];
            /** @description Unanswered questions. */
            open_questions: components["schemas"]["Note"][];
            /** @description What was learnt and is not obvious: causes, limits, dead ends. */
            findings: components["schemas"]["Note"][];
            /** @description The next steps, in order. */
            next_steps: string[];
            /** @description The messages that the next steps came from. */
            next_steps_seqs: components["schemas"]["Seq"][];
            /** @description Things with an identity in the session, and their properties as last known. */
            things: components["schemas"]["Entity"][];
            /** @description The agent's own notes. */
            notes: components["schemas"]["Note"][];
            /** @description Requirements, verbatim. */
            constraints: components["schemas"]["Constraint"][];
            /** @description Requirements found in messages that take effect only when the caller pins them (setting `constraints`: `propose`). */
            proposed_constraints?: components["schemas"]["Constraint"][];
            /** @description How many entries of a section a bound left out; recall finds what they came from. */
            left_out?: {
                [key: string]: number;
            };
        };
        /** @description Entries that were added, changed and dropped between two versions. */
        SummaryDiff: {
            /** @description The sections that differ, in the order of the document. */
            sections: components["schemas"]["SummarySectionDiff"][];
            /**
             * Format: int64
             * @description The earlier version; null when the later one has none before it.
             */
            from: number | null;
            /**
             * Format: int64
             * @description The later version.
             */
            to: number;
        };
        /** @description An entry before and after. */
        SummaryEntryChange: {
            /** @description What makes it the same entry: a path, a decision's text, a command … */
            key: string;
            /** @description The earlier form. */
            from: unknown;
            /** @description The later form. */
            to: unknown;
        };
        /**
         * @description How much of a summary a context serves.
         * @enum {string}
         */
        SummaryForm: "full" | "reduced" | "least";
        /**
         * @description One section of the summary, under its JSON field's name.
         * @enum {string}
         */
        SummarySection: "session_intent" | "requests" | "files_modified" | "files_read" | "decisions_made" | "current_state" | "errors" | "test_results" | "blockers" | "open_questions" | "findings" | "next_steps" | "things" | "notes" | "constraints";
        /** @description The difference within one section. */
        SummarySectionDiff: {
            /** @description The section. */
            section: components["schemas"]["SummarySection"];
            /** @description Entries that only the later version has. */
            added: unknown[];
            /** @description Entries that both have, in another form. */
            changed: components["schemas"]["SummaryEntryChange"][];
            /** @description Entries that only the earlier version has. */
            dropped: unknown[];
        };
        /** @description A version in the history. */
        SummaryVersion: {
            /**
             * Format: int64
             * @description Its number in the session: 1, 2, 3 …
             */
            version: number;
            /**
             * Format: int64
             * @description The version that it was merged into.
             */
            parent_version?: number | null;
            /** @description How it was made. */
            strategy: components["schemas"]["Strategy"];
            /** @description How far it can be verified against the originals; a rollback keeps the version's value. */
            verifiable: components["schemas"]["Verifiability"];
            /** @description Who read the span. */
            engine: components["schemas"]["Engine"];
            /** @description The model, when one was asked. */
            model?: string | null;
            /**
             * Format: int64
             * @description Versions published by a compression so far, this one included.
             */
            compression_count: number;
            /**
             * Format: date-time
             * @description When it was published.
             */
            last_compressed_at: string;
            /** @description The first message of its span. */
            from_seq: components["schemas"]["Seq"];
            /** @description The last message that it covers: the anchor. */
            through_seq: components["schemas"]["Seq"];
            /**
             * Format: int64
             * @description Record and digest of the version before plus the span, as contexts would serve them, in tokens.
             */
            tokens_before: number;
            /**
             * Format: int64
             * @description Its record and digest when it was made, as contexts serve them, in tokens.
             */
            tokens_after: number;
            /**
             * Format: int64
             * @description The most tokens that its rendering was given.
             */
            max_tokens: number;
            /**
             * Format: double
             * @description The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one.
             */
            reduction: number | null;
            /**
             * Format: double
             * @description The share of the probes that passed, from 0 to 1; absent without probes.
             */
            probe_score?: number | null;
            /**
             * Format: double
             * @description The same of the probes that ask for facts which code found.
             */
            facts_score?: number | null;
            /** @description How a reader did in an exam that was written from the messages; absent without one. */
            exam?: components["schemas"]["ExamScores"] | null;
            /** @description The phase of the work that it was made in, which decides how it is rendered. */
            phase?: components["schemas"]["Phase"] | null;
            /** @description Warnings about it. */
            warnings: string[];
            /**
             * @description It came from an import: what it says was checked where it was made, if it was, and not here. Absent for one that was
             *     made here.
             */
            imported?: boolean;
            /** @description Whether it is the current one. */
            current: boolean;
            /**
             * Format: date-time
             * @description When it was made; later than `last_compressed_at` for a rollback.
             */
            created_at: string;
        };
        /**
         * @description The outcome of a sync.
         * @enum {string}
         */
        SyncOutcome: "unchanged" | "appended" | "went_back" | "branched" | "returned";
        /** @description The outcome of a sync, the session's state after it, and the context to send to the model next. */
        SyncResult: {
            /** @description The session. */
            session_id: components["schemas"]["SessionId"];
            /** @description The branch; absent when it is main. */
            branch?: components["schemas"]["BranchName"] | null;
            /** @description Position of the first message that was stored now; absent when none was. */
            first_seq?: components["schemas"]["Seq"];
            /** @description Position of the last message that was stored now; absent when none was. */
            last_seq?: components["schemas"]["Seq"];
            /** @description Position that the next message will get. */
            next_seq: components["schemas"]["Seq"];
            /**
             * @description The format that the new messages were recognised as; only with `include=format`, and absent when the caller stated one, or
             *     they show none.
             */
            format?: components["schemas"]["MessageFormat"];
            /**
             * Format: int64
             * @description Tokens of the messages that were stored now.
             */
            tokens_added: number;
            /** @description How full the context is, and whether the window is assumed; with `include=usage` by component. */
            usage: components["schemas"]["BriefUsage"];
            /** @description The decision from the signals; with `include=signals` every signal. Absent when no message was stored. */
            decision?: components["schemas"]["TriggerDecision"];
            /** @description The live compression; null when there is none. */
            compression: components["schemas"]["LiveCompression"] | null;
            /**
             * @description Warnings: about the messages that were stored now, as the reply to an append has them; about an assumed window only
             *     with `include=warnings`, and the context has them too. Absent when there are none.
             */
            warnings?: components["schemas"]["Warning"][];
            /** @description The result for the list. */
            sync: components["schemas"]["SyncState"];
            /** @description The context to send to the model next: of this list, also when somebody else has added to it. */
            context?: components["schemas"]["Context"];
            /** @description Why there is no context. The list is stored all the same. */
            context_problem?: components["schemas"]["Problem"];
        };
        /** @description The result for a list. */
        SyncState: {
            /** @description The branch that holds exactly this list, and was current at a moment of the sync. */
            branch: components["schemas"]["BranchName"];
            /** @description The change of the session. */
            outcome: components["schemas"]["SyncOutcome"];
            /** @description How many messages of the list it had already. */
            common: number;
            /** @description How many were stored now. */
            appended: number;
        };
        /** @description A task: its status, and the usage of all its sessions. */
        Task: {
            /**
             * Format: int64
             * @description Contexts that were served: one for each call of the agent's model.
             */
            requests: number;
            /**
             * Format: int64
             * @description Tokens of these contexts.
             */
            context_tokens: number;
            /**
             * Format: int64
             * @description Tokens that the whole sessions would have taken instead.
             */
            uncompressed_tokens: number;
            /**
             * Format: int64
             * @description Tokens that the contexts were smaller by.
             */
            tokens_saved: number;
            /** @description Their tokens by what a provider's cache can have of them. */
            prefix: components["schemas"]["PrefixUsage"];
            /**
             * Format: int64
             * @description Tokens of the contexts and of the engine's own model, in and out.
             */
            total_tokens: number;
            /**
             * Format: double
             * @description `context_tokens` for each request; null without one.
             */
            tokens_per_request: number | null;
            /** @description The use of the engine's model, failed calls included. */
            llm: components["schemas"]["ModelUsage"];
            /** @description Results of compressions. */
            compressed: components["schemas"]["CompressedTokens"];
            /** @description Figures of what was fetched again, because the context no longer shows it. */
            refetched: components["schemas"]["RefetchedUsage"];
            /**
             * Format: double
             * @description Requests that fetched again, for each request for a context; null without one.
             */
            refetch_rate: number | null;
            /** @description Whether the re-fetch rate is above 0.20: compression removes what the agent needs. */
            too_aggressive: boolean;
            /** @description The provider's own figures, as callers reported them. */
            reported: components["schemas"]["ReportedUsage"];
            /**
             * Format: int64
             * @description Batches that were appended.
             */
            appends: number;
            /**
             * Format: int64
             * @description Their tokens.
             */
            appended_tokens: number;
            /**
             * Format: int64
             * @description Their messages.
             */
            appended_messages: number;
            /**
             * Format: int64
             * @description Bytes of their texts and vectors, less those of sessions that were erased in the time of the report.
             */
            stored_bytes: number;
            /** @description The time that the service adds to the agent's. */
            latency: components["schemas"]["AddedLatency"];
            /** @description The task's id. */
            task_id: string;
            /** @description The status. */
            status: components["schemas"]["TaskStatus"];
            /**
             * Format: date-time
             * @description When it ended; null while it is active.
             */
            ended_at: string | null;
            /**
             * Format: int64
             * @description Sessions that are part of it, or were when they used something.
             */
            sessions: number;
            /**
             * Format: int64
             * @description Versions that compressions of these sessions published.
             */
            compressions: number;
        };
        /** @description How the tasks of one sort ended. */
        TaskOutcomes: {
            /**
             * Format: int64
             * @description Tasks that ended.
             */
            ended: number;
            /**
             * Format: int64
             * @description Completed tasks.
             */
            completed: number;
            /**
             * Format: double
             * @description `completed` of `ended`; null when none ended.
             */
            completion_rate: number | null;
            /**
             * Format: double
             * @description Tokens of the contexts and of the engine's model for each completed task; null without one.
             */
            tokens_per_completed_task: number | null;
            /**
             * Format: double
             * @description Contexts that were served for each completed task; null without one.
             */
            requests_per_completed_task: number | null;
        };
        /**
         * @description The status of a task.
         * @enum {string}
         */
        TaskStatus: "active" | "completed" | "failed" | "abandoned";
        /** @description The status of a task. */
        TaskUpdate: {
            /** @description The status. `completed`, `failed` and `abandoned` end the task; `active` reopens it. */
            status: components["schemas"]["TaskStatus"];
        };
        /** @description How tasks ended, with compression and without. */
        TasksUsage: {
            /** @description Tasks with a session that was ever compressed. */
            with_compression: components["schemas"]["TaskOutcomes"];
            /** @description Tasks without one. */
            without_compression: components["schemas"]["TaskOutcomes"];
        };
        /** @description A tenant. */
        Tenant: {
            /** @description Its id. */
            id: components["schemas"]["TenantId"];
            /** @description Its name, unique in the installation. */
            name: string;
            /** @description Whether its keys are accepted. */
            status: components["schemas"]["TenantStatus"];
            /** @description Its bounds; what is absent is bounded by the installation alone. */
            quotas: components["schemas"]["TenantQuotas"];
            /**
             * Format: int32
             * @description How many days it keeps sessions without a write; null means forever.
             */
            retention_days: number | null;
            /** @description Providers for which the gateway has a key of the tenant's. */
            provider_keys_for: string[];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description The cell that has it, of an installation with several. */
            cell?: string | null;
        };
        /** @description An id that starts with `ten_`. */
        TenantId: string;
        /** @description A change of a tenant; an absent field keeps its value. */
        TenantPatch: {
            /** @description Its name. */
            name?: string | null;
            /** @description Whether its keys are accepted. */
            status?: components["schemas"]["TenantStatus"] | null;
            /** @description Its quotas; they replace the ones there are. */
            quotas?: components["schemas"]["TenantQuotas"] | null;
            /**
             * Format: int64
             * @description How many days it keeps sessions without a write; null means forever.
             */
            retention_days?: number | null;
            /** @description Keys of model providers, which the gateway sends upstream for the tenant's agents. */
            provider_keys?: components["schemas"]["ProviderKeys"] | null;
        };
        /** @description The tenant's pins, in the order in which contexts show them. */
        TenantPins: {
            /** @description The pins. */
            pins: components["schemas"]["Pin"][];
        };
        /** @description The bounds of one tenant; what is absent or null is not bounded for it alone. */
        TenantQuotas: {
            /**
             * Format: int64
             * @description Requests per second, over all keys.
             */
            requests_per_second?: number | null;
            /**
             * Format: int64
             * @description Messages appended in a day (UTC).
             */
            messages_per_day?: number | null;
            /**
             * Format: int64
             * @description Bytes of messages that are stored.
             */
            stored_bytes?: number | null;
            /**
             * Format: int64
             * @description Tokens that summarising by models may take in a day (UTC); beyond it code makes the summaries.
             */
            llm_tokens_per_day?: number | null;
            /**
             * Format: int64
             * @description Compressions at the same time.
             */
            concurrent_compressions?: number | null;
            /**
             * Format: int64
             * @description Sessions; 1,000,000 when absent.
             */
            sessions?: number | null;
            /**
             * Format: int64
             * @description API keys that are neither revoked nor expired; 1,000 when absent.
             */
            keys?: number | null;
            /**
             * Format: int64
             * @description Replies that are kept for idempotency keys, for a day each; 5,000,000 when absent.
             */
            kept_replies?: number | null;
            /**
             * Format: int64
             * @description Jobs that wait for a worker when a caller asks for another one; 10,000 when absent.
             */
            waiting_jobs?: number | null;
            /**
             * Format: int64
             * @description Deliveries that wait for each webhook; 10,000 when absent. Further events are not delivered to it.
             */
            waiting_deliveries?: number | null;
            /**
             * Format: int64
             * @description Jobs of one session, ended ones included, when a caller asks for another one; 20,000 when absent.
             */
            jobs_per_session?: number | null;
            /**
             * Format: int64
             * @description Versions of one session when a caller asks for a rollback; 20,000 when absent.
             */
            versions_per_session?: number | null;
            /**
             * Format: int64
             * @description Tasks that one session was part of; 1,000 when absent.
             */
            tasks_per_session?: number | null;
        };
        /** @description The defaults of the tenant's sessions, and what follows from them. */
        TenantSettings: {
            /** @description The settings as they were made. */
            settings: components["schemas"]["Settings"];
            /** @description The settings with every default resolved. */
            policy: components["schemas"]["ResolvedPolicy"];
        };
        /**
         * @description Whether a tenant's keys are accepted.
         * @enum {string}
         */
        TenantStatus: "active" | "suspended";
        /** @description The use of the tenant. */
        TenantUsage: {
            /**
             * Format: date
             * @description The first day of the report.
             */
            from: string;
            /**
             * Format: date
             * @description The last day of the report.
             */
            to: string;
            /** @description Over all of these days, sessions that are erased since included. */
            total: components["schemas"]["UsageFigures"];
            /** @description Day by day, without those on which nothing was used. */
            days: components["schemas"]["UsageDay"][];
            /** @description How the tasks ended that ended on these days. */
            tasks: components["schemas"]["TasksUsage"];
        };
        /**
         * @description How a test run ended.
         * @enum {string}
         */
        TestOutcome: "pass" | "fail" | "error" | "unknown";
        /** @description One run of a test command. */
        TestResult: {
            /** @description The command. */
            command: string;
            /** @description How it ended. */
            outcome: components["schemas"]["TestOutcome"];
            /**
             * Format: int64
             * @description Tests passed.
             */
            passed?: number | null;
            /**
             * Format: int64
             * @description Tests failed.
             */
            failed?: number | null;
            /** @description Names of failing tests. */
            failing: string[];
            /** @description The later run that covers this one. */
            superseded_by?: string | null;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
        };
        /** @description Overrides of thresholds; shares are of the effective window, from 0 to 1. */
        Thresholds: {
            /**
             * Format: double
             * @description Share at which a warning is given. Default 0.60.
             */
            warn?: number | null;
            /**
             * Format: double
             * @description Share at which a compression starts. Default 0.70.
             */
            compress?: number | null;
            /**
             * Format: double
             * @description Share at which a compression is forced, and large tool outputs are clipped where none helps. Default 0.85.
             */
            force?: number | null;
            /**
             * Format: double
             * @description Share at which a compression is immediate. Default 0.90.
             */
            critical?: number | null;
            /**
             * Format: double
             * @description Share of right answers below which an exam is flagged as low and a model writes again what the reader missed.
             *     Default 0.50.
             */
            exam?: number | null;
            /** @description Message counts of the message-count signal. */
            messages?: components["schemas"]["MessageThresholds"] | null;
            /**
             * Format: int64
             * @description Turns since the anchor above which a compression is evaluated. Default 20.
             */
            turns?: number | null;
            /**
             * Format: double
             * @description Share of the served tokens that a compression must save for `evaluate` to become `compress`. Default 0.20.
             */
            savings?: number | null;
            /**
             * Format: int64
             * @description Near-duplicate messages, or equal tool calls, among the last 12 that are called circular. Default 3.
             */
            repeats?: number | null;
            /**
             * Format: int64
             * @description Readings of the same, or files read again, among the last 20 tool calls that are called re-reading. Default 3.
             */
            rereads?: number | null;
            /**
             * Format: double
             * @description Share of all readings above which readings of the same are called re-reading. Default 0.20.
             */
            reread_share?: number | null;
            /**
             * Format: double
             * @description How many times the session's median length the last messages must have to be verbose. Default 2.
             */
            verbosity?: number | null;
            /**
             * Format: double
             * @description Share of the effective window within 5 minutes above which growth is warned of. Default 0.20.
             */
            growth?: number | null;
            /**
             * Format: int64
             * @description Published versions from which on a new session is advised. Default 10.
             */
            cycles?: number | null;
        };
        /** @description One item of a caller's list. */
        Todo: {
            /** @description The task. */
            content: string;
            /** @description How far it is. */
            status: components["schemas"]["TodoStatus"];
            /** @description The status that a compression infers without certainty. Only the caller changes `status`. */
            proposed_status?: components["schemas"]["TodoStatus"] | null;
            /** @description The messages about its completion. */
            seqs?: components["schemas"]["Seq"][];
        };
        /** @description How one item differs from what it was. */
        TodoChange: {
            /** @description The item. */
            content: string;
            /** @description The status before; null for a new item. */
            from: components["schemas"]["TodoStatus"] | null;
            /** @description The status after; null for a removed item. */
            to: components["schemas"]["TodoStatus"] | null;
            /** @description Whether the change is only proposed: the item keeps its status until the caller changes it. */
            proposed: boolean;
            /** @description The clause of the message that shows it. */
            evidence?: string | null;
            /** @description The messages that it came from. */
            seqs?: components["schemas"]["Seq"][];
        };
        /** @description One item of a list. */
        TodoInput: {
            /** @description The task. */
            content: string;
            /** @description How far it is. */
            status: components["schemas"]["TodoStatus"];
        };
        /**
         * @description How far a todo item is.
         * @enum {string}
         */
        TodoStatus: "pending" | "in_progress" | "completed";
        /** @description A session's todo list, and what its last change was. */
        Todos: {
            /** @description The items, in the caller's order. */
            todos: components["schemas"]["Todo"][];
            /** @description The latest changes, a caller's or a compression's, proposals included. */
            changes: components["schemas"]["TodoChange"][];
            /**
             * Format: int64
             * @description The version whose compression brought the last change; null when the caller did.
             */
            changed_in_version: number | null;
            /**
             * Format: int64
             * @description Grows with every change; 0 before the first list.
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was last changed; null before the first list.
             */
            updated_at: string | null;
        };
        /** @description Token counts. */
        TokenCount: {
            /**
             * Format: int64
             * @description All tokens.
             */
            tokens: number;
            /** @description The conversation format that the messages were counted in; absent for a text. */
            format?: components["schemas"]["MessageFormat"];
            /** @description The tokens of each message, in order; absent for a text. */
            per_message?: number[] | null;
        };
        /** @description Messages or a text to count. */
        TokenCountRequest: {
            /** @description The messages to count, as their format writes them. */
            messages?: components["schemas"]["Message"][] | null;
            /** @description The text to count. */
            text?: string | null;
            /** @description How to count. Default `o200k_base`. */
            tokenizer?: components["schemas"]["Tokenizer"];
            /**
             * @description The conversation format of the messages. Without it they are recognised by their shapes, and `openai-chat` when
             *     these show none.
             */
            format?: components["schemas"]["MessageFormat"];
        };
        /**
         * @description A way to count tokens.
         * @enum {string}
         */
        Tokenizer: "o200k_base" | "cl100k_base" | "estimate";
        /** @description A call as the model made it. */
        ToolCallRequest: {
            /**
             * @description The arguments that the model gave, unchanged: an object, or its JSON text, as OpenAI's models give it. Absent, null
             *     and empty are no arguments. The result names their errors to the model.
             */
            arguments?: unknown;
            /**
             * Format: int64
             * @description The most tokens of the result, as the session counts.
             * @default 2000
             */
            max_tokens: number | null;
        };
        /** @description A tool's result. */
        ToolCallResult: {
            /** @description The text for the model: a line of the service's, then what was read, as data. */
            content: string;
            /** @description Whether the model has to call otherwise; `content` says how. */
            is_error: boolean;
            /**
             * Format: int64
             * @description The tokens of `content`.
             */
            tokens: number;
            /** @description The arguments of the call that reads on; null at the end. */
            next: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The definitions of the service's tools. */
        ToolDefinitions: {
            /** @description Their format. */
            format: components["schemas"]["MessageFormat"];
            /** @description One for each tool, as a request to the provider has them in its `tools`. */
            tools: {
                [key: string]: unknown;
            }[];
            /** @description The names of the tools, in the same order: a call of one of them is for the service. */
            names: string[];
            /**
             * Format: int64
             * @description About the tokens that they add to every call of the model; part of `system_tokens`.
             */
            tokens: number;
        };
        /**
         * @description Whether the caller offers the service's tools to the session's model.
         * @enum {string}
         */
        ToolMode: "none" | "offered";
        /** @description A tool output, in full or a range of its lines. */
        ToolOutput: {
            /** @description Its reference. */
            ref: string;
            /** @description The first message that contains it. */
            seq: components["schemas"]["Seq"];
            /** @description The call that it answers. */
            call_id: string;
            /** @description The number of lines of the whole output. */
            lines: number;
            /** @description The first line that was read; 0 when none was. */
            from_line: number;
            /** @description The last line that was read; 0 when none was. */
            to_line: number;
            /** @description The text of these lines. */
            content: string;
        };
        /** @description All messages of an agent, as its framework keeps them. */
        TranscriptRequest: {
            /**
             * @description The conversation format of the messages that are not stored yet. Without it they are recognised by their shapes, as in
             *     an append.
             */
            format?: components["schemas"]["MessageFormat"];
            /** @description The model that the session talks to from now on, as in an append. */
            model?: string | null;
            /**
             * @description How many messages of the branch stand before this list: a caller that no longer has its first messages, as after a
             *     compaction of its own, goes on behind that position. Default 0: the list begins with the first message.
             */
            after?: components["schemas"]["Seq"];
            /** @description All messages from the first on, or from the one behind `after`; oldest first, as the format writes them. */
            messages: components["schemas"]["Message"][];
            /**
             * @description Whether the branch may have more than the list. Then it stays as it is, and does not go back to the list's last
             *     message; the context is that of the list. Default false.
             */
            may_be_longer?: boolean;
            /**
             * @description Whether a message may be sent again with less than was said: an answer without its thoughts, white space or end, and a
             *     user's message without its end. It counts as the stored one when those before it and behind it agree. Default false.
             */
            may_be_trimmed?: boolean;
            /** @description Whether a task has just ended; some policies then compress. It is of no effect when nothing is stored. */
            task_boundary?: boolean;
            /** @description The session's `user`, when this list makes the session; one that is there keeps its own. */
            user?: string | null;
            /** @description The session's `metadata`, when this list makes the session; one that is there keeps its own. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The decision from the signals, as the reply to an append says it. */
        TriggerDecision: {
            /** @description The most severe action of the signals that count. */
            action: components["schemas"]["SignalAction"];
            /** @description The signals that ask for it; only with every signal. */
            reasons?: components["schemas"]["SignalKind"][] | null;
            /** @description The signals that count and ask for something, and advice; or every signal, with its own action. */
            signals: components["schemas"]["Signal"][];
            /** @description Why no compression starts, although they ask for one; absent when one waits or runs. */
            held_back?: components["schemas"]["HeldBack"] | null;
        };
        /** @description Where to go back to. */
        TruncateSession: {
            /** @description The message that becomes the newest; 0 for none. */
            seq: components["schemas"]["Seq"];
        };
        /** @description An entry of a model's answer that was not published. */
        UnpublishedEntry: {
            /** @description The entry. */
            text: string;
            /** @description Why it was left out. */
            reason: string;
        };
        /** @description The use of the tenant on one day. */
        UsageDay: {
            /**
             * Format: int64
             * @description Contexts that were served: one for each call of the agent's model.
             */
            requests: number;
            /**
             * Format: int64
             * @description Tokens of these contexts.
             */
            context_tokens: number;
            /**
             * Format: int64
             * @description Tokens that the whole sessions would have taken instead.
             */
            uncompressed_tokens: number;
            /**
             * Format: int64
             * @description Tokens that the contexts were smaller by.
             */
            tokens_saved: number;
            /** @description Their tokens by what a provider's cache can have of them. */
            prefix: components["schemas"]["PrefixUsage"];
            /**
             * Format: int64
             * @description Tokens of the contexts and of the engine's own model, in and out.
             */
            total_tokens: number;
            /**
             * Format: double
             * @description `context_tokens` for each request; null without one.
             */
            tokens_per_request: number | null;
            /** @description The use of the engine's model, failed calls included. */
            llm: components["schemas"]["ModelUsage"];
            /** @description Results of compressions. */
            compressed: components["schemas"]["CompressedTokens"];
            /** @description Figures of what was fetched again, because the context no longer shows it. */
            refetched: components["schemas"]["RefetchedUsage"];
            /**
             * Format: double
             * @description Requests that fetched again, for each request for a context; null without one.
             */
            refetch_rate: number | null;
            /** @description Whether the re-fetch rate is above 0.20: compression removes what the agent needs. */
            too_aggressive: boolean;
            /** @description The provider's own figures, as callers reported them. */
            reported: components["schemas"]["ReportedUsage"];
            /**
             * Format: int64
             * @description Batches that were appended.
             */
            appends: number;
            /**
             * Format: int64
             * @description Their tokens.
             */
            appended_tokens: number;
            /**
             * Format: int64
             * @description Their messages.
             */
            appended_messages: number;
            /**
             * Format: int64
             * @description Bytes of their texts and vectors, less those of sessions that were erased in the time of the report.
             */
            stored_bytes: number;
            /** @description The time that the service adds to the agent's. */
            latency: components["schemas"]["AddedLatency"];
            /**
             * Format: date
             * @description The day in UTC.
             */
            day: string;
        };
        /** @description Usage figures and what follows from them. */
        UsageFigures: {
            /**
             * Format: int64
             * @description Contexts that were served: one for each call of the agent's model.
             */
            requests: number;
            /**
             * Format: int64
             * @description Tokens of these contexts.
             */
            context_tokens: number;
            /**
             * Format: int64
             * @description Tokens that the whole sessions would have taken instead.
             */
            uncompressed_tokens: number;
            /**
             * Format: int64
             * @description Tokens that the contexts were smaller by.
             */
            tokens_saved: number;
            /** @description Their tokens by what a provider's cache can have of them. */
            prefix: components["schemas"]["PrefixUsage"];
            /**
             * Format: int64
             * @description Tokens of the contexts and of the engine's own model, in and out.
             */
            total_tokens: number;
            /**
             * Format: double
             * @description `context_tokens` for each request; null without one.
             */
            tokens_per_request: number | null;
            /** @description The use of the engine's model, failed calls included. */
            llm: components["schemas"]["ModelUsage"];
            /** @description Results of compressions. */
            compressed: components["schemas"]["CompressedTokens"];
            /** @description Figures of what was fetched again, because the context no longer shows it. */
            refetched: components["schemas"]["RefetchedUsage"];
            /**
             * Format: double
             * @description Requests that fetched again, for each request for a context; null without one.
             */
            refetch_rate: number | null;
            /** @description Whether the re-fetch rate is above 0.20: compression removes what the agent needs. */
            too_aggressive: boolean;
            /** @description The provider's own figures, as callers reported them. */
            reported: components["schemas"]["ReportedUsage"];
            /**
             * Format: int64
             * @description Batches that were appended.
             */
            appends: number;
            /**
             * Format: int64
             * @description Their tokens.
             */
            appended_tokens: number;
            /**
             * Format: int64
             * @description Their messages.
             */
            appended_messages: number;
            /**
             * Format: int64
             * @description Bytes of their texts and vectors, less those of sessions that were erased in the time of the report.
             */
            stored_bytes: number;
            /** @description The time that the service adds to the agent's. */
            latency: components["schemas"]["AddedLatency"];
        };
        /** @description The provider's own figures of the last call. */
        UsageReport: {
            /**
             * Format: int64
             * @description Tokens in, cached ones included. A provider that reports them apart: the sum.
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description Tokens out.
             */
            output_tokens: number;
            /**
             * Format: int64
             * @description The part of the tokens in that came from the provider's cache.
             */
            cached_tokens?: number | null;
            /** @description The model, for the caller's records: it comes back in the reply. */
            model?: string | null;
            /**
             * Format: int64
             * @description `tokens.total` of the context that was sent; default that of the context served last.
             */
            context_tokens?: number | null;
        };
        /**
         * @description The context that a usage report was compared with.
         * @enum {string}
         */
        UsageReportBasis: "given" | "served" | "head";
        /** @description The result of a report. */
        UsageReportResult: {
            /** @description The session. */
            session_id: components["schemas"]["SessionId"];
            /**
             * Format: int64
             * @description The service's count for the context that was sent.
             */
            counted_tokens: number;
            /**
             * Format: int64
             * @description The provider's count.
             */
            reported_tokens: number;
            /**
             * Format: double
             * @description `reported_tokens` of `counted_tokens`; null when nothing was counted.
             */
            ratio: number | null;
            /** @description The context that the report was compared with. */
            basis: components["schemas"]["UsageReportBasis"];
            /** @description The use of the report. */
            verdict: components["schemas"]["UsageReportVerdict"];
            /** @description The model, as reported. */
            model?: string | null;
            /**
             * Format: int64
             * @description Grows when the correction in force moved.
             */
            context_revision: number;
            /** @description How full the context is now. */
            usage: components["schemas"]["ContextUsage"];
        };
        /**
         * @description The use of a report.
         * @enum {string}
         */
        UsageReportVerdict: "used" | "too_small" | "ignored";
        /** @description A person's request. */
        UserRequest: {
            /** @description The request, quoted and shortened. */
            text: string;
            /** @description Its state. */
            state: components["schemas"]["UserRequestState"];
            /** @description The request that replaced it. */
            superseded_by?: string | null;
            /** @description The outcome, as a model summarised it. */
            outcome?: string | null;
            /** @description Whether it answers a question of the agent, so that what was asked before it is not over. */
            answers?: boolean;
            /** @description The messages that it came from. */
            seqs: components["schemas"]["Seq"][];
        };
        /**
         * @description The state of a request.
         * @enum {string}
         */
        UserRequestState: "open" | "done" | "dropped" | "superseded";
        /**
         * @description How far a version can be checked against the originals.
         * @enum {string}
         */
        Verifiability: "yes" | "partly" | "no";
        /** @description Warnings for a caller whose request was served. */
        Warning: {
            /** @description Its subject. */
            code: components["schemas"]["WarningCode"];
            /** @description The model that is not known. */
            model?: string | null;
            /**
             * Format: int64
             * @description The tokens of the context window that is assumed; absent when the session's own was used.
             */
            window?: number | null;
            /** @description The messages that it is about. */
            seqs?: components["schemas"]["Seq"][];
            /**
             * Format: int64
             * @description The tokens of the output that is too large to be served whole.
             */
            tokens?: number | null;
            /**
             * Format: int64
             * @description The most tokens that an output may have here to be served whole.
             */
            max_tokens?: number | null;
            /** @description Its meaning, and what to do. */
            detail?: string | null;
        };
        /**
         * @description The subject of a warning.
         * @enum {string}
         */
        WarningCode: "window-assumed" | "model-unknown" | "requested-model-unknown" | "tool-result-without-call" | "empty-user-message" | "output-larger-than-window";
        /** @description A webhook, without its secret. */
        Webhook: {
            /** @description Its id. */
            id: components["schemas"]["WebhookId"];
            /** @description Where it is. */
            url: string;
            /** @description The events that it gets; null for all. */
            events: components["schemas"]["WebhookEventType"][] | null;
            /** @description A description for people. */
            description: string | null;
            /** @description Whether it gets anything. */
            enabled: boolean;
            /**
             * @description Why it gets nothing: `caller`, `gone` (the receiver answered 410) or `failing` (every attempt of five
             *     days failed); null while it is enabled.
             */
            disabled_reason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * Format: date-time
             * @description Since when it gets nothing.
             */
            disabled_at: string | null;
            /**
             * Format: date-time
             * @description When the first of the attempts failed since which none has succeeded; null when the last one did.
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description The previous secret stays valid until this time.
             */
            previous_secret_until: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description A message to a webhook and what became of it. */
        WebhookDelivery: {
            /** @description The message's id: `webhook-id` of every attempt, and the same for every webhook that gets the message. */
            id: components["schemas"]["DeliveryId"];
            /** @description The webhook. */
            webhook_id: components["schemas"]["WebhookId"];
            /** @description The type of the event. */
            event: string;
            /** @description The caller's name for a session (`session_id` in the API), unique per tenant. */
            session_id: string | null;
            /** @description The name of a branch, unique in its session. */
            branch?: string | null;
            /** @description Its status. */
            status: components["schemas"]["WebhookDeliveryStatus"];
            /**
             * Format: int32
             * @description Attempts so far.
             */
            attempts: number;
            /**
             * Format: int32
             * @description The receiver's last answer; null when there was none.
             */
            last_status_code: number | null;
            /**
             * @description Why the last attempt failed: `status`, `timeout`, `connection`, `tls` or `address`; null when it
             *     succeeded.
             */
            last_error: components["schemas"]["WebhookDeliveryFailure"] | null;
            /**
             * Format: int64
             * @description The duration of the last attempt, in milliseconds.
             */
            last_duration_ms: number | null;
            /**
             * Format: date-time
             * @description When it was last tried.
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When it is tried next; null while it is being tried and when it is not tried again.
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When it was made: in the commit of its event.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it succeeded or was given up.
             */
            finished_at: string | null;
        };
        /** @description A delivery with what is sent. */
        WebhookDeliveryDetail: {
            /** @description The delivery. */
            delivery: components["schemas"]["WebhookDelivery"];
            /** @description The body of the message. */
            message: components["schemas"]["Event"];
        };
        /**
         * @description Why an attempt failed.
         * @enum {string}
         */
        WebhookDeliveryFailure: "status" | "timeout" | "connection" | "tls" | "address" | "secret";
        /**
         * @description The status of a delivery to a webhook.
         * @enum {string}
         */
        WebhookDeliveryStatus: "pending" | "succeeded" | "failed" | "cancelled";
        /**
         * @description Why a webhook gets nothing.
         * @enum {string}
         */
        WebhookDisabledReason: "caller" | "gone" | "failing";
        /**
         * @description The kinds of events that a webhook can receive.
         * @enum {string}
         */
        WebhookEventType: "compression.started" | "compression.succeeded" | "compression.failed" | "compression.skipped" | "summary.published" | "trigger.warned" | "session.branch_switched";
        /** @description An id that starts with `whk_`. */
        WebhookId: string;
        /** @description A change of a webhook; what is absent stays. */
        WebhookPatch: {
            /**
             * Format: uri
             * @description The URL. Pending deliveries go to the new one.
             */
            url?: string | null;
            /** @description The events that it gets; null for all. */
            events?: components["schemas"]["WebhookEventType"][] | null;
            /** @description A description for people; null removes it. */
            description?: string | null;
            /** @description Whether it gets messages. Deliveries that are pending when it is disabled are cancelled. */
            enabled?: boolean | null;
        };
        /** @description How a secret is replaced. */
        WebhookSecretRotation: {
            /**
             * Format: int64
             * @description How long the old secret signs beside the new one, in seconds; default a day, 0 when it has leaked.
             */
            overlap_seconds?: number | null;
        };
        /** @description A webhook with a secret that was just made; this is the only reply that shows it. */
        WebhookWithSecret: {
            /** @description The webhook. */
            webhook: components["schemas"]["Webhook"];
            /** @description The secret that signs its messages: `whsec_` and the secret in base64, as libraries for Standard Webhooks take it. */
            secret: string;
        };
        /** @description One page of a list. */
        WebhookDeliveryPage: {
            /** @description The items, in the list's order. */
            items: components["schemas"]["WebhookDelivery"][];
            /** @description The `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /**
         * FileFact
         * @description A file that the session read or changed.
         */
        FileFact: {
            /** @description The path, one spelling for one file. */
            path: string;
            /** @description Its change. */
            action: components["schemas"]["LedgerFileAction"];
            /** @description Its path before it was renamed. */
            renamed_from?: string | null;
            /** @description Its changes, oldest first. */
            changes: string[];
            /** @description Whether the latest test run after the change passed. */
            status?: components["schemas"]["FileStatus"] | null;
            /** @description Created and deleted within the session. */
            transient: boolean;
            /** @description Why it was read, when the session says so. */
            reason?: string | null;
            /** @description The messages that show it. */
            seqs: components["schemas"]["Seq"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "file";
        };
        /**
         * CommandFact
         * @description A command that was run.
         */
        CommandFact: {
            /** @description The command. */
            command: string;
            /**
             * Format: int32
             * @description Its exit code, when the result says so.
             */
            exit_code?: number | null;
            /** @description Whether it failed, when the result says so. */
            failed?: boolean | null;
            /** @description The call and its result. */
            seqs: components["schemas"]["Seq"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "command";
        };
        /**
         * TestRunFact
         * @description A run of tests.
         */
        TestRunFact: {
            /** @description The command. */
            command: string;
            /** @description How it ended. */
            outcome: components["schemas"]["TestOutcome"];
            /**
             * Format: int64
             * @description Tests passed.
             */
            passed?: number | null;
            /**
             * Format: int64
             * @description Tests failed.
             */
            failed?: number | null;
            /** @description Names of failing tests. */
            failing: string[];
            /** @description The call and its result. */
            seqs: components["schemas"]["Seq"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "test_run";
        };
        /**
         * ErrorFact
         * @description An error that occurred.
         */
        ErrorFact: {
            /** @description Its kind (`TypeError`, `E0308` …), when it has one. */
            type?: string | null;
            /** @description Its first useful line. */
            message: string;
            /** @description Whether it is resolved. */
            status: components["schemas"]["ErrorStatus"];
            /** @description How it was resolved. */
            resolution?: string | null;
            /** @description Where it occurred. */
            location?: string | null;
            /**
             * Format: int64
             * @description How many times it occurred.
             */
            count: number;
            /** @description The messages that show it. */
            seqs: components["schemas"]["Seq"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "error";
        };
        /**
         * IdentifierFact
         * @description A version, port, URL, id or figure.
         */
        IdentifierFact: {
            /** @description Its name. */
            key: string;
            /** @description Its value, verbatim. */
            value: string;
            /** @description The messages that show it. */
            seqs: components["schemas"]["Seq"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "identifier";
        };
        /**
         * ConstraintFact
         * @description The requirement, verbatim.
         */
        ConstraintFact: {
            /** @description Its id, for `DELETE …/constraints/{id}`. */
            id: string;
            /** @description Its text, verbatim. */
            text: string;
            /** @description Where it comes from. */
            source: components["schemas"]["ConstraintSource"];
            /** @description Whether it is only proposed: it takes effect when its text is pinned (setting `constraints`: `propose`). */
            proposed?: boolean;
            /** @description Whether it permits what an earlier one forbade, or releases from it, and demands nothing. */
            permits?: boolean;
            /** @description The texts of the earlier constraints that it replaced. */
            replaces?: string[];
            /** @description The messages that show it; empty for pins. */
            seqs: components["schemas"]["Seq"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "constraint";
        };
        /**
         * Format: int64
         * @description The position of a message in its session: 1, 2, 3 … without gaps.
         */
        Seq: number;
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    "sessions.get": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "sessions.put": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settings"];
            };
        };
        responses: {
            /** @description The session existed; its settings are replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The session is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "sessions.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session is erased. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "sessions.update": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settings"];
            };
        };
        responses: {
            /** @description The session with its settings as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "sessions.list": {
        parameters: {
            query?: {
                /** @description Only sessions of this task. */
                task_id?: string;
                /** @description Only sessions that this one started. */
                parent_session_id?: string;
                /** @description Only sessions of this end user. */
                user?: string;
                /** @description Only sessions whose id has this in it. */
                named?: string;
                /**
                 * @description Only sessions whose metadata has this field with this value, as `name:value`; with several, all of them. Texts,
                 *     numbers and booleans at the top of the metadata can be asked for.
                 */
                metadata?: string[];
                /** @description Only sessions of which a branch was written to at or after this time (RFC 3339), or from this date on (UTC). */
                updated_since?: string;
                /** @description More parts of each row: `policy` (every threshold in force), `settings` (those that were set). */
                include?: ("policy" | "settings")[];
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
        };
    };
    "sessions.export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One line for each part; the last has the kind `end`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["ExportLine"];
                };
            };
        };
    };
    "sessions.import": {
        parameters: {
            query?: {
                /** @description Whether other pieces of the file follow. Only then may its end line be missing. */
                partial?: boolean;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        /** @description One line for each part. */
        requestBody: {
            content: {
                "application/x-ndjson": components["schemas"]["ExportLine"];
            };
        };
        responses: {
            /** @description All of it is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
        };
    };
    "messages.list": {
        parameters: {
            query?: {
                /** @description The first position; default the session's first. */
                from_seq?: number;
                /** @description The last position; default the session's last. */
                to_seq?: number;
                /** @description Items of the page; fewer come when the messages are large. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredMessagePage"];
                };
            };
        };
    };
    "messages.append": {
        parameters: {
            query?: {
                /**
                 * @description More parts of the reply: `usage` (the context by component, and advice), `signals` (every signal; those that the
                 *     policy does not count are computed of the newest 200 messages), `format` (the format that the messages were
                 *     recognised as), `warnings` (about an assumed window, with advice).
                 */
                include?: ("usage" | "signals" | "format" | "warnings")[];
                /**
                 * @description `context` also returns the context to send to the model next. When it cannot be assembled, the messages are stored
                 *     all the same: the reply is 201 and has the reason in `context_problem`. A repeated request with an
                 *     `Idempotency-Key` stores nothing again, and gets the context as it is then.
                 */
                return?: "context";
                /** @description The format of the context; default the session's, which is the batch's when that shows one. */
                format?: "openai-chat" | "anthropic" | "openai-responses";
                /** @description The most tokens that the context may have; default the effective window. */
                max_input_tokens?: number;
                /** @description Whether current task, open errors and next steps come once more at the end of the context; default false. */
                recap?: boolean;
                /** @description Sets marks for Anthropic's cache in the context, as `GET …/context` does. The format is `anthropic` then. */
                cache_control?: "5m" | "1h";
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppendRequest"];
            };
        };
        responses: {
            /** @description The messages are stored. A repeated request gets the reply as the first one asked for it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendResult"];
                };
            };
        };
    };
    "messages.release": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The message's position. */
                seq: components["schemas"]["Seq"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message is not kept, or no longer. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "context.get": {
        parameters: {
            query?: {
                /**
                 * @description The conversation format to serve; default the session's so far, and `openai-chat` in a session whose messages
                 *     have shown none.
                 */
                format?: components["schemas"]["MessageFormat"];
                /**
                 * @description The most tokens that the context may have: what may go *into* the model's next call. At most those of the largest
                 *     window; default the effective window.
                 */
                max_input_tokens?: number;
                /**
                 * @description The model that gets the context. Without `max_input_tokens` its window and the reserve for its answer decide how many tokens
                 *     the context may have; the session keeps its own model, and the tokens are counted as the session counts them.
                 */
                model?: string;
                /** @description Whether current task, open errors and next steps come once more at the end. */
                recap?: boolean;
                /**
                 * @description Sets marks for Anthropic's cache, which then keeps the prompt up to a mark for so long: one at the end of `system`,
                 *     which becomes a list of blocks, and one at the end of the stable prefix, when that has a summary. Two of the four
                 *     that a request may have remain, for tools and for the newest message. The format is `anthropic` then. Marks in
                 *     stored messages are never served.
                 */
                cache_control?: "5m" | "1h";
                /**
                 * @description A summary version to serve in place of the current one. Without `through_seq`: as when it was published. 0, with
                 *     `through_seq` alone: without a summary.
                 */
                version?: number;
                /**
                 * @description The newest message to serve: what the context was when it was the newest. Without `version`: under the version
                 *     that was current then. Notes are those that were made before it was answered; settings, the tenant's pins and marks are
                 *     always today's, for they have no history, and so are the session's own without `pinned_by`; which outputs were placeholders
                 *     is counted once more.
                 */
                through_seq?: number;
                /**
                 * @description Of an earlier state, with `through_seq` or `version`: leaves out pins of the session and notes that were made, or last changed,
                 *     after this moment. One that was removed since is not there either. The current context has all pins, whatever this says.
                 */
                pinned_by?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The context. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
        };
    };
    "context.list_served": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of contexts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServedContextPage"];
                };
            };
        };
    };
    "transcript.sync": {
        parameters: {
            query?: {
                /**
                 * @description More parts of the reply: `usage` (the context by component, and advice), `signals` (every signal; those that the
                 *     policy does not count are computed of the newest 200 messages), `format` (the format that the messages were
                 *     recognised as), `warnings` (about an assumed window, with advice).
                 */
                include?: ("usage" | "signals" | "format" | "warnings")[];
                /** @description The format of the context; default the session's, which is the list's when that shows one. */
                format?: "openai-chat" | "anthropic" | "openai-responses";
                /** @description The most tokens that the context may have; default the effective window. */
                max_input_tokens?: number;
                /** @description Whether current task, open errors and next steps come once more at the end of the context; default false. */
                recap?: boolean;
                /** @description Sets marks for Anthropic's cache in the context, as the context itself has them on request. */
                cache_control?: "5m" | "1h";
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TranscriptRequest"];
            };
        };
        responses: {
            /** @description The branch holds exactly this list, and was current at a moment of the sync. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncResult"];
                };
            };
            /** @description The same, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "branches.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of branches, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchPage"];
                };
            };
        };
    };
    "branches.create": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBranch"];
            };
        };
        responses: {
            /** @description The branch is made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
        };
    };
    "branches.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The branch's name. */
                branch: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
        };
    };
    "branches.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The branch's name. */
                branch: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branch is erased. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "branches.switch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceCurrentBranch"];
            };
        };
        responses: {
            /** @description The branch, which is the current one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
        };
    };
    "branches.truncate": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TruncateSession"];
            };
        };
        responses: {
            /** @description The current branch, which ends there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
        };
    };
    "tool_outputs.get": {
        parameters: {
            query?: {
                /** @description The first line, from 1; default the first. */
                from_line?: number;
                /** @description The last line; default the last. */
                to_line?: number;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The reference, as placeholders name it. */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool output. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolOutput"];
                };
            };
        };
    };
    "tools.list": {
        parameters: {
            query?: {
                /** @description The format of the requests that the definitions are put into. Default `openai-chat`. */
                format?: "openai-chat" | "anthropic" | "openai-responses";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definitions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDefinitions"];
                };
            };
        };
    };
    "tools.run": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The tool's name. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolCallRequest"];
            };
        };
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallResult"];
                };
            };
        };
    };
    "notes.list": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentNotes"];
                };
            };
        };
    };
    "notes.remove": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The note's id. */
                note_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The note is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "pins.list": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPins"];
                };
            };
        };
    };
    "pins.replace": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplacePins"];
            };
        };
        responses: {
            /** @description The pins as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPins"];
                };
            };
        };
    };
    "pins.add": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PinInput"];
            };
        };
        responses: {
            /** @description The pin. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pin"];
                };
            };
        };
    };
    "pins.remove": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The pin's id. */
                pin_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pin is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "pins.list_shared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPins"];
                };
            };
        };
    };
    "pins.replace_shared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplacePins"];
            };
        };
        responses: {
            /** @description The pins as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPins"];
                };
            };
        };
    };
    "pins.add_shared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PinInput"];
            };
        };
        responses: {
            /** @description The pin. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pin"];
                };
            };
        };
    };
    "pins.remove_shared": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The pin's id. */
                pin_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pin is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "settings.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The defaults. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    "settings.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settings"];
            };
        };
        responses: {
            /** @description The defaults as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    "settings.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settings"];
            };
        };
        responses: {
            /** @description The defaults as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    "models.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of models. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelPage"];
                };
            };
        };
    };
    "models.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name, with `/` as `%2F`. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
        };
    };
    "models.put": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name, with `/` as `%2F`. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelRequest"];
            };
        };
        responses: {
            /** @description It was there and is replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description It is added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
        };
    };
    "models.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name, with `/` as `%2F`. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "constraints.delete": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The constraint's id, as the summary names it. */
                constraint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is dropped. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "requests.close": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The request's id, as the ledger names it. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is closed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "stateless.count_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenCountRequest"];
            };
        };
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenCount"];
                };
            };
        };
    };
    "stateless.preaggregate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreaggregateRequest"];
            };
        };
        responses: {
            /** @description The files, condensed or as they were, and a report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreaggregateResult"];
                };
            };
        };
    };
    "stateless.compress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompressRequest"];
            };
        };
        responses: {
            /** @description What to send instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompressedMessages"];
                };
            };
            /** @description With `engine` `llm`: it waits or runs; read it at `Location`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCompression"];
                };
            };
        };
    };
    "stateless.get_compressed": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The call's id, as its first reply has it. */
                compression_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The compression has ended: what to send instead. Without a summary, `warnings` gives the reason. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompressedMessages"];
                };
            };
            /** @description It waits or runs. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCompression"];
                };
            };
        };
    };
    "stateless.delete_compressed": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The call's id, as its first reply has it. */
                compression_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing of it is left. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "compressions.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of compressions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompressionPage"];
                };
            };
        };
    };
    "compressions.create": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateCompression"];
            };
        };
        responses: {
            /** @description It has ended: within the time that `Prefer: wait` allows, or at once, as `skipped`, because there is nothing to cover. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compression"];
                };
            };
            /** @description It waits or runs; read it at `Location`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compression"];
                };
            };
        };
    };
    "compressions.get": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The compression's id. */
                compression_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The compression. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compression"];
                };
            };
        };
    };
    "compressions.cancel": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The compression's id. */
                compression_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cancelled compression. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compression"];
                };
            };
        };
    };
    "compressions.list_model_calls": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The compression's id. */
                compression_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of calls. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelCallPage"];
                };
            };
        };
    };
    "summaries.get_current": {
        parameters: {
            query?: {
                /** @description A rendering instead of the document. */
                style?: "anchored" | "strict" | "protocol" | "scratch" | "state" | "opaque";
                /**
                 * @description The rendering's bound; without a style it asks for the default one. Default: the session's
                 *     `max_summary_tokens`, and 500 for `state`.
                 */
                max_tokens?: number;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                    "text/markdown": string;
                    "text/plain": string;
                    "application/vnd.anchord.session-state+json": components["schemas"]["SessionState"];
                };
            };
        };
    };
    "summaries.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummaryVersionPage"];
                };
            };
        };
    };
    "summaries.get": {
        parameters: {
            query?: {
                /** @description A rendering instead of the document. */
                style?: "anchored" | "strict" | "protocol" | "scratch" | "state" | "opaque";
                /**
                 * @description The rendering's bound; without a style it asks for the default one. Default: the session's
                 *     `max_summary_tokens`, and 500 for `state`.
                 */
                max_tokens?: number;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The version's number. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                    "text/markdown": string;
                    "text/plain": string;
                    "application/vnd.anchord.session-state+json": components["schemas"]["SessionState"];
                };
            };
        };
    };
    "summaries.diff": {
        parameters: {
            query?: {
                /** @description The earlier version. Default: the parent; without one, everything is added. */
                from?: number;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The version's number. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was added, changed and dropped. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummaryDiff"];
                };
            };
        };
    };
    "summaries.rollback": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The version's number. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RollbackRequest"];
            };
        };
        responses: {
            /** @description The new version. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                };
            };
        };
    };
    "todos.list": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list; empty before the first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Todos"];
                };
            };
        };
    };
    "todos.replace": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceTodos"];
            };
        };
        responses: {
            /** @description The list as it is now, and what changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Todos"];
                };
            };
        };
    };
    "sessions.get_state": {
        parameters: {
            query?: {
                /** @description The document's bound, which it names as `_meta.token_budget`. Default 500. */
                max_tokens?: number;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionState"];
                };
            };
        };
    };
    "events.stream": {
        parameters: {
            query?: {
                /** @description Only events after this id; the header `Last-Event-ID` takes precedence. Default: only new events. */
                after?: number;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
        };
    };
    "sessions.get_handoff": {
        parameters: {
            query?: {
                /** @description The most tokens: 500, 1500 or 3000. Default: 1500. */
                level?: number;
                /** @description The most words, from 100 to 500, in place of a level. */
                words?: number;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Handoff"];
                };
            };
            /** @description Nothing is known yet: the session has no version. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "tasks.get_handoff": {
        parameters: {
            query?: {
                /** @description The most tokens: 500, 1500 or 3000. Default: 1500. */
                level?: number;
                /** @description The most words, from 100 to 500, in place of a level. */
                words?: number;
            };
            header?: never;
            path: {
                /** @description The task's id, as sessions name it in `task_id`. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Handoff"];
                };
            };
            /** @description A fresh task: no session of it has a version. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "ledger.list": {
        parameters: {
            query?: {
                /** @description Only facts of this kind. */
                kind?: "file" | "command" | "test_run" | "error" | "identifier" | "constraint" | "request";
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of facts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerPage"];
                };
            };
        };
    };
    "probes.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of probes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionProbePage"];
                };
            };
        };
    };
    "probes.create": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProbe"];
            };
        };
        responses: {
            /** @description The probe. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionProbe"];
                };
            };
        };
    };
    "probes.delete": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The probe's id. */
                probe_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The probe is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "probes.update": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The probe's id. */
                probe_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProbePatch"];
            };
        };
        responses: {
            /** @description The probe as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionProbe"];
                };
            };
        };
    };
    "evaluations.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of evaluations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationPage"];
                };
            };
        };
    };
    "evaluations.create": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateEvaluation"];
            };
        };
        responses: {
            /** @description It ended within the time that `Prefer: wait` allows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationDetail"];
                };
            };
            /** @description It waits, runs, or ended without a result; read the job at `Location`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compression"];
                };
            };
        };
    };
    "evaluations.get": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /** @description The evaluation's id. */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The evaluation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationDetail"];
                };
            };
        };
    };
    "keys.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
        };
    };
    "keys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description The key; it is shown once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    "keys.get_current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, without the key itself. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    "keys.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's id. */
                key_id: components["schemas"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "keys.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's id. */
                key_id: components["schemas"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotation"];
            };
        };
        responses: {
            /** @description The new key; it is shown once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description The webhook, and its secret; it is shown once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    "webhooks.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id. */
                webhook_id: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    "webhooks.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id. */
                webhook_id: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is erased. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id. */
                webhook_id: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    "webhooks.rotate_secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id. */
                webhook_id: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookSecretRotation"];
            };
        };
        responses: {
            /** @description The webhook, and its new secret; it is shown once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id. */
                webhook_id: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery; it is on its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    "webhooks.list_deliveries": {
        parameters: {
            query?: {
                /** @description Only deliveries with this status. */
                status?: "pending" | "succeeded" | "failed" | "cancelled";
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The webhook's id. */
                webhook_id: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
        };
    };
    "webhooks.get_delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id. */
                webhook_id: components["schemas"]["WebhookId"];
                /** @description The delivery's id. */
                delivery_id: components["schemas"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
        };
    };
    "webhooks.redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id. */
                webhook_id: components["schemas"]["WebhookId"];
                /** @description The delivery's id. */
                delivery_id: components["schemas"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery; it is on its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    "audit.list": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventPage"];
                };
            };
        };
    };
    "tenants.list": {
        parameters: {
            query?: {
                /** @description Only the tenant with this name. */
                name?: string;
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tenants. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
        };
    };
    "tenants.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTenant"];
            };
        };
        responses: {
            /** @description The tenant. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    "tenants.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    "tenants.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is erased. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "tenants.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantPatch"];
            };
        };
        responses: {
            /** @description The tenant as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    "tenants.get_settings": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The defaults. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    "tenants.put_settings": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settings"];
            };
        };
        responses: {
            /** @description The defaults as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    "tenants.update_settings": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settings"];
            };
        };
        responses: {
            /** @description The defaults as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    "tenants.list_keys": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
        };
    };
    "tenants.create_key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description The key; it is shown once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    "tenants.revoke_key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
                /** @description The key's id. */
                key_id: components["schemas"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "tenants.rotate_key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
                /** @description The key's id. */
                key_id: components["schemas"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotation"];
            };
        };
        responses: {
            /** @description The new key; it is shown once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    "audit.list_all": {
        parameters: {
            query?: {
                /** @description Items of the page. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventPage"];
                };
            };
        };
    };
    "health.live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    "health.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Requests can be served. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    "health.metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics; no label names a tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    "recall.search": {
        parameters: {
            query: {
                /** @description A question, words, an identifier or a path, in any language and script. */
                q: string;
                /** @description How many hits to return. */
                limit?: number;
                /** @description How to rank. Default `hybrid` where an embeddings server is configured, else `lexical`. */
                mode?: "lexical" | "hybrid";
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecallResult"];
                };
            };
        };
    };
    "recall.search_sessions": {
        parameters: {
            query: {
                /** @description A question, words, an identifier or a path, in any language. */
                q: string;
                /** @description How many hits to return, of all sessions together. */
                limit?: number;
                /** @description How to rank. Default `hybrid` where an embeddings server is configured, else `lexical`. */
                mode?: "lexical" | "hybrid";
                /** @description Only sessions of this end user. At least one of `user`, `task_id` and `parent_session_id` is needed. */
                user?: string;
                /** @description Only sessions of this task. */
                task_id?: string;
                /** @description Only sessions that this one started. */
                parent_session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsRecallResult"];
                };
            };
        };
    };
    "usage.report": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsageReport"];
            };
        };
        responses: {
            /** @description What the report came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReportResult"];
                };
            };
        };
    };
    "usage.get": {
        parameters: {
            query?: {
                /** @description The first day in UTC; default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC; default today. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantUsage"];
                };
            };
        };
    };
    "usage.get_quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every bound. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuotaReport"];
                };
            };
        };
    };
    "tasks.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task's id, as sessions name it in `task_id`. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    "tasks.put": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task's id, as sessions name it in `task_id`. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskUpdate"];
            };
        };
        responses: {
            /** @description The task as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    "webhook_messages.receive": {
        parameters: {
            query?: never;
            header: {
                /** @description The message's id, the same at every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": number;
                /** @description The signatures of this attempt. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description The receiver wants no more: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It has arrived. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
