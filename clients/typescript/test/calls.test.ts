// How calls are made, repeated, ended and refused, against a server that answers as it is told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Anchord, ConnectionError, ProblemError, TimeoutError } from "anchord";
import { json, problem, scripted } from "./provider.js";

const stored = { session_id: "s", first_seq: 1, last_seq: 1, next_seq: 2, tokens_added: 1, usage: {}, decision: {}, compression: null };
const append = { session_id: "s", body: { messages: [{ role: "user", content: "Hello." }] } };

test("a repeated POST has the key and the body of the first", async (t) => {
  const server = await scripted(problem(503, "locked", { "retry-after": "0" }), problem(500, "outcome-unknown"), json(stored, 201));
  t.after(server.close);
  const reply = await new Anchord({ url: server.url, key: "k" }).messages.append(append);
  assert.equal(reply.next_seq, 2);
  const keys = server.asked.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 3);
  assert.match(String(keys[0]), /^[\w-]{36}$/);
  assert.equal(new Set(keys).size, 1);
  assert.equal(new Set(server.asked.map(({ body }) => body)).size, 1);
  assert.equal(server.asked[0]?.headers.authorization, "Bearer k");
  assert.match(String(server.asked[0]?.headers["user-agent"]), /^anchord-typescript\/\d/);
});

test("two calls have two keys, and a caller's own is sent", async (t) => {
  const server = await scripted(json(stored, 201));
  t.after(server.close);
  const anchord = new Anchord({ url: server.url });
  await anchord.messages.append(append);
  await anchord.messages.append(append);
  await anchord.messages.append(append, { idempotencyKey: "mine" });
  const [first, second, third] = server.asked.map(({ headers }) => headers["idempotency-key"]);
  assert.notEqual(first, second);
  assert.equal(third, "mine");
});

test("Retry-After is waited for", async (t) => {
  const server = await scripted(problem(429, "rate-limited", { "retry-after": "1" }), json({ items: [], next_cursor: null }));
  t.after(server.close);
  await new Anchord({ url: server.url }).sessions.list();
  const [first, second] = server.asked;
  assert.ok(second && first && second.at - first.at >= 990, "it came before its time");
});

test("a wait that is too long is the caller's to decide", async (t) => {
  const server = await scripted(problem(429, "quota-exceeded", { "retry-after": "3600" }, { limit: 5 }));
  t.after(server.close);
  await assert.rejects(async () => await new Anchord({ url: server.url }).sessions.list(), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.code, error.status, error.limit, error.retryAfter], ["quota-exceeded", 429, 5, 3600]);
    return true;
  });
  assert.equal(server.asked.length, 1);
  const other = await scripted(problem(503, "unavailable", { "retry-after": "3" }));
  t.after(other.close);
  await assert.rejects(async () => await new Anchord({ url: other.url, maxWait: 2000 }).sessions.list(), { code: "unavailable", retryAfter: 3 });
  assert.equal(other.asked.length, 1);
});

test("a refusal is told with its field, and is not repeated", async (t) => {
  const errors = [{ pointer: "/messages/0/role", detail: "unknown role" }];
  const server = await scripted(problem(422, "invalid-request", {}, { errors, next_seq: 4 }));
  t.after(server.close);
  await assert.rejects(new Anchord({ url: server.url }).messages.append(append), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.equal(error.type, "/problems/invalid-request");
    assert.equal(error.code, "invalid-request");
    assert.equal(error.field, "/messages/0/role");
    assert.equal(error.problem["next_seq"], 4);
    assert.equal(error.requestId, "request-1");
    return true;
  });
  assert.equal(server.asked.length, 1);
});

test("what a proxy says in its own words is a problem, too", async (t) => {
  const server = await scripted((reply) => reply.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>"));
  t.after(server.close);
  await assert.rejects(async () => await new Anchord({ url: server.url, retries: 1 }).sessions.list(), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.type, error.status, error.detail], ["about:blank", 502, "<h1>Bad Gateway</h1>"]);
    return true;
  });
  assert.equal(server.asked.length, 2);
});

test("a lost connection is tried again; a deletion that was done counts as done", async (t) => {
  const server = await scripted((reply) => reply.destroy(), problem(404, "session-not-found"));
  t.after(server.close);
  const anchord = new Anchord({ url: server.url });
  await anchord.sessions.delete({ session_id: "s" });
  assert.equal(server.asked.length, 2);
  await assert.rejects(anchord.sessions.delete({ session_id: "s" }), ProblemError);
});

test("a service that is not there is named, with where its address comes from", async () => {
  const server = await scripted();
  await server.close();
  await assert.rejects(async () => await new Anchord({ url: server.url, retries: 0 }).sessions.list(), (error) => {
    assert.ok(error instanceof ConnectionError);
    for (const part of [server.url, "ECONNREFUSED", "ANCHORD_URL", "http://127.0.0.1:8080"]) assert.ok(error.message.includes(part), error.message);
    return true;
  });
});

