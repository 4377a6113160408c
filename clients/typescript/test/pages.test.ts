// The code that the documentation prints runs: `run` puts each block of TypeScript into a file of its own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Anchord } from "anchord";
import { json, scripted } from "./provider.js";
import { output, startTask } from "./task.js";

const page = (name: string) => join(import.meta.dirname, `page-${name}.js`);

test("README.md: the first call", async () => {
  const said = await output(process.execPath, [page("README-1")], { env: process.env });
  assert.equal(said.trim(), "[ { role: 'user', content: 'Fix the port.' } ]");
});

test("docs/typescript.md: the first calls", async () => {
  const said = await output(process.execPath, [page("typescript-1")], { env: process.env });
  const last = [...said.matchAll(/^(\d+) of (\d+) messages, (\d+) tokens$/gm)].at(-1)?.map(Number) ?? [];
  assert.ok(last[2] === 81 && last[1]! < 81 && last[3]! < 12_800, last.join());
  assert.match(said, /^[1-9]\d* compressions$/m);
  assert.match(said, /another tenant's/);
});

test("docs/typescript.md: the agent with the AI SDK", async (t) => {
  // Pages to read, as a provider plays it that has nothing to read them with but the tool.
  let asked = 0;
  const server = await scripted((reply) => {
    asked += 1;
    const call = { id: `call_${asked}`, type: "function", function: { name: "readPage", arguments: JSON.stringify({ number: asked }) } };
    const message = asked <= 30 ? { role: "assistant", content: null, tool_calls: [call] } : { role: "assistant", content: "All pages are read." };
    const choice = { index: 0, message, finish_reason: asked <= 30 ? "tool_calls" : "stop" };
    json({ id: "c", object: "chat.completion", created: 1, model: "gpt-4o", choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })(reply);
  });
  t.after(server.close);
  const said = await output(process.execPath, [page("typescript-2")], { env: { ...process.env, OPENAI_BASE_URL: `${server.url}/v1` } });
  assert.match(said, /^[1-9]\d* compressions$/m);
  // A context, and not the list, which would have a call and a result of each page.
  const body = JSON.parse(server.asked.at(-1)!.body) as { messages: unknown[] };
  assert.ok(asked === 31 && body.messages.length < 40, `${body.messages.length} messages`);
});

test("docs/quick-framework.md: the agent", async (t) => {
  const task = await startTask(3, 500);
  t.after(task.close);
  const env = { ...process.env, OPENAI_BASE_URL: `${task.url}/v1`, OPENAI_API_KEY: "unused" };
  const said = await output(process.execPath, [page("quick-framework-1")], { cwd: task.work, env });
  assert.notEqual(said.trim(), "");
  const { head_seq } = await new Anchord().sessions.get({ session_id: "quick-framework" });
  assert.equal(head_seq, (await task.seen()).length * 2);
});
