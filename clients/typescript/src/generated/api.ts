// Made by generate.mjs from openapi/anchord.json; changes belong there.

import type { Arguments, CallOptions, Page, Reply } from "../types.js";

/** Sessions: settings, state, hand-off to other agents, export and import. */
export interface Sessions {
  /** Reads a session. */
  get(args: Arguments<"sessions.get">, options?: CallOptions): Promise<Reply<"sessions.get", "application/json">>;
  /** Creates a session or replaces its settings.
   *
   * An absent or null field has its default; `PATCH` changes single fields. A change starts a new `context_revision`. Context
   * window, output reserve and tokenizer: what the session sets, else what follows from its `model`, else what the tenant
   * sets, else what follows from the tenant's `model`, else the defaults of the installation. The tokenizer is fixed by the
   * first message or the first fork, because every stored count depends on it: without the field it stays as it is; the window
   * follows a later `model`.
   *
   * Settings are those of the session on all of its branches; `branch` says whose figures the reply has. */
  put(args: Arguments<"sessions.put">, options?: CallOptions): Promise<Reply<"sessions.put", "application/json">>;
  /** Changes a session's settings.
   *
   * An absent field keeps its value and null resets it (JSON Merge Patch); `metadata` is replaced as a whole. A change
   * starts a new `context_revision`. Settings are those of the session on all of its branches; `branch` says whose figures the
   * reply has. */
  update(args: Arguments<"sessions.update">, options?: CallOptions): Promise<Reply<"sessions.update", "application/json">>;
  /** Erases a session and everything that belongs to it.
   *
   * Its messages, versions, pins and stored replies go with it, and live work is cancelled. Nothing of it is shown from
   * then on, and a new session may take the name at once; the rows of a large one are deleted in the background, and its
   * bytes count until they are. */
  delete(args: Arguments<"sessions.delete">, options?: CallOptions): Promise<void>;
  /** Lists sessions, newest first.
   *
   * A session is one row, with the figures of its current branch. */
  list(args?: Arguments<"sessions.list">, options?: CallOptions): Page<"sessions.list">;
  /** Exports a session as JSON lines.
   *
   * The session with all of its branches: each one's messages exactly as they were sent, its versions, probes, evaluations
   * and the compressions that have ended, then a line that ends the file. Usage, events and the contexts that were served stay. */
  export(args: Arguments<"sessions.export">, options?: CallOptions): AsyncIterable<Reply<"sessions.export", "application/x-ndjson">>;
  /** Imports a session from JSON lines, as an export wrote them.
   *
   * The first line is the session and has the `format_version` 1. The last line must be that of kind `end`, with the number of
   * messages that the file has: without it the file was cut off, and is refused. The session must be new: a file above
   * the limit of a body, or with more lines than a batch may have messages, is sent in pieces in their order, cut between lines,
   * each but the last with `partial=true`. Messages get the same positions and are stored word for word. All of a call is stored or nothing.
   *
   * The session is as it was: its branches, versions, probes, evaluations and ended compressions, settings, pins, notes and todo
   * list; contexts and summaries are the same, and the next compression builds on the last version. A file is taken at its word
   * about what its versions say: each has `imported` true, and no check of it was made here. Compressions get other ids. An
   * import starts no compression. */
  import(args: Arguments<"sessions.import">, options?: CallOptions): Promise<Reply<"sessions.import", "application/json">>;
  /** Reads a session's state file: the current version as JSON, for an agent that keeps one. */
  getState(args: Arguments<"sessions.get_state">, options?: CallOptions): Promise<Reply<"sessions.get_state", "application/json">>;
  /** Reads the hand-off of a session: a text for another agent.
   *
   * The text has at most `level` tokens and level-3 headings, so that it goes under
   * `## Prior Session Context` in a prompt. From 1,500 tokens on it ends with a
   * digest of what was said and the notes of the agent. */
  getHandoff(args: Arguments<"sessions.get_handoff">, options?: CallOptions): Promise<Reply<"sessions.get_handoff", "application/json"> | undefined>;
}

/** Append messages and read the originals. */
export interface Messages {
  /** Lists the original messages in order. */
  list(args: Arguments<"messages.list">, options?: CallOptions): Page<"messages.list">;
  /** Appends a batch of messages; makes the session when it is new.
   *
   * The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply tells the positions, how
   * full the context is, the signals that ask for something, and the live compression, when there is one; `include` adds the rest.
   * With `return=context` it also has the context to send to the model next, which saves a round trip.
   * `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`; with `include=warnings`
   * the reply says why (`window-assumed`, `model-unknown`) and what to do. */
  append(args: Arguments<"messages.append">, options?: CallOptions): Promise<Reply<"messages.append", "application/json">>;
  /** Ends the mark `keep: always` of a message.
   *
   * Contexts then treat it as any other: what a summary covers is no longer served beside it. A message without such a mark
   * stays as it is. Each branch has marks of its own. */
  release(args: Arguments<"messages.release">, options?: CallOptions): Promise<void>;
}

