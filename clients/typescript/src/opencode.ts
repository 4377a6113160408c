// A plugin for opencode: a compaction takes anchord's context in place of a summary that the model would write.
import { Anchord } from "./client.js";
import { compress, contextText } from "./compaction.js";
import type { Message, Schemas } from "./types.js";

interface Part {
  type: string;
  [field: string]: any;
}
interface Said {
  info: { role: string; sessionID?: string; summary?: unknown; [field: string]: any };
  parts: Part[];
}
/** The part of opencode that the plugin uses. */
interface Input {
  client: { session: { messages(options: { path: { id: string } }): PromiseLike<{ data?: unknown }> } };
}

/** Makes a plugin of a client and of what is to be told of problems. */
export function anchordPlugin(options: { anchord?: Anchord; onProblem?: (error: unknown) => void } = {}) {
  return async ({ client }: Input, given: { url?: string; key?: string } = {}) => {
    const anchord = options.anchord ?? new Anchord({ retries: 1, maxWait: 2000, url: given.url, key: given.key });
    /** The contexts of sessions that are being compacted. */
    const contexts = new Map<string, string>();
    const conversation = async (session: string): Promise<Schemas["TranscriptRequest"]> => {
      const { data } = await client.session.messages({ path: { id: session } });
      return { format: "openai-chat", messages: (data as Said[]).flatMap(storedOf) };
    };
    return {
      /** Messages after the last compaction are kept when the agent has nothing more to do. */
      async event({ event }: { event: { type: string; properties?: any } }): Promise<void> {
        if (event.type !== "session.idle") return;
        const session: string = event.properties.sessionID;
        try {
          await anchord.sync(session, await conversation(session));
        } catch (error) {
          options.onProblem?.(error);
        }
      },
      async "experimental.session.compacting"(input: { sessionID: string }, output: { context: string[]; prompt?: string }): Promise<void> {
        const session = input.sessionID;
        try {
          await compress(anchord, session, await conversation(session));
          contexts.set(session, await contextText(anchord, session));
          // opencode calls the model in any case, and its answer is replaced.
          output.prompt = "Nothing is to be summarised here. Reply with the word: done";
        } catch (error) {
          // The service does not answer: the model summarises, as without the plugin.
          contexts.delete(session);
          options.onProblem?.(error);
        }
      },
      // Only the call that compacts gets here between the hook above and the one below: it need not read the history again.
      async "experimental.chat.messages.transform"(_: object, output: { messages: { info: any; parts: any[] }[] }): Promise<void> {
        const session: unknown = output.messages[0]?.info.sessionID;
        if (typeof session === "string" && contexts.has(session)) output.messages.length = 0;
      },
      async "experimental.text.complete"(input: { sessionID: string }, output: { text: string }): Promise<void> {
        const context = contexts.get(input.sessionID);
        contexts.delete(input.sessionID);
        if (context !== undefined) output.text = context;
      },
    };
  };
}

/** `"plugin": ["anchord"]` in opencode.json; `["anchord", { "url": "…", "key": "…" }]` where the environment does not have them. */
export default { id: "anchord", server: anchordPlugin() };

/** A message as chat completions have it; compactions and what opencode says on its own are no part of the conversation. */
function storedOf({ info, parts }: Said): Message[] {
  const text = parts.filter((part) => part.type === "text" && !part["metadata"]?.compaction_continue).map((part) => part["text"]).join("\n");
  if (info.role === "user") {
    const files = parts.filter(({ type }) => type === "file").map((part) => `[file ${part["filename"] ?? part["mime"]}]`);
    const content = [text, ...files].filter((each) => each !== "").join("\n");
    return content === "" ? [] : [{ role: "user", content }];
  }
  if (info.summary) return [];
  const tools = parts.filter(({ type }) => type === "tool");
  const calls = tools.map((part) => ({ id: part["callID"], type: "function", function: { name: part["tool"], arguments: JSON.stringify(part["state"].input ?? {}) } }));
  if (text === "" && calls.length === 0) return [];
  const results = tools.map((part) => ({ role: "tool", tool_call_id: part["callID"], content: String(part["state"].output ?? part["state"].error ?? "[no result]") }));
  return [{ role: "assistant", content: text || null, ...(calls.length > 0 ? { tool_calls: calls } : {}) }, ...results];
}
