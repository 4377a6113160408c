// A middleware for models of Vercel's AI SDK: the application keeps its messages as they are, the model gets anchord's context.
import { Anchord } from "./client.js";
import { Link, type LinkOptions } from "./link.js";
import type { Message } from "./types.js";

export interface MiddlewareOptions extends LinkOptions {
  /** The session of the conversation. */
  session: string;
  /** The service; default one of the environment, with short times, so that no call of the model waits long for it. */
  anchord?: Anchord | undefined;
  /** The model's name, from which its window follows; default the name that the provider has. */
  model?: string | undefined;
}

interface PromptPart {
  type: string;
  [field: string]: any;
}
interface PromptMessage {
  role: string;
  content: string | PromptPart[];
  providerOptions?: any;
}
/** A message of the prompt, or a part of one, as it is stored. */
interface Piece {
  own: PromptMessage;
  stored: Message;
}
/** The parameters that the versions of the SDK have in common. */
interface Call {
  prompt: any;
  tools?: any;
}
interface Answer {
  content: readonly any[];
  finishReason: any;
}

/** `wrapLanguageModel({ model, middleware: anchordMiddleware({ session }) })` */
export function anchordMiddleware(options: MiddlewareOptions) {
  const { session } = options;
  const anchord = options.anchord ?? new Anchord({ timeout: 15_000, retries: 1, maxWait: 2000 });
  /** The pieces of each prompt that was sent, so that the answer is stored behind them. */
  const sent = new WeakMap<object, Piece[]>();
  /** The last context, for when the service does not answer. */
  let last: { pieces: string[]; messages: PromptMessage[] } | undefined;
  const link = new Link(options);

  async function context(pieces: Piece[], model: string): Promise<PromptMessage[]> {
    const messages = pieces.map(({ stored }) => stored);
    const served = await anchord.sync(session, { format: "openai-chat", model, messages }, { format: "openai-chat" });
    const names = new Map(pieces.flatMap(({ own }) => partsOf(own)).filter(({ type }) => type === "tool-call").map((part) => [part["toolCallId"], part["toolName"]]));
    return joined(served.messages.map((message, index) => {
      // A message that is served as it was stored is the prompt's own, with all that its provider wants to have back.
      const [seq, ...more] = served.sources[index] ?? [];
      const piece = seq === undefined || more.length > 0 ? undefined : pieces[seq - 1];
      return piece && isSame(piece.stored, message) ? piece.own : promptMessage(message, names);
    }));
  }

  async function store(prompt: object, content: readonly PromptPart[], reason: any): Promise<void> {
    const pieces = sent.get(prompt);
    // The answer that calls tools comes back in the next prompt, with their results.
    if (pieces === undefined || (reason?.unified ?? reason) === "tool-calls" || link.isAway) return;
    const answers = piecesOf({ role: "assistant", content: [...content] }).map(({ stored }) => stored);
    try {
      await anchord.messages.append({ session_id: session, body: { format: "openai-chat", messages: answers, expected_next_seq: pieces.length + 1 } });
    } catch (error) {
      link.failed(error, { mayThrow: false });
    }
  }

  return {
    specificationVersion: "v3" as const,

    async transformParams<P extends Call>({ params, model }: { params: P; model: { modelId: string } }): Promise<P> {
      const prompt = params.prompt as PromptMessage[];
      const first = prompt.findIndex(({ role }) => role !== "system");
      if (first < 0) return params;
      const [system, rest] = [prompt.slice(0, first), prompt.slice(first)];
      const pieces = rest.flatMap(piecesOf);
      const written = pieces.map(({ stored }) => JSON.stringify(stored));
      let messages: PromptMessage[] | undefined;
      try {
        if (!link.isAway) {
          await link.tell(anchord, session, [system, params.tools]);
          messages = await context(pieces, options.model ?? model.modelId);
          last = { pieces: written, messages };
          link.answered();
        }
      } catch (error) {
        link.failed(error);
      }
      if (messages === undefined) {
        // The context before and what came after it; without one, all that there is.
        const before = last;
        const goesOn = before?.pieces.every((piece, index) => piece === written[index]);
        messages = before && goesOn ? joined([...before.messages, ...pieces.slice(before.pieces.length).map(({ own }) => own)]) : rest;
      }
      const whole = [...system, ...messages];
      sent.set(whole, pieces);
      return { ...params, prompt: whole };
    },

    async wrapGenerate<R extends Answer>({ doGenerate, params }: { doGenerate: () => PromiseLike<R>; params: Call }): Promise<R> {
      const result = await doGenerate();
      await store(params.prompt, result.content, result.finishReason);
      return result;
    },

    async wrapStream<R extends { stream: ReadableStream<any> }>({ doStream, params }: { doStream: () => PromiseLike<R>; params: Call }): Promise<R> {
      const result = await doStream();
      const content: PromptPart[] = [];
      let reason: any;
      const watched = new TransformStream<any, any>({
        async transform(chunk, control) {
          if (chunk.type === "text-delta") content.push({ type: "text", text: chunk.delta });
          if (chunk.type === "tool-call") content.push(chunk);
          if (chunk.type === "finish") {
            reason = chunk.finishReason;
            await store(params.prompt, content, reason);
          }
          control.enqueue(chunk);
        },
      });
      return { ...result, stream: result.stream.pipeThrough(watched) };
    },
  };
}