/** The context to send to the model next. */
export interface Context {
  /** Assembles the context: what to send to the model next.
   *
   * Always valid for its provider and within its budget, and never waits for a compression. The reply
   * has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed. */
  get(args: Arguments<"context.get">, options?: CallOptions): Promise<Reply<"context.get", "application/json">>;
  /** Lists the contexts that a session was served, newest first.
   *
   * A context with `through_seq`, `version` (0 for none) and the same parameters is the one that was served, as far as pins, settings and
   * marks are as they were; its messages digested as `sha256` say whether it is. About the newest 2,000 of a session are kept.
   * They reach the list within about a second; a crash loses the newest ones. */
  listServed(args: Arguments<"context.list_served">, options?: CallOptions): Page<"context.list_served">;
}

/** All messages of an agent at once: what is new is stored, and the context comes back. */
export interface Transcript {
  /** Brings a session to a list of messages: stores what is new, on the branch that holds the list.
   *
   * A framework sends all messages of its agent before each call of the model. The list is compared with the current branch by
   * the content of the messages. Messages beyond the branch are appended; a shorter list takes the session back; a list that
   * differs is appended to the branch that has its next message, or to a new one. The branch that holds the list is the current
   * one then, unless another sync of that moment has switched since. Nothing that is stored is deleted. The same list twice stores nothing the second time, so
   * that a request whose reply was lost is simply repeated. */
  sync(args: Arguments<"transcript.sync">, options?: CallOptions): Promise<Reply<"transcript.sync", "application/json">>;
}

/** Branches of a session: fork, switch, go back. */
export interface Branches {
  /** Lists the branches of a session, oldest first. */
  list(args: Arguments<"branches.list">, options?: CallOptions): Page<"branches.list">;
  /** Forks a branch.
   *
   * The new one shares the messages through `seq`, with the newest version that covers none beyond, and goes on by itself.
   * Nothing is copied but pins, todo list, notes and the caller's probes, so that it costs the same at any length. */
  create(args: Arguments<"branches.create">, options?: CallOptions): Promise<Reply<"branches.create", "application/json">>;
  /** Reads a branch. */
  get(args: Arguments<"branches.get">, options?: CallOptions): Promise<Reply<"branches.get", "application/json">>;
  /** Erases a branch.
   *
   * It can be named no more from then on. Messages that other branches share with it stay with them, and the rest is deleted in the
   * background. */
  delete(args: Arguments<"branches.delete">, options?: CallOptions): Promise<void>;
  /** Switches to a branch.
   *
   * Operations that name no branch act on it from then on. */
  switch(args: Arguments<"branches.switch">, options?: CallOptions): Promise<Reply<"branches.switch", "application/json">>;
  /** Goes back to a message.
   *
   * A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it. Going back to the newest
   * message changes nothing, and a branch that was gone back to and has no message of its own yet is used again. */
  truncate(args: Arguments<"branches.truncate">, options?: CallOptions): Promise<Reply<"branches.truncate", "application/json">>;
}

/** Tool outputs that a context replaces by placeholders. */
export interface ToolOutputs {
  /** Reads an offloaded tool output, in full or by lines.
   *
   * Text is returned verbatim. Images and files are in the message itself (`seq`). */
  get(args: Arguments<"tool_outputs.get">, options?: CallOptions): Promise<Reply<"tool_outputs.get", "application/json">>;
}

/** Tools for the agent: by them its model reads what a context leaves out, and makes notes. */
export interface Tools {
  /** Returns the definitions of the tools to offer to an agent's model.
   *
   * They are in the form of the provider, small enough to be sent with every call of the model. With the setting `tools`
   * of a session, contexts name the tools where they leave something out. */
  list(args?: Arguments<"tools.list">, options?: CallOptions): Promise<Reply<"tools.list", "application/json">>;
  /** Runs a tool with the arguments that the model gave.
   *
   * The result is text for the model, within `max_tokens`; `next` has the arguments that read on, and the text says so, too. A
   * mistake of the model's is a result with `is_error` that tells it what to do. The reading tools (`search_past`,
   * `read_messages`, `read_tool_output`, `read_record`) need the scope `read`, and their replies are not kept; `note` needs
   * `write`, and is done once with an `Idempotency-Key`. */
  run(args: Arguments<"tools.run">, options?: CallOptions): Promise<Reply<"tools.run", "application/json">>;
}

