// The middleware in Vercel's AI SDK, in the two versions that it is for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Anchord } from "anchord";
import { anchordMiddleware } from "anchord/ai-sdk";
import * as ai7 from "ai";
import * as ai6 from "ai-6";
import { createOpenAICompatible as provider7 } from "@ai-sdk/openai-compatible";
import { createOpenAICompatible as provider6 } from "ai-6-openai-compatible";
import { scripted } from "./provider.js";
import { chatCalls, output, startTask, troubled, wholeSession } from "./task.js";

const RULES = "You are a careful reader.";
const WINDOW = 16_000;
const STEPS = 30;
const CALL = { schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } as const, description: "Runs a command." };

/** The agents of both versions are the same words; their types are not. */
const versions = {
  7: (url: string, session: string, anchord: Anchord, problems: unknown[]) => {
    const model = provider7({ name: "it", baseURL: `${url}/v1`, includeUsage: true })("model");
    const middleware = anchordMiddleware({ session, anchord, window: WINDOW, onProblem: (problem) => problems.push(problem) });
    return { ai: ai7, model: ai7.wrapLanguageModel({ model, middleware }) };
  },
  6: (url: string, session: string, anchord: Anchord, problems: unknown[]) => {
    const model = provider6({ name: "it", baseURL: `${url}/v1`, includeUsage: true })("model");
    const middleware = anchordMiddleware({ session, anchord, window: WINDOW, onProblem: (problem) => problems.push(problem) });
    return { ai: ai6 as unknown as typeof ai7, model: ai6.wrapLanguageModel({ model, middleware }) as unknown as ReturnType<typeof ai7.wrapLanguageModel> };
  },
};

for (const [version, agent] of Object.entries(versions)) {
  test(`AI SDK ${version}: an agent goes on past its window, also while the service is away`, async (t) => {
    const task = await startTask(STEPS, 2600, ["--window", String(WINDOW)]);
    t.after(task.close);
    const service = await troubled();
    t.after(service.close);
    const session = `ai-sdk-${version}-${process.pid}`;
    const problems: unknown[] = [];
    const { ai, model } = agent(task.url, session, new Anchord({ url: service.url, retries: 1 }), problems);
    let calls = 0;
    const bash = ai.tool({
      description: CALL.description,
      inputSchema: ai.jsonSchema<{ command: string }>(CALL.schema),
      execute: ({ command }) => {
        calls += 1;
        // Away before the first compression and after it, by either status.
        service.state.trouble = [3, 22].includes(calls) ? 503 : [4, 23].includes(calls) ? 429 : undefined;
        return output("sh", ["-c", command], { cwd: task.work });
      },
    });
    const said = { system: RULES, instructions: RULES, tools: { bash }, stopWhen: ai.stepCountIs?.(100) ?? ai.isStepCount(100) };
    const messages: ai7.ModelMessage[] = [{ role: "user", content: task.prompt }];
    const first = await ai.generateText({ ...said, model, messages } as Parameters<typeof ai7.generateText>[0]);
    messages.push(...(first.responseMessages ?? first.response.messages), { role: "user", content: "Are all of them read?" });
    const second = ai.streamText({ ...said, model, messages } as Parameters<typeof ai7.streamText>[0]);
    const answer = await second.text;

    assert.equal(calls, STEPS);
    assert.notEqual(answer, "");
    assert.equal(problems.length, 4);
    const seen = await task.seen();
    assert.deepEqual(seen.filter(({ refused }) => refused), []);
    assert.equal(seen.length, STEPS + 2);
    for (const { n } of seen) {
      const body = await task.body(n);
      assert.deepEqual(body.messages[0], { role: "system", content: RULES });
      assert.equal(body.messages.filter(({ role }: { role: string }) => role === "system").length, 1);
    }
      // The last request is one of a compressed context: half as long as the list, with the words of more files than its own messages.
    const last = await task.body(seen.at(-1)!.n);
    assert.ok(last.messages.length < 2 * STEPS, `${last.messages.length} messages`);
    const known = seen.at(-1)?.needles ?? 0;
    assert.ok(known > last.messages.filter(({ role }: { role: string }) => role === "tool").length, `${known} words`);
    assert.equal(seen.at(-1)?.step, STEPS);
    const { compression_count } = await new Anchord().sessions.get({ session_id: session });
    assert.ok(compression_count >= 1);
    // Every message, the last answer too: the task, calls and results, the answer, the question, its answer.
    const stored = await wholeSession(session, chatCalls);
    assert.equal(stored.length, 1 + 2 * STEPS + 1 + 2);
    assert.deepEqual(stored.at(-1)?.message, { role: "assistant", content: answer });
    t.diagnostic(`${compression_count} compressions, ${last.messages.length} of ${stored.length} messages and ${known} of ${STEPS} words in the last request, ${service.state.refused} refusals`);
  });
}

const PROMPT = [{ role: "system", content: "Be careful. ".repeat(700) }, { role: "user", content: [{ type: "text", text: "Hello." }] }];
const asked = (middleware: ReturnType<typeof anchordMiddleware>) => middleware.transformParams({ params: { prompt: PROMPT }, model: { modelId: "gpt-4o" } });

test("AI SDK: a wrong key and a wrong window are thrown at the first call", async () => {
  const session = `ai-sdk-wrong-${process.pid}`;
  await assert.rejects(asked(anchordMiddleware({ session, anchord: new Anchord({ key: "ak_wrong" }) })), { status: 401 });
  await assert.rejects(asked(anchordMiddleware({ session, window: 1 })), { status: 422, field: "/context_window" });
});

test("AI SDK: the window and the system prompt are told once", async () => {
  const session = `ai-sdk-told-${process.pid}`;
  const calls: string[] = [];
  const noted: typeof fetch = (url, init) => (calls.push(`${init?.method}`), fetch(url, init));
  const middleware = anchordMiddleware({ session, window: 20_000, anchord: new Anchord({ fetch: noted }) });
  for (let turn = 0; turn < 2; turn++) await asked(middleware);
  // The session is not there before its first message; the context is a PUT, too.
  assert.deepEqual(calls, ["PATCH", "PUT", "PUT", "PUT"]);
  const { settings } = await new Anchord().sessions.get({ session_id: session });
  assert.equal(settings.context_window, 20_000);
  assert.ok(settings.system_tokens! > 2000 && settings.system_tokens! < 2500);
});

test("AI SDK: a service that is not there is told of once, and not waited for", async (t) => {
  const lines = t.mock.method(console, "warn", () => {});
  let calls = 0;
  const noted: typeof fetch = (url, init) => (calls++, fetch(url, init));
  const server = await scripted();
  await server.close();
  const anchord = new Anchord({ url: server.url, retries: 0, fetch: noted });
  const middleware = anchordMiddleware({ session: "nowhere", anchord });
  for (let turn = 0; turn < 3; turn++) assert.deepEqual((await asked(middleware)).prompt, PROMPT);
  assert.equal(calls, 1);
  assert.equal(lines.mock.callCount(), 1);
  const [line] = lines.mock.calls[0]!.arguments as [string];
  assert.ok(line.startsWith(`anchord: Nothing answers at ${server.url} `) && line.includes("ANCHORD_URL"), line);
});
