// A conversation that its agent compacts, and the text that stands for it.
import type { Anchord } from "./client.js";
import type { Message, Schemas } from "./types.js";

/** Seconds that an agent waits for a summary; when it takes longer, the context has the one before and what came after it. */
const WAIT = 30;

/** Stores all messages of a conversation, and compresses it. */
export async function compress(anchord: Anchord, session: string, body: Schemas["TranscriptRequest"]): Promise<void> {
  await anchord.sync(session, body);
  const { head_seq } = await anchord.sessions.get({ session_id: session });
  await anchord.compressions.create({ session_id: session, wait: WAIT, body: { through_seq: head_seq, preserve_recent: 0 } });
}

/** The context of a session as one text. */
export async function contextText(anchord: Anchord, session: string): Promise<string> {
  const context = await anchord.context.get({ session_id: session });
  return context.messages.filter(({ role }: Message) => role !== "system").map(textOf).filter((text) => text !== "").join("\n\n");
}

function textOf(message: Message): string {
  const content: unknown = message["content"];
  const blocks: Message[] = Array.isArray(content) ? (content as Message[]) : [{ type: "text", text: content }];
  return blocks.map((block) => readable(block)).filter((text) => text !== "").join("\n");
}

function readable(block: Message): string {
  if (typeof block["text"] === "string") return block["text"];
  if (block["type"] === "tool_result") return textOf(block);
  return block["type"] === "tool_use" ? `${String(block["name"])}(${JSON.stringify(block["input"])})` : "";
}