/** Notes that the agent made by its tool. */
export interface Notes {
  /** Lists the notes that a session's agent made.
   *
   * Contexts show them as data of the agent's: they bind nobody. */
  list(args: Arguments<"notes.list">, options?: CallOptions): Promise<Reply<"notes.list", "application/json">>;
  /** Removes a note of a session's agent.
   *
   * Contexts stop showing it at once, under a new `context_revision`. */
  remove(args: Arguments<"notes.remove">, options?: CallOptions): Promise<void>;
}

/** Pins: text that every summary and every context carries verbatim. */
export interface Pins {
  /** Lists a session's pins, and the tenant's pins that apply to it. */
  list(args: Arguments<"pins.list">, options?: CallOptions): Promise<Reply<"pins.list", "application/json">>;
  /** Replaces a session's own pins.
   *
   * Contexts show them from the next read on, under a new `context_revision`. Together with the tenant's
   * they may take a tenth of the effective window. */
  replace(args: Arguments<"pins.replace">, options?: CallOptions): Promise<Reply<"pins.replace", "application/json">>;
  /** Adds a pin to a session's own, as the last.
   *
   * A pin that is there already stays where it is. */
  add(args: Arguments<"pins.add">, options?: CallOptions): Promise<Reply<"pins.add", "application/json">>;
  /** Removes a pin from a session's own. */
  remove(args: Arguments<"pins.remove">, options?: CallOptions): Promise<void>;
  /** Lists the pins that apply to every session of the tenant. */
  listShared(args?: Arguments<"pins.list_shared">, options?: CallOptions): Promise<Reply<"pins.list_shared", "application/json">>;
  /** Replaces the pins that apply to every session of the tenant.
   *
   * Contexts show them before a session's own from the next read on, under a new `context_revision`, and
   * every later summary carries them. Together they may take a tenth of the effective window that the
   * tenant's settings give. */
  replaceShared(args: Arguments<"pins.replace_shared">, options?: CallOptions): Promise<Reply<"pins.replace_shared", "application/json">>;
  /** Adds a pin to those of every session of the tenant, as the last.
   *
   * A pin that is there already stays where it is. */
  addShared(args: Arguments<"pins.add_shared">, options?: CallOptions): Promise<Reply<"pins.add_shared", "application/json">>;
  /** Removes a pin from those of every session of the tenant. */
  removeShared(args: Arguments<"pins.remove_shared">, options?: CallOptions): Promise<void>;
}

/** The defaults of the tenant's sessions. */
export interface Settings {
  /** Reads the defaults of the tenant's sessions. */
  get(args?: Arguments<"settings.get">, options?: CallOptions): Promise<Reply<"settings.get", "application/json">>;
  /** Replaces the defaults of the tenant's sessions.
   *
   * An absent or null field has the service's own default. Settings of a session, and those that follow from a `model`
   * that it names, take precedence. They apply from the next request on, and each session's `context_revision` grows. */
  put(args: Arguments<"settings.put">, options?: CallOptions): Promise<Reply<"settings.put", "application/json">>;
  /** Changes the defaults of the tenant's sessions.
   *
   * An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take precedence. They
   * apply from the next request on, and each session's `context_revision` grows. */
  update(args: Arguments<"settings.update">, options?: CallOptions): Promise<Reply<"settings.update", "application/json">>;
}

/** The models that sessions talk to: windows, tokenizers; a tenant's own. */
export interface Models {
  /** Lists the models that are known: the tenant's, then those of the service. */
  list(args?: Arguments<"models.list">, options?: CallOptions): Page<"models.list">;
  /** Finds the model that a name stands for. */
  get(args: Arguments<"models.get">, options?: CallOptions): Promise<Reply<"models.get", "application/json">>;
  /** Adds a model of the tenant's, or replaces it.
   *
   * It overrides a built-in model of the same name, from the next request on in every session that names it.
   * A tenant has at most 50. */
  put(args: Arguments<"models.put">, options?: CallOptions): Promise<Reply<"models.put", "application/json">>;
  /** Removes a model of the tenant's.
   *
   * Sessions that name it go on with a built-in one of the name, or with the default window when there is none. */
  delete(args: Arguments<"models.delete">, options?: CallOptions): Promise<void>;
}

