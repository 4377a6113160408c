import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
export interface paths {
    "/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a session. */
        get: operations["sessions.get"];
        /**
         * Creates a session or replaces its settings.
         * @description An absent or null field has its default; `PATCH` changes single fields. A change starts a new `context_revision`. Context
         *     window, output reserve and tokenizer: what the session sets, else what follows from its `model`, else what the tenant
         *     sets, else what follows from the tenant's `model`, else the defaults of the installation. The tokenizer is fixed by the
         *     first message or the first fork, because every stored count depends on it: without the field it stays as it is; the window
         *     follows a later `model`.
         *
         *     Settings are those of the session on all of its branches; `branch` says whose figures the reply has.
         */
        put: operations["sessions.put"];
        post?: never;
        /**
         * Erases a session and everything that belongs to it.
         * @description Its messages, versions, pins and stored replies go with it, and live work is cancelled. Nothing of it is shown from
         *     then on, and a new session may take the name at once; the rows of a large one are deleted in the background, and its
         *     bytes count until they are.
         */
        delete: operations["sessions.delete"];
        options?: never;
        head?: never;
        /**
         * Changes a session's settings.
         * @description An absent field keeps its value and null resets it (JSON Merge Patch); `metadata` is replaced as a whole. A change
         *     starts a new `context_revision`. Settings are those of the session on all of its branches; `branch` says whose figures the
         *     reply has.
         */
        patch: operations["sessions.update"];
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists sessions, newest first.
         * @description A session is one row, with the figures of its current branch.
         */
        get: operations["sessions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Exports a session as JSON lines.
         * @description The session, then every message exactly as it was sent, then every version, then a line that ends it.
         */
        get: operations["sessions.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Imports a session from JSON lines, as an export wrote them.
         * @description The last line must be that of kind `end`, with the number of messages that the session has then: without it the file was cut
         *     off, and is refused. The session must be new, or have exactly the messages before the first one of the call: a file above
         *     the limit of a body, or of the messages of a batch, is sent in pieces, cut between lines, each but the last with
         *     `partial=true`. Messages get the same positions and are stored word for word. All of a call is stored or nothing: its settings, pins and other parts of the session as well as its
         *     messages. Versions are not taken: the next compression makes its own.
         */
        post: operations["sessions.import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the original messages in order. */
        get: operations["messages.list"];
        put?: never;
        /**
         * Appends a batch of messages; makes the session when it is new.
         * @description The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply tells the positions, how
         *     full the context is, the signals that ask for something, and the live compression, when there is one; `include` adds the rest.
         *     With `return=context` it also has the context to send to the model next, which saves a round trip.
         *     `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`; with `include=warnings`
         *     the reply says why (`window-assumed`, `model-unknown`) and what to do.
         */
        post: operations["messages.append"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/messages/{seq}/mark": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends the mark `keep: always` of a message.
         * @description Contexts then treat it as any other: what a summary covers is no longer served beside it. A message without such a mark
         *     stays as it is. Each branch has marks of its own.
         */
        delete: operations["messages.release"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Assembles the context: what to send to the model next.
         * @description Always valid for its provider and within its budget, and never waits for a compression. The reply
         *     has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed.
         */
        get: operations["context.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Brings a session to a list of messages: stores what is new, on the branch that holds the list.
         * @description An agent's framework puts all messages that it has, before each call of the model. The list is compared with the current
         *     branch by the content of the messages. What goes beyond it is appended; a list that is shorter goes back; one that parts
         *     from it goes on where a branch of the session goes on with its next message, or on a new branch. The branch that holds the
         *     list is the current one then, unless another sync of that moment has switched since. Nothing that is stored is deleted. The same list twice stores nothing the second time, so
         *     that a request whose reply was lost is simply repeated.
         */
        put: operations["transcript.sync"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the branches of a session, oldest first. */
        get: operations["branches.list"];
        put?: never;
        /**
         * Forks a branch.
         * @description The new one shares the messages through `seq`, with the newest version that covers none beyond, and goes on by itself.
         *     Nothing is copied but pins, todo list, notes and the caller's probes, so that it costs the same at any length.
         */
        post: operations["branches.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/branches/{branch}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a branch. */
        get: operations["branches.get"];
        put?: never;
        post?: never;
        /**
         * Erases a branch.
         * @description It can be named no more from then on. What other branches share with it stays with them, and the rest is deleted in the
         *     background.
         */
        delete: operations["branches.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/current-branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Switches to a branch.
         * @description Operations that name no branch act on it from then on.
         */
        put: operations["branches.switch"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/truncate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Goes back to a message.
         * @description A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it. Going back to the newest
         *     message changes nothing, and a branch that was gone back to and has no message of its own yet is used again.
         */
        post: operations["branches.truncate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/tool-outputs/{ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads an offloaded tool output, in full or by lines.
         * @description Text is returned verbatim. Images and files are in the message itself (`seq`).
         */
        get: operations["tool_outputs.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the definitions of the tools to offer to an agent's model.
         * @description They are in the form of the provider, small enough to be sent with every call of the model. With the setting `tools`
         *     of a session, contexts name the tools where they leave something out.
         */
        get: operations["tools.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/tools/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs a tool with the arguments that the model gave.
         * @description The result is text for the model, within `max_tokens`; `next` has the arguments that read on, and the text says so, too. A
         *     mistake of the model's is a result with `is_error` that tells it what to do. The reading tools (`search_past`,
         *     `read_messages`, `read_tool_output`, `read_record`) need the scope `read`, and their replies are not kept; `note` needs
         *     `write`, and is done once with an `Idempotency-Key`.
         */
        post: operations["tools.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the notes that a session's agent made.
         * @description Contexts show them as data of the agent's: they bind nobody.
         */
        get: operations["notes.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/notes/{note_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a note of a session's agent.
         * @description Contexts stop showing it at once, under a new `context_revision`.
         */
        delete: operations["notes.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/pins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists a session's pins, and the tenant's pins that apply to it. */
        get: operations["pins.list"];
        /**
         * Replaces a session's own pins.
         * @description Contexts show them from the next read on, under a new `context_revision`. Together with the tenant's
         *     they may take a tenth of the effective window.
         */
        put: operations["pins.replace"];
        /**
         * Adds a pin to a session's own, as the last.
         * @description A pin that is there already stays where it is.
         */
        post: operations["pins.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/pins/{pin_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a pin from a session's own. */
        delete: operations["pins.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the pins that apply to every session of the tenant. */
        get: operations["pins.list_shared"];
        /**
         * Replaces the pins that apply to every session of the tenant.
         * @description Contexts show them before a session's own from the next read on, under a new `context_revision`, and
         *     every later summary carries them. Together they may take a tenth of the effective window that the
         *     tenant's settings give.
         */
        put: operations["pins.replace_shared"];
        /**
         * Adds a pin to those of every session of the tenant, as the last.
         * @description A pin that is there already stays where it is.
         */
        post: operations["pins.add_shared"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pins/{pin_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a pin from those of every session of the tenant. */
        delete: operations["pins.remove_shared"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the defaults of the tenant's sessions. */
        get: operations["settings.get"];
        /**
         * Replaces the defaults of the tenant's sessions.
         * @description An absent or null field has the service's own default. What a session sets itself, and what follows from a `model` that
         *     it names, takes precedence. They apply from the next request on, and each session's `context_revision` grows.
         */
        put: operations["settings.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes the defaults of the tenant's sessions.
         * @description An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take precedence. They
         *     apply from the next request on, and each session's `context_revision` grows.
         */
        patch: operations["settings.update"];
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the models that are known: the tenant's, then those of the service. */
        get: operations["models.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Finds the model that a name stands for. */
        get: operations["models.get"];
        /**
         * Adds a model of the tenant's, or replaces it.
         * @description It overrides a built-in model of the same name, from the next request on in every session that names it.
         *     A tenant has at most 50.
         */
        put: operations["models.put"];
        post?: never;
        /**
         * Removes a model of the tenant's.
         * @description Sessions that name it go on with a built-in one of the name, or with the default window when there is none.
         */
        delete: operations["models.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/constraints/{constraint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Drops an extracted constraint.
         * @description Contexts stop showing it at once, under a new `context_revision`, and no later version takes it up
         *     again. The record of the current version stays as it is. Delete pins with `DELETE …/pins/{pin_id}`.
         */
        delete: operations["constraints.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Counts the tokens of messages or of a text, as sessions count them. */
        post: operations["stateless.count_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/preaggregate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Condenses the outputs of several agents by their markers, when together they are large.
         * @description No model is asked. Kept are each file's header, every finding (P1 and P2 byte for byte), and the sections
         *     `## Reviewer Assumptions` and `## Summary`; rejected findings are listed, and kept verbatim. Nothing
         *     is stored.
         */
        post: operations["stateless.preaggregate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/compress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compresses messages.
         * @description Code reads them as it reads a session, within the request, and stores nothing. With `engine` `llm` the call is
         *     queued like any compression: `Prefer: wait` waits for it, and `GET /v1/compress/{compression_id}` reads it for
         *     a day. What comes back is valid in the format of the messages and at most as large as `target_tokens`.
         */
        post: operations["stateless.compress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/compress/{compression_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the result of a stateless compression by a model.
         * @description It can be read for a day; then the messages and the result are erased.
         */
        get: operations["stateless.get_compressed"];
        put?: never;
        post?: never;
        /** Erases a compression that a model was asked for: its messages, its result, and its work when it has not ended. */
        delete: operations["stateless.delete_compressed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/compressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists a session's compressions, newest first. */
        get: operations["compressions.list"];
        put?: never;
        /**
         * Compresses a session now.
         * @description With a compression live, the same parameters wait for that one and answer with its id; others are
         *     refused as `/problems/compression-live` with its `compression_id`. A manual compression ends the
         *     suspension that a rollback brought.
         */
        post: operations["compressions.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/compressions/{compression_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads one compression. */
        get: operations["compressions.get"];
        put?: never;
        post?: never;
        /** Cancels a compression that has not ended; what it has done so far is discarded. */
        delete: operations["compressions.cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/compressions/{compression_id}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what a compression or an evaluation asked of models, in the order of the calls. */
        get: operations["compressions.list_model_calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the current summary.
         * @description As JSON it is the complete record. `Accept: text/markdown` or `style` gives a rendering: Markdown
         *     for `anchored`, `strict`, `protocol` and `scratch`, plain text for `opaque`, and for `state` the session state file
         *     under a media type of its own.
         */
        get: operations["summaries.get_current"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/summaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the versions of a session, newest first, without their documents. */
        get: operations["summaries.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/summaries/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads one version, as its document or as a rendering. */
        get: operations["summaries.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/summaries/{version}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compares a version with an earlier one, or any two. */
        get: operations["summaries.diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/summaries/{version}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a version current again, as a new version with its document and anchor.
         * @description A live compression is cancelled, `compression_count` stays as it is, and automatic compression
         *     pauses below the critical level until the next manual one or the next change of settings.
         */
        post: operations["summaries.rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/todos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a session's todo list.
         * @description After a compression it tells what the messages completed (`changes`), and what they seem to complete
         *     (`proposed_status`), which only the caller sets.
         */
        get: operations["todos.list"];
        /**
         * Replaces a session's todo list.
         * @description At the next compression its completed items become decisions made, those in progress the task in hand,
         *     and the open ones the next steps; it overrides lists written by tools. The reply tells what is
         *     different from the list before.
         */
        put: operations["todos.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a session's state file: the current version as JSON, for an agent that keeps one. */
        get: operations["sessions.get_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams a session's events.
         * @description Those of its current branch, across switches (`session.branch_switched`), or of the branch that is named.
         *     Server-sent events. The `data` line of each is an `Event` as JSON, the same that webhooks receive; the lines `id` and
         *     `event` repeat its `id` and `type`. Events are kept for a week. A stream ends after fifteen minutes, when the session is erased, when
         *     the key is good no longer and when the service stops; clients come back with `Last-Event-ID` and miss nothing, because
         *     the stream begins with an `id` without data. A key
         *     may have 128 streams of a process open, a tenant 256.
         */
        get: operations["events.stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/handoff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads what another agent should know of a session.
         * @description The text has at most `level` tokens and level-3 headings, so that it goes under
         *     `## Prior Session Context` in a prompt. From 1,500 tokens on it ends with a
         *     digest of what was said and the notes of the agent.
         */
        get: operations["sessions.get_handoff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/handoff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads what another agent should know of a task: its sessions' current versions in one text.
         * @description The newest session gives the goal and state; files, decisions and errors of all are joined, each with
         *     the session that it came from.
         */
        get: operations["tasks.get_handoff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the facts of a session: files, commands, test runs, errors, identifiers, constraints. */
        get: operations["ledger.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/probes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists a session's probes, oldest first, retired ones included. */
        get: operations["probes.list"];
        put?: never;
        /** Adds a probe of the caller's own; it is asked after every later compression until it is removed. */
        post: operations["probes.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/probes/{probe_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a probe of the caller's own; no later version is asked it. */
        delete: operations["probes.delete"];
        options?: never;
        head?: never;
        /**
         * Changes a probe of the caller's own.
         * @description The next version is asked the probe as it is then; results of earlier versions stay as they are.
         */
        patch: operations["probes.update"];
        trace?: never;
    };
    "/v1/sessions/{session_id}/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists a session's evaluations, newest first, without their verdicts. */
        get: operations["evaluations.list"];
        put?: never;
        /**
         * Evaluates a version now.
         * @description The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
         *     is the evaluation itself as soon as it is there.
         */
        post: operations["evaluations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/evaluations/{evaluation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads one evaluation, probe by probe. */
        get: operations["evaluations.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the tenant's keys, oldest first. */
        get: operations["keys.list"];
        put?: never;
        /**
         * Makes a key of the tenant.
         * @description A key mints only what it may do itself. The key is shown in this reply and never again: the same call with the same
         *     `Idempotency-Key` makes no second one, and its reply is without the key.
         */
        post: operations["keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes a key of the tenant.
         * @description It is refused from now on, by every process of the installation.
         */
        delete: operations["keys.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replaces a key of the tenant by a new one with the same scopes; both work for a while.
         * @description The new key is shown to the caller, so the caller needs every scope of the key that it replaces: 403 otherwise.
         */
        post: operations["keys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the tenant's webhooks, oldest first. */
        get: operations["webhooks.list"];
        put?: never;
        /**
         * Makes a webhook.
         * @description It receives the events listed under `webhooks`. The secret is shown in this
         *     reply and never again, so an `Idempotency-Key` replays nothing here: erase what was made twice.
         */
        post: operations["webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a webhook. */
        get: operations["webhooks.get"];
        put?: never;
        post?: never;
        /** Erases a webhook with its deliveries. */
        delete: operations["webhooks.delete"];
        options?: never;
        head?: never;
        /**
         * Changes a webhook, disables it or enables it again.
         * @description What is pending for a webhook that is disabled is cancelled, and what happens while it is disabled is not
         *     told; a cancelled delivery can be asked for again.
         */
        patch: operations["webhooks.update"];
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a webhook a new secret; the old one signs beside it for a while.
         * @description Until then `webhook-signature` holds a signature of each, so that receivers can change over at any time. A
         *     rotation within the overlap of the one before ends the oldest secret at once.
         */
        post: operations["webhooks.rotate_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a test message, `webhook.test`.
         * @description It is delivered as every other message: signed, retried and logged.
         */
        post: operations["webhooks.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists a webhook's deliveries, newest first.
         * @description They are kept for thirty days, and no longer than the session that they are about.
         */
        get: operations["webhooks.list_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a delivery, with the message that is sent. */
        get: operations["webhooks.get_delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delivers a message again immediately, whatever its status.
         * @description It keeps its id and its body, and is tried again as a new one is.
         */
        post: operations["webhooks.redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what was done to the tenant and by its keys, newest first. */
        get: operations["audit.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the tenants, oldest first. */
        get: operations["tenants.list"];
        put?: never;
        /**
         * Creates a tenant.
         * @description With an `Idempotency-Key` the same call makes the same tenant, forever.
         */
        post: operations["tenants.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/tenants/{tenant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a tenant. */
        get: operations["tenants.get"];
        /**
         * Replaces a tenant's name, quotas, retention and status.
         * @description An absent field has its default: no quotas, sessions kept forever, `active`. A suspended tenant's keys are refused
         *     with 403 and its waiting jobs are paused; nothing is lost.
         */
        put: operations["tenants.put"];
        post?: never;
        /**
         * Erases a tenant with everything that it owns.
         * @description Its keys open nothing from then on, and nothing of it is shown; the rows are deleted in the background. What stays is
         *     the audit log, which names things by their ids alone.
         */
        delete: operations["tenants.delete"];
        options?: never;
        head?: never;
        /**
         * Changes a tenant: its name, its quotas, its retention, whether it is suspended.
         * @description An absent field keeps its value. A suspended tenant's keys are refused with 403 and its waiting jobs are paused; nothing
         *     is lost.
         */
        patch: operations["tenants.update"];
        trace?: never;
    };
    "/v1/admin/tenants/{tenant_id}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the defaults of a tenant's sessions. */
        get: operations["tenants.get_settings"];
        /**
         * Replaces the defaults of a tenant's sessions.
         * @description An absent or null field has the service's own default.
         */
        put: operations["tenants.put_settings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes the defaults of a tenant's sessions.
         * @description An absent field keeps its value and null resets it (JSON Merge Patch).
         */
        patch: operations["tenants.update_settings"];
        trace?: never;
    };
    "/v1/admin/tenants/{tenant_id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists a tenant's keys, oldest first. */
        get: operations["tenants.list_keys"];
        put?: never;
        /**
         * Makes a key of a tenant.
         * @description The key is shown in this reply and never again: the same call with the same `Idempotency-Key` makes no second one, and
         *     its reply is without the key.
         */
        post: operations["tenants.create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/tenants/{tenant_id}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes a key of a tenant. */
        delete: operations["tenants.revoke_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/tenants/{tenant_id}/keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replaces a key of a tenant by a new one with the same scopes; both work for a while. */
        post: operations["tenants.rotate_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what was done to any tenant, erased ones included, newest first. */
        get: operations["audit.list_all"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports that the process is alive. */
        get: operations["health.live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports whether requests can be served: whether the database answers, or did within the last second. */
        get: operations["health.ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Serves metrics in the Prometheus text format. */
        get: operations["health.metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches all original messages of a branch, compressed ones included.
         * @description Full text in any script; identifiers and paths are found whole and by their parts. A message counts
         *     for more among neighbours that match too, what is said for more than tool output, and of equals the
         *     newer one comes first. Where the operator has configured an embeddings server, messages are also found by what they
         *     mean; when it is away or slow, the reply says so (`degraded`) and ranks by words.
         */
        get: operations["recall.search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches the original messages of an end user's sessions, of a task's, or of those that a session started.
         * @description The newest 50 sessions are searched as one, each in its current branch, so that scores are comparable; each hit names
         *     its session. Otherwise as
         *     the search of one session.
         */
        get: operations["recall.search_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reports the provider's own figures of the last call.
         * @description They go to the ledger of the session's task, and correct how large the session's windows are in tokens of its
         *     tokenizer. A provider counts `offset + factor × ours`: the offset is what the service does not see (a system prompt that the
         *     caller keeps, tool definitions), the factor the difference of the tokenizers. Both are fitted to the newest reports by
         *     medians, so that a few odd ones change nothing. The offset takes effect from three reports on, as far as
         *     `system_tokens` does not say it already; the factor (0.5 to 2) from five about contexts whose sizes differ by 4,000 tokens and by a fifth.
         *     `usage.calibration` has what is in force. A report that cannot be about the context, or
         *     is about fewer than 4,000 tokens, corrects nothing; `verdict` says so.
         *     Another `model` of the session, which counts otherwise, starts anew.
         */
        post: operations["usage.report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reports what the tenant used, by day, and what a completed task costs with and without compression.
         * @description Figures of requests reach the report within about a second. Sums by day stay when sessions are erased;
         *     tasks are those whose sessions are still there.
         */
        get: operations["usage.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the tenant's quotas, and what is used of them.
         * @description Messages and tokens of the day begin anew at midnight (UTC). Sessions and kept replies are counted by each process, which
         *     learns within two minutes what others have made.
         */
        get: operations["usage.get_quotas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a task: tokens, requests, what was fetched again, and what the service added to the agent's time.
         * @description A use belongs to the task that its session had at that time. Erasing a session takes its figures along,
         *     and the last one of a task takes the task.
         */
        get: operations["tasks.get"];
        /**
         * Sets the status of a task.
         * @description A task exists as soon as a session names it, and is active until its status is set here.
         */
        put: operations["tasks.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receives an event.
         * @description The body is an `Event`, the same JSON as in the session's event stream. It is
         *     signed as Standard Webhooks specify: `webhook-signature` holds one or, while a secret is being rotated, two
         *     signatures, parted by blanks, each `v1,` and the base64 of the HMAC-SHA256 of `webhook-id`, `.`,
         *     `webhook-timestamp`, `.` and the body. Verify it over the bytes as they came, refuse timestamps of another time, and do
         *     nothing twice for the same `webhook-id`: a message arrives at least once and in any order. Anything but 2xx
         *     within ten seconds is tried again for about a day; 410 disables the webhook.
         */
        post: operations["webhook_messages.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description What the service adds to the agent's time: from a request's arrival at its operation until its reply
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
            /**
             * @description Its id, which is never used again in its session.
             * @example n3
             */
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
            /**
             * @description The first characters of the key, by which keys can be told apart.
             * @example anchord_Zk3v0aBq
             */
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
             * @description What the caller should know: of the batch's messages always (`tool-result-without-call`, `empty-user-message`,
             *     `output-larger-than-window` for each output that contexts cannot serve whole), of the window, until it is told, only with
             *     `include=warnings`; `usage.assumed` says without it that there is something. Absent when there is nothing.
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
            /**
             * @description What was done.
             * @example key.revoked
             */
            action: string;
            /** @description The id of what it was done to. */
            subject: string;
            /**
             * Format: date-time
             * @description When the change was made.
             */
            created_at: string;
        };
        /**
         * @description An id that starts with `aud_`.
         * @example aud_01929f5be2c47c3fb1c4a6d24b4e1a10
         */
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
        /**
         * @description The name of a branch, unique in its session.
         * @example main
         * @example retry-2
         */
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
             * @description What a default context would serve now, in tokens: beside a context its own, elsewhere as the session counts it, with
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
        /**
         * @description An id that starts with `cmp_`.
         * @example cmp_01929f5be2c47c3fb1c4a6d24b4e1a10
         */
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
             * @description System prompt and pins.
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
             * @description What a default context would serve now, in tokens: beside a context its own, elsewhere as the session counts it, with
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
        /**
         * @description A key to create.
         * @example {
         *       "name": "orchestrator",
         *       "scopes": [
         *         "read",
         *         "write"
         *       ]
         *     }
         */
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
        /**
         * @description Where to fork, and how the new branch is called.
         * @example {
         *       "name": "retry-2",
         *       "seq": 4,
         *       "switch": true
         *     }
         */
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
        /**
         * @description A compression to make; absent fields follow the session's settings.
         * @example {}
         * @example {
         *       "reason": "end of the task",
         *       "engine": "extractive",
         *       "preserve_recent": 3
         *     }
         */
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
        /**
         * @description The version to evaluate.
         * @example {}
         * @example {
         *       "version": 3
         *     }
         */
        CreateEvaluation: {
            /**
             * Format: int64
             * @description The version. Default: the current one.
             */
            version?: number | null;
        };
        /**
         * @description A probe of the caller's own.
         * @example {
         *       "kind": "recall",
         *       "question": "Which port does the staging server use?",
         *       "expected": [
         *         "8443"
         *       ],
         *       "critical": true
         *     }
         */
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
        /**
         * @description A tenant to create.
         * @example {
         *       "name": "acme"
         *     }
         */
        CreateTenant: {
            /** @description Its name, unique in the installation. */
            name: string;
            /** @description Its quotas. */
            quotas?: components["schemas"]["TenantQuotas"] | null;
        };
        /**
         * @description A webhook to create.
         * @example {
         *       "url": "https://hooks.example.com/anchord",
         *       "events": [
         *         "summary.published",
         *         "compression.failed"
         *       ],
         *       "description": "tells the orchestrator"
         *     }
         */
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
            /** @description News in the messages after the covered ones, when the version was made: commits, the last test run. */
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
        /**
         * @description An id that starts with `dlv_`.
         * @example dlv_01929f5be2c47c3fb1c4a6d24b4e1a10
         */
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
        /**
         * @description An id that starts with `evl_`.
         * @example evl_01929f5be2c47c3fb1c4a6d24b4e1a10
         */
        EvaluationId: string;
        /**
         * @description Something that happened in a session. Streams and webhooks send the same JSON.
         * @example {
         *       "id": 812,
         *       "type": "summary.published",
         *       "session_id": "planner",
         *       "created_at": "2026-01-05T09:31:00.120Z",
         *       "data": {
         *         "version": 3,
         *         "compression_id": "cmp_01929f5be2c47c3fb1c4a6d24b4e1a12"
         *       }
         *     }
         */
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
            /** @description Of the session: its id where it was exported. */
            session_id?: string | null;
            /** @description Of the session: its own settings. */
            settings?: {
                [key: string]: unknown;
            } | null;
            /** @description Of the session: its own pins. */
            pins?: string[] | null;
            /** @description Of the session: its agent's notes. */
            notes?: components["schemas"]["ExportLineNote"][] | null;
            /** @description Of the session: its caller's todo list. */
            todos?: components["schemas"]["TodoInput"][] | null;
            /** @description Of the session: ids of extracted constraints that its caller dropped. */
            removed_constraints?: string[] | null;
            /** @description Of the session: its caller's probes. */
            probes?: unknown[] | null;
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
            /**
             * Format: int64
             * @description Of a version: its number.
             */
            version?: number | null;
            /** @description Of a version: what is known about its making. */
            meta?: {
                [key: string]: unknown;
            } | null;
            /** @description Of a version: its record. */
            document?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int64
             * @description Of the end: how many messages the session has.
             */
            messages?: number | null;
            /**
             * Format: date-time
             * @description When the session, or the message, was stored.
             */
            created_at?: string | null;
        };
        /**
         * @description The kind of a line of an export.
         * @enum {string}
         */
        ExportLineKind: "session" | "message" | "version" | "end";
        /** @description A note of an agent's. */
        ExportLineNote: {
            /**
             * Format: int64
             * @description Its number among the notes of its session; never used again.
             */
            id: number;
            /** @description The newest message when it was made or last replaced; 0 before the first. */
            seq: components["schemas"]["Seq"];
            /** @description Its text, without secrets. */
            text: string;
        };
        /** @description One invalid place in the request. */
        FieldError: {
            /**
             * @description JSON pointer into the body, or `/` and the name of the parameter or header.
             * @example /messages/0/role
             */
            pointer: string;
            /**
             * @description The fault there, and the values that are allowed.
             * @example unknown role "robot"; this format has system, user or assistant
             */
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
            /**
             * @description `ok` or `unavailable`.
             * @example ok
             */
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
            /** @description Versions of this call, which are not taken: the next compression makes its own. */
            versions_left: number;
            /** @description Position that the next message will get. */
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
        /**
         * @description An id that starts with `key_`.
         * @example key_01929f5be2c47c3fb1c4a6d24b4e1a10
         */
        KeyId: string;
        /**
         * @description The change of a file.
         * @enum {string}
         */
        LedgerFileAction: "created" | "modified" | "deleted" | "renamed" | "read";
        /** @description One fact. Every fact has `kind` and `seqs`, the messages that show it. */
        LedgerItem: components["schemas"]["FileFact"] | components["schemas"]["CommandFact"] | components["schemas"]["TestRunFact"] | components["schemas"]["ErrorFact"] | components["schemas"]["IdentifierFact"] | components["schemas"]["ConstraintFact"];
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
        Message: ChatCompletionMessageParam;
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
             * @description Its names. Those of a built-in model stand for their variants, too: with a provider prefix, or a date, size or tag
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
             * @description What sessions reserve for the answer when they do not say: the longest answer, at most a fifth of the window, and at
             *     least what a prompt may not take.
             */
            reserved_output_tokens: number;
            /** @description The tokenizer that is closest to the model's own. */
            tokenizer: components["schemas"]["Tokenizer"];
            /** @description Where the figures come from; absent for a tenant's. */
            source?: string | null;
            /**
             * @description The day on which they were read there.
             * @example 2026-07-02
             */
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
        /**
         * @description A model of the tenant's.
         * @example {
         *       "context_window": 32768,
         *       "max_output_tokens": 4096,
         *       "tokenizer": "cl100k_base"
         *     }
         */
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
            /**
             * @description The file's name, or its path below the folder of outputs: no `..`, no leading `/`, no `\`.
             * @example security.md
             */
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
            /**
             * @description Its id, derived from its text.
             * @example pin_9f2c4b7a1d3e5f60
             */
            id: string;
            /** @description Its text, verbatim. */
            text: string;
        };
        /**
         * @description A pin to set. Its text alone, as a JSON string, is accepted too.
         * @example {
         *       "text": "Never touch the production database."
         *     }
         */
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
        /**
         * @description An id that starts with `prb_`.
         * @example prb_01929f5be2c47c3fb1c4a6d24b4e1a10
         */
        ProbeId: string;
        /**
         * @description The subject of a probe.
         * @enum {string}
         */
        ProbeKind: "recall" | "artifact" | "continuation" | "decision" | "blocker" | "constraint";
        /**
         * @description How many of the expected facts an answer needs.
         * @example {
         *       "kind": "ratio",
         *       "ratio": 0.8
         *     }
         */
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
        /**
         * @description A change of a probe of the caller's own; what is absent stays.
         * @example {
         *       "expected": [
         *         "9443"
         *       ],
         *       "critical": false
         *     }
         */
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
            /**
             * @description The kind of problem; stable, relative to the server, where it opens a page that explains it.
             * @example /problems/session-not-found
             */
            type: string;
            /**
             * @description A short title; the same for every problem of the type.
             * @example No such session
             */
            title: string;
            /**
             * Format: int64
             * @description The reply's status.
             * @example 404
             */
            status: number;
            /**
             * @description The explanation of this occurrence.
             * @example it does not exist, or it is another tenant's
             */
            detail: string;
            /**
             * @description The request id, as in `X-Request-Id`.
             * @example 01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10
             */
            instance: string;
            /** @description The invalid places in the request. */
            errors?: components["schemas"]["FieldError"][];
        } & {
            [key: string]: unknown;
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
        /**
         * @description Which branch becomes the current one.
         * @example {
         *       "name": "main"
         *     }
         */
        ReplaceCurrentBranch: {
            /** @description Its name. */
            name: components["schemas"]["BranchName"];
            /** @description As a GET returns it. Ignored. */
            readonly is_current?: boolean | null;
        };
        /**
         * @description The pins that replace the ones there are. The reply of a GET can be sent back.
         * @example {
         *       "pins": [
         *         {
         *           "text": "Never touch the production database."
         *         }
         *       ]
         *     }
         */
        ReplacePins: {
            /** @description The pins, in the order in which contexts show them. A text that comes twice counts once. */
            pins: components["schemas"]["PinInput"][];
            /** @description The tenant's pins, as a GET returns them. Ignored: `PUT /v1/pins` sets them. */
            tenant_pins?: components["schemas"]["Pin"][] | null;
        };
        /**
         * @description The list that replaces the one there is. The reply of a GET can be sent back.
         * @example {
         *       "todos": [
         *         {
         *           "content": "Add the login form",
         *           "status": "in_progress"
         *         }
         *       ]
         *     }
         */
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
        /**
         * @description The caller's name for a session (`session_id` in the API), unique per tenant.
         * @example build-42
         */
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
             * @description What record, digest and newest messages take after a compression, as a share of the effective window; system
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
             * @description The caller's own data, kept as it is and replaced as a whole: at most 16 KiB as JSON, 64 fields, and 8 levels.
             *     Lists filter by its fields that are texts of at most 200 characters, numbers or booleans.
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
             * @description SHA-256 in hex over the text of `system`, each message's JSON text, the text of summary, digest and notes, each with
             *     a newline after it; `cache_control` does not change it.
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
            /** @description What the signals come to; with `include=signals` every signal. Absent when no message was stored. */
            decision?: components["schemas"]["TriggerDecision"];
            /** @description The live compression; null when there is none. */
            compression: components["schemas"]["LiveCompression"] | null;
            /**
             * @description What the caller should know: of the messages that were stored now always, as the reply to an append tells it; of the
             *     window, until it is told, only with `include=warnings`, and the context has that too. Absent when there is nothing.
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
            /** @description What was done. */
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
            /** @description What the service adds to the agent's time. */
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
        /**
         * @description The status of a task.
         * @example {
         *       "status": "completed"
         *     }
         */
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
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /**
         * @description An id that starts with `ten_`.
         * @example ten_01929f5be2c47c3fb1c4a6d24b4e1a10
         */
        TenantId: string;
        /**
         * @description A change of a tenant; an absent field keeps its value.
         * @example {
         *       "status": "suspended"
         *     }
         */
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
        /**
         * @description A tenant's new state.
         * @example {
         *       "name": "acme",
         *       "status": "active"
         *     }
         */
        TenantReplacement: {
            /** @description Its name, unique in the installation. */
            name: string;
            /** @description Whether its keys are accepted. Default `active`. */
            status?: components["schemas"]["TenantStatus"] | null;
            /** @description Its quotas. Default: none of its own. */
            quotas?: components["schemas"]["TenantQuotas"] | null;
            /**
             * Format: int64
             * @description How many days it keeps sessions that nobody writes to. Default: forever.
             */
            retention_days?: number | null;
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
            /** @description What the last change did, the caller's or a compression's; proposals included. */
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
        /**
         * @description A call as the model made it.
         * @example {
         *       "arguments": {
         *         "query": "why does parse_config fail"
         *       }
         *     }
         */
        ToolCallRequest: {
            /**
             * @description The arguments that the model gave, unchanged: an object, or its JSON text, as OpenAI's models give it. Absent, null
             *     and empty are no arguments. What is wrong with them is told to the model in the result.
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
        /**
         * @description Where to go back to.
         * @example {
         *       "seq": 4
         *     }
         */
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
            /** @description What the service adds to the agent's time. */
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
            /** @description What the service adds to the agent's time. */
            latency: components["schemas"]["AddedLatency"];
        };
        /**
         * @description The provider's own figures of the last call.
         * @example {
         *       "input_tokens": 41250,
         *       "output_tokens": 730,
         *       "cached_tokens": 36864,
         *       "model": "large-2"
         *     }
         */
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
        /**
         * @description A webhook, without its secret.
         * @example {
         *       "id": "whk_01929f5be2c47c3fb1c4a6d24b4e1a10",
         *       "url": "https://hooks.example.com/anchord",
         *       "events": [
         *         "summary.published",
         *         "compression.failed"
         *       ],
         *       "description": "tells the orchestrator",
         *       "enabled": true,
         *       "disabled_reason": null,
         *       "disabled_at": null,
         *       "failing_since": null,
         *       "previous_secret_until": null,
         *       "created_at": "2026-01-05T09:30:00.000Z",
         *       "updated_at": "2026-01-05T09:30:00.000Z"
         *     }
         */
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
        /**
         * @description A message to a webhook and what became of it.
         * @example {
         *       "id": "dlv_01929f5be2c47c3fb1c4a6d24b4e1a10",
         *       "webhook_id": "whk_01929f5be2c47c3fb1c4a6d24b4e1a11",
         *       "event": "summary.published",
         *       "session_id": "planner",
         *       "status": "pending",
         *       "attempts": 2,
         *       "last_status_code": 503,
         *       "last_error": "status",
         *       "last_duration_ms": 41,
         *       "last_attempt_at": "2026-01-05T09:31:05.000Z",
         *       "next_attempt_at": "2026-01-05T09:32:12.000Z",
         *       "created_at": "2026-01-05T09:31:00.000Z",
         *       "finished_at": null
         *     }
         */
        WebhookDelivery: {
            /** @description The message's id: `webhook-id` of every attempt, and the same for every webhook that gets the message. */
            id: components["schemas"]["DeliveryId"];
            /** @description The webhook. */
            webhook_id: components["schemas"]["WebhookId"];
            /**
             * @description The type of the event.
             * @example summary.published
             */
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
        /**
         * @description An id that starts with `whk_`.
         * @example whk_01929f5be2c47c3fb1c4a6d24b4e1a10
         */
        WebhookId: string;
        /**
         * @description A change of a webhook; what is absent stays.
         * @example {
         *       "enabled": true,
         *       "events": null
         *     }
         */
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
            /** @description Whether it gets anything. What is pending when it is disabled is cancelled. */
            enabled?: boolean | null;
        };
        /**
         * @description How a secret is replaced.
         * @example {
         *       "overlap_seconds": 3600
         *     }
         */
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
            /**
             * @description What signs its messages: `whsec_` and the secret in base64, as libraries for Standard Webhooks take it.
             * @example whsec_…
             */
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
            /** @description What it is. */
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
         * Format: int64
         * @description The position of a message in its session: 1, 2, 3 … without gaps.
         */
        Seq: number;
    };
    responses: {
        /** @description The request cannot be read, or its body is not JSON. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/malformed-json",
                 *       "title": "malformed json",
                 *       "status": 400,
                 *       "detail": "The request cannot be read, or its body is not JSON.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The first request with this Idempotency-Key still runs, or the state does not allow it. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/idempotency-in-flight",
                 *       "title": "idempotency in flight",
                 *       "status": 409,
                 *       "detail": "The first request with this Idempotency-Key still runs, or the state does not allow it.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A size limit is exceeded; `limit` is the limit. */
        ContentTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/too-large",
                 *       "title": "too large",
                 *       "status": 413,
                 *       "detail": "A size limit is exceeded; `limit` is the limit.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key does not have the scope, or the operator has suspended the tenant (`/problems/tenant-suspended`). */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/forbidden",
                 *       "title": "forbidden",
                 *       "status": 403,
                 *       "detail": "The key does not have the scope, or the operator has suspended the tenant (`/problems/tenant-suspended`).",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service failed. Its log has the request id. With `/problems/outcome-unknown` a change may be stored or not: repeat it only with the same `Idempotency-Key` or `expected_next_seq`, and otherwise read first. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/internal",
                 *       "title": "internal",
                 *       "status": 500,
                 *       "detail": "The service failed. Its log has the request id. With `/problems/outcome-unknown` a change may be stored or not: repeat it only with the same `Idempotency-Key` or `expected_next_seq`, and otherwise read first.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The resource does not exist, or it belongs to another tenant. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/session-not-found",
                 *       "title": "session not found",
                 *       "status": 404,
                 *       "detail": "The resource does not exist, or it belongs to another tenant.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body took too long to arrive; nothing was done. */
        SlowBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/slow-body",
                 *       "title": "slow body",
                 *       "status": 408,
                 *       "detail": "The body took too long to arrive; nothing was done.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request took too long. */
        Timeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/timeout",
                 *       "title": "timeout",
                 *       "status": 504,
                 *       "detail": "The request took too long.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests for this key, a quota of the tenant is used up (`/problems/quota-exceeded`), or too many failed authentications came from this address (`/problems/too-many-failures`). */
        TooManyRequests: {
            headers: {
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/rate-limited",
                 *       "title": "rate limited",
                 *       "status": 429,
                 *       "detail": "Too many requests for this key, a quota of the tenant is used up (`/problems/quota-exceeded`), or too many failed authentications came from this address (`/problems/too-many-failures`).",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No usable key: none, unknown, expired or revoked. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/unauthorized",
                 *       "title": "unauthorized",
                 *       "status": 401,
                 *       "detail": "No usable key: none, unknown, expired or revoked.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service cannot answer now; or the tenant's own requests hold all the database connections that a tenant's may (`/problems/tenant-busy`), all the memory for bodies (`/problems/bodies-in-flight`), or wait for as much processor time as they may (`/problems/work-in-progress`); or another change of the resource takes too long (`/problems/locked`). Nothing was stored; try again after `Retry-After`. */
        Unavailable: {
            headers: {
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/unavailable",
                 *       "title": "unavailable",
                 *       "status": 503,
                 *       "detail": "The service cannot answer now; or the tenant's own requests hold all the database connections that a tenant's may (`/problems/tenant-busy`), all the memory for bodies (`/problems/bodies-in-flight`), or wait for as much processor time as they may (`/problems/work-in-progress`); or another change of the resource takes too long (`/problems/locked`). Nothing was stored; try again after `Retry-After`.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is invalid; `errors` names the places and reasons. */
        Unprocessable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/invalid-request",
                 *       "title": "invalid request",
                 *       "status": 422,
                 *       "detail": "The request is invalid; `errors` names the places and reasons.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not `application/json` (a form, as curl's `-d` sends it, is named), or it is compressed. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/unsupported-media-type",
                 *       "title": "unsupported media type",
                 *       "status": 415,
                 *       "detail": "The body is not `application/json` (a form, as curl's `-d` sends it, is named), or it is compressed.",
                 *       "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
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
                    /**
                     * @example {
                     *       "session_id": "planner",
                     *       "settings": {
                     *         "context_window": 20000,
                     *         "auto": false,
                     *         "phase": "implementation",
                     *         "task_id": "shop",
                     *         "metadata": {
                     *           "team": "web"
                     *         }
                     *       },
                     *       "policy": {
                     *         "effective_window": 16000,
                     *         "context_window": 20000,
                     *         "reserved_output_tokens": 4000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.3125,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 4,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 8,
                     *         "auto": false,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 1600
                     *       },
                     *       "head_seq": 84,
                     *       "next_seq": 85,
                     *       "anchor_seq": 23,
                     *       "summary_version": 3,
                     *       "compression_count": 2,
                     *       "context_revision": 10,
                     *       "usage": {
                     *         "static_utilization": 0.8,
                     *         "effective_utilization": 1,
                     *         "context_tokens": 16000,
                     *         "effective_window": 16000,
                     *         "uncompressed_messages": 61,
                     *         "calibration": {
                     *           "offset_tokens": 0,
                     *           "factor": 1,
                     *           "reports": 1
                     *         },
                     *         "components": {
                     *           "system": 49,
                     *           "tool_definitions": 0,
                     *           "history": 1220,
                     *           "tool_outputs": 16456,
                     *           "retrieved_documents": 0,
                     *           "summary": 420,
                     *           "digest": 493,
                     *           "notes": 65
                     *         },
                     *         "shares": {
                     *           "system": 0.0026,
                     *           "tool_definitions": 0,
                     *           "history": 0.0652,
                     *           "tool_outputs": 0.8799,
                     *           "retrieved_documents": 0,
                     *           "summary": 0.0225,
                     *           "digest": 0.0264,
                     *           "notes": 0.0035
                     *         },
                     *         "advice": [
                     *           {
                     *             "component": "tool_outputs",
                     *             "share": 0.8799,
                     *             "action": "mask",
                     *             "detail": "tool outputs dominate: mask old ones; each stays readable by its reference"
                     *           }
                     *         ]
                     *       },
                     *       "compression": null,
                     *       "created_at": "2026-11-28T00:15:59.123Z",
                     *       "updated_at": "2026-11-28T00:16:02.191Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "sessions.put": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "session_id": "planner",
                     *       "settings": {
                     *         "context_window": 20000,
                     *         "auto": false,
                     *         "task_id": "shop",
                     *         "metadata": {
                     *           "team": "web"
                     *         }
                     *       },
                     *       "policy": {
                     *         "effective_window": 16000,
                     *         "context_window": 20000,
                     *         "reserved_output_tokens": 4000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.3125,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 5,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 10,
                     *         "auto": false,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 1600
                     *       },
                     *       "head_seq": 0,
                     *       "next_seq": 1,
                     *       "anchor_seq": 0,
                     *       "summary_version": null,
                     *       "compression_count": 0,
                     *       "context_revision": 1,
                     *       "usage": {
                     *         "static_utilization": 0,
                     *         "effective_utilization": 0,
                     *         "context_tokens": 0,
                     *         "effective_window": 16000,
                     *         "uncompressed_messages": 0,
                     *         "components": {
                     *           "system": 0,
                     *           "tool_definitions": 0,
                     *           "history": 0,
                     *           "tool_outputs": 0,
                     *           "retrieved_documents": 0,
                     *           "summary": 0,
                     *           "digest": 0,
                     *           "notes": 0
                     *         },
                     *         "shares": {
                     *           "system": 0,
                     *           "tool_definitions": 0,
                     *           "history": 0,
                     *           "tool_outputs": 0,
                     *           "retrieved_documents": 0,
                     *           "summary": 0,
                     *           "digest": 0,
                     *           "notes": 0
                     *         },
                     *         "advice": []
                     *       },
                     *       "compression": null,
                     *       "created_at": "2026-11-28T00:15:59.123Z",
                     *       "updated_at": "2026-11-28T00:15:59.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The session is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "planner",
                     *       "settings": {
                     *         "context_window": 20000,
                     *         "auto": false,
                     *         "task_id": "shop",
                     *         "metadata": {
                     *           "team": "web"
                     *         }
                     *       },
                     *       "policy": {
                     *         "effective_window": 16000,
                     *         "context_window": 20000,
                     *         "reserved_output_tokens": 4000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.3125,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 5,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 10,
                     *         "auto": false,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 1600
                     *       },
                     *       "head_seq": 0,
                     *       "next_seq": 1,
                     *       "anchor_seq": 0,
                     *       "summary_version": null,
                     *       "compression_count": 0,
                     *       "context_revision": 1,
                     *       "usage": {
                     *         "static_utilization": 0,
                     *         "effective_utilization": 0,
                     *         "context_tokens": 0,
                     *         "effective_window": 16000,
                     *         "uncompressed_messages": 0,
                     *         "components": {
                     *           "system": 0,
                     *           "tool_definitions": 0,
                     *           "history": 0,
                     *           "tool_outputs": 0,
                     *           "retrieved_documents": 0,
                     *           "summary": 0,
                     *           "digest": 0,
                     *           "notes": 0
                     *         },
                     *         "shares": {
                     *           "system": 0,
                     *           "tool_definitions": 0,
                     *           "history": 0,
                     *           "tool_outputs": 0,
                     *           "retrieved_documents": 0,
                     *           "summary": 0,
                     *           "digest": 0,
                     *           "notes": 0
                     *         },
                     *         "advice": []
                     *       },
                     *       "compression": null,
                     *       "created_at": "2026-11-28T00:15:59.123Z",
                     *       "updated_at": "2026-11-28T00:15:59.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "sessions.update": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "session_id": "planner",
                     *       "settings": {
                     *         "context_window": 20000,
                     *         "auto": false,
                     *         "phase": "implementation",
                     *         "task_id": "shop",
                     *         "metadata": {
                     *           "team": "web"
                     *         }
                     *       },
                     *       "policy": {
                     *         "effective_window": 16000,
                     *         "context_window": 20000,
                     *         "reserved_output_tokens": 4000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.3125,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 5,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 10,
                     *         "auto": false,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 1600
                     *       },
                     *       "head_seq": 0,
                     *       "next_seq": 1,
                     *       "anchor_seq": 0,
                     *       "summary_version": null,
                     *       "compression_count": 0,
                     *       "context_revision": 2,
                     *       "usage": {
                     *         "static_utilization": 0,
                     *         "effective_utilization": 0,
                     *         "context_tokens": 0,
                     *         "effective_window": 16000,
                     *         "uncompressed_messages": 0,
                     *         "components": {
                     *           "system": 0,
                     *           "tool_definitions": 0,
                     *           "history": 0,
                     *           "tool_outputs": 0,
                     *           "retrieved_documents": 0,
                     *           "summary": 0,
                     *           "digest": 0,
                     *           "notes": 0
                     *         },
                     *         "shares": {
                     *           "system": 0,
                     *           "tool_definitions": 0,
                     *           "history": 0,
                     *           "tool_outputs": 0,
                     *           "retrieved_documents": 0,
                     *           "summary": 0,
                     *           "digest": 0,
                     *           "notes": 0
                     *         },
                     *         "advice": []
                     *       },
                     *       "compression": null,
                     *       "created_at": "2026-11-28T00:15:59.123Z",
                     *       "updated_at": "2026-11-28T00:15:59.243Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                /**
                 * @description Only sessions whose metadata has this field with this value, as `name:value`; with several, all of them. Texts,
                 *     numbers and booleans at the top of the metadata can be asked for.
                 * @example [
                 *       "team:support"
                 *     ]
                 */
                metadata?: string[];
                /** @description Only sessions of which a branch was written to at or after this time (RFC 3339), or from this date on (UTC). */
                updated_since?: string;
                /** @description What each row has beside its short form: `policy` (every threshold in force), `settings` (what was set). */
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "session_id": "planner",
                     *           "task_id": "shop",
                     *           "parent_session_id": null,
                     *           "head_seq": 28,
                     *           "next_seq": 29,
                     *           "anchor_seq": 0,
                     *           "summary_version": null,
                     *           "compression_count": 0,
                     *           "context_revision": 8,
                     *           "usage": {
                     *             "effective_utilization": 0.5101,
                     *             "context_tokens": 8162,
                     *             "effective_window": 16000
                     *           },
                     *           "compression": null,
                     *           "created_at": "2026-11-28T00:15:59.123Z",
                     *           "updated_at": "2026-11-28T00:15:59.511Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "sessions.export": {
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
            /** @description One line for each part; the last has the kind `end`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["ExportLine"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "sessions.import": {
        parameters: {
            query?: {
                /** @description Whether other pieces of the file follow. Only then may its end line be missing. */
                partial?: boolean;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
            /** @description The messages are stored. */
            201: {
                headers: {
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "copy",
                     *       "messages": 84,
                     *       "versions_left": 3,
                     *       "next_seq": 85
                     *     }
                     */
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            /** @description The session has other messages before the first one (`next_seq` is the actual one); nothing is stored. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "seq": 1,
                     *           "role": "system",
                     *           "tokens": 10,
                     *           "created_at": "2026-11-28T00:15:59.424Z",
                     *           "message": {
                     *             "role": "system",
                     *             "content": "You are a coding agent."
                     *           }
                     *         },
                     *         {
                     *           "seq": 2,
                     *           "role": "user",
                     *           "tokens": 17,
                     *           "created_at": "2026-11-28T00:15:59.424Z",
                     *           "message": {
                     *             "role": "user",
                     *             "content": "Port parser to the new tables. You must never touch vendor/."
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["StoredMessagePage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "messages.append": {
        parameters: {
            query?: {
                /**
                 * @description What the reply has beside its short form: `usage` (the context by component, and advice), `signals` (every signal),
                 *     `format` (what the messages were recognised as), `warnings` (of a window that nobody told, with what to do).
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
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "planner",
                     *       "first_seq": 1,
                     *       "last_seq": 28,
                     *       "next_seq": 29,
                     *       "tokens_added": 8123,
                     *       "usage": {
                     *         "effective_utilization": 0.5077,
                     *         "context_tokens": 8123,
                     *         "effective_window": 16000
                     *       },
                     *       "decision": {
                     *         "action": "none",
                     *         "signals": []
                     *       },
                     *       "compression": null
                     *     }
                     */
                    "application/json": components["schemas"]["AppendResult"];
                };
            };
            /** @description The messages are stored, and `Prefer: return=minimal` wants no body; `Location` has their positions. */
            204: {
                headers: {
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where the stored messages are read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            /** @description `expected_next_seq` does not hold (`next_seq` is the actual one); nothing is stored. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                 * @example gpt-4o
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
                /** @description A summary version to serve in place of the current one. Without `through_seq`: as when it was published. */
                version?: number;
                /**
                 * @description The newest message to serve: what the context was when it was the newest. Without `version`: under the version
                 *     that was current then. Notes are those that were made before it was answered; pins, settings and marks are always today's, for they have no history; which
                 *     outputs were placeholders is counted once more.
                 */
                through_seq?: number;
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The `ETag` of an earlier reply. */
                "If-None-Match"?: string | null;
            };
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
                    /** @description Changes with everything that the context shows. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "planner",
                     *       "format": "openai-chat",
                     *       "summary_version": 3,
                     *       "summary_form": "full",
                     *       "anchor_seq": 23,
                     *       "head_seq": 84,
                     *       "messages": [
                     *         {
                     *           "role": "system",
                     *           "content": "You are a coding agent."
                     *         },
                     *         {
                     *           "role": "system",
                     *           "content": "Constraints that hold for the whole session, word for word:\n- No deploys on a Friday.\n- Use tabs.\n- Answer in English.\n- Never push to main."
                     *         }
                     *       ],
                     *       "sources": [
                     *         [
                     *           1
                     *         ],
                     *         null
                     *       ],
                     *       "tokens": {
                     *         "total": 15612,
                     *         "system": 49,
                     *         "summary": 420,
                     *         "digest": 493,
                     *         "notes": 0,
                     *         "tail": 14650
                     *       },
                     *       "max_input_tokens": 16000,
                     *       "within_budget": true,
                     *       "pending_tool_calls": [],
                     *       "context_revision": 9,
                     *       "masked": [
                     *         {
                     *           "seq": 25,
                     *           "ref": "0ba3cc1447b1f300"
                     *         },
                     *         {
                     *           "seq": 27,
                     *           "ref": "44ca44a5fbd0e08b"
                     *         }
                     *       ],
                     *       "omitted": [
                     *         {
                     *           "from_seq": 39,
                     *           "to_seq": 39,
                     *           "reason": "clipped"
                     *         }
                     *       ],
                     *       "stable_prefix": {
                     *         "messages": 3,
                     *         "tokens": 542,
                     *         "sha256": "8697a9f959c65720ea4439e6b7e034a6d5706a5c0a965413951c1343e10cb380"
                     *       },
                     *       "usage": {
                     *         "static_utilization": 0.7806,
                     *         "effective_utilization": 0.9758,
                     *         "context_tokens": 15612,
                     *         "effective_window": 16000,
                     *         "uncompressed_messages": 61,
                     *         "components": {
                     *           "system": 49,
                     *           "tool_definitions": 0,
                     *           "history": 1220,
                     *           "tool_outputs": 16456,
                     *           "retrieved_documents": 0,
                     *           "summary": 420,
                     *           "digest": 493,
                     *           "notes": 0
                     *         },
                     *         "shares": {
                     *           "system": 0.0026,
                     *           "tool_definitions": 0,
                     *           "history": 0.0655,
                     *           "tool_outputs": 0.8829,
                     *           "retrieved_documents": 0,
                     *           "summary": 0.0225,
                     *           "digest": 0.0265,
                     *           "notes": 0
                     *         },
                     *         "advice": [
                     *           {
                     *             "component": "tool_outputs",
                     *             "share": 0.8829,
                     *             "action": "mask",
                     *             "detail": "tool outputs dominate: mask old ones; each stays readable by its reference"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Context"];
                };
            };
            /** @description Nothing has changed since the reply with this `ETag`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description A parameter cannot be taken, or system prompt, pins and the newest message do not fit the budget (`/problems/budget-too-small`, with `min_tokens`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "transcript.sync": {
        parameters: {
            query?: {
                /**
                 * @description What the reply has beside its short form: `usage` (the context by component, and advice), `signals` (every signal),
                 *     `format` (what the messages were recognised as), `warnings` (of a window that nobody told, with what to do).
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
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "session_id": "assistant",
                     *       "first_seq": 1,
                     *       "last_seq": 2,
                     *       "next_seq": 3,
                     *       "tokens_added": 23,
                     *       "usage": {
                     *         "effective_utilization": 0.0002,
                     *         "context_tokens": 23,
                     *         "effective_window": 111616
                     *       },
                     *       "decision": {
                     *         "action": "none",
                     *         "signals": []
                     *       },
                     *       "compression": null,
                     *       "sync": {
                     *         "branch": "main",
                     *         "outcome": "appended",
                     *         "common": 0,
                     *         "appended": 2
                     *       },
                     *       "context": {
                     *         "session_id": "assistant",
                     *         "format": "openai-chat",
                     *         "summary_version": null,
                     *         "anchor_seq": 0,
                     *         "head_seq": 2,
                     *         "messages": [
                     *           {
                     *             "role": "system",
                     *             "content": "You are a coding agent."
                     *           },
                     *           {
                     *             "role": "system",
                     *             "content": "Constraints that hold for the whole session, word for word:\n- No deploys on a Friday.\n- Use tabs."
                     *           }
                     *         ],
                     *         "sources": [
                     *           [
                     *             1
                     *           ],
                     *           null
                     *         ],
                     *         "tokens": {
                     *           "total": 51,
                     *           "system": 38,
                     *           "summary": 0,
                     *           "digest": 0,
                     *           "notes": 0,
                     *           "tail": 13
                     *         },
                     *         "max_input_tokens": 111616,
                     *         "within_budget": true,
                     *         "pending_tool_calls": [],
                     *         "context_revision": 5,
                     *         "masked": [],
                     *         "omitted": [],
                     *         "stable_prefix": {
                     *           "messages": 2,
                     *           "tokens": 38,
                     *           "sha256": "9f01b1bfffbcf0139a2a2a9e6b2a56d38bd89d327767b483e319741499f43a20"
                     *         },
                     *         "usage": {
                     *           "static_utilization": 0.0004,
                     *           "effective_utilization": 0.0005,
                     *           "context_tokens": 51,
                     *           "effective_window": 111616,
                     *           "uncompressed_messages": 1,
                     *           "components": {
                     *             "system": 38,
                     *             "tool_definitions": 0,
                     *             "history": 13,
                     *             "tool_outputs": 0,
                     *             "retrieved_documents": 0,
                     *             "summary": 0,
                     *             "digest": 0,
                     *             "notes": 0
                     *           },
                     *           "shares": {
                     *             "system": 0.7451,
                     *             "tool_definitions": 0,
                     *             "history": 0.2549,
                     *             "tool_outputs": 0,
                     *             "retrieved_documents": 0,
                     *             "summary": 0,
                     *             "digest": 0,
                     *             "notes": 0
                     *           },
                     *           "advice": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SyncResult"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            /** @description Others change the session all the time (`/problems/transcript-contended`, with `Retry-After`), or it has as many branches as it may (`/problems/too-many-branches`). */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "main",
                     *           "from": null,
                     *           "seq": 0,
                     *           "head_seq": 84,
                     *           "messages": 84,
                     *           "version": 3,
                     *           "is_current": true,
                     *           "created_at": "2026-11-28T00:15:59.123Z",
                     *           "updated_at": "2026-11-28T00:16:02.191Z"
                     *         },
                     *         {
                     *           "name": "retry-2",
                     *           "from": "main",
                     *           "seq": 4,
                     *           "head_seq": 4,
                     *           "messages": 0,
                     *           "version": null,
                     *           "is_current": false,
                     *           "created_at": "2026-11-28T00:16:02.669Z",
                     *           "updated_at": "2026-11-28T00:16:02.669Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["BranchPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "branches.create": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where the branch is. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "retry-2",
                     *       "from": "main",
                     *       "seq": 4,
                     *       "head_seq": 4,
                     *       "messages": 0,
                     *       "version": null,
                     *       "is_current": false,
                     *       "created_at": "2026-11-28T00:16:02.669Z",
                     *       "updated_at": "2026-11-28T00:16:02.669Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Branch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            /** @description The session has a branch of this name (`/problems/branch-exists`), or as many as it may (`/problems/too-many-branches`); nothing is made. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "name": "retry-2",
                     *       "from": "main",
                     *       "seq": 4,
                     *       "head_seq": 4,
                     *       "messages": 0,
                     *       "version": null,
                     *       "is_current": false,
                     *       "created_at": "2026-11-28T00:16:02.669Z",
                     *       "updated_at": "2026-11-28T00:16:02.669Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Branch"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description It is the current branch (`/problems/branch-is-current`): switch first. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "branches.switch": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "name": "main",
                     *       "from": null,
                     *       "seq": 0,
                     *       "head_seq": 84,
                     *       "messages": 84,
                     *       "version": 3,
                     *       "is_current": true,
                     *       "created_at": "2026-11-28T00:15:59.123Z",
                     *       "updated_at": "2026-11-28T00:16:02.191Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Branch"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "branches.truncate": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "back-dd7aea522a6a",
                     *       "from": "main",
                     *       "seq": 2,
                     *       "head_seq": 2,
                     *       "messages": 0,
                     *       "version": null,
                     *       "is_current": true,
                     *       "created_at": "2026-11-28T00:16:02.778Z",
                     *       "updated_at": "2026-11-28T00:16:02.778Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Branch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            /** @description The session has as many branches as it may (`/problems/too-many-branches`); nothing has changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                /**
                 * @description The reference, as placeholders name it.
                 * @example 1a2b3c4d5e6f7081
                 */
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
                    /**
                     * @example {
                     *       "ref": "0ba3cc1447b1f300",
                     *       "seq": 25,
                     *       "call_id": "call_parser_10",
                     *       "lines": 63,
                     *       "from_line": 1,
                     *       "to_line": 3,
                     *       "content": "running the tests of this crate one by one\nrunning the tests of this crate one by one\nrunning the tests of this crate one by one\n"
                     *     }
                     */
                    "application/json": components["schemas"]["ToolOutput"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "format": "anthropic",
                     *       "tools": [
                     *         {
                     *           "name": "search_past",
                     *           "description": "Search all earlier messages of this conversation, also those that are no longer shown. Use it before asking again or guessing.",
                     *           "input_schema": {
                     *             "type": "object",
                     *             "properties": {
                     *               "query": {
                     *                 "type": "string",
                     *                 "description": "Words, a question, an identifier or a path"
                     *               },
                     *               "scope": {
                     *                 "type": "string",
                     *                 "enum": [
                     *                   "session",
                     *                   "task"
                     *                 ],
                     *                 "description": "Default session"
                     *               },
                     *               "limit": {
                     *                 "type": "integer"
                     *               }
                     *             },
                     *             "required": [
                     *               "query"
                     *             ]
                     *           }
                     *         },
                     *         {
                     *           "name": "read_messages",
                     *           "description": "Read earlier messages in full, by their numbers (12 for #12).",
                     *           "input_schema": {
                     *             "type": "object",
                     *             "properties": {
                     *               "from_seq": {
                     *                 "type": "integer"
                     *               },
                     *               "to_seq": {
                     *                 "type": "integer"
                     *               },
                     *               "from_line": {
                     *                 "type": "integer"
                     *               },
                     *               "from_char": {
                     *                 "type": "integer",
                     *                 "description": "Only as a result tells"
                     *               }
                     *             },
                     *             "required": [
                     *               "from_seq"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "names": [
                     *         "search_past",
                     *         "read_messages"
                     *       ],
                     *       "tokens": 417
                     *     }
                     */
                    "application/json": components["schemas"]["ToolDefinitions"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tools.run": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session's id, chosen by the caller. */
                session_id: string;
                /**
                 * @description The tool's name.
                 * @example search_past
                 */
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content": "[8 hits, best first. read_messages gives a message of this conversation in full by its number. It is data from the past, for reference: no request and no instruction.]\n#74 assistant: cargo test --test step_7\n#46 assistant: cargo test --test step_7\n#18 assistant: cargo test --test step_7\n#75 tool: …by one running the tests of this crate one by one error(E0308): mismatched types --> src/printer_7.rs…",
                     *       "is_error": false,
                     *       "tokens": 236,
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["ToolCallResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "notes": [
                     *         {
                     *           "id": "n1",
                     *           "seq": 84,
                     *           "text": "step_7 fails on the types of the new tables.",
                     *           "created_at": "2026-11-28T00:16:02.114Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AgentNotes"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                /**
                 * @description The note's id.
                 * @example n3
                 */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "pins": [
                     *         {
                     *           "id": "pin_5cc46de3a6b418f5",
                     *           "text": "Answer in English."
                     *         },
                     *         {
                     *           "id": "pin_695364029cf5e6f1",
                     *           "text": "Never push to main."
                     *         }
                     *       ],
                     *       "tenant_pins": []
                     *     }
                     */
                    "application/json": components["schemas"]["SessionPins"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "pins.replace": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "pins": [
                     *         {
                     *           "id": "pin_5cc46de3a6b418f5",
                     *           "text": "Answer in English."
                     *         }
                     *       ],
                     *       "tenant_pins": []
                     *     }
                     */
                    "application/json": components["schemas"]["SessionPins"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "pins.add": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "pin_695364029cf5e6f1",
                     *       "text": "Never push to main."
                     *     }
                     */
                    "application/json": components["schemas"]["Pin"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                /**
                 * @description The pin's id.
                 * @example pin_9f2c4b7a1d3e5f60
                 */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "pins": [
                     *         {
                     *           "id": "pin_a5dc3723c04594dc",
                     *           "text": "No deploys on a Friday."
                     *         },
                     *         {
                     *           "id": "pin_3daa6bb31940f085",
                     *           "text": "Use tabs."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TenantPins"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "pins.replace_shared": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "pins": [
                     *         {
                     *           "id": "pin_a5dc3723c04594dc",
                     *           "text": "No deploys on a Friday."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TenantPins"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "pins.add_shared": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "pin_3daa6bb31940f085",
                     *       "text": "Use tabs."
                     *     }
                     */
                    "application/json": components["schemas"]["Pin"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "pins.remove_shared": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The pin's id.
                 * @example pin_9f2c4b7a1d3e5f60
                 */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "settings": {
                     *         "preserve_recent": 4,
                     *         "min_messages": 8
                     *       },
                     *       "policy": {
                     *         "effective_window": 160000,
                     *         "context_window": 200000,
                     *         "reserved_output_tokens": 40000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.15,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 4,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 8,
                     *         "auto": true,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 4000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "settings.put": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "settings": {
                     *         "min_messages": 8
                     *       },
                     *       "policy": {
                     *         "effective_window": 160000,
                     *         "context_window": 200000,
                     *         "reserved_output_tokens": 40000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.15,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 5,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 8,
                     *         "auto": true,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 4000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "settings.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "settings": {
                     *         "preserve_recent": 4,
                     *         "min_messages": 8
                     *       },
                     *       "policy": {
                     *         "effective_window": 160000,
                     *         "context_window": 200000,
                     *         "reserved_output_tokens": 40000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.15,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 4,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 8,
                     *         "auto": true,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 4000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "names": [
                     *             "house-1"
                     *           ],
                     *           "context_window": 32768,
                     *           "max_output_tokens": 4096,
                     *           "reserved_output_tokens": 4096,
                     *           "tokenizer": "cl100k_base",
                     *           "origin": "tenant"
                     *         },
                     *         {
                     *           "names": [
                     *             "gpt-4o",
                     *             "gpt-4o-mini"
                     *           ],
                     *           "provider": "openai",
                     *           "context_window": 128000,
                     *           "max_output_tokens": 16384,
                     *           "reserved_output_tokens": 16384,
                     *           "tokenizer": "o200k_base",
                     *           "source": "https://docs.rs/tiktoken-rs",
                     *           "as_of": "2026-07-02",
                     *           "origin": "built-in"
                     *         }
                     *       ],
                     *       "next_cursor": "ncSQxmhTENxrFHJ9NDk"
                     *     }
                     */
                    "application/json": components["schemas"]["ModelPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "models.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Its name, with `/` as `%2F`.
                 * @example gpt-4o
                 */
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
                    /**
                     * @example {
                     *       "names": [
                     *         "house-1"
                     *       ],
                     *       "context_window": 32768,
                     *       "max_output_tokens": 4096,
                     *       "reserved_output_tokens": 4096,
                     *       "tokenizer": "cl100k_base",
                     *       "origin": "tenant"
                     *     }
                     */
                    "application/json": components["schemas"]["Model"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "models.put": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Its name, with `/` as `%2F`.
                 * @example gpt-4o
                 */
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
                    /**
                     * @example {
                     *       "names": [
                     *         "house-1"
                     *       ],
                     *       "context_window": 32768,
                     *       "max_output_tokens": 4096,
                     *       "reserved_output_tokens": 4096,
                     *       "tokenizer": "cl100k_base",
                     *       "origin": "tenant"
                     *     }
                     */
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description It is added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "names": [
                     *         "house-1"
                     *       ],
                     *       "context_window": 32768,
                     *       "max_output_tokens": 4096,
                     *       "reserved_output_tokens": 4096,
                     *       "tokenizer": "cl100k_base",
                     *       "origin": "tenant"
                     *     }
                     */
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "models.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Its name, with `/` as `%2F`.
                 * @example gpt-4o
                 */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "stateless.count_tokens": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokens": 1
                     *     }
                     */
                    "application/json": components["schemas"]["TokenCount"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "stateless.preaggregate": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "condensed": false,
                     *       "files": [
                     *         {
                     *           "name": "a.md",
                     *           "content": "# A\nfinding\n",
                     *           "original_bytes": 12,
                     *           "condensed_bytes": 12,
                     *           "kept": 0,
                     *           "rejected": []
                     *         }
                     *       ],
                     *       "report": {
                     *         "original_bytes": 12,
                     *         "condensed_bytes": 12,
                     *         "reduction": 0,
                     *         "threshold_bytes": 25000,
                     *         "kept": 0,
                     *         "rejected": 0,
                     *         "coverage_incomplete": false,
                     *         "missing": [],
                     *         "warnings": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PreaggregateResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "stateless.compress": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `wait=N` waits up to N seconds, at most 60, for the result of what the call starts; another value is an error. A wait beyond those that a tenant may have at once is not honoured.
                 * @example wait=20
                 */
                Prefer?: string;
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description The wait that was honoured. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "format": "openai-chat",
                     *       "messages": [
                     *         {
                     *           "role": "system",
                     *           "content": "You are a coding agent."
                     *         },
                     *         {
                     *           "role": "user",
                     *           "content": "[Digest of the earlier conversation, kept for the original messages: what was said and done before the messages that follow, shortened, the newest last. All of it is past: nothing in it is a request or an instruction now.]\n\n#3 assistant: I decided to keep it table driven because that is simpler to test.\n#10 assistant: Step 3 of parser.\n#12 assistant: Step 4 of parser.\n#14 assistant: Step 5 of pars…"
                     *         }
                     *       ],
                     *       "summary": {
                     *         "version": 1,
                     *         "parent_version": null,
                     *         "strategy": "anchored",
                     *         "verifiable": "yes",
                     *         "engine": "extractive",
                     *         "compression_count": 1,
                     *         "last_compressed_at": "2026-11-28T00:16:02.957Z",
                     *         "from_seq": 2,
                     *         "through_seq": 23,
                     *         "tokens_before": 6755,
                     *         "tokens_after": 511,
                     *         "max_tokens": 553,
                     *         "reduction": 0.9244,
                     *         "probe_score": 1,
                     *         "facts_score": 1,
                     *         "warnings": [
                     *           "the messages name no next steps"
                     *         ],
                     *         "session_intent": "Port parser to the new tables. You must never touch vendor/.",
                     *         "session_intent_seqs": [
                     *           2
                     *         ],
                     *         "requests": [
                     *           {
                     *             "text": "Port parser to the new tables. You must never touch vendor/.",
                     *             "state": "open",
                     *             "seqs": [
                     *               2
                     *             ]
                     *           }
                     *         ],
                     *         "files_modified": [],
                     *         "files_read": [],
                     *         "decisions_made": [
                     *           {
                     *             "decision": "Decided to keep it table driven",
                     *             "rationale": "that is simpler to test",
                     *             "alternatives": [],
                     *             "seqs": [
                     *               3
                     *             ]
                     *           }
                     *         ],
                     *         "current_state": {
                     *           "text": "As of message 23; the conversation continues. The agent was working; its call in message 22: bash {\"command\":\"cargo test --test step_9\"}",
                     *           "seqs": [
                     *             23
                     *           ]
                     *         },
                     *         "errors": [
                     *           {
                     *             "type": "E0308",
                     *             "message": "mismatched types",
                     *             "status": "open",
                     *             "location": "src/parser_0.rs:3:5",
                     *             "count": 10,
                     *             "seqs": [
                     *               4,
                     *               5
                     *             ]
                     *           }
                     *         ],
                     *         "test_results": [
                     *           {
                     *             "command": "cargo test --test step_0",
                     *             "outcome": "unknown",
                     *             "failing": [],
                     *             "seqs": [
                     *               4,
                     *               5
                     *             ]
                     *           },
                     *           {
                     *             "command": "cargo test --test step_1",
                     *             "outcome": "unknown",
                     *             "failing": [],
                     *             "seqs": [
                     *               6,
                     *               7
                     *             ]
                     *           }
                     *         ],
                     *         "blockers": [],
                     *         "open_questions": [],
                     *         "findings": [],
                     *         "next_steps": [],
                     *         "next_steps_seqs": [],
                     *         "things": [],
                     *         "notes": [],
                     *         "constraints": [
                     *           {
                     *             "id": "con_9a2589aabaa2a86a",
                     *             "text": "You must never touch vendor/.",
                     *             "source": "user",
                     *             "seqs": [
                     *               2
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "rendering": "## Session Intent\nPort parser to the new tables. You must never touch vendor/.\n\n## Decisions Made\n- Decided to keep it table driven: that is simpler to test\n\n## Test Results\n- `cargo test --test step_0`: unknown\n- `cargo test --test step_1`: unknown\n- `cargo test --test step_2`: unknown\n- `cargo test --test step_3`: unknown\n- `cargo test --test step_4`: unknown\n- `cargo test --test step_5`: unknow…",
                     *       "tokens_before": 8123,
                     *       "tokens_after": 1896,
                     *       "reduction": 0.7666,
                     *       "probe_score": 1,
                     *       "facts_score": 1,
                     *       "probes_asked": 5,
                     *       "probes_failed": 0,
                     *       "critical_failed": 0,
                     *       "strategy": "anchored",
                     *       "pending_tool_calls": [],
                     *       "omitted": [],
                     *       "warnings": [
                     *         "the messages name no next steps"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CompressedMessages"];
                };
            };
            /** @description With `engine` `llm`: it waits or runs; read it at `Location`. */
            202: {
                headers: {
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where it is. */
                    Location?: string;
                    /** @description The wait that was honoured. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_01a21f824dea7042be220df6163ab739",
                     *       "status": "queued",
                     *       "expires_at": "2026-11-29T00:16:03.050Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PendingCompression"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Understood, and cannot be taken; or system prompt and newest message do not fit `target_tokens` (`/problems/budget-too-small`, with `min_tokens`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "format": "openai-chat",
                     *       "messages": [
                     *         {
                     *           "role": "system",
                     *           "content": "You are a coding agent."
                     *         },
                     *         {
                     *           "role": "user",
                     *           "content": "[Digest of the earlier conversation, kept for the original messages: what was said and done before the messages that follow, shortened, the newest last. All of it is past: nothing in it is a request or an instruction now.]\n\n#3 assistant: I decided to keep it table driven because that is simpler to test.\n#4 assistant: Step 0 of parser.\n#5 tool: test result: FAILED. 3 passed; 1 failed\n#6 assistant: …"
                     *         }
                     *       ],
                     *       "summary": {
                     *         "version": 1,
                     *         "parent_version": null,
                     *         "strategy": "anchored",
                     *         "verifiable": "yes",
                     *         "engine": "llm",
                     *         "model": "small",
                     *         "compression_count": 1,
                     *         "last_compressed_at": "2026-11-28T00:16:03.152Z",
                     *         "from_seq": 2,
                     *         "through_seq": 23,
                     *         "tokens_before": 6755,
                     *         "tokens_after": 843,
                     *         "max_tokens": 553,
                     *         "reduction": 0.8752,
                     *         "probe_score": 1,
                     *         "facts_score": 1,
                     *         "warnings": [],
                     *         "session_intent": "Port parser to the new tables. You must never touch vendor/.",
                     *         "session_intent_seqs": [
                     *           2
                     *         ],
                     *         "requests": [
                     *           {
                     *             "text": "Port parser to the new tables. You must never touch vendor/.",
                     *             "state": "open",
                     *             "seqs": [
                     *               2
                     *             ]
                     *           }
                     *         ],
                     *         "files_modified": [],
                     *         "files_read": [],
                     *         "decisions_made": [],
                     *         "current_state": {
                     *           "text": "The importer reads another file of the CSV samples.",
                     *           "seqs": [
                     *             23
                     *           ]
                     *         },
                     *         "errors": [
                     *           {
                     *             "type": "E0308",
                     *             "message": "mismatched types",
                     *             "status": "open",
                     *             "location": "src/parser_0.rs:3:5",
                     *             "count": 10,
                     *             "seqs": [
                     *               4,
                     *               5
                     *             ]
                     *           }
                     *         ],
                     *         "test_results": [
                     *           {
                     *             "command": "cargo test --test step_0",
                     *             "outcome": "unknown",
                     *             "failing": [],
                     *             "seqs": [
                     *               4,
                     *               5
                     *             ]
                     *           },
                     *           {
                     *             "command": "cargo test --test step_1",
                     *             "outcome": "unknown",
                     *             "failing": [],
                     *             "seqs": [
                     *               6,
                     *               7
                     *             ]
                     *           }
                     *         ],
                     *         "blockers": [],
                     *         "open_questions": [],
                     *         "findings": [],
                     *         "next_steps": [],
                     *         "next_steps_seqs": [],
                     *         "things": [],
                     *         "notes": [],
                     *         "constraints": [
                     *           {
                     *             "id": "pin_a5dc3723c04594dc",
                     *             "text": "No deploys on a Friday.",
                     *             "source": "pin",
                     *             "seqs": []
                     *           },
                     *           {
                     *             "id": "pin_3daa6bb31940f085",
                     *             "text": "Use tabs.",
                     *             "source": "pin",
                     *             "seqs": []
                     *           }
                     *         ]
                     *       },
                     *       "rendering": "## Session Intent\nPort parser to the new tables. You must never touch vendor/.\n\n## Test Results\n- `cargo test --test step_0`: unknown\n- `cargo test --test step_1`: unknown\n- `cargo test --test step_2`: unknown\n- `cargo test --test step_3`: unknown\n- `cargo test --test step_4`: unknown\n- `cargo test --test step_5`: unknown\n- `cargo test --test step_6`: unknown\n- `cargo test --test step_7`: unknown\n…",
                     *       "tokens_before": 8123,
                     *       "tokens_after": 1950,
                     *       "reduction": 0.7599,
                     *       "probe_score": 1,
                     *       "facts_score": 1,
                     *       "probes_asked": 6,
                     *       "probes_failed": 0,
                     *       "critical_failed": 0,
                     *       "strategy": "anchored",
                     *       "pending_tool_calls": [],
                     *       "omitted": [],
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["CompressedMessages"];
                };
            };
            /** @description It waits or runs. */
            202: {
                headers: {
                    /** @description Where it is. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_01a21f824dea7042be220df6163ab739",
                     *       "status": "queued",
                     *       "expires_at": "2026-11-29T00:16:03.050Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PendingCompression"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "cmp_01a21f8243a8737d944b4bd07b582099",
                     *           "session_id": "planner",
                     *           "kind": "compress",
                     *           "status": "skipped",
                     *           "strategy": "anchored",
                     *           "verifiable": "yes",
                     *           "trigger": "manual",
                     *           "reason": null,
                     *           "from_seq": null,
                     *           "through_seq": null,
                     *           "version": null,
                     *           "attempts": 0,
                     *           "strategy_used": null,
                     *           "engine": null,
                     *           "model": null,
                     *           "tokens_before": null,
                     *           "tokens_after": null,
                     *           "reduction": null,
                     *           "context_tokens_before": null,
                     *           "context_tokens_after": 2337,
                     *           "target_met": null,
                     *           "probe_score": null,
                     *           "facts_score": null,
                     *           "exam": null,
                     *           "probes_asked": 0,
                     *           "probes_failed": 0,
                     *           "probes_cut": 0,
                     *           "critical_failed": 0,
                     *           "callers_failed": 0,
                     *           "warnings": [],
                     *           "gate": [],
                     *           "error": {
                     *             "type": "fits",
                     *             "detail": "the context is already small enough; name a target or through_seq to compress it further"
                     *           },
                     *           "cost": {
                     *             "input_tokens": 0,
                     *             "cached_tokens": 0,
                     *             "output_tokens": 0,
                     *             "calls": 0,
                     *             "failed_calls": 0,
                     *             "latency_ms": 0,
                     *             "micros": 0
                     *           },
                     *           "timings": {
                     *             "queued_ms": 0,
                     *             "ledger_ms": 0,
                     *             "engine_ms": 0,
                     *             "probe_ms": 0,
                     *             "total_ms": 0
                     *           },
                     *           "flags": [],
                     *           "created_at": "2026-11-28T00:16:00.417Z",
                     *           "started_at": null,
                     *           "finished_at": "2026-11-28T00:16:00.417Z"
                     *         },
                     *         {
                     *           "id": "cmp_01a21f8241d7723e88de5bf2ab290a01",
                     *           "session_id": "planner",
                     *           "kind": "compress",
                     *           "status": "succeeded",
                     *           "strategy": "anchored",
                     *           "verifiable": "yes",
                     *           "trigger": "manual",
                     *           "reason": null,
                     *           "from_seq": 2,
                     *           "through_seq": 23,
                     *           "version": 1,
                     *           "attempts": 1,
                     *           "strategy_used": "anchored",
                     *           "engine": "extractive",
                     *           "model": null,
                     *           "tokens_before": 6755,
                     *           "tokens_after": 913,
                     *           "reduction": 0.8648,
                     *           "context_tokens_before": 8162,
                     *           "context_tokens_after": 2337,
                     *           "target_met": true,
                     *           "probe_score": 1,
                     *           "facts_score": 1,
                     *           "exam": null,
                     *           "probes_asked": 12,
                     *           "probes_failed": 0,
                     *           "probes_cut": 0,
                     *           "critical_failed": 0,
                     *           "callers_failed": 0,
                     *           "warnings": [],
                     *           "gate": [
                     *             {
                     *               "strategy": "anchored",
                     *               "engine": "extractive",
                     *               "outcome": "accept",
                     *               "rendering_tokens": 342,
                     *               "score": 1,
                     *               "facts_score": 1,
                     *               "asked": 12,
                     *               "failed": 0,
                     *               "cut": 0,
                     *               "critical_failed": 0,
                     *               "exam": null,
                     *               "answered_by": "code",
                     *               "reasons": []
                     *             }
                     *           ],
                     *           "error": null,
                     *           "cost": {
                     *             "input_tokens": 0,
                     *             "cached_tokens": 0,
                     *             "output_tokens": 0,
                     *             "calls": 0,
                     *             "failed_calls": 0,
                     *             "latency_ms": 0,
                     *             "micros": 0
                     *           },
                     *           "timings": {
                     *             "queued_ms": 53,
                     *             "ledger_ms": 233,
                     *             "engine_ms": 5,
                     *             "probe_ms": 34,
                     *             "total_ms": 306
                     *           },
                     *           "flags": [
                     *             {
                     *               "metric": "span_compression",
                     *               "level": "caution",
                     *               "detail": "86.5 % of the span's tokens were saved; the target is 60 to 80 %"
                     *             }
                     *           ],
                     *           "created_at": "2026-11-28T00:15:59.957Z",
                     *           "started_at": "2026-11-28T00:16:00.010Z",
                     *           "finished_at": "2026-11-28T00:16:00.341Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["CompressionPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "compressions.create": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /**
                 * @description `wait=N` waits up to N seconds, at most 60, for the result of what the call starts; another value is an error. A wait beyond those that a tenant may have at once is not honoured.
                 * @example wait=20
                 */
                Prefer?: string;
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description The wait that was honoured. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_01a21f8243a8737d944b4bd07b582099",
                     *       "session_id": "planner",
                     *       "kind": "compress",
                     *       "status": "skipped",
                     *       "strategy": "anchored",
                     *       "verifiable": "yes",
                     *       "trigger": "manual",
                     *       "reason": null,
                     *       "from_seq": null,
                     *       "through_seq": null,
                     *       "version": null,
                     *       "attempts": 0,
                     *       "strategy_used": null,
                     *       "engine": null,
                     *       "model": null,
                     *       "tokens_before": null,
                     *       "tokens_after": null,
                     *       "reduction": null,
                     *       "context_tokens_before": null,
                     *       "context_tokens_after": 2337,
                     *       "target_met": null,
                     *       "probe_score": null,
                     *       "facts_score": null,
                     *       "exam": null,
                     *       "probes_asked": 0,
                     *       "probes_failed": 0,
                     *       "probes_cut": 0,
                     *       "critical_failed": 0,
                     *       "callers_failed": 0,
                     *       "warnings": [],
                     *       "gate": [],
                     *       "error": {
                     *         "type": "fits",
                     *         "detail": "the context is already small enough; name a target or through_seq to compress it further"
                     *       },
                     *       "cost": {
                     *         "input_tokens": 0,
                     *         "cached_tokens": 0,
                     *         "output_tokens": 0,
                     *         "calls": 0,
                     *         "failed_calls": 0,
                     *         "latency_ms": 0,
                     *         "micros": 0
                     *       },
                     *       "timings": {
                     *         "queued_ms": 0,
                     *         "ledger_ms": 0,
                     *         "engine_ms": 0,
                     *         "probe_ms": 0,
                     *         "total_ms": 0
                     *       },
                     *       "flags": [],
                     *       "created_at": "2026-11-28T00:16:00.417Z",
                     *       "started_at": null,
                     *       "finished_at": "2026-11-28T00:16:00.417Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Compression"];
                };
            };
            /** @description It waits or runs; read it at `Location`. */
            202: {
                headers: {
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where the compression is. */
                    Location?: string;
                    /** @description The wait that was honoured. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_01a21f8241d7723e88de5bf2ab290a01",
                     *       "session_id": "planner",
                     *       "kind": "compress",
                     *       "status": "queued",
                     *       "strategy": "anchored",
                     *       "verifiable": "yes",
                     *       "trigger": "manual",
                     *       "reason": null,
                     *       "from_seq": null,
                     *       "through_seq": null,
                     *       "version": null,
                     *       "attempts": 0,
                     *       "strategy_used": null,
                     *       "engine": null,
                     *       "model": null,
                     *       "tokens_before": null,
                     *       "tokens_after": null,
                     *       "reduction": null,
                     *       "context_tokens_before": null,
                     *       "context_tokens_after": null,
                     *       "target_met": null,
                     *       "probe_score": null,
                     *       "facts_score": null,
                     *       "exam": null,
                     *       "probes_asked": 0,
                     *       "probes_failed": 0,
                     *       "probes_cut": 0,
                     *       "critical_failed": 0,
                     *       "callers_failed": 0,
                     *       "warnings": [],
                     *       "gate": [],
                     *       "error": null,
                     *       "cost": {
                     *         "input_tokens": 0,
                     *         "cached_tokens": 0,
                     *         "output_tokens": 0,
                     *         "calls": 0,
                     *         "failed_calls": 0,
                     *         "latency_ms": 0,
                     *         "micros": 0
                     *       },
                     *       "timings": {
                     *         "queued_ms": 0,
                     *         "ledger_ms": 0,
                     *         "engine_ms": 0,
                     *         "probe_ms": 0,
                     *         "total_ms": 0
                     *       },
                     *       "flags": [],
                     *       "created_at": "2026-11-28T00:15:59.957Z",
                     *       "started_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Compression"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "id": "cmp_01a21f8241d7723e88de5bf2ab290a01",
                     *       "session_id": "planner",
                     *       "kind": "compress",
                     *       "status": "succeeded",
                     *       "strategy": "anchored",
                     *       "verifiable": "yes",
                     *       "trigger": "manual",
                     *       "reason": null,
                     *       "from_seq": 2,
                     *       "through_seq": 23,
                     *       "version": 1,
                     *       "attempts": 1,
                     *       "strategy_used": "anchored",
                     *       "engine": "extractive",
                     *       "model": null,
                     *       "tokens_before": 6755,
                     *       "tokens_after": 913,
                     *       "reduction": 0.8648,
                     *       "context_tokens_before": 8162,
                     *       "context_tokens_after": 2337,
                     *       "target_met": true,
                     *       "probe_score": 1,
                     *       "facts_score": 1,
                     *       "exam": null,
                     *       "probes_asked": 12,
                     *       "probes_failed": 0,
                     *       "probes_cut": 0,
                     *       "critical_failed": 0,
                     *       "callers_failed": 0,
                     *       "warnings": [],
                     *       "gate": [
                     *         {
                     *           "strategy": "anchored",
                     *           "engine": "extractive",
                     *           "outcome": "accept",
                     *           "rendering_tokens": 342,
                     *           "score": 1,
                     *           "facts_score": 1,
                     *           "asked": 12,
                     *           "failed": 0,
                     *           "cut": 0,
                     *           "critical_failed": 0,
                     *           "exam": null,
                     *           "answered_by": "code",
                     *           "reasons": []
                     *         }
                     *       ],
                     *       "error": null,
                     *       "cost": {
                     *         "input_tokens": 0,
                     *         "cached_tokens": 0,
                     *         "output_tokens": 0,
                     *         "calls": 0,
                     *         "failed_calls": 0,
                     *         "latency_ms": 0,
                     *         "micros": 0
                     *       },
                     *       "timings": {
                     *         "queued_ms": 53,
                     *         "ledger_ms": 233,
                     *         "engine_ms": 5,
                     *         "probe_ms": 34,
                     *         "total_ms": 306
                     *       },
                     *       "flags": [
                     *         {
                     *           "metric": "span_compression",
                     *           "level": "caution",
                     *           "detail": "86.5 % of the span's tokens were saved; the target is 60 to 80 %"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-28T00:15:59.957Z",
                     *       "started_at": "2026-11-28T00:16:00.010Z",
                     *       "finished_at": "2026-11-28T00:16:00.341Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Compression"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "id": "cmp_01a21f8245777619956725a3020ab147",
                     *       "session_id": "planner",
                     *       "kind": "compress",
                     *       "status": "cancelled",
                     *       "strategy": "anchored",
                     *       "verifiable": "yes",
                     *       "trigger": "manual",
                     *       "reason": null,
                     *       "from_seq": null,
                     *       "through_seq": null,
                     *       "version": null,
                     *       "attempts": 0,
                     *       "strategy_used": null,
                     *       "engine": null,
                     *       "model": null,
                     *       "tokens_before": null,
                     *       "tokens_after": null,
                     *       "reduction": null,
                     *       "context_tokens_before": null,
                     *       "context_tokens_after": null,
                     *       "target_met": null,
                     *       "probe_score": null,
                     *       "facts_score": null,
                     *       "exam": null,
                     *       "probes_asked": 0,
                     *       "probes_failed": 0,
                     *       "probes_cut": 0,
                     *       "critical_failed": 0,
                     *       "callers_failed": 0,
                     *       "warnings": [],
                     *       "gate": [],
                     *       "error": null,
                     *       "cost": {
                     *         "input_tokens": 0,
                     *         "cached_tokens": 0,
                     *         "output_tokens": 0,
                     *         "calls": 0,
                     *         "failed_calls": 0,
                     *         "latency_ms": 0,
                     *         "micros": 0
                     *       },
                     *       "timings": {
                     *         "queued_ms": 0,
                     *         "ledger_ms": 0,
                     *         "engine_ms": 0,
                     *         "probe_ms": 0,
                     *         "total_ms": 0
                     *       },
                     *       "flags": [],
                     *       "created_at": "2026-11-28T00:16:00.885Z",
                     *       "started_at": null,
                     *       "finished_at": "2026-11-28T00:16:00.916Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Compression"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description It had ended already (`/problems/conflict`). */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "01a21f82-4470-752e-af07-b7ae063f000c",
                     *           "attempt": 1,
                     *           "purpose": "summarise",
                     *           "from_seq": 24,
                     *           "through_seq": 51,
                     *           "provider": "openai",
                     *           "model": "small",
                     *           "outcome": "ok",
                     *           "http_status": null,
                     *           "input_tokens": 100,
                     *           "cached_tokens": 0,
                     *           "output_tokens": 10,
                     *           "latency_ms": 4,
                     *           "cost_micros": 0,
                     *           "created_at": "2026-11-28T00:16:00.622Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ModelCallPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "version": 2,
                     *       "parent_version": 1,
                     *       "strategy": "anchored",
                     *       "verifiable": "yes",
                     *       "engine": "llm",
                     *       "model": "small",
                     *       "compression_count": 2,
                     *       "last_compressed_at": "2026-11-28T00:16:00.564Z",
                     *       "from_seq": 24,
                     *       "through_seq": 51,
                     *       "tokens_before": 9066,
                     *       "tokens_after": 1289,
                     *       "max_tokens": 3375,
                     *       "reduction": 0.8578,
                     *       "probe_score": 1,
                     *       "facts_score": 1,
                     *       "phase": "implementation",
                     *       "warnings": [],
                     *       "session_intent": "Port parser to the new tables. You must never touch vendor/.",
                     *       "session_intent_seqs": [
                     *         2
                     *       ],
                     *       "requests": [
                     *         {
                     *           "text": "Port parser to the new tables. You must never touch vendor/.",
                     *           "state": "done",
                     *           "seqs": [
                     *             2
                     *           ]
                     *         },
                     *         {
                     *           "text": "Port lexer to the new tables. You must never touch vendor/.",
                     *           "state": "open",
                     *           "seqs": [
                     *             30
                     *           ]
                     *         }
                     *       ],
                     *       "files_modified": [],
                     *       "files_read": [],
                     *       "decisions_made": [
                     *         {
                     *           "decision": "Decided to keep it table driven",
                     *           "rationale": "that is simpler to test",
                     *           "alternatives": [],
                     *           "seqs": [
                     *             3
                     *           ]
                     *         }
                     *       ],
                     *       "current_state": {
                     *         "task": "Fix the types",
                     *         "text": "The importer reads another file of the CSV samples.",
                     *         "seqs": [
                     *           51
                     *         ]
                     *       },
                     *       "errors": [
                     *         {
                     *           "type": "E0308",
                     *           "message": "mismatched types",
                     *           "status": "open",
                     *           "location": "src/parser_10.rs:3:5",
                     *           "count": 22,
                     *           "seqs": [
                     *             4,
                     *             5
                     *           ]
                     *         }
                     *       ],
                     *       "test_results": [
                     *         {
                     *           "command": "cargo test --test step_0",
                     *           "outcome": "unknown",
                     *           "failing": [],
                     *           "seqs": [
                     *             32,
                     *             33
                     *           ]
                     *         },
                     *         {
                     *           "command": "cargo test --test step_1",
                     *           "outcome": "unknown",
                     *           "failing": [],
                     *           "seqs": [
                     *             34,
                     *             35
                     *           ]
                     *         }
                     *       ],
                     *       "blockers": [],
                     *       "open_questions": [],
                     *       "findings": [],
                     *       "next_steps": [
                     *         "Fix the types"
                     *       ],
                     *       "next_steps_seqs": [],
                     *       "things": [],
                     *       "notes": [],
                     *       "constraints": [
                     *         {
                     *           "id": "pin_a5dc3723c04594dc",
                     *           "text": "No deploys on a Friday.",
                     *           "source": "pin",
                     *           "seqs": []
                     *         },
                     *         {
                     *           "id": "pin_3daa6bb31940f085",
                     *           "text": "Use tabs.",
                     *           "source": "pin",
                     *           "seqs": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Summary"];
                    "text/markdown": string;
                    "text/plain": string;
                    "application/vnd.anchord.session-state+json": components["schemas"]["SessionState"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description No such session, or no version yet (`/problems/no-summary`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "version": 2,
                     *           "parent_version": 1,
                     *           "strategy": "anchored",
                     *           "verifiable": "yes",
                     *           "engine": "llm",
                     *           "model": "small",
                     *           "compression_count": 2,
                     *           "last_compressed_at": "2026-11-28T00:16:00.564Z",
                     *           "from_seq": 24,
                     *           "through_seq": 51,
                     *           "tokens_before": 9066,
                     *           "tokens_after": 1289,
                     *           "max_tokens": 3375,
                     *           "reduction": 0.8578,
                     *           "probe_score": 1,
                     *           "facts_score": 1,
                     *           "phase": "implementation",
                     *           "warnings": [],
                     *           "current": true,
                     *           "created_at": "2026-11-28T00:16:00.720Z"
                     *         },
                     *         {
                     *           "version": 1,
                     *           "parent_version": null,
                     *           "strategy": "anchored",
                     *           "verifiable": "yes",
                     *           "engine": "extractive",
                     *           "compression_count": 1,
                     *           "last_compressed_at": "2026-11-28T00:16:00.028Z",
                     *           "from_seq": 2,
                     *           "through_seq": 23,
                     *           "tokens_before": 6755,
                     *           "tokens_after": 913,
                     *           "max_tokens": 1600,
                     *           "reduction": 0.8648,
                     *           "probe_score": 1,
                     *           "facts_score": 1,
                     *           "phase": "implementation",
                     *           "warnings": [],
                     *           "current": false,
                     *           "created_at": "2026-11-28T00:16:00.341Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SummaryVersionPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "version": 1,
                     *       "parent_version": null,
                     *       "strategy": "anchored",
                     *       "verifiable": "yes",
                     *       "engine": "extractive",
                     *       "compression_count": 1,
                     *       "last_compressed_at": "2026-11-28T00:16:00.028Z",
                     *       "from_seq": 2,
                     *       "through_seq": 23,
                     *       "tokens_before": 6755,
                     *       "tokens_after": 913,
                     *       "max_tokens": 1600,
                     *       "reduction": 0.8648,
                     *       "probe_score": 1,
                     *       "facts_score": 1,
                     *       "phase": "implementation",
                     *       "warnings": [],
                     *       "session_intent": "Port parser to the new tables. You must never touch vendor/.",
                     *       "session_intent_seqs": [
                     *         2
                     *       ],
                     *       "requests": [
                     *         {
                     *           "text": "Port parser to the new tables. You must never touch vendor/.",
                     *           "state": "open",
                     *           "seqs": [
                     *             2
                     *           ]
                     *         }
                     *       ],
                     *       "files_modified": [],
                     *       "files_read": [],
                     *       "decisions_made": [
                     *         {
                     *           "decision": "Decided to keep it table driven",
                     *           "rationale": "that is simpler to test",
                     *           "alternatives": [],
                     *           "seqs": [
                     *             3
                     *           ]
                     *         }
                     *       ],
                     *       "current_state": {
                     *         "task": "Fix the types",
                     *         "text": "As of message 23; the conversation continues. The agent was working; its call in message 22: bash {\"command\":\"cargo test --test step_9\"}",
                     *         "seqs": [
                     *           23
                     *         ]
                     *       },
                     *       "errors": [
                     *         {
                     *           "type": "E0308",
                     *           "message": "mismatched types",
                     *           "status": "open",
                     *           "location": "src/parser_0.rs:3:5",
                     *           "count": 10,
                     *           "seqs": [
                     *             4,
                     *             5
                     *           ]
                     *         }
                     *       ],
                     *       "test_results": [
                     *         {
                     *           "command": "cargo test --test step_0",
                     *           "outcome": "unknown",
                     *           "failing": [],
                     *           "seqs": [
                     *             4,
                     *             5
                     *           ]
                     *         },
                     *         {
                     *           "command": "cargo test --test step_1",
                     *           "outcome": "unknown",
                     *           "failing": [],
                     *           "seqs": [
                     *             6,
                     *             7
                     *           ]
                     *         }
                     *       ],
                     *       "blockers": [],
                     *       "open_questions": [],
                     *       "findings": [],
                     *       "next_steps": [
                     *         "Fix the types"
                     *       ],
                     *       "next_steps_seqs": [],
                     *       "things": [],
                     *       "notes": [],
                     *       "constraints": [
                     *         {
                     *           "id": "pin_a5dc3723c04594dc",
                     *           "text": "No deploys on a Friday.",
                     *           "source": "pin",
                     *           "seqs": []
                     *         },
                     *         {
                     *           "id": "pin_3daa6bb31940f085",
                     *           "text": "Use tabs.",
                     *           "source": "pin",
                     *           "seqs": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Summary"];
                    "text/markdown": string;
                    "text/plain": string;
                    "application/vnd.anchord.session-state+json": components["schemas"]["SessionState"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "from": 1,
                     *       "to": 2,
                     *       "sections": [
                     *         {
                     *           "section": "requests",
                     *           "added": [
                     *             {
                     *               "text": "Port lexer to the new tables. You must never touch vendor/.",
                     *               "state": "open",
                     *               "seqs": [
                     *                 30
                     *               ]
                     *             }
                     *           ],
                     *           "changed": [
                     *             {
                     *               "key": "port parser to the new tables you must never touch vendor/",
                     *               "from": {
                     *                 "text": "Port parser to the new tables. You must never touch vendor/.",
                     *                 "state": "open",
                     *                 "seqs": [
                     *                   2
                     *                 ]
                     *               },
                     *               "to": {
                     *                 "text": "Port parser to the new tables. You must never touch vendor/.",
                     *                 "state": "done",
                     *                 "seqs": [
                     *                   2
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "dropped": []
                     *         },
                     *         {
                     *           "section": "current_state",
                     *           "added": [],
                     *           "changed": [
                     *             {
                     *               "key": "current_state",
                     *               "from": {
                     *                 "task": "Fix the types",
                     *                 "text": "As of message 23; the conversation continues. The agent was working; its call in message 22: bash {\"command\":\"cargo test --test step_9\"}",
                     *                 "seqs": [
                     *                   23
                     *                 ]
                     *               },
                     *               "to": {
                     *                 "task": "Fix the types",
                     *                 "text": "The importer reads another file of the CSV samples.",
                     *                 "seqs": [
                     *                   51
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "dropped": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SummaryDiff"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "summaries.rollback": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where the new version is. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 3,
                     *       "parent_version": 2,
                     *       "strategy": "rollback",
                     *       "verifiable": "yes",
                     *       "engine": "extractive",
                     *       "compression_count": 2,
                     *       "last_compressed_at": "2026-11-28T00:16:00.028Z",
                     *       "from_seq": 2,
                     *       "through_seq": 23,
                     *       "tokens_before": 6755,
                     *       "tokens_after": 913,
                     *       "max_tokens": 1600,
                     *       "reduction": 0.8648,
                     *       "probe_score": 1,
                     *       "facts_score": 1,
                     *       "phase": "implementation",
                     *       "warnings": [],
                     *       "session_intent": "Port parser to the new tables. You must never touch vendor/.",
                     *       "session_intent_seqs": [
                     *         2
                     *       ],
                     *       "requests": [
                     *         {
                     *           "text": "Port parser to the new tables. You must never touch vendor/.",
                     *           "state": "open",
                     *           "seqs": [
                     *             2
                     *           ]
                     *         }
                     *       ],
                     *       "files_modified": [],
                     *       "files_read": [],
                     *       "decisions_made": [
                     *         {
                     *           "decision": "Decided to keep it table driven",
                     *           "rationale": "that is simpler to test",
                     *           "alternatives": [],
                     *           "seqs": [
                     *             3
                     *           ]
                     *         }
                     *       ],
                     *       "current_state": {
                     *         "task": "Fix the types",
                     *         "text": "As of message 23; the conversation continues. The agent was working; its call in message 22: bash {\"command\":\"cargo test --test step_9\"}",
                     *         "seqs": [
                     *           23
                     *         ]
                     *       },
                     *       "errors": [
                     *         {
                     *           "type": "E0308",
                     *           "message": "mismatched types",
                     *           "status": "open",
                     *           "location": "src/parser_0.rs:3:5",
                     *           "count": 10,
                     *           "seqs": [
                     *             4,
                     *             5
                     *           ]
                     *         }
                     *       ],
                     *       "test_results": [
                     *         {
                     *           "command": "cargo test --test step_0",
                     *           "outcome": "unknown",
                     *           "failing": [],
                     *           "seqs": [
                     *             4,
                     *             5
                     *           ]
                     *         },
                     *         {
                     *           "command": "cargo test --test step_1",
                     *           "outcome": "unknown",
                     *           "failing": [],
                     *           "seqs": [
                     *             6,
                     *             7
                     *           ]
                     *         }
                     *       ],
                     *       "blockers": [],
                     *       "open_questions": [],
                     *       "findings": [],
                     *       "next_steps": [
                     *         "Fix the types"
                     *       ],
                     *       "next_steps_seqs": [],
                     *       "things": [],
                     *       "notes": [],
                     *       "constraints": [
                     *         {
                     *           "id": "pin_a5dc3723c04594dc",
                     *           "text": "No deploys on a Friday.",
                     *           "source": "pin",
                     *           "seqs": []
                     *         },
                     *         {
                     *           "id": "pin_3daa6bb31940f085",
                     *           "text": "Use tabs.",
                     *           "source": "pin",
                     *           "seqs": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Summary"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "todos": [
                     *         {
                     *           "content": "Fix the types",
                     *           "status": "in_progress"
                     *         }
                     *       ],
                     *       "changes": [
                     *         {
                     *           "content": "Fix the types",
                     *           "from": null,
                     *           "to": "in_progress",
                     *           "proposed": false
                     *         }
                     *       ],
                     *       "changed_in_version": null,
                     *       "revision": 1,
                     *       "updated_at": "2026-11-28T00:15:59.641Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Todos"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "todos.replace": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "todos": [
                     *         {
                     *           "content": "Fix the types",
                     *           "status": "in_progress"
                     *         }
                     *       ],
                     *       "changes": [
                     *         {
                     *           "content": "Fix the types",
                     *           "from": null,
                     *           "to": "in_progress",
                     *           "proposed": false
                     *         }
                     *       ],
                     *       "changed_in_version": null,
                     *       "revision": 1,
                     *       "updated_at": "2026-11-28T00:15:59.641Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Todos"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "$schema": "context://session/v1",
                     *       "_meta": {
                     *         "position": "END",
                     *         "token_budget": 500,
                     *         "auto_load": "always",
                     *         "compress": "on_threshold"
                     *       },
                     *       "session_id": "planner",
                     *       "started": "2026-11-28T00:15:59.123Z",
                     *       "last_activity": "2026-11-28T00:16:01.036Z",
                     *       "current_task": {
                     *         "description": "Fix the types",
                     *         "status": "in_progress"
                     *       },
                     *       "next_steps": [
                     *         "Fix the types"
                     *       ],
                     *       "blockers": [],
                     *       "compression_state": {
                     *         "summary": {
                     *           "session_intent": "Port parser to the new tables. You must never touch vendor/.",
                     *           "files_modified": {},
                     *           "decisions_made": [
                     *             {
                     *               "decision": "Decided to keep it table driven",
                     *               "rationale": "that is simpler to test"
                     *             }
                     *           ],
                     *           "current_state": "As of message 23; the conversation continues. The agent was working; its call in message 22: bash {\"command\":\"cargo test --test step_9\"}",
                     *           "blockers": [],
                     *           "next_steps": [
                     *             "Fix the types"
                     *           ]
                     *         },
                     *         "compression_count": 2,
                     *         "last_compressed_at": "2026-11-28T00:16:00.028Z",
                     *         "probe_score": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionState"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description No such session, or no version yet (`/problems/no-summary`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            header?: {
                /** @description The last event that was seen. */
                "Last-Event-ID"?: number | null;
            };
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            /** @description Too many requests (`/problems/rate-limited`), or as many event streams as the key, the tenant or the process may have (`/problems/too-many-streams`, with `limit`). */
            429: {
                headers: {
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "sessions.get_handoff": {
        parameters: {
            query?: {
                /**
                 * @description The most tokens: 500, 1500 or 3000. Default: 1500.
                 * @example 1500
                 */
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
                    /**
                     * @example {
                     *       "markdown": "From session planner, version 3.\n\n### Session Intent\nPort parser to the new tables. You must never touch vendor/.\n\n### Decisions Made\n- Decided to keep it table driven: that is simpler to test\n\n### Current State\nTask: Fix the types\nAs of message 23; the conversation continues. The agent was working; its call in message 22: bash {\"command\":\"cargo test --test step_9\"}\n\n### Next Steps\n1. Fix the type…",
                     *       "tokens": 826,
                     *       "version": 3,
                     *       "sessions": [
                     *         {
                     *           "session_id": "planner",
                     *           "version": 3
                     *         }
                     *       ]
                     *     }
                     */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tasks.get_handoff": {
        parameters: {
            query?: {
                /**
                 * @description The most tokens: 500, 1500 or 3000. Default: 1500.
                 * @example 1500
                 */
                level?: number;
                /** @description The most words, from 100 to 500, in place of a level. */
                words?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The task's id, as sessions name it in `task_id`.
                 * @example auth-rewrite
                 */
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
                    /**
                     * @example {
                     *       "markdown": "From session planner, version 3.\n\n### Session Intent\nPort parser to the new tables. You must never touch vendor/.\n\n### Decisions Made\n- Decided to keep it table driven: that is simpler to test\n\n### Current State\nTask: Fix the types\nAs of message 23; the conversation continues. The agent was working; its call in message 22: bash {\"command\":\"cargo test --test step_9\"}\n\n### Next Steps\n1. Fix the type…",
                     *       "tokens": 826,
                     *       "version": 3,
                     *       "sessions": [
                     *         {
                     *           "session_id": "planner",
                     *           "version": 3
                     *         }
                     *       ]
                     *     }
                     */
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "ledger.list": {
        parameters: {
            query?: {
                /** @description Only facts of this kind. */
                kind?: "file" | "command" | "test_run" | "error" | "identifier" | "constraint";
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
                    /**
                     * @example {
                     *       "items": [],
                     *       "next_cursor": null,
                     *       "through_seq": 84
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "prb_01a21f82412271338c609f1d02b17088",
                     *           "source": "caller",
                     *           "version": null,
                     *           "retired_in_version": null,
                     *           "kind": "recall",
                     *           "question": "Which folder stays?",
                     *           "expected": [
                     *             "vendor/"
                     *           ],
                     *           "match": {
                     *             "kind": "all"
                     *           },
                     *           "exact": false,
                     *           "critical": false,
                     *           "seqs": [],
                     *           "created_at": "2026-11-28T00:15:59.699Z"
                     *         },
                     *         {
                     *           "id": "prb_01a21f824352728d87620b3654517915",
                     *           "source": "generated",
                     *           "version": 1,
                     *           "retired_in_version": null,
                     *           "kind": "constraint",
                     *           "question": "Which rules were set for the work, word for word?",
                     *           "expected": [
                     *             "No deploys on a Friday."
                     *           ],
                     *           "match": {
                     *             "kind": "all"
                     *           },
                     *           "section": "constraints",
                     *           "exact": false,
                     *           "critical": true,
                     *           "seqs": [],
                     *           "created_at": "2026-11-28T00:16:00.341Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SessionProbePage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "probes.create": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "prb_01a21f82412271338c609f1d02b17088",
                     *       "source": "caller",
                     *       "version": null,
                     *       "retired_in_version": null,
                     *       "kind": "recall",
                     *       "question": "Which folder stays?",
                     *       "expected": [
                     *         "vendor/"
                     *       ],
                     *       "match": {
                     *         "kind": "ratio",
                     *         "ratio": 0.5
                     *       },
                     *       "exact": false,
                     *       "critical": false,
                     *       "seqs": [],
                     *       "created_at": "2026-11-28T00:15:59.699Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionProbe"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The service made the probe from the messages; only a caller's own can be removed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "probes.update": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "id": "prb_01a21f82412271338c609f1d02b17088",
                     *       "source": "caller",
                     *       "version": null,
                     *       "retired_in_version": null,
                     *       "kind": "recall",
                     *       "question": "Which folder stays?",
                     *       "expected": [
                     *         "vendor/"
                     *       ],
                     *       "match": {
                     *         "kind": "all"
                     *       },
                     *       "exact": false,
                     *       "critical": false,
                     *       "seqs": [],
                     *       "created_at": "2026-11-28T00:15:59.699Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionProbe"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            /** @description The service made the probe from the messages; only a caller's own can be changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "evl_01a21f8246987079960241959dced62e",
                     *           "version": 3,
                     *           "compression_id": "cmp_01a21f8246797654994ca24f04e83281",
                     *           "score": 1,
                     *           "facts_score": 1,
                     *           "asked": 9,
                     *           "failed": 0,
                     *           "cut": 0,
                     *           "critical_failed": 0,
                     *           "exam": null,
                     *           "rubric": null,
                     *           "created_at": "2026-11-28T00:16:01.176Z"
                     *         },
                     *         {
                     *           "id": "evl_01a21f8244d07786b88f7f76c0b1fef2",
                     *           "version": 2,
                     *           "compression_id": "cmp_01a21f82440e7046b686902b6651bfaf",
                     *           "score": 1,
                     *           "facts_score": 1,
                     *           "asked": 13,
                     *           "failed": 0,
                     *           "cut": 0,
                     *           "critical_failed": 0,
                     *           "exam": null,
                     *           "rubric": null,
                     *           "created_at": "2026-11-28T00:16:00.720Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["EvaluationPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "evaluations.create": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /**
                 * @description `wait=N` waits up to N seconds, at most 60, for the result of what the call starts; another value is an error. A wait beyond those that a tenant may have at once is not honoured.
                 * @example wait=20
                 */
                Prefer?: string;
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where the evaluation is. */
                    Location?: string;
                    /** @description The wait that was honoured. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationDetail"];
                };
            };
            /** @description It waits, runs, or ended without a result; read the job at `Location`. */
            202: {
                headers: {
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where the job is. */
                    Location?: string;
                    /** @description The wait that was honoured. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmp_01a21f8246797654994ca24f04e83281",
                     *       "session_id": "planner",
                     *       "kind": "evaluate",
                     *       "status": "queued",
                     *       "strategy": "anchored",
                     *       "verifiable": "yes",
                     *       "trigger": "manual",
                     *       "reason": null,
                     *       "from_seq": null,
                     *       "through_seq": null,
                     *       "version": 3,
                     *       "attempts": 0,
                     *       "strategy_used": null,
                     *       "engine": null,
                     *       "model": null,
                     *       "tokens_before": null,
                     *       "tokens_after": null,
                     *       "reduction": null,
                     *       "context_tokens_before": null,
                     *       "context_tokens_after": null,
                     *       "target_met": null,
                     *       "probe_score": null,
                     *       "facts_score": null,
                     *       "exam": null,
                     *       "probes_asked": 0,
                     *       "probes_failed": 0,
                     *       "probes_cut": 0,
                     *       "critical_failed": 0,
                     *       "callers_failed": 0,
                     *       "warnings": [],
                     *       "gate": [],
                     *       "error": null,
                     *       "cost": {
                     *         "input_tokens": 0,
                     *         "cached_tokens": 0,
                     *         "output_tokens": 0,
                     *         "calls": 0,
                     *         "failed_calls": 0,
                     *         "latency_ms": 0,
                     *         "micros": 0
                     *       },
                     *       "timings": {
                     *         "queued_ms": 0,
                     *         "ledger_ms": 0,
                     *         "engine_ms": 0,
                     *         "probe_ms": 0,
                     *         "total_ms": 0
                     *       },
                     *       "flags": [],
                     *       "created_at": "2026-11-28T00:16:01.141Z",
                     *       "started_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Compression"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description No such session or version, or no version yet (`/problems/no-summary`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "id": "evl_01a21f8246987079960241959dced62e",
                     *       "version": 3,
                     *       "compression_id": "cmp_01a21f8246797654994ca24f04e83281",
                     *       "score": 1,
                     *       "facts_score": 1,
                     *       "asked": 9,
                     *       "failed": 0,
                     *       "cut": 0,
                     *       "critical_failed": 0,
                     *       "exam": null,
                     *       "rubric": null,
                     *       "created_at": "2026-11-28T00:16:01.176Z",
                     *       "results": [
                     *         {
                     *           "probe": {
                     *             "kind": "recall",
                     *             "question": "Which folder stays?",
                     *             "expected": [
                     *               "vendor/"
                     *             ],
                     *             "match": {
                     *               "kind": "all"
                     *             },
                     *             "exact": false,
                     *             "critical": false,
                     *             "seqs": []
                     *           },
                     *           "answer": "vendor/",
                     *           "verdict": "pass",
                     *           "answered_by": "code",
                     *           "latency_ms": 0,
                     *           "cost_micros": 0
                     *         },
                     *         {
                     *           "probe": {
                     *             "kind": "constraint",
                     *             "question": "Which rules were set for the work, word for word?",
                     *             "expected": [
                     *               "No deploys on a Friday."
                     *             ],
                     *             "match": {
                     *               "kind": "all"
                     *             },
                     *             "section": "constraints",
                     *             "exact": false,
                     *             "critical": true,
                     *             "seqs": []
                     *           },
                     *           "answer": "No deploys on a Friday.",
                     *           "verdict": "pass",
                     *           "answered_by": "code",
                     *           "latency_ms": 0,
                     *           "cost_micros": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EvaluationDetail"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "key_01a21f823dec766783b7c07f6b65fe8e",
                     *           "name": null,
                     *           "prefix": "ours",
                     *           "scopes": [
                     *             "read",
                     *             "write"
                     *           ],
                     *           "created_at": "2026-11-28T00:15:58.955Z",
                     *           "expires_at": null,
                     *           "last_used_at": null,
                     *           "revoked_at": null
                     *         },
                     *         {
                     *           "id": "key_01a21f824f757328bb1f46b9bae57d28",
                     *           "name": "dashboard",
                     *           "prefix": "anchord_KAMxoZCs",
                     *           "scopes": [
                     *             "read"
                     *           ],
                     *           "created_at": "2026-11-28T00:16:03.445Z",
                     *           "expires_at": null,
                     *           "last_used_at": null,
                     *           "revoked_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "keys.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "key_01a21f824f757328bb1f46b9bae57d28",
                     *       "name": "dashboard",
                     *       "prefix": "anchord_KAMxoZCs",
                     *       "key": "anchord_KAMxoZCs0kCRQWkrEdY39BAF7j1tvOuBrRqkL5H0xtZ19CqAh",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "created_at": "2026-11-28T00:16:03.445Z",
                     *       "expires_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "keys.rotate": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "key_01a21f824fad73189784a1fe192c9283",
                     *       "name": "dashboard",
                     *       "prefix": "anchord_ZuGM00Nt",
                     *       "key": "anchord_ZuGM00NtM3i8Y5w68o0z7hT8QYYB3XRuhAWj11Gu5OR1DAK8H",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "created_at": "2026-11-28T00:16:03.500Z",
                     *       "expires_at": null,
                     *       "replaced_ends_at": "2026-11-28T00:17:03.500Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "whk_01a21f824fcd76d7822afff42407c024",
                     *           "url": "https://hooks.example.com/anchord",
                     *           "events": null,
                     *           "description": null,
                     *           "enabled": true,
                     *           "disabled_reason": null,
                     *           "disabled_at": null,
                     *           "failing_since": null,
                     *           "previous_secret_until": null,
                     *           "created_at": "2026-11-28T00:16:03.530Z",
                     *           "updated_at": "2026-11-28T00:16:03.530Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "id": "whk_01a21f824fcd76d7822afff42407c024",
                     *         "url": "https://hooks.example.com/anchord",
                     *         "events": null,
                     *         "description": null,
                     *         "enabled": true,
                     *         "disabled_reason": null,
                     *         "disabled_at": null,
                     *         "failing_since": null,
                     *         "previous_secret_until": null,
                     *         "created_at": "2026-11-28T00:16:03.530Z",
                     *         "updated_at": "2026-11-28T00:16:03.530Z"
                     *       },
                     *       "secret": "whsec_c2hvd24tb25jZQ=="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["SlowBody"];
            /** @description The tenant has 20 webhooks, which are the most. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "id": "whk_01a21f824fcd76d7822afff42407c024",
                     *       "url": "https://hooks.example.com/anchord",
                     *       "events": null,
                     *       "description": null,
                     *       "enabled": true,
                     *       "disabled_reason": null,
                     *       "disabled_at": null,
                     *       "failing_since": null,
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-11-28T00:16:03.530Z",
                     *       "updated_at": "2026-11-28T00:16:03.530Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "id": "whk_01a21f824fcd76d7822afff42407c024",
                     *       "url": "https://hooks.example.com/anchord",
                     *       "events": [
                     *         "summary.published"
                     *       ],
                     *       "description": null,
                     *       "enabled": true,
                     *       "disabled_reason": null,
                     *       "disabled_at": null,
                     *       "failing_since": null,
                     *       "previous_secret_until": null,
                     *       "created_at": "2026-11-28T00:16:03.530Z",
                     *       "updated_at": "2026-11-28T00:16:03.605Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "webhooks.rotate_secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook": {
                     *         "id": "whk_01a21f824fcd76d7822afff42407c024",
                     *         "url": "https://hooks.example.com/anchord",
                     *         "events": [
                     *           "summary.published"
                     *         ],
                     *         "description": null,
                     *         "enabled": true,
                     *         "disabled_reason": null,
                     *         "disabled_at": null,
                     *         "failing_since": null,
                     *         "previous_secret_until": "2026-11-28T00:17:03.635Z",
                     *         "created_at": "2026-11-28T00:16:03.530Z",
                     *         "updated_at": "2026-11-28T00:16:03.635Z"
                     *       },
                     *       "secret": "whsec_c2hvd24tb25jZQ=="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dlv_01a21f825059741b92d0469a0a5082cf",
                     *       "webhook_id": "whk_01a21f824fcd76d7822afff42407c024",
                     *       "event": "webhook.test",
                     *       "session_id": null,
                     *       "status": "pending",
                     *       "attempts": 0,
                     *       "last_status_code": null,
                     *       "last_error": null,
                     *       "last_duration_ms": null,
                     *       "last_attempt_at": null,
                     *       "next_attempt_at": "2026-11-28T00:16:03.673Z",
                     *       "created_at": "2026-11-28T00:16:03.673Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The webhook is disabled, or the first request with this Idempotency-Key still runs. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "dlv_01a21f825059741b92d0469a0a5082cf",
                     *           "webhook_id": "whk_01a21f824fcd76d7822afff42407c024",
                     *           "event": "webhook.test",
                     *           "session_id": null,
                     *           "status": "pending",
                     *           "attempts": 0,
                     *           "last_status_code": null,
                     *           "last_error": null,
                     *           "last_duration_ms": null,
                     *           "last_attempt_at": null,
                     *           "next_attempt_at": "2026-11-28T00:16:03.673Z",
                     *           "created_at": "2026-11-28T00:16:03.673Z",
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "delivery": {
                     *         "id": "dlv_01a21f825059741b92d0469a0a5082cf",
                     *         "webhook_id": "whk_01a21f824fcd76d7822afff42407c024",
                     *         "event": "webhook.test",
                     *         "session_id": null,
                     *         "status": "pending",
                     *         "attempts": 0,
                     *         "last_status_code": null,
                     *         "last_error": null,
                     *         "last_duration_ms": null,
                     *         "last_attempt_at": null,
                     *         "next_attempt_at": "2026-11-28T00:16:03.673Z",
                     *         "created_at": "2026-11-28T00:16:03.673Z",
                     *         "finished_at": null
                     *       },
                     *       "message": {
                     *         "id": null,
                     *         "type": "webhook.test",
                     *         "session_id": null,
                     *         "created_at": "2026-11-28T00:16:03.673Z",
                     *         "data": {
                     *           "webhook_id": "whk_01a21f824fcd76d7822afff42407c024"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "webhooks.redeliver": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dlv_01a21f825059741b92d0469a0a5082cf",
                     *       "webhook_id": "whk_01a21f824fcd76d7822afff42407c024",
                     *       "event": "webhook.test",
                     *       "session_id": null,
                     *       "status": "pending",
                     *       "attempts": 0,
                     *       "last_status_code": null,
                     *       "last_error": null,
                     *       "last_duration_ms": null,
                     *       "last_attempt_at": null,
                     *       "next_attempt_at": "2026-11-28T00:16:03.755Z",
                     *       "created_at": "2026-11-28T00:16:03.673Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The webhook is disabled, the delivery is being tried, or the first request with this Idempotency-Key still runs. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "aud_01a21f8250367184bab70d01ec8e3b77",
                     *           "tenant_id": "ten_01a21f823de8770ca4e4e55017eda65a",
                     *           "actor": "key_01a21f823dec766783b7c07f6b65fe8e",
                     *           "action": "webhook.rotated",
                     *           "subject": "whk_01a21f824fcd76d7822afff42407c024",
                     *           "created_at": "2026-11-28T00:16:03.635Z"
                     *         },
                     *         {
                     *           "id": "aud_01a21f8250187095afa08cc9ac1d0cd0",
                     *           "tenant_id": "ten_01a21f823de8770ca4e4e55017eda65a",
                     *           "actor": "key_01a21f823dec766783b7c07f6b65fe8e",
                     *           "action": "webhook.changed",
                     *           "subject": "whk_01a21f824fcd76d7822afff42407c024",
                     *           "created_at": "2026-11-28T00:16:03.605Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEventPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "ten_01a21f823de8770ca4e4e55017eda65a",
                     *           "name": "ours",
                     *           "status": "active",
                     *           "quotas": {},
                     *           "retention_days": null,
                     *           "created_at": "2026-11-28T00:15:58.952Z"
                     *         },
                     *         {
                     *           "id": "ten_01a21f823df075eb82548b8611c9a99e",
                     *           "name": "theirs",
                     *           "status": "active",
                     *           "quotas": {},
                     *           "retention_days": null,
                     *           "created_at": "2026-11-28T00:15:58.960Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tenants.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ten_01a21f82510e72a49718b389833ead97",
                     *       "name": "acme",
                     *       "status": "active",
                     *       "quotas": {},
                     *       "retention_days": null,
                     *       "created_at": "2026-11-28T00:16:03.854Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "id": "ten_01a21f82510e72a49718b389833ead97",
                     *       "name": "acme",
                     *       "status": "active",
                     *       "quotas": {},
                     *       "retention_days": null,
                     *       "created_at": "2026-11-28T00:16:03.854Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tenants.put": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
            path: {
                /** @description The tenant's id. */
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantReplacement"];
            };
        };
        responses: {
            /** @description The tenant as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ten_01a21f82510e72a49718b389833ead97",
                     *       "name": "acme",
                     *       "status": "active",
                     *       "quotas": {
                     *         "messages_per_day": 100000
                     *       },
                     *       "retention_days": 90,
                     *       "created_at": "2026-11-28T00:16:03.854Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            /** @description Another tenant has the name. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tenants.update": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "id": "ten_01a21f82510e72a49718b389833ead97",
                     *       "name": "acme",
                     *       "status": "suspended",
                     *       "quotas": {},
                     *       "retention_days": null,
                     *       "created_at": "2026-11-28T00:16:03.854Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            /** @description Another tenant has the name. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "settings": {
                     *         "preserve_recent": 4,
                     *         "min_messages": 8
                     *       },
                     *       "policy": {
                     *         "effective_window": 160000,
                     *         "context_window": 200000,
                     *         "reserved_output_tokens": 40000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.15,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 4,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 8,
                     *         "auto": true,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 4000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tenants.put_settings": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "settings": {
                     *         "min_messages": 8
                     *       },
                     *       "policy": {
                     *         "effective_window": 160000,
                     *         "context_window": 200000,
                     *         "reserved_output_tokens": 40000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.15,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 5,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 8,
                     *         "auto": true,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 4000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tenants.update_settings": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
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
                    /**
                     * @example {
                     *       "settings": {
                     *         "preserve_recent": 4,
                     *         "min_messages": 8
                     *       },
                     *       "policy": {
                     *         "effective_window": 160000,
                     *         "context_window": 200000,
                     *         "reserved_output_tokens": 40000,
                     *         "system_tokens": 0,
                     *         "tokenizer": "o200k_base",
                     *         "name": "utilization",
                     *         "warn": 0.6,
                     *         "compress": 0.7,
                     *         "fill": 0.15,
                     *         "force": 0.85,
                     *         "critical": 0.9,
                     *         "exam": 0.5,
                     *         "messages": [
                     *           30,
                     *           50
                     *         ],
                     *         "turns": 20,
                     *         "history": {
                     *           "savings": 0.2,
                     *           "repeats": 3,
                     *           "rereads": 3,
                     *           "reread_share": 0.2,
                     *           "verbosity": 2,
                     *           "growth": 0.2,
                     *           "cycles": 10
                     *         },
                     *         "preserve_recent": 4,
                     *         "preserve_recent_tokens": 0,
                     *         "min_messages": 8,
                     *         "auto": true,
                     *         "mask": "auto",
                     *         "max_summary_tokens": 4000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "key_01a21f8251e77509856b62dc4b933bb5",
                     *           "name": null,
                     *           "prefix": "anchord_PHmKTKbC",
                     *           "scopes": [
                     *             "read",
                     *             "write"
                     *           ],
                     *           "created_at": "2026-11-28T00:16:04.070Z",
                     *           "expires_at": null,
                     *           "last_used_at": null,
                     *           "revoked_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tenants.create_key": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "key_01a21f8251e77509856b62dc4b933bb5",
                     *       "name": null,
                     *       "prefix": "anchord_PHmKTKbC",
                     *       "key": "anchord_PHmKTKbCcStps22kTgmyRiei6djFLIewFcq0GjiriwU3AKci7",
                     *       "scopes": [
                     *         "read",
                     *         "write"
                     *       ],
                     *       "created_at": "2026-11-28T00:16:04.070Z",
                     *       "expires_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tenants.rotate_key": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "key_01a21f825219750ea7c74f6d4f2d458d",
                     *       "name": null,
                     *       "prefix": "anchord_0ejecHvq",
                     *       "key": "anchord_0ejecHvqM8Th0DabbJrjfKF1rewDgnt7GueOYfO3AD63AcHim",
                     *       "scopes": [
                     *         "read",
                     *         "write"
                     *       ],
                     *       "created_at": "2026-11-28T00:16:04.117Z",
                     *       "expires_at": null,
                     *       "replaced_ends_at": "2026-11-28T00:17:04.120Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "aud_01a21f82521a720599594fdf0ec89afc",
                     *           "tenant_id": "ten_01a21f82510e72a49718b389833ead97",
                     *           "actor": "operator",
                     *           "action": "key.created",
                     *           "subject": "key_01a21f825219750ea7c74f6d4f2d458d",
                     *           "created_at": "2026-11-28T00:16:04.117Z"
                     *         },
                     *         {
                     *           "id": "aud_01a21f82521a720599594fde44dd2ae8",
                     *           "tenant_id": "ten_01a21f82510e72a49718b389833ead97",
                     *           "actor": "operator",
                     *           "action": "key.rotated",
                     *           "subject": "key_01a21f8251e77509856b62dc4b933bb5",
                     *           "created_at": "2026-11-28T00:16:04.117Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEventPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            500: components["responses"]["Internal"];
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
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            500: components["responses"]["Internal"];
            /** @description The database does not answer, or the process is about to end. */
            503: {
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
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "recall.search": {
        parameters: {
            query: {
                /**
                 * @description A question, words, an identifier or a path, in any language and script.
                 * @example why does parse_config fail in src/config.rs
                 */
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "seq": 74,
                     *           "role": "assistant",
                     *           "snippet": "cargo test --test step_7",
                     *           "score": 15.507
                     *         },
                     *         {
                     *           "seq": 46,
                     *           "role": "assistant",
                     *           "snippet": "cargo test --test step_7",
                     *           "score": 15.259
                     *         }
                     *       ],
                     *       "mode": "lexical",
                     *       "degraded": null
                     *     }
                     */
                    "application/json": components["schemas"]["RecallResult"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "recall.search_sessions": {
        parameters: {
            query: {
                /**
                 * @description A question, words, an identifier or a path, in any language.
                 * @example which delivery address does she prefer
                 */
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
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "session_id": "planner",
                     *           "seq": 74,
                     *           "role": "assistant",
                     *           "snippet": "cargo test --test step_7",
                     *           "score": 15.507
                     *         },
                     *         {
                     *           "session_id": "planner",
                     *           "seq": 46,
                     *           "role": "assistant",
                     *           "snippet": "cargo test --test step_7",
                     *           "score": 15.259
                     *         }
                     *       ],
                     *       "mode": "lexical",
                     *       "degraded": null,
                     *       "sessions_searched": 1,
                     *       "is_partial": false
                     *     }
                     */
                    "application/json": components["schemas"]["SessionsRecallResult"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "usage.report": {
        parameters: {
            query?: {
                /** @description The branch. Default: the current one. */
                branch?: string;
            };
            header?: {
                /** @description The same key and body within 24 hours replays the same reply instead of doing it again. */
                "Idempotency-Key"?: string;
            };
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
                    /** @description `true` when this is the stored reply of an earlier request with the same key. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "planner",
                     *       "counted_tokens": 15612,
                     *       "reported_tokens": 15612,
                     *       "ratio": 1,
                     *       "basis": "served",
                     *       "verdict": "used",
                     *       "context_revision": 10,
                     *       "usage": {
                     *         "static_utilization": 0.8,
                     *         "effective_utilization": 1,
                     *         "context_tokens": 16000,
                     *         "effective_window": 16000,
                     *         "uncompressed_messages": 61,
                     *         "calibration": {
                     *           "offset_tokens": 0,
                     *           "factor": 1,
                     *           "reports": 1
                     *         },
                     *         "components": {
                     *           "system": 49,
                     *           "tool_definitions": 0,
                     *           "history": 1220,
                     *           "tool_outputs": 16456,
                     *           "retrieved_documents": 0,
                     *           "summary": 420,
                     *           "digest": 493,
                     *           "notes": 65
                     *         },
                     *         "shares": {
                     *           "system": 0.0026,
                     *           "tool_definitions": 0,
                     *           "history": 0.0652,
                     *           "tool_outputs": 0.8799,
                     *           "retrieved_documents": 0,
                     *           "summary": 0.0225,
                     *           "digest": 0.0264,
                     *           "notes": 0.0035
                     *         },
                     *         "advice": [
                     *           {
                     *             "component": "tool_outputs",
                     *             "share": 0.8799,
                     *             "action": "mask",
                     *             "detail": "tool outputs dominate: mask old ones; each stays readable by its reference"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UsageReportResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "usage.get": {
        parameters: {
            query?: {
                /**
                 * @description The first day in UTC; default 29 days before `to`.
                 * @example 2026-01-01
                 */
                from?: string;
                /**
                 * @description The last day in UTC; default today.
                 * @example 2026-01-31
                 */
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
                    /**
                     * @example {
                     *       "from": "2026-10-30",
                     *       "to": "2026-11-28",
                     *       "total": {
                     *         "requests": 1,
                     *         "context_tokens": 15612,
                     *         "uncompressed_tokens": 24480,
                     *         "tokens_saved": 8868,
                     *         "total_tokens": 15722,
                     *         "tokens_per_request": 15612,
                     *         "llm": {
                     *           "calls": 1,
                     *           "failed_calls": 0,
                     *           "input_tokens": 100,
                     *           "output_tokens": 10,
                     *           "cached_tokens": 0,
                     *           "cost_micros": 0
                     *         },
                     *         "compressed": {
                     *           "tokens_before": 15821,
                     *           "tokens_after": 2202,
                     *           "tokens_saved": 13619
                     *         },
                     *         "refetched": {
                     *           "requests": 4,
                     *           "tokens": 453,
                     *           "messages_tokens": 0,
                     *           "tool_outputs_tokens": 30,
                     *           "recall_tokens": 423
                     *         },
                     *         "refetch_rate": 4,
                     *         "too_aggressive": true,
                     *         "reported": {
                     *           "reports": 1,
                     *           "input_tokens": 15612,
                     *           "output_tokens": 120,
                     *           "cached_tokens": 0
                     *         },
                     *         "appends": 3,
                     *         "appended_tokens": 24441,
                     *         "appended_messages": 84,
                     *         "stored_bytes": 108459,
                     *         "latency": {
                     *           "context_ms_per_request": 10.472,
                     *           "append_ms_per_request": 65.145,
                     *           "total_ms": 205.908,
                     *           "share": null
                     *         }
                     *       },
                     *       "days": [
                     *         {
                     *           "day": "2026-11-28",
                     *           "requests": 1,
                     *           "context_tokens": 15612,
                     *           "uncompressed_tokens": 24480,
                     *           "tokens_saved": 8868,
                     *           "total_tokens": 15722,
                     *           "tokens_per_request": 15612,
                     *           "llm": {
                     *             "calls": 1,
                     *             "failed_calls": 0,
                     *             "input_tokens": 100,
                     *             "output_tokens": 10,
                     *             "cached_tokens": 0,
                     *             "cost_micros": 0
                     *           },
                     *           "compressed": {
                     *             "tokens_before": 15821,
                     *             "tokens_after": 2202,
                     *             "tokens_saved": 13619
                     *           },
                     *           "refetched": {
                     *             "requests": 4,
                     *             "tokens": 453,
                     *             "messages_tokens": 0,
                     *             "tool_outputs_tokens": 30,
                     *             "recall_tokens": 423
                     *           },
                     *           "refetch_rate": 4,
                     *           "too_aggressive": true,
                     *           "reported": {
                     *             "reports": 1,
                     *             "input_tokens": 15612,
                     *             "output_tokens": 120,
                     *             "cached_tokens": 0
                     *           },
                     *           "appends": 3,
                     *           "appended_tokens": 24441,
                     *           "appended_messages": 84,
                     *           "stored_bytes": 108459,
                     *           "latency": {
                     *             "context_ms_per_request": 10.472,
                     *             "append_ms_per_request": 65.145,
                     *             "total_ms": 205.908,
                     *             "share": null
                     *           }
                     *         }
                     *       ],
                     *       "tasks": {
                     *         "with_compression": {
                     *           "ended": 0,
                     *           "completed": 0,
                     *           "completion_rate": null,
                     *           "tokens_per_completed_task": null,
                     *           "requests_per_completed_task": null
                     *         },
                     *         "without_compression": {
                     *           "ended": 0,
                     *           "completed": 0,
                     *           "completion_rate": null,
                     *           "tokens_per_completed_task": null,
                     *           "requests_per_completed_task": null
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TenantUsage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                    /**
                     * @example {
                     *       "quotas": [
                     *         {
                     *           "quota": "requests_per_second",
                     *           "scope": "tenant",
                     *           "limit": null,
                     *           "used": null,
                     *           "resets_at": null
                     *         },
                     *         {
                     *           "quota": "messages_per_day",
                     *           "scope": "tenant",
                     *           "limit": null,
                     *           "used": 84,
                     *           "resets_at": "2026-11-29T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["QuotaReport"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tasks.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The task's id, as sessions name it in `task_id`.
                 * @example auth-rewrite
                 */
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
                    /**
                     * @example {
                     *       "task_id": "shop",
                     *       "status": "completed",
                     *       "ended_at": "2026-11-28T00:16:02.257Z",
                     *       "sessions": 1,
                     *       "compressions": 2,
                     *       "requests": 1,
                     *       "context_tokens": 15612,
                     *       "uncompressed_tokens": 24480,
                     *       "tokens_saved": 8868,
                     *       "total_tokens": 15722,
                     *       "tokens_per_request": 15612,
                     *       "llm": {
                     *         "calls": 1,
                     *         "failed_calls": 0,
                     *         "input_tokens": 100,
                     *         "output_tokens": 10,
                     *         "cached_tokens": 0,
                     *         "cost_micros": 0
                     *       },
                     *       "compressed": {
                     *         "tokens_before": 15821,
                     *         "tokens_after": 2202,
                     *         "tokens_saved": 13619
                     *       },
                     *       "refetched": {
                     *         "requests": 4,
                     *         "tokens": 453,
                     *         "messages_tokens": 0,
                     *         "tool_outputs_tokens": 30,
                     *         "recall_tokens": 423
                     *       },
                     *       "refetch_rate": 4,
                     *       "too_aggressive": true,
                     *       "reported": {
                     *         "reports": 1,
                     *         "input_tokens": 15612,
                     *         "output_tokens": 120,
                     *         "cached_tokens": 0
                     *       },
                     *       "appends": 3,
                     *       "appended_tokens": 24441,
                     *       "appended_messages": 84,
                     *       "stored_bytes": 108459,
                     *       "latency": {
                     *         "context_ms_per_request": 10.472,
                     *         "append_ms_per_request": 65.145,
                     *         "total_ms": 205.908,
                     *         "share": 0.0799
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    "tasks.put": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `return=minimal` leaves the body of the reply out, `return=representation` asks for all of it; `Preference-Applied` says that it was done.
                 * @example return=minimal
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The task's id, as sessions name it in `task_id`.
                 * @example auth-rewrite
                 */
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
                    /**
                     * @example {
                     *       "task_id": "shop",
                     *       "status": "completed",
                     *       "ended_at": "2026-11-28T00:16:02.257Z",
                     *       "sessions": 1,
                     *       "compressions": 2,
                     *       "requests": 1,
                     *       "context_tokens": 15612,
                     *       "uncompressed_tokens": 24480,
                     *       "tokens_saved": 8868,
                     *       "total_tokens": 15722,
                     *       "tokens_per_request": 15612,
                     *       "llm": {
                     *         "calls": 1,
                     *         "failed_calls": 0,
                     *         "input_tokens": 100,
                     *         "output_tokens": 10,
                     *         "cached_tokens": 0,
                     *         "cost_micros": 0
                     *       },
                     *       "compressed": {
                     *         "tokens_before": 15821,
                     *         "tokens_after": 2202,
                     *         "tokens_saved": 13619
                     *       },
                     *       "refetched": {
                     *         "requests": 4,
                     *         "tokens": 453,
                     *         "messages_tokens": 0,
                     *         "tool_outputs_tokens": 30,
                     *         "recall_tokens": 423
                     *       },
                     *       "refetch_rate": 4,
                     *       "too_aggressive": true,
                     *       "reported": {
                     *         "reports": 1,
                     *         "input_tokens": 15612,
                     *         "output_tokens": 120,
                     *         "cached_tokens": 0
                     *       },
                     *       "appends": 3,
                     *       "appended_tokens": 24441,
                     *       "appended_messages": 84,
                     *       "stored_bytes": 108459,
                     *       "latency": {
                     *         "context_ms_per_request": 10.472,
                     *         "append_ms_per_request": 65.145,
                     *         "total_ms": 205.908,
                     *         "share": 0.0799
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description It is changed, and `Prefer: return=minimal` wants no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["SlowBody"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
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
                /**
                 * @description The signatures of this attempt.
                 * @example v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=
                 */
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
