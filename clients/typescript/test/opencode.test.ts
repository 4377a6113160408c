// The plugin in opencode, whose program OPENCODE names.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { PluginModule } from "@opencode-ai/plugin";
import { Anchord } from "anchord";
import plugin, { anchordPlugin } from "anchord/opencode";
import { chatCalls, output, startTask, troubled, wholeSession, type Task } from "./task.js";

// It is a plugin by opencode's own types.
plugin satisfies PluginModule;

const STEPS = 16;

async function agent(task: Task, url: string): Promise<void> {
  const models = { model: { name: "model", limit: { context: 40_000, output: 8000 }, tool_call: true } };
  const it = { npm: "@ai-sdk/openai-compatible", name: "It", options: { baseURL: `${task.url}/v1`, apiKey: "unused" }, models };
  const anchord = join(import.meta.dirname, "../node_modules/anchord");
  const config = { plugin: [anchord], provider: { it }, model: "it/model", autoupdate: false, share: "disabled", permission: { bash: "allow" } };
  await writeFile(join(task.work, "opencode.json"), JSON.stringify(config));
  const env = {
    PATH: process.env["PATH"], HOME: task.home, TMPDIR: task.home, TERM: "dumb", ANCHORD_URL: url, ANCHORD_API_KEY: process.env["ANCHORD_API_KEY"],
    OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
  await output(process.env["OPENCODE"] ?? "opencode", ["run", "--print-logs", task.prompt], { cwd: task.work, env, signal: AbortSignal.timeout(180_000) });
}

const sessions = async () => {
  const names: string[] = [];
  for await (const { session_id } of new Anchord().sessions.list()) if (session_id.startsWith("ses_")) names.push(session_id);
  return names;
};

test("opencode: a compaction takes anchord's context", async (t) => {
  const task = await startTask(STEPS, 9000);
  t.after(task.close);
  const before = await sessions();
  await agent(task, new Anchord().url);
  const seen = await task.seen();
  assert.deepEqual(seen.filter(({ refused }) => refused), []);
  // The model was asked for no summary: the call that opencode makes says so, and is short.
  assert.deepEqual(seen.filter(({ kind }) => kind === "compaction"), []);
  const asked = await Promise.all(seen.map(async ({ n }) => ({ n, text: JSON.stringify((await task.body(n))?.messages ?? "") })));
  const compactions = asked.filter(({ text }) => text.includes("Nothing is to be summarised here"));
  assert.ok(compactions.length >= 1, "there was no compaction");
  for (const { text } of compactions) assert.ok(text.length < 2000, `${text.length} characters to answer with a word`);
  const [session = ""] = (await sessions()).filter((name) => !before.includes(name));
  const next = seen.find(({ n, kind }) => n > compactions[0]!.n && kind === "turn")!;
  const [record = ""] = ((await new Anchord().summaries.getCurrent({ session_id: session, accept: "text/markdown" })) as string).split("\n");
  assert.ok(asked.find(({ n }) => n === next.n)!.text.includes(JSON.stringify(record).slice(1, -1)), "the next call does not have the record");
  assert.equal(seen.filter(({ kind }) => kind === "turn").at(-1)?.step, STEPS);
  const stored = await wholeSession(session, chatCalls);
  assert.equal(stored.flatMap(({ message }) => chatCalls(message)[0]).length, STEPS);
  t.diagnostic(`${compactions.length} compactions, ${next.needles} words in the next call, ${stored.length} messages stored`);
});

test("opencode: without the service it compacts as ever", async (t) => {
  const task = await startTask(STEPS, 9000);
  t.after(task.close);
  const service = await troubled();
  t.after(service.close);
  service.state.trouble = 503;
  await agent(task, service.url);
  const seen = await task.seen();
  assert.deepEqual(seen.filter(({ refused }) => refused), []);
  assert.ok(seen.some(({ kind }) => kind === "compaction"));
  assert.equal(seen.filter(({ kind }) => kind === "turn").at(-1)?.step, STEPS);
  assert.ok(service.state.refused > 0);
});

test("opencode: a wrong key is thrown where opencode loads the plugin", async () => {
  const logged: unknown[] = [];
  const client = { session: { messages: async () => ({}) }, app: { log: async (line: unknown) => logged.push(line) } };
  await assert.rejects(anchordPlugin({ anchord: new Anchord({ key: "ak_wrong" }) })({ client }), { status: 401 });
  assert.match(JSON.stringify(logged), /"level":"warn","message":"anchord: Unauthorized/);
  await anchordPlugin({ anchord: new Anchord() })({ client });
  assert.match(JSON.stringify(logged), /"level":"info","message":"anchord: contexts come from http/);
});
