// A plugin for opencode: a compaction takes anchord's context in place of a summary that the model would write.
import { Anchord } from "./client.js";
import { compress, contextText } from "./compaction.js";
import { Link, type LinkOptions } from "./link.js";
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
  client: {
    session: { messages(options: { path: { id: string } }): PromiseLike<{ data?: unknown }> };
    app: { log(options: { body: { service: string; level: "info" | "warn"; message: string } }): PromiseLike<unknown> };
  };
}

/** Makes a plugin of a client and of what is to be told of problems; default opencode's log. */
export function anchordPlugin(options: LinkOptions & { anchord?: Anchord } = {}) {
  return async ({ client }: Input, given: { url?: string; key?: string; window?: number } = {}) => {
    const log = (level: "info" | "warn") => (message: string) => client.app.log({ body: { service: "anchord", level, message } });
    const onWarning = ({ code, detail }: Schemas["Warning"]) => void log("warn")(`anchord: ${detail ?? code}`);
    const anchord = options.anchord ?? new Anchord({ retries: 1, maxWait: 2000, url: given.url, key: given.key, onWarning });
    const link = new Link({ window: given.window, ...options }, log("warn"));
    // What is thrown in a hook is seen by nobody: a wrong key shows when the plugin is loaded.
    try {
      await anchord.sessions.list({ limit: 1 });
      await log("info")(`anchord: contexts come from ${anchord.url}`);
    } catch (error) {
      link.failed(error);
    }
    /** The contexts of sessions that are being compacted. */
    const contexts = new Map<string, string>();
    const conversation = async (session: string): Promise<Schemas["TranscriptRequest"]> => {
      const { data } = await client.session.messages({ path: { id: session } });
      const said = data as Said[];
      const model: string | undefined = said.findLast(({ info }) => info["modelID"])?.info["modelID"];
      return { format: "openai-chat", messages: said.flatMap(storedOf), ...(model === undefined ? {} : { model }) };
    };
    return {
      /** Messages after the last compaction are kept when the agent has nothing more to do. */
      async event({ event }: { event: { type: string; properties?: any } }): Promise<void> {
        if (event.type !== "session.idle" || link.isAway) return;
        const session: string = event.properties.sessionID;
        try {
          await link.tell(anchord, session);
          await anchord.sync(session, await conversation(session));
        } catch (error) {
          link.failed(error, { mayThrow: false });
        }
      },
      async "experimental.session.compacting"(input: { sessionID: string }, output: { context: string[]; prompt?: string }): Promise<void> {
        const session = input.sessionID;
        try {
          await link.tell(anchord, session);
          await compress(anchord, session, await conversation(session));
          contexts.set(session, await contextText(anchord, session));
          // opencode calls the model in any case, and its answer is replaced.
          output.prompt = "Nothing is to be summarised here. Reply with the word: done";
        } catch (error) {
          // The service does not answer: the model summarises, as without the plugin.
          contexts.delete(session);
          link.failed(error, { mayThrow: false });
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

/** `"plugin": ["anchord"]` in opencode.json; `["anchord", { "url": "…", "key": "…", "window": 40000 }]` where the environment does not have them. */
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
