// One round of calls through the client that @hey-api/openapi-ts makes.
import assert from "node:assert/strict";
import { createClient } from "./hey-api/client/index.js";
import * as anchord from "./hey-api/sdk.gen.js";

const client = createClient({
  baseUrl: process.env["ANCHORD_URL"] ?? "http://127.0.0.1:8080",
  auth: process.env["ANCHORD_API_KEY"] ?? "",
});
const call = { client, throwOnError: true } as const;
const path = { session_id: "round-hey-api" };
// What no schema lists, and what is null: both have to be stored and come back as they are.
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABo" };
const chat = { role: "assistant", content: null, tool_calls: [], refusal: null };

await anchord.sessionsPut({ ...call, path, body: { context_window: 32_000 } });
const question = { role: "user", content: "Fix the port." };
await anchord.messagesAppend({ ...call, path, body: { format: "openai-responses", messages: [question, reasoning] } });
await anchord.messagesAppend({ ...call, path, body: { messages: [chat] } });
const stored = await anchord.messagesList({ ...call, path });
assert.deepEqual(stored.data.items.map((item) => item.message), [question, reasoning, chat]);
const context = await anchord.contextGet({ ...call, path, query: { format: "openai-responses" } });
assert.ok(context.data.within_budget && context.data.messages.length > 0);

const pin = await anchord.pinsAdd({ ...call, path, body: { text: "Never push to main." } });
const read = await anchord.pinsList({ ...call, path });
const written = await anchord.pinsReplace({ ...call, path, body: read.data });
assert.ok(written.data);
assert.deepEqual(written.data.pins, [pin.data]);
await anchord.pinsRemove({ ...call, path: { ...path, pin_id: pin.data.id } });

const refused = await anchord.messagesAppend({ client, path, body: { messages: [chat], expected_next_seq: 1 } });
assert.equal(refused.error?.status, 409);
assert.equal(refused.error?.["next_seq"], 4);

const hook = await anchord.webhooksCreate({ ...call, body: { url: "https://hooks.example.com/anchord" } });
const hooks = await anchord.webhooksList(call);
assert.ok(hooks.data.items.some((known) => known.id === hook.data.webhook.id));
await anchord.webhooksDelete({ ...call, path: { webhook_id: hook.data.webhook.id } });

const compressed = await anchord.compressionsCreate({
  ...call,
  path,
  headers: { Prefer: "wait=30" },
  body: { target: 0.0001, preserve_recent: 1 },
});
const { stream } = await anchord.eventsStream({ client, path, query: { after: 0 } });
for await (const event of stream) {
  assert.equal(event.session_id, path.session_id);
  assert.equal(event.data.compression_id, compressed.data.id);
  break;
}
await anchord.sessionsDelete({ ...call, path });
console.log("append, context, pins, a problem, webhooks and events through hey-api's client");