/** Constraints that were extracted from the messages. */
export interface Constraints {
  /** Drops an extracted constraint.
   *
   * Contexts stop showing it at once, under a new `context_revision`, and no later version takes it up
   * again. The record of the current version stays as it is. Delete pins with `DELETE …/pins/{pin_id}`. */
  delete(args: Arguments<"constraints.delete">, options?: CallOptions): Promise<void>;
}

/** Requests of people, as the record has them. */
export interface Requests {
  /** Closes a request of a person that is open in the record.
   *
   * Contexts show it as dropped at once, under a new `context_revision`, and so do the records of later versions, until a person asks for
   * it again. The record of the current version stays as it is, and the intent follows with the next one. One that is over already stays as it is. */
  close(args: Arguments<"requests.close">, options?: CallOptions): Promise<void>;
}

/** Calls without a session. */
export interface Stateless {
  /** Counts the tokens of messages or of a text, as sessions count them. */
  countTokens(args: Arguments<"stateless.count_tokens">, options?: CallOptions): Promise<Reply<"stateless.count_tokens", "application/json">>;
  /** Condenses the outputs of several agents by their markers, when together they are large.
   *
   * No model is asked. Kept are each file's header, every finding (P1 and P2 byte for byte), and the sections
   * `## Reviewer Assumptions` and `## Summary`; rejected findings are listed, and kept verbatim. Nothing
   * is stored. */
  preaggregate(args: Arguments<"stateless.preaggregate">, options?: CallOptions): Promise<Reply<"stateless.preaggregate", "application/json">>;
  /** Compresses messages.
   *
   * Code reads them as it reads a session, within the request, and stores nothing. With `engine` `llm` the call is
   * queued like any compression: `Prefer: wait` waits for it, and `GET /v1/compress/{compression_id}` reads it for
   * a day. The reply is valid in the format of the messages and at most as large as `target_tokens`. */
  compress(args: Arguments<"stateless.compress">, options?: CallOptions): Promise<Reply<"stateless.compress", "application/json">>;
  /** Reads the result of a stateless compression by a model.
   *
   * It can be read for a day; then the messages and the result are erased. */
  getCompressed(args: Arguments<"stateless.get_compressed">, options?: CallOptions): Promise<Reply<"stateless.get_compressed", "application/json">>;
  /** Erases a compression that a model was asked for: its messages, its result, and its work when it has not ended. */
  deleteCompressed(args: Arguments<"stateless.delete_compressed">, options?: CallOptions): Promise<void>;
}

/** Compressions: jobs that each try to make the next summary version. */
export interface Compressions {
  /** Lists a session's compressions, newest first. */
  list(args: Arguments<"compressions.list">, options?: CallOptions): Page<"compressions.list">;
  /** Compresses a session now.
   *
   * With a compression live, the same parameters wait for that one and answer with its id; others are
   * refused as `/problems/compression-live` with its `compression_id`. A manual compression ends the
   * suspension that a rollback brought. */
  create(args: Arguments<"compressions.create">, options?: CallOptions): Promise<Reply<"compressions.create", "application/json">>;
  /** Reads one compression. */
  get(args: Arguments<"compressions.get">, options?: CallOptions): Promise<Reply<"compressions.get", "application/json">>;
  /** Cancels a compression that has not ended; what it has done so far is discarded. */
  cancel(args: Arguments<"compressions.cancel">, options?: CallOptions): Promise<Reply<"compressions.cancel", "application/json">>;
  /** Lists what a compression or an evaluation asked of models, in the order of the calls. */
  listModelCalls(args: Arguments<"compressions.list_model_calls">, options?: CallOptions): Page<"compressions.list_model_calls">;
}

