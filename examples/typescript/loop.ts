// An agent past its model's window: OpenAI's client asks the model, anchord keeps the messages.
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import createClient from "openapi-fetch";
import type { components, paths } from "./anchord.js";
import { answer, TASK, tools, written } from "./tools.js";

const anchord = createClient<paths>({
  baseUrl: process.env["ANCHORD_URL"] ?? "http://127.0.0.1:8080",
  headers: { Authorization: `Bearer ${process.env["ANCHORD_API_KEY"]}` },
});
const model = new OpenAI(); // OPENAI_BASE_URL and OPENAI_API_KEY say where
const name = "gpt-4o";
const session = { params: { path: { session_id: "typescript-loop" } } };

/** The value of a reply; a problem becomes an error. */
function value<T>(reply: { data?: T; error?: components["schemas"]["Problem"] }): NonNullable<T> {
  if (reply.data == null) throw new Error(`${reply.error?.type}: ${reply.error?.detail}`);
  return reply.data;
}

/** Stores messages as they are. Nothing else has to be asked for: when it is time, anchord summarises. */
async function append(...messages: ChatCompletionMessageParam[]): Promise<number> {
  const reply = await anchord.POST("/v1/sessions/{session_id}/messages", { ...session, body: { model: name, messages } });
  return value(reply).tokens_added;
}

/** What to send next: the system prompt, a summary of what is long ago, the newest messages. */
const context = async () => value(await anchord.GET("/v1/sessions/{session_id}/context", session));

// The window follows from the model; here it is a small one, so that there is something to summarise.
const settings = { model: name, context_window: 16_000 };
value(await anchord.PUT("/v1/sessions/{session_id}", { ...session, body: settings }));
let tokens = await append(
  { role: "system", content: "You are a coding agent." },
  { role: "user", content: TASK },
);
let said: string | null = null;
for (let step = 0; step < 100; step++) {
  const { messages } = await context();
  const reply = await model.chat.completions.create({ model: name, messages, tools });
  const message = reply.choices[0]!.message;
  const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
  const results = calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: answer(call) }) as const);
  tokens += await append(message, ...results);
  said = message.content;
  if (calls.length === 0) break;
}

console.log(said);
const last = await context();
const end = value(await anchord.GET("/v1/sessions/{session_id}", session));
const forgotten = [...written].filter((name) => !JSON.stringify(last.messages).includes(name));
console.log(`${tokens} tokens in ${end.head_seq} messages, ${last.tokens.total} of them sent at the end`);
console.log(`${end.compression_count} compressions, forgotten: ${forgotten.join(", ") || "nothing"}`);
process.exit(end.compression_count < 3 || forgotten.length > 0 || !said?.includes("All checks passed") ? 1 : 0);
