// One round of calls through openapi-generator's client for TypeScript.
import assert from "node:assert/strict";
import * as anchord from "./openapi-generator/index.js";

const configuration = new anchord.Configuration({
  basePath: process.env["ANCHORD_URL"] ?? "http://127.0.0.1:8080",
  accessToken: process.env["ANCHORD_API_KEY"] ?? "",
});
const sessions = new anchord.SessionsApi(configuration);
const messages = new anchord.MessagesApi(configuration);
const pins = new anchord.PinsApi(configuration);
const webhooks = new anchord.WebhooksApi(configuration);
const sessionId = "round-openapi-generator";
// What no schema lists, and what is null: both have to be stored and come back as they are.
const question = { role: "user", content: "Fix the port." };
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABo" };
const chat = { role: "assistant", content: null, tool_calls: [], refusal: null };
const format = "openai-responses";

await sessions.sessionsPut({ sessionId, settings: { contextWindow: 32_000 } });
await messages.messagesAppend({ sessionId, appendRequest: { format, messages: [question, reasoning] } });
await messages.messagesAppend({ sessionId, appendRequest: { messages: [chat] } });
const stored = await messages.messagesList({ sessionId });
assert.deepEqual(stored.items.map((item) => item.message), [question, reasoning, chat]);
const context = await new anchord.ContextApi(configuration).contextGet({ sessionId, format });
assert.ok(context.withinBudget && context.messages.length > 0);

const pin = await pins.pinsAdd({ sessionId, pinInput: { text: "Never push to main." } });
const read = await pins.pinsList({ sessionId });
const written = await pins.pinsReplace({ sessionId, replacePins: { pins: read.pins } });
assert.deepEqual(written?.pins, [pin]);
await pins.pinsRemove({ sessionId, pinId: pin.id });

const refused = await messages
  .messagesAppend({ sessionId, appendRequest: { messages: [chat], expectedNextSeq: 1 } })
  .catch((error: unknown) => error);
assert.ok(refused instanceof anchord.ResponseError);
const problem = anchord.ProblemFromJSON(await refused.response.json());
assert.equal(problem.status, 409);
assert.equal(problem["next_seq"], 4);

const hook = await webhooks.webhooksCreate({ createWebhook: { url: "https://hooks.example.com/anchord" } });
assert.ok((await webhooks.webhooksList()).items.some((known) => known.id === hook.webhook.id));
await webhooks.webhooksDelete({ webhookId: hook.webhook.id });

const compressed = await new anchord.CompressionsApi(configuration).compressionsCreate({
  sessionId,
  prefer: "wait=30",
  createCompression: { target: 0.0001, preserveRecent: 1 },
});
// The generator reads a reply to its end, and a stream of events has none: its lines are read from the response.
const reply = await fetch(`${configuration.basePath}/v1/sessions/${sessionId}/events?after=0`, {
  headers: { Authorization: `Bearer ${process.env["ANCHORD_API_KEY"]}` },
});
const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
let text = "";
while (!/^data: ?.*\n/m.test(text)) text += (await reader.read()).value ?? "";
await reader.cancel();
const event = anchord.EventFromJSON(JSON.parse(/^data: ?(.*)\n/m.exec(text)![1]!));
assert.equal(event.sessionId, sessionId);
assert.equal(event.data.compressionId, compressed.id);
await sessions.sessionsDelete({ sessionId });
console.log("append, context, pins, a problem, webhooks and events through openapi-generator's client");
