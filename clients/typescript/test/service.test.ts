// The client against a service; ANCHORD_URL and ANCHORD_API_KEY say where.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Anchord, ProblemError, version } from "anchord";

const anchord = new Anchord();
const name = (what: string) => `typescript-${what}-${process.pid}`;
const said = (...texts: string[]) => texts.map((content, index) => ({ role: index % 2 ? "assistant" : "user", content }));
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");

test("the package is of the service's version", async () => {
  const document = (await (await fetch(`${anchord.url}/openapi.json`)).json()) as { info: { version: string } };
  assert.equal(version, document.info.version);
});

test("a turn stores and gives the context; fields that no schema lists come back", async () => {
  const session = name("turn");
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABo" };
  const messages = [{ role: "user", content: "Fix the port." }, reasoning];
  const context = await anchord.turn(session, { format: "openai-responses", messages }, { format: "openai-responses" });
  assert.deepEqual(context.messages[0], messages[0]);
  const stored = await anchord.messages.list({ session_id: session });
  assert.deepEqual(stored.items.map(({ message }) => message), messages);
});

test("a context that cannot be made is a problem, and the messages are stored", async () => {
  const session = name("budget");
  await assert.rejects(anchord.turn(session, { messages: said(words(500)) }, { max_input_tokens: 10 }), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.equal(error.code, "budget-too-small");
    return true;
  });
  assert.equal((await anchord.sessions.get({ session_id: session })).head_seq, 1);
});

test("a list is synced, also when it parts from what is stored", async () => {
  const session = name("sync");
  const first = said("One.", "Two.", "Three.");
  assert.equal((await anchord.sync(session, { messages: first })).messages.length, 3);
  const other = [...first.slice(0, 2), { role: "user", content: "Another." }];
  assert.deepEqual((await anchord.sync(session, { messages: other })).messages, other);
  assert.equal((await anchord.branches.list({ session_id: session })).items.length, 2);
});

test("a POST under one key is done once", async () => {
  const call = { session_id: name("key"), body: { messages: said("Once.") } };
  const options = { idempotencyKey: name("key") };
  const first = await anchord.messages.append(call, options);
  assert.deepEqual(await anchord.messages.append(call, options), first);
  assert.equal((await anchord.sessions.get(call)).head_seq, 1);
});

test("a list is its first page, or every item of all pages", async () => {
  const session = name("pages");
  await anchord.messages.append({ session_id: session, body: { messages: said(...Array.from({ length: 25 }, (_, n) => `Message ${n}.`)) } });
  const page = await anchord.messages.list({ session_id: session, limit: 10 });
  assert.equal(page.items.length, 10);
  assert.ok(page.next_cursor);
  const seqs: number[] = [];
  for await (const { seq } of anchord.messages.list({ session_id: session, limit: 10 })) seqs.push(seq);
  assert.deepEqual(seqs, Array.from({ length: 25 }, (_, n) => n + 1));
});

test("a compression is waited for, told in events, and read in three forms", async () => {
  const session = name("events");
  await anchord.messages.append({ session_id: session, body: { messages: said("Never push to main.", words(300), "Go on.", "Done.") } });
  const made = await anchord.compressions.create({ session_id: session, wait: 30, body: { target: 0.0001, preserve_recent: 1 } });
  assert.equal(made.status, "succeeded");
  const types: string[] = [];
  for await (const event of anchord.events.stream({ session_id: session, after: 0 })) {
    types.push(event.type);
    if (event.type === "compression.succeeded") break;
  }
  assert.ok(types.includes("summary.published") || types.includes("compression.started"), types.join());
  const summary = await anchord.summaries.getCurrent({ session_id: session });
  const markdown = await anchord.summaries.getCurrent({ session_id: session, accept: "text/markdown" });
  const state = await anchord.summaries.getCurrent({ session_id: session, accept: "application/vnd.anchord.session-state+json" });
  assert.equal(summary.version, 1);
  assert.match(markdown, /Never push to main/);
  assert.equal(typeof state, "object");
});

test("an export is read line by line, and imported as another session", async () => {
  const session = name("export");
  await anchord.messages.append({ session_id: session, body: { messages: said("One.", "Two.") } });
  const lines: unknown[] = [];
  for await (const line of anchord.sessions.export({ session_id: session })) lines.push(line);
  assert.ok(lines.length >= 4);
  const body = lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
  const imported = name("import");
  await anchord.sessions.import({ session_id: imported, body });
  assert.equal((await anchord.sessions.get({ session_id: imported })).head_seq, 2);
});

test("what is not there yet is undefined, and what is erased is a problem", async () => {
  const session = name("none");
  await anchord.sessions.put({ session_id: session, body: { context_window: 32_000 } });
  assert.equal(await anchord.sessions.getHandoff({ session_id: session }), undefined);
  assert.equal(await anchord.sessions.delete({ session_id: session }), undefined);
  await assert.rejects(anchord.sessions.get({ session_id: session }), { code: "session-not-found", status: 404 });
});
