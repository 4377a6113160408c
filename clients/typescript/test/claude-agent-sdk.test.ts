// The hooks in the Claude Agent SDK, with the program that it brings.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { query, type Options } from "@anthropic-ai/claude-agent-sdk";
import { Anchord } from "anchord";
import { anchordHooks } from "anchord/claude-agent-sdk";
import { startTask, troubled, wholeSession, type Task } from "./task.js";

const STEPS = 20;

async function agent(task: Task, hooks: NonNullable<Options["hooks"]>): Promise<{ session: string; compactions: number; result: string }> {
  const env = {
    PATH: process.env["PATH"], HOME: task.home, CLAUDE_CONFIG_DIR: `${task.home}/.claude`, ANTHROPIC_BASE_URL: task.url, ANTHROPIC_API_KEY: "sk-ant-unused",
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1", IS_SANDBOX: "1",
  };
  const options: Options = {
    cwd: task.work, env, hooks, permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true, settingSources: [], persistSession: true,
    systemPrompt: { type: "preset", preset: "claude_code" },
  };
  let [session, compactions, result] = ["", 0, ""];
  for await (const message of query({ prompt: task.prompt, options })) {
    if ("session_id" in message && message.session_id) session = message.session_id;
    if (message.type === "system" && message.subtype === "compact_boundary") compactions += 1;
    if (message.type === "result") result = message.subtype;
  }
  return { session, compactions, result };
}

const blockCalls = (message: any): [string[], string[]] => {
  const blocks = (typeof message.content === "string" ? [] : message.content) as { type: string; id: string; tool_use_id: string }[];
  return [blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id), blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id)];
};

test("Claude Agent SDK: what a compaction leaves out is given back, and kept", async (t) => {
  const task = await startTask(STEPS, 9500, ["--scale", "2"]);
  t.after(task.close);
  const problems: unknown[] = [];
  const { session, compactions, result } = await agent(task, anchordHooks({ onProblem: (problem) => problems.push(problem) }));
  const seen = await task.seen();
  assert.deepEqual(problems, []);
  assert.equal(result, "success");
  assert.ok(compactions >= 1, "there was no compaction");
  assert.deepEqual(seen.filter(({ refused }) => refused), []);
  const compaction = seen.find(({ kind }) => kind === "compaction")!;
  const next = seen.find(({ n, kind }) => n > compaction.n && kind === "turn")!;
  const handoff = `From session ${session}, version 1.`;
  const before = seen.findLast(({ n, kind }) => n < compaction.n && kind === "turn")!;
  const has = async (n: number) => JSON.stringify(await task.body(n)).includes(handoff);
  assert.ok(await has(next.n), "the next call does not have the hand-off");
  assert.ok(JSON.stringify(await task.body(next.n)).includes("## Prior Session Context"));
  assert.ok(!JSON.stringify(await task.body(next.n)).includes("Output too large"));
  assert.ok(!(await has(before.n)), "the call before the compaction has a hand-off");
  assert.equal(seen.filter(({ kind }) => kind === "turn").at(-1)?.step, STEPS);
  const stored = await wholeSession(session, blockCalls);
  assert.equal(stored.flatMap(({ message }) => blockCalls(message)[0]).length, STEPS);
  assert.equal(stored.at(-1)?.role, "assistant");
  t.diagnostic(`${compactions} compactions, ${next.needles} words in the next call, ${stored.length} messages stored`);
});

test("Claude Agent SDK: without the service it compacts as ever", async (t) => {
  const task = await startTask(STEPS, 9500, ["--scale", "2"]);
  t.after(task.close);
  const service = await troubled();
  t.after(service.close);
  service.state.trouble = 429;
  const anchord = new Anchord({ url: service.url, retries: 1 });
  const problems: unknown[] = [];
  const { compactions, result } = await agent(task, anchordHooks({ anchord, onProblem: (problem) => problems.push(problem) }));
  const seen = await task.seen();
  assert.equal(result, "success");
  assert.ok(compactions >= 1);
  assert.ok(problems.length >= 1);
  assert.deepEqual(seen.filter(({ refused }) => refused), []);
  assert.equal(seen.filter(({ kind }) => kind === "turn").at(-1)?.step, STEPS);
});

test("Claude Agent SDK: a wrong key is thrown by the first hook that calls the service", async (t) => {
  const task = await startTask(3, 100);
  t.after(task.close);
  const transcript_path = `${task.home}/transcript.jsonl`;
  await writeFile(transcript_path, JSON.stringify({ type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "Hello." }] } }));
  const [{ hooks: [stop] } = { hooks: [] }] = anchordHooks({ anchord: new Anchord({ key: "ak_wrong" }) }).Stop;
  await assert.rejects(stop!({ hook_event_name: "Stop", session_id: "wrong", transcript_path }), { status: 401 });
});