/** Summary versions: read, compare, roll back. */
export interface Summaries {
  /** Reads the current summary.
   *
   * As JSON it is the complete record. `Accept: text/markdown` or `style` gives a rendering: Markdown
   * for `anchored`, `strict`, `protocol` and `scratch`, plain text for `opaque`, and for `state` the session state file
   * under a media type of its own. */
  getCurrent(args: Arguments<"summaries.get_current"> & { accept: "text/markdown" }, options?: CallOptions): Promise<Reply<"summaries.get_current", "text/markdown">>;
  /** Reads the current summary.
   *
   * As JSON it is the complete record. `Accept: text/markdown` or `style` gives a rendering: Markdown
   * for `anchored`, `strict`, `protocol` and `scratch`, plain text for `opaque`, and for `state` the session state file
   * under a media type of its own. */
  getCurrent(args: Arguments<"summaries.get_current"> & { accept: "text/plain" }, options?: CallOptions): Promise<Reply<"summaries.get_current", "text/plain">>;
  /** Reads the current summary.
   *
   * As JSON it is the complete record. `Accept: text/markdown` or `style` gives a rendering: Markdown
   * for `anchored`, `strict`, `protocol` and `scratch`, plain text for `opaque`, and for `state` the session state file
   * under a media type of its own. */
  getCurrent(args: Arguments<"summaries.get_current"> & { accept: "application/vnd.anchord.session-state+json" }, options?: CallOptions): Promise<Reply<"summaries.get_current", "application/vnd.anchord.session-state+json">>;
  /** Reads the current summary.
   *
   * As JSON it is the complete record. `Accept: text/markdown` or `style` gives a rendering: Markdown
   * for `anchored`, `strict`, `protocol` and `scratch`, plain text for `opaque`, and for `state` the session state file
   * under a media type of its own. */
  getCurrent(args: Arguments<"summaries.get_current">, options?: CallOptions): Promise<Reply<"summaries.get_current", "application/json">>;
  /** Lists the versions of a session, newest first, without their documents. */
  list(args: Arguments<"summaries.list">, options?: CallOptions): Page<"summaries.list">;
  /** Reads one version, as its document or as a rendering. */
  get(args: Arguments<"summaries.get"> & { accept: "text/markdown" }, options?: CallOptions): Promise<Reply<"summaries.get", "text/markdown">>;
  /** Reads one version, as its document or as a rendering. */
  get(args: Arguments<"summaries.get"> & { accept: "text/plain" }, options?: CallOptions): Promise<Reply<"summaries.get", "text/plain">>;
  /** Reads one version, as its document or as a rendering. */
  get(args: Arguments<"summaries.get"> & { accept: "application/vnd.anchord.session-state+json" }, options?: CallOptions): Promise<Reply<"summaries.get", "application/vnd.anchord.session-state+json">>;
  /** Reads one version, as its document or as a rendering. */
  get(args: Arguments<"summaries.get">, options?: CallOptions): Promise<Reply<"summaries.get", "application/json">>;
  /** Compares a version with an earlier one, or any two. */
  diff(args: Arguments<"summaries.diff">, options?: CallOptions): Promise<Reply<"summaries.diff", "application/json">>;
  /** Makes a version current again, as a new version with its document and anchor.
   *
   * A live compression is cancelled, `compression_count` stays as it is, and automatic compression
   * pauses below the critical level until the next manual one or the next change of settings. */
  rollback(args: Arguments<"summaries.rollback">, options?: CallOptions): Promise<Reply<"summaries.rollback", "application/json">>;
}

/** The caller's todo list of a session. */
export interface Todos {
  /** Reads a session's todo list.
   *
   * After a compression it tells what the messages completed (`changes`), and what they seem to complete
   * (`proposed_status`), which only the caller sets. */
  list(args: Arguments<"todos.list">, options?: CallOptions): Promise<Reply<"todos.list", "application/json">>;
  /** Replaces a session's todo list.
   *
   * At the next compression its completed items become decisions made, those in progress the task in hand,
   * and the open ones the next steps; it overrides lists written by tools. The reply tells what is
   * different from the list before. */
  replace(args: Arguments<"todos.replace">, options?: CallOptions): Promise<Reply<"todos.replace", "application/json">>;
}

/** A session's events as a stream. */
export interface Events {
  /** Streams a session's events.
   *
   * The events of its current branch, across switches (`session.branch_switched`), or of the branch that is named.
   * Server-sent events. The `data` line of each is an `Event` as JSON, the same that webhooks receive; the lines `id` and
   * `event` repeat its `id` and `type`. Events are kept for a week. A stream ends after fifteen minutes, when the session is erased, when
   * the key is good no longer and when the service stops; clients come back with `Last-Event-ID` and miss nothing, because
   * the stream begins with an `id` without data. A key
   * may have 128 streams of a process open, a tenant 256. */
  stream(args: Arguments<"events.stream">, options?: CallOptions): AsyncIterable<Reply<"events.stream", "text/event-stream">>;
}

/** Tasks: what their sessions used and how they ended. */
export interface Tasks {
  /** Reads the hand-off of a task: its sessions' current versions in one text for another agent.
   *
   * The newest session gives the goal and state; files, decisions and errors of all are joined, each with
   * the session that it came from. */
  getHandoff(args: Arguments<"tasks.get_handoff">, options?: CallOptions): Promise<Reply<"tasks.get_handoff", "application/json"> | undefined>;
  /** Reads a task: tokens, requests, what was fetched again, and what the service added to the agent's time.
   *
   * A use belongs to the task that its session had at that time. Erasing a session takes its figures along,
   * and the last one of a task takes the task. */
  get(args: Arguments<"tasks.get">, options?: CallOptions): Promise<Reply<"tasks.get", "application/json">>;
  /** Sets the status of a task.
   *
   * A task exists as soon as a session names it, and is active until its status is set here. */
  put(args: Arguments<"tasks.put">, options?: CallOptions): Promise<Reply<"tasks.put", "application/json">>;
}