test("what is no message is refused before it is sent", async (t) => {
  const context = { messages: [], sources: [] };
  const server = await scripted(json({ ...stored, context }, 201));
  t.after(server.close);
  const anchord = new Anchord({ url: server.url });
  // The second is a message of LangChain's, as it is sent.
  for (const wrong of [{ content: "Hello." }, { lc: 1, type: "constructor", id: ["HumanMessage"] }, { type: "human", content: "Hello." }, "Hello."]) {
    const messages = [{ role: "user", content: "Hello." }, wrong as object];
    await assert.rejects(anchord.turn("s", { messages }), /^TypeError: messages\[1\] is no message/);
    await assert.rejects(anchord.sync("s", { messages }), TypeError);
  }
  assert.equal(server.asked.length, 0);
  await anchord.turn("s", { messages: [{ type: "reasoning" }, { type: "web_search_call" }] });
  await anchord.turn("s", { format: "openai-responses", messages: [{ type: "of_tomorrow" }] });
  assert.equal(server.asked.length, 2);
});

test("a window that is assumed is told once", async (t) => {
  const context = { messages: [], sources: [], warnings: [{ code: "model-unknown", model: "mine", window: 200_000, detail: "Set it." }] };
  const server = await scripted(json({ ...stored, context }, 201));
  t.after(server.close);
  const warned: unknown[] = [];
  const anchord = new Anchord({ url: server.url, onWarning: (warning) => warned.push(warning) });
  for (let turn = 0; turn < 2; turn++) await anchord.turn("s", { messages: [{ role: "user", content: "Hello." }] });
  assert.deepEqual(warned, context.warnings);
});

test("a call that takes too long ends, and so does one that its caller ends", async (t) => {
  const stop = new AbortController();
  const silent = () => {};
  const server = await scripted(silent, () => stop.abort(new Error("enough")));
  t.after(server.close);
  const anchord = new Anchord({ url: server.url, retries: 1 });
  await assert.rejects(anchord.sessions.get({ session_id: "s" }, { timeout: 1500 }), TimeoutError);
  assert.equal(server.asked.length, 1);
  await assert.rejects(anchord.sessions.get({ session_id: "s" }, { signal: stop.signal, retries: 0 }), /^Error: enough$/);
  assert.equal(server.asked.length, 2);
  await assert.rejects(anchord.sessions.get({ session_id: "s" }, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a wait between two attempts ends with its caller", async (t) => {
  const server = await scripted(problem(503, "unavailable", { "retry-after": "30" }));
  t.after(server.close);
  const begun = Date.now();
  await assert.rejects(new Anchord({ url: server.url }).sessions.get({ session_id: "s" }, { signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
  assert.ok(Date.now() - begun < 5000);
});

test("names stand in paths and queries as they are", async (t) => {
  const server = await scripted(json({ items: [], next_cursor: null }));
  t.after(server.close);
  const anchord = new Anchord({ url: `${server.url}/` });
  await anchord.models.get({ name: "openai/gpt-4o?" });
  await anchord.sessions.list({ metadata: ["team:support", "a:b,c"], include: ["policy", "settings"], user: undefined });
  await anchord.models.get({ name: ".." });
  assert.equal(server.asked[0]?.url, "/v1/models/openai%2Fgpt-4o%3F");
  assert.equal(server.asked[1]?.url, "/v1/sessions?metadata=team%3Asupport&metadata=a%3Ab%2Cc&include=policy%2Csettings");
  await assert.rejects(anchord.sessions.get({ session_id: "" }), TypeError);
});

test("a stream of events goes on behind the last one", async (t) => {
  const event = (id: number) => `id: ${id}\nevent: summary.published\ndata: ${JSON.stringify({ id, type: "summary.published", data: {} })}\n\n`;
  const stream = (text: string, isCut: boolean) => (reply: import("node:http").ServerResponse) => {
    reply.writeHead(200, { "content-type": "text/event-stream" }).write(text);
    // In two pieces, the second of which begins within a line.
    setTimeout(() => (isCut ? reply.destroy() : reply.end()), 30);
  };
  const server = await scripted(stream(`id: 6\n\n: alive\n\n${event(7)}`, false), stream(event(8) + "id: 9\nda", true), stream(event(9), false));
  t.after(server.close);
  const seen: unknown[] = [];
  for await (const { id } of new Anchord({ url: server.url }).events.stream({ session_id: "s", after: 6 })) {
    seen.push(id);
    if (id === 9) break;
  }
  assert.deepEqual(seen, [7, 8, 9]);
  assert.deepEqual(server.asked.map(({ headers }) => headers["last-event-id"]), [undefined, "7", "8"]);
});

test("a session that is erased ends its stream with the problem", async (t) => {
  const server = await scripted((reply) => reply.writeHead(200, { "content-type": "text/event-stream" }).end("id: 1\n\n"), problem(404, "session-not-found"));
  t.after(server.close);
  await assert.rejects(async () => {
    for await (const event of new Anchord({ url: server.url }).events.stream({ session_id: "s" })) assert.fail(`there is no event ${event.type}`);
  }, ProblemError);
});
