// The code that the documentation prints runs: `run` puts each block of TypeScript into a file of its own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Anchord } from "anchord";
import { output, startTask } from "./task.js";

const page = (name: string) => join(import.meta.dirname, `page-${name}.js`);

test("docs/typescript.md: the first calls", async () => {
  const said = await output(process.execPath, [page("typescript-1")], { env: process.env });
  assert.match(said, /Never push to main/);
  assert.match(said, /^1 \{/m);
  assert.match(said, /another tenant's/);
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