/** Facts that code extracted from the messages: files, commands, test runs, errors. */
export interface Ledger {
  /** Lists the facts of a session: files, commands, test runs, errors, identifiers, constraints, requests. */
  list(args: Arguments<"ledger.list">, options?: CallOptions): Page<"ledger.list">;
}

/** Probes: questions that each summary version must be able to answer. */
export interface Probes {
  /** Lists a session's probes, oldest first, retired ones included. */
  list(args: Arguments<"probes.list">, options?: CallOptions): Page<"probes.list">;
  /** Adds a probe of the caller's own; it is asked after every later compression until it is removed. */
  create(args: Arguments<"probes.create">, options?: CallOptions): Promise<Reply<"probes.create", "application/json">>;
  /** Changes a probe of the caller's own.
   *
   * The next version is asked the probe as it is then; results of earlier versions stay as they are. */
  update(args: Arguments<"probes.update">, options?: CallOptions): Promise<Reply<"probes.update", "application/json">>;
  /** Removes a probe of the caller's own; no later version is asked it. */
  delete(args: Arguments<"probes.delete">, options?: CallOptions): Promise<void>;
}

/** Evaluations: runs of the probes against a summary version. */
export interface Evaluations {
  /** Lists a session's evaluations, newest first, without their verdicts. */
  list(args: Arguments<"evaluations.list">, options?: CallOptions): Page<"evaluations.list">;
  /** Evaluates a version now.
   *
   * The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
   * is the evaluation itself as soon as it is there. */
  create(args: Arguments<"evaluations.create">, options?: CallOptions): Promise<Reply<"evaluations.create", "application/json">>;
  /** Reads one evaluation, probe by probe. */
  get(args: Arguments<"evaluations.get">, options?: CallOptions): Promise<Reply<"evaluations.get", "application/json">>;
}

/** The tenant's API keys. */
export interface Keys {
  /** Lists the tenant's keys, oldest first. */
  list(args?: Arguments<"keys.list">, options?: CallOptions): Page<"keys.list">;
  /** Makes a key of the tenant.
   *
   * A key mints only what it may do itself. The key is shown in this reply and never again: the same call with the same
   * `Idempotency-Key` makes no second one, and its reply is without the key. */
  create(args: Arguments<"keys.create">, options?: CallOptions): Promise<Reply<"keys.create", "application/json">>;
  /** Tells what the key may do that this call is made with. */
  getCurrent(args?: Arguments<"keys.get_current">, options?: CallOptions): Promise<Reply<"keys.get_current", "application/json">>;
  /** Revokes a key of the tenant.
   *
   * It is refused from now on, by every process of the installation. */
  revoke(args: Arguments<"keys.revoke">, options?: CallOptions): Promise<void>;
  /** Replaces a key of the tenant by a new one with the same scopes; both work for a while.
   *
   * The new key is shown to the caller, so the caller needs every scope of the key that it replaces: 403 otherwise. */
  rotate(args: Arguments<"keys.rotate">, options?: CallOptions): Promise<Reply<"keys.rotate", "application/json">>;
}

