// An agent past its model's window: OpenAI's client asks the model, anchord keeps the messages.
import { Anchord } from "anchord";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { answer, TASK, tools, written } from "./tools.js";

const anchord = new Anchord(); // ANCHORD_URL and ANCHORD_API_KEY say where
const client = new OpenAI(); // OPENAI_BASE_URL and OPENAI_API_KEY
const model = "gpt-4o";
const session = "typescript-loop";

/** Stores what was said and done, and returns what to send next. When it is time, anchord summarises. */
const turn = (...messages: ChatCompletionMessageParam[]) => anchord.turn<ChatCompletionMessageParam>(session, { model, messages });

// The window follows from the model; here it is a small one, so that there is something to summarise.
await anchord.sessions.put({ session_id: session, body: { model, context_window: 16_000 } });
let context = await turn({ role: "system", content: "You are a coding agent." }, { role: "user", content: TASK });
let said: string | null = null;
for (let step = 0; step < 100; step++) {
  const reply = await client.chat.completions.create({ model, messages: context.messages, tools });
  const message = reply.choices[0]!.message;
  const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
  const results = calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: answer(call) }) as const);
  context = await turn(message, ...results);
  said = message.content;
  if (calls.length === 0) break;
}

console.log(said);
const end = await anchord.sessions.get({ session_id: session });
const forgotten = [...written].filter((name) => !JSON.stringify(context.messages).includes(name));
console.log(`${end.head_seq} messages, ${context.tokens.total} tokens of them sent at the end`);
console.log(`${end.compression_count} compressions, forgotten: ${forgotten.join(", ") || "nothing"}`);
process.exit(end.compression_count < 3 || forgotten.length > 0 || !said?.includes("All checks passed") ? 1 : 0);
