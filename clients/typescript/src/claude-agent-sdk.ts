// Hooks for the Claude Agent SDK: what is compacted is kept whole in anchord, and its hand-off is given to the agent behind the summary.
import { readFile } from "node:fs/promises";
import { Anchord } from "./client.js";
import { compress } from "./compaction.js";
import { Link, type LinkOptions } from "./link.js";
import type { Message, Schemas } from "./types.js";

/** The tokens of the text. Of a hook's text that is longer than about 10 KB the agent is given the first 2 KB alone. */
const LEVEL = 1500;

/** The part of their input that the hooks use. */
interface HookInput {
  hook_event_name: string;
  session_id: string;
  transcript_path: string;
  source?: string;
}
interface Entry {
  type: string;
  isSidechain?: boolean;
  isMeta?: boolean;
  isCompactSummary?: boolean;
  message?: Message;
}

/** `query({ prompt, options: { hooks: anchordHooks() } })`; without `onProblem` failures are printed, once of each kind. */
export function anchordHooks(options: LinkOptions & { anchord?: Anchord } = {}) {
  const anchord = options.anchord ?? new Anchord({ retries: 1, maxWait: 2000 });
  const link = new Link(options);
  const handoffs = new Map<string, string>();

  async function conversation(input: HookInput): Promise<Schemas["TranscriptRequest"]> {
    const { messages, model } = conversationOf(await readFile(input.transcript_path, "utf8"));
    return { format: "anthropic", messages, ...(model === undefined ? {} : { model }) };
  }

  async function beforeCompaction(input: HookInput): Promise<object> {
    try {
      await link.tell(anchord, input.session_id);
      await compress(anchord, input.session_id, await conversation(input));
      const handoff = await anchord.sessions.getHandoff({ session_id: input.session_id, level: LEVEL });
      if (handoff) handoffs.set(input.session_id, `## Prior Session Context\n\n${handoff.markdown}`);
    } catch (error) {
      // The service does not answer: the agent has its own summary alone, as without the hooks.
      link.failed(error);
    }
    return {};
  }

  async function afterCompaction(input: HookInput): Promise<object> {
    const additionalContext = handoffs.get(input.session_id);
    handoffs.delete(input.session_id);
    if (additionalContext === undefined) return {};
    return { hookSpecificOutput: { hookEventName: "SessionStart" as const, additionalContext } };
  }

  /** Messages after the last compaction are kept when the agent has nothing more to do. */
  async function afterTurn(input: HookInput): Promise<object> {
    if (link.isAway) return {};
    try {
      let body = await conversation(input);
      // The transcript is written a little later than it is said: the answer comes last.
      for (let tries = 0; tries < 30 && !isAnswer(body.messages.at(-1)); tries++) {
        await new Promise((done) => setTimeout(done, 100));
        body = await conversation(input);
      }
      await link.tell(anchord, input.session_id);
      await anchord.sync(input.session_id, body);
    } catch (error) {
      link.failed(error);
    }
    return {};
  }

  const hook = (run: (input: HookInput) => Promise<object>) => (input: unknown) => run(input as HookInput);
  return {
    PreCompact: [{ hooks: [hook(beforeCompaction)] }],
    SessionStart: [{ matcher: "compact", hooks: [hook(afterCompaction)] }],
    Stop: [{ hooks: [hook(afterTurn)] }],
  };
}

const isAnswer = (message: Message | undefined) =>
  message?.["role"] === "assistant" && !(message["content"] as Message[]).some((block) => block["type"] === "tool_use");

/** Every message of a transcript, without those of sub-agents and the summaries of compactions. */
function conversationOf(lines: string): { messages: Message[]; model: string | undefined } {
  const messages: Message[] = [];
  let id: unknown;
  let model: string | undefined;
  for (const line of lines.split("\n")) {
    if (line === "") continue;
    const entry = JSON.parse(line) as Entry;
    const { message } = entry;
    if (!message || !["user", "assistant"].includes(entry.type) || entry.isSidechain || entry.isMeta || entry.isCompactSummary) continue;
    const blocks = typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : (message["content"] as Message[]);
    const before = messages.at(-1);
    // An answer has an entry for each of its blocks; results of calls that were made at once are one message, too.
    if (before && before["role"] === message["role"] && (entry.type === "user" || message["id"] === id)) before["content"].push(...blocks);
    else messages.push({ role: message["role"], content: [...blocks] });
    id = message["id"];
    // A message of the program's own has another name in place of the model's.
    if (String(message["model"]).startsWith("claude")) model = message["model"];
  }
  return { messages, model };
}