/** Webhooks: where events are sent, and what became of each delivery. */
export interface Webhooks {
  /** Lists the tenant's webhooks, oldest first. */
  list(args?: Arguments<"webhooks.list">, options?: CallOptions): Page<"webhooks.list">;
  /** Makes a webhook.
   *
   * It receives the events listed under `webhooks`. The secret is shown in this
   * reply and never again, so an `Idempotency-Key` replays nothing here: erase what was made twice. */
  create(args: Arguments<"webhooks.create">, options?: CallOptions): Promise<Reply<"webhooks.create", "application/json">>;
  /** Reads a webhook. */
  get(args: Arguments<"webhooks.get">, options?: CallOptions): Promise<Reply<"webhooks.get", "application/json">>;
  /** Changes a webhook, disables it or enables it again.
   *
   * Deliveries that are pending for a webhook that is disabled are cancelled, and events while it is disabled are not
   * delivered; a cancelled delivery can be asked for again. */
  update(args: Arguments<"webhooks.update">, options?: CallOptions): Promise<Reply<"webhooks.update", "application/json">>;
  /** Erases a webhook with its deliveries. */
  delete(args: Arguments<"webhooks.delete">, options?: CallOptions): Promise<void>;
  /** Gives a webhook a new secret; the old one signs beside it for a while.
   *
   * Until then `webhook-signature` holds a signature of each, so that receivers can change over at any time. A
   * rotation within the overlap of the one before ends the oldest secret at once. */
  rotateSecret(args: Arguments<"webhooks.rotate_secret">, options?: CallOptions): Promise<Reply<"webhooks.rotate_secret", "application/json">>;
  /** Sends a test message, `webhook.test`.
   *
   * It is delivered as every other message: signed, retried and logged. */
  test(args: Arguments<"webhooks.test">, options?: CallOptions): Promise<Reply<"webhooks.test", "application/json">>;
  /** Lists a webhook's deliveries, newest first.
   *
   * They are kept for thirty days, and no longer than the session that they are about. */
  listDeliveries(args: Arguments<"webhooks.list_deliveries">, options?: CallOptions): Page<"webhooks.list_deliveries">;
  /** Reads a delivery, with the message that is sent. */
  getDelivery(args: Arguments<"webhooks.get_delivery">, options?: CallOptions): Promise<Reply<"webhooks.get_delivery", "application/json">>;
  /** Delivers a message again immediately, whatever its status.
   *
   * It keeps its id and its body, and is tried again as a new one is. */
  redeliver(args: Arguments<"webhooks.redeliver">, options?: CallOptions): Promise<Reply<"webhooks.redeliver", "application/json">>;
}

/** The audit log. */
export interface Audit {
  /** Lists what was done to the tenant and by its keys, newest first. */
  list(args?: Arguments<"audit.list">, options?: CallOptions): Page<"audit.list">;
  /** Lists what was done to any tenant, erased ones included, newest first. */
  listAll(args?: Arguments<"audit.list_all">, options?: CallOptions): Page<"audit.list_all">;
}

/** For the operator: tenants, their settings and their keys. */
export interface Tenants {
  /** Lists the tenants, oldest first. */
  list(args?: Arguments<"tenants.list">, options?: CallOptions): Page<"tenants.list">;
  /** Creates a tenant.
   *
   * With an `Idempotency-Key` the same call makes the same tenant, forever. */
  create(args: Arguments<"tenants.create">, options?: CallOptions): Promise<Reply<"tenants.create", "application/json">>;
  /** Reads a tenant. */
  get(args: Arguments<"tenants.get">, options?: CallOptions): Promise<Reply<"tenants.get", "application/json">>;
  /** Changes a tenant: its name, its quotas, its retention, whether it is suspended.
   *
   * An absent field keeps its value. A suspended tenant's keys are refused with 403 and its waiting jobs are paused; nothing
   * is lost. Keys of model providers need an installation with `ANCHORD_SECRETS_KEY`, and are never shown again. */
  update(args: Arguments<"tenants.update">, options?: CallOptions): Promise<Reply<"tenants.update", "application/json">>;
  /** Erases a tenant with everything that it owns.
   *
   * Its keys open nothing from then on, and nothing of it is shown; the rows are deleted in the background. Only the
   * audit log stays, which names things by their ids alone. */
  delete(args: Arguments<"tenants.delete">, options?: CallOptions): Promise<void>;
  /** Reads the defaults of a tenant's sessions. */
  getSettings(args: Arguments<"tenants.get_settings">, options?: CallOptions): Promise<Reply<"tenants.get_settings", "application/json">>;
  /** Replaces the defaults of a tenant's sessions.
   *
   * An absent or null field has the service's own default. */
  putSettings(args: Arguments<"tenants.put_settings">, options?: CallOptions): Promise<Reply<"tenants.put_settings", "application/json">>;
  /** Changes the defaults of a tenant's sessions.
   *
   * An absent field keeps its value and null resets it (JSON Merge Patch). */
  updateSettings(args: Arguments<"tenants.update_settings">, options?: CallOptions): Promise<Reply<"tenants.update_settings", "application/json">>;
  /** Lists a tenant's keys, oldest first. */
  listKeys(args: Arguments<"tenants.list_keys">, options?: CallOptions): Page<"tenants.list_keys">;
  /** Makes a key of a tenant.
   *
   * The key is shown in this reply and never again: the same call with the same `Idempotency-Key` makes no second one, and
   * its reply is without the key. */
  createKey(args: Arguments<"tenants.create_key">, options?: CallOptions): Promise<Reply<"tenants.create_key", "application/json">>;
  /** Revokes a key of a tenant. */
  revokeKey(args: Arguments<"tenants.revoke_key">, options?: CallOptions): Promise<void>;
  /** Replaces a key of a tenant by a new one with the same scopes; both work for a while. */
  rotateKey(args: Arguments<"tenants.rotate_key">, options?: CallOptions): Promise<Reply<"tenants.rotate_key", "application/json">>;
}