const partsOf = (message: PromptMessage): PromptPart[] => (typeof message.content === "string" ? [] : message.content);

/** A message as chat completions have it; each result of a tool is one of its own. */
function piecesOf(message: PromptMessage): Piece[] {
  const parts = partsOf(message);
  if (message.role === "tool") {
    return parts.filter(({ type }) => type === "tool-result").map((part) => ({
      own: { ...message, content: [part] },
      stored: { role: "tool", tool_call_id: part["toolCallId"], content: outputOf(part["output"]) },
    }));
  }
  if (typeof message.content === "string") return [{ own: message, stored: { role: message.role, content: message.content } }];
  if (message.role === "user") {
    const content = parts.map(userPart);
    const lone = content.length === 1 && content[0]?.type === "text" ? content[0]["text"] : content;
    return [{ own: message, stored: { role: "user", content: lone } }];
  }
  // A tool that the provider ran itself has its result in the same message, which is told as text.
  const text = parts.map((part) => (part.type === "text" ? part["text"] : part.type === "tool-result" ? `\n[${part["toolName"]}] ${outputOf(part["output"] ?? part["result"])}\n` : "")).join("");
  const tool_calls = parts.filter((part) => part.type === "tool-call" && !part["providerExecuted"]).map((part) => {
    const input: unknown = part["input"];
    return { id: part["toolCallId"], type: "function", function: { name: part["toolName"], arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) } };
  });
  if (tool_calls.length > 0) return [{ own: message, stored: { role: "assistant", content: text || null, tool_calls } }];
  return [{ own: message, stored: { role: "assistant", content: text || "[no text]" } }];
}

function userPart(part: PromptPart): PromptPart {
  if (part.type === "text") return { type: "text", text: part["text"] };
  const data: any = part["data"]?.data ?? part["data"]?.url ?? part["data"];
  const media: string = part["mediaType"] ?? "application/octet-stream";
  const url = data instanceof URL || /^(https?|data):/.test(String(data)) ? String(data) : `data:${media};base64,${data instanceof Uint8Array ? base64(data) : String(data)}`;
  if (media.startsWith("image/")) return { type: "image_url", image_url: { url } };
  return url.startsWith("data:") ? { type: "file", file: { filename: part["filename"] ?? "file", file_data: url } } : { type: "text", text: `[file ${url}]` };
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function outputOf(output: any): string {
  const value: unknown = output?.value ?? output?.reason ?? output ?? "";
  if (typeof value === "string") return value;
  if (output?.type === "content") return (value as PromptPart[]).map((part) => part["text"] ?? `[${part.type}]`).join("\n");
  return JSON.stringify(value);
}

/** A message that is anchord's own: the summary, the digest, an output in short. */
function promptMessage(message: Message, names: Map<string, string>): PromptMessage {
  const text = typeof message["content"] === "string" ? message["content"] : ((message["content"] ?? []) as PromptPart[]).map((part) => part["text"] ?? `[${part.type}]`).join("\n");
  const texts = text === "" ? [] : [{ type: "text", text }];
  if (message["role"] === "system") return { role: "system", content: text };
  if (message["role"] === "tool") {
    const toolCallId: string = message["tool_call_id"];
    return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: names.get(toolCallId) ?? "tool", output: { type: "text", value: text } }] };
  }
  const calls = ((message["tool_calls"] ?? []) as Message[]).map((call) => {
    return { type: "tool-call", toolCallId: call["id"], toolName: call["function"].name, input: parsed(call["function"].arguments) };
  });
  return { role: message["role"], content: [...texts, ...calls] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** The results of one answer's calls in one message, as the SDK writes them. */
function joined(messages: PromptMessage[]): PromptMessage[] {
  const all: PromptMessage[] = [];
  for (const message of messages) {
    const before = all.at(-1);
    if (message.role === "tool" && before?.role === "tool") all[all.length - 1] = { ...before, content: [...partsOf(before), ...partsOf(message)] };
    else all.push(message);
  }
  return all;
}

function isSame(one: any, other: any): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}
