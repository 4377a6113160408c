// The middleware in Vercel's AI SDK, in the two versions that it is for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Anchord } from "anchord";
import { anchordMiddleware } from "anchord/ai-sdk";
import * as ai7 from "ai";
import * as ai6 from "ai-6";
import { createOpenAICompatible as provider7 } from "@ai-sdk/openai-compatible";
import { createOpenAICompatible as provider6 } from "ai-6-openai-compatible";
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