/** Health and metrics. */
export interface Health {
  /** Reports that the process is alive. */
  live(args?: Arguments<"health.live">, options?: CallOptions): Promise<Reply<"health.live", "application/json">>;
  /** Reports whether requests can be served: whether the database answers, or did within the last second. */
  ready(args?: Arguments<"health.ready">, options?: CallOptions): Promise<Reply<"health.ready", "application/json">>;
  /** Serves metrics in the Prometheus text format. */
  metrics(args?: Arguments<"health.metrics">, options?: CallOptions): Promise<Reply<"health.metrics", "text/plain">>;
}

/** Full-text search over the original messages. */
export interface Recall {
  /** Searches all original messages of a branch, compressed ones included.
   *
   * Full text in any script; identifiers and paths are found whole and by their parts. A message counts
   * for more among neighbours that match too, what is said for more than tool output, and of equals the
   * newer one comes first. Where the operator has configured an embeddings server, messages are also found by what they
   * mean; when it is away or slow, the reply says so (`degraded`) and ranks by words. */
  search(args: Arguments<"recall.search">, options?: CallOptions): Promise<Reply<"recall.search", "application/json">>;
  /** Searches the original messages of an end user's sessions, of a task's, or of those that a session started.
   *
   * The newest 50 sessions are searched as one, each in its current branch, so that scores are comparable; each hit names
   * its session. Otherwise as
   * the search of one session. */
  searchSessions(args: Arguments<"recall.search_sessions">, options?: CallOptions): Promise<Reply<"recall.search_sessions", "application/json">>;
}

/** Token figures: what the provider reports, what the tenant used; its quotas. */
export interface Usage {
  /** Reports the provider's own figures of the last call.
   *
   * They go to the ledger of the session's task, and correct how large the session's windows are in tokens of its
   * tokenizer. A provider counts `offset + factor × ours`: the offset is what the service does not see (a system prompt that the
   * caller keeps, tool definitions), the factor the difference of the tokenizers. Both are fitted to the newest reports by
   * medians, so that a few odd ones change nothing. The offset takes effect from three reports on, as far as
   * `system_tokens` does not say it already; the factor (0.5 to 2) from five about contexts whose sizes differ by 4,000 tokens and by a fifth.
   * `usage.calibration` has what is in force. A report that cannot be about the context, or
   * is about fewer than 4,000 tokens, corrects nothing; `verdict` says so.
   * Another `model` of the session, which counts otherwise, starts anew. */
  report(args: Arguments<"usage.report">, options?: CallOptions): Promise<Reply<"usage.report", "application/json">>;
  /** Reports what the tenant used, by day, and what a completed task costs with and without compression.
   *
   * Figures of requests reach the report within about a second. Sums by day stay when sessions are erased;
   * tasks are those whose sessions are still there. */
  get(args?: Arguments<"usage.get">, options?: CallOptions): Promise<Reply<"usage.get", "application/json">>;
  /** Reads the tenant's quotas, and what is used of them.
   *
   * Messages and tokens of the day begin anew at midnight (UTC). Sessions and kept replies are counted by each process, which
   * learns within two minutes what others have made. */
  getQuotas(args?: Arguments<"usage.get_quotas">, options?: CallOptions): Promise<Reply<"usage.get_quotas", "application/json">>;
}

/** Every operation of the API, by tag and verb. */
export interface Api {
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly context: Context;
  readonly transcript: Transcript;
  readonly branches: Branches;
  readonly toolOutputs: ToolOutputs;
  readonly tools: Tools;
  readonly notes: Notes;
  readonly pins: Pins;
  readonly settings: Settings;
  readonly models: Models;
  readonly constraints: Constraints;
  readonly requests: Requests;
  readonly stateless: Stateless;
  readonly compressions: Compressions;
  readonly summaries: Summaries;
  readonly todos: Todos;
  readonly events: Events;
  readonly tasks: Tasks;
  readonly ledger: Ledger;
  readonly probes: Probes;
  readonly evaluations: Evaluations;
  readonly keys: Keys;
  readonly webhooks: Webhooks;
  readonly audit: Audit;
  readonly tenants: Tenants;
  readonly health: Health;
  readonly recall: Recall;
  readonly usage: Usage;
}
