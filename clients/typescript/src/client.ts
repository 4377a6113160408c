import { ConnectionError, ProblemError, TimeoutError, problemOf } from "./errors.js";
import type { Api } from "./generated/api.js";
import { operations } from "./generated/operations.js";
import { version } from "./generated/version.js";
import { type Clock, linesOf, serverSent } from "./lines.js";
import type { Arguments, CallOptions, Context, Event, Message, Reply, Schemas } from "./types.js";

export interface Options {
  /** The service's address; default `ANCHORD_URL`, else `http://127.0.0.1:8080`. */
  url?: string | undefined;
  /** An API key, or the operator's token; default `ANCHORD_API_KEY`. */
  key?: string | undefined;
  /** Milliseconds of a call with all its repetitions; default 60,000. One that waits for a result has as much more. */
  timeout?: number | undefined;
  /** How often a call is repeated at most; default 3. */
  retries?: number | undefined;
  /** The longest wait that the service may ask for, in milliseconds; beyond it the problem is thrown at once. Default 60,000. */
  maxWait?: number | undefined;
  /** Headers of every call. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A fetch other than the built-in one. */
  fetch?: typeof fetch | undefined;
  /** Told once of each kind of warning about the window in a context, such as a model that is not known; default `console.warn`. */
  onWarning?: ((warning: Schemas["Warning"]) => void) | undefined;
}

/** A stream of events that is silent for so long is dead: the service says something every few seconds. */
const SILENCE = 60_000;
const DEFAULT_URL = "http://127.0.0.1:8080";
/** Items of the Responses API, which have no role. */
const ITEM = /_call$|_output$|^mcp_|^(reasoning|item_reference|compaction|compaction_trigger|program|additional_tools)$/;
const PASSING = new Set([408, 429, 502, 503, 504]);
const PASSING_CODES = new Set<string>(["outcome-unknown", "idempotency-in-flight", "transcript-contended"]);

interface Operation {
  readonly method: string;
  readonly path: string;
  /** A list whose name ends in a star has its parameter once for each value. */
  readonly query: readonly string[];
  readonly body?: string;
  readonly canWait?: boolean;
  readonly hasKey?: boolean;
  readonly reply: "json" | "text" | "nothing" | "page" | "lines" | "events";
}

type Values = Record<string, unknown>;

/** A context whose messages have the type that the provider's library gives them. */
export type ContextOf<M> = Omit<Context, "messages"> & { messages: M[] };
type WithMessages<Body, M> = Omit<Body, "messages"> & { messages: readonly M[] };
type AppendQuery = Omit<Arguments<"messages.append">, "session_id" | "body" | "return">;
type SyncQuery = Omit<Arguments<"transcript.sync">, "session_id" | "body">;

export interface Anchord extends Api {}

/** A client of an anchord service. Every operation of the API is a method: `anchord.messages.append({ … })`. */
export class Anchord {
  readonly url: string;
  readonly #key: string | undefined;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #maxWait: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  readonly #onWarning: (warning: Schemas["Warning"]) => void;
  readonly #warned = new Set<string>();

  constructor(options: Options = {}) {
    const environment = typeof process === "undefined" ? {} : process.env;
    this.url = (options.url ?? environment["ANCHORD_URL"] ?? DEFAULT_URL).replace(/\/+$/, "");
    this.#key = options.key ?? environment["ANCHORD_API_KEY"];
    this.#timeout = options.timeout ?? 60_000;
    this.#retries = options.retries ?? 3;
    this.#maxWait = options.maxWait ?? 60_000;
    this.#headers = options.headers ?? {};
    this.#fetch = options.fetch ?? ((...call) => fetch(...call));
    this.#onWarning = options.onWarning ?? (({ code, detail }) => console.warn(`anchord: ${detail ?? code}`));
    const groups: Record<string, Record<string, unknown>> = {};
    for (const [id, operation] of Object.entries(operations)) {
      const [tag = "", verb = ""] = id.split(".").map(camel);
      const method = (args?: Values, call?: CallOptions) => this.#call(operation, args ?? {}, call ?? {});
      (groups[tag] ??= {})[verb] = method;
    }
    Object.assign(this, groups);
  }

  /**
   * One turn of an agent: stores what was said and done, and returns what to send to the model next. Throws where the messages
   * are stored and no context can be made, such as for a budget that is too small.
   */
  async turn<M extends object = Message>(
    session: string,
    body: WithMessages<Schemas["AppendRequest"], M>,
    query: AppendQuery = {},
    options: CallOptions = {},
  ): Promise<ContextOf<M>> {
    const args = { ...query, session_id: session, return: "context" as const, body: { ...body, messages: said(body) } };
    return this.#context<M>(await this.messages.append(args, options));
  }

  /**
   * The same for an agent that keeps a list of its own: all of it goes in, and nobody has to know what is stored. The list may be
   * shorter than before, or another from some message on.
   */
  async sync<M extends object = Message>(
    session: string,
    body: WithMessages<Schemas["TranscriptRequest"], M>,
    query: SyncQuery = {},
    options: CallOptions = {},
  ): Promise<ContextOf<M>> {
    const args = { ...query, session_id: session, body: { ...body, messages: said(body) } };
    return this.#context<M>(await this.transcript.sync(args, options));
  }

  #context<M>(reply: Reply<"messages.append"> | Reply<"transcript.sync">): ContextOf<M> {
    const { context, context_problem } = reply;
    if (context_problem) throw new ProblemError(context_problem);
    if (!context) throw new ConnectionError("The reply has no context.");
    for (const warning of context.warnings ?? []) {
      const kind = `${warning.code} ${warning.model}`;
      if (!this.#warned.has(kind)) this.#onWarning(warning);
      this.#warned.add(kind);
    }
    return context as ContextOf<M>;
  }

  #call(operation: Operation, args: Values, options: CallOptions): unknown {
    switch (operation.reply) {
      case "page":
        return this.#pages(operation, args, options);
      case "events":
        return this.#events(operation, args, options);
      case "lines":
        return this.#lines(operation, args, options);
      case "json":
      case "text":
      case "nothing":
        return this.#value(operation, args, options);
    }
  }

  async #value(operation: Operation, args: Values, options: CallOptions): Promise<unknown> {
    return this.#request(operation, args, options, async (reply) => {
      if (reply.status === 204) return undefined;
      return reply.headers.get("content-type")?.includes("json") ? ((await reply.json()) as unknown) : await reply.text();
    });
  }

  #pages(operation: Operation, args: Values, options: CallOptions): PromiseLike<unknown> & AsyncIterable<unknown> {
    type Found = { items: unknown[]; next_cursor: string | null };
    const page = (cursor: unknown) => this.#value(operation, { ...args, cursor }, options) as Promise<Found>;
    return {
      then: (done, failed) => page(args["cursor"]).then(done, failed),
      async *[Symbol.asyncIterator]() {
        for (let cursor = args["cursor"]; ; ) {
          const { items, next_cursor } = await page(cursor);
          yield* items;
          if (next_cursor === null) return;
          cursor = next_cursor;
        }
      },
    };
  }

  async *#lines(operation: Operation, args: Values, options: CallOptions): AsyncGenerator<unknown> {
    const limit = options.timeout ?? this.#timeout;
    const watch = new Watch(options.signal, this.url);
    try {
      const body = await this.#request(operation, args, options, (reply) => Promise.resolve(reply.body), watch);
      if (body === null) return;
      for await (const line of linesOf(body, watch, limit)) if (line !== "") yield JSON.parse(line);
    } catch (error) {
      throw watch.explained(error);
    } finally {
      watch.end();
    }
  }

  /** Events as they happen, over as many connections as that takes: each goes on behind the last event that was seen. */
  async *#events(operation: Operation, args: Values, options: CallOptions): AsyncGenerator<Event> {
    let last: string | undefined;
    for (;;) {
      const watch = new Watch(options.signal, this.url);
      try {
        const headers = last === undefined ? options.headers : { ...options.headers, "last-event-id": last };
        const body = await this.#request(operation, args, { ...options, headers }, (reply) => Promise.resolve(reply.body), watch);
        if (body === null) throw new TypeError("a stream without a body");
        try {
          for await (const { id, data } of serverSent(linesOf(body, watch, SILENCE))) {
            if (id) last = id;
            if (data !== "") yield JSON.parse(data) as Event;
          }
        } catch (error) {
          const why = watch.explained(error);
          if (!(why instanceof ConnectionError)) throw why;
        }
      } finally {
        watch.end();
      }
      await pause(pauseOf(1), options.signal);
    }
  }

  /** Makes a call until it is answered, and reads the answer. */
  async #request<T>(operation: Operation, args: Values, options: CallOptions, read: (reply: Response) => Promise<T>, shared?: Watch): Promise<T> {
    const { url, init } = this.#prepare(operation, args, options);
    const most = options.retries ?? this.#retries;
    const limit = (options.timeout ?? this.#timeout) + (Number(args["wait"]) || 0) * 1000;
    const end = Date.now() + limit;
    let isLost = false;
    for (let attempt = 0; ; attempt++) {
      const watch = shared ?? new Watch(options.signal, this.url);
      watch.again(Math.max(end - Date.now(), 1));
      let failure: unknown;
      try {
        const reply = await this.#fetch(url, { ...init, signal: watch.signal });
        if (reply.ok) return await read(reply);
        failure = await problemOf(reply);
      } catch (error) {
        failure = watch.explained(error);
      } finally {
        if (shared) watch.stop();
        else watch.end();
      }
      // The reply to a deletion was lost, and the repetition finds nothing: it was done.
      if (operation.method === "DELETE" && isLost && failure instanceof ProblemError && failure.status === 404) return undefined as T;
      const wait = waitAfter(failure, attempt, this.#maxWait);
      if (wait === undefined || attempt >= most || Date.now() + wait >= end) throw failure;
      isLost ||= failure instanceof ConnectionError;
      await pause(wait, options.signal);
    }
  }

  #prepare(operation: Operation, args: Values, options: CallOptions): { url: string; init: RequestInit } {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, args[name]));
    const query = new URLSearchParams();
    for (const name of operation.query) {
      const value = args[name.replace("*", "")];
      if (value === undefined || value === null) continue;
      if (name.endsWith("*")) for (const each of value as unknown[]) query.append(name.slice(0, -1), String(each));
      else query.set(name, Array.isArray(value) ? value.join(",") : String(value));
    }
    const headers = new Headers({ "user-agent": `anchord-typescript/${version}`, ...this.#headers });
    if (this.#key !== undefined) headers.set("authorization", `Bearer ${this.#key}`);
    if (typeof args["accept"] === "string") headers.set("accept", args["accept"]);
    if (operation.canWait && args["wait"] !== undefined) headers.set("prefer", `wait=${String(args["wait"])}`);
    if (operation.hasKey) headers.set("idempotency-key", options.idempotencyKey ?? crypto.randomUUID());
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    const init: RequestInit = { method: operation.method, headers };
    if (operation.body !== undefined && args["body"] !== undefined) {
      headers.set("content-type", operation.body);
      init.body = typeof args["body"] === "string" ? args["body"] : JSON.stringify(args["body"]);
    }
    return { url: `${this.url}${path}${query.size > 0 ? `?${query}` : ""}`, init };
  }
}

/** The end of an attempt: its caller's signal, or too long a time. */
class Watch implements Clock {
  readonly #control = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #abort = () => this.#control.abort(this.#caller?.reason);
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  constructor(
    caller: AbortSignal | undefined,
    private readonly url: string,
  ) {
    this.#caller = caller;
    if (caller?.aborted) this.#abort();
    caller?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Begins the time anew. */
  again(limit: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#control.abort();
    }, limit);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.stop();
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  /** An error of the connection, as the caller gets it: of this package, unless the caller ended the call. */
  explained(error: unknown): unknown {
    if (error instanceof ProblemError || error instanceof ConnectionError) return error;
    if (this.#caller?.aborted) return this.#caller.reason;
    if (this.#isLate) return new TimeoutError(`${this.url} did not answer in time.`, { cause: error });
    if (error instanceof SyntaxError) return new ConnectionError(`The reply of ${this.url} is no JSON.`, { cause: error });
    // The cause of fetch's own error is the system's.
    const { cause } = error as { cause?: { message?: string; code?: string } };
    const why = cause?.message || cause?.code || String(error);
    const named = `ANCHORD_URL or the option url names the address, the default is ${DEFAULT_URL}`;
    if (cause?.code === "ECONNREFUSED") return new ConnectionError(`Nothing answers at ${this.url} (${why}). Does the service run there? ${named}.`, { cause: error });
    return new ConnectionError(`The connection to ${this.url} failed (${why}); ${named}.`, { cause: error });
  }
}

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function segment(name: string, value: unknown): string {
  if (value === undefined || value === null || value === "") throw new TypeError(`${name} is missing`);
  // A segment of dots alone would be another path.
  return encodeURIComponent(String(value)).replace(/^\.{1,2}$/, (dots) => dots.replaceAll(".", "%2E"));
}

/** The milliseconds until a failed call is made again; undefined when that helps nobody. */
function waitAfter(failure: unknown, attempt: number, longest: number): number | undefined {
  if (failure instanceof ConnectionError) return pauseOf(attempt);
  if (!(failure instanceof ProblemError)) return undefined;
  if (!PASSING.has(failure.status) && !PASSING_CODES.has(failure.code)) return undefined;
  if (failure.retryAfter === undefined) return pauseOf(attempt);
  const wait = failure.retryAfter * 1000;
  return wait <= longest ? wait : undefined;
}

/** Longer each time, and never the same for two. */
const pauseOf = (attempt: number) => Math.min(200 * 2 ** attempt, 8000) * (0.5 + Math.random() / 2);

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, failed) => {
    const stop = () => {
      clearTimeout(timer);
      failed(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      done();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** The messages of a body. The service keeps what it does not know, so that nobody would hear of one that is none. */
function said<M extends object>({ messages, format }: { messages: readonly M[]; format?: unknown }): M[] {
  messages.forEach((message, index) => {
    const { role, type } = message as { role?: unknown; type?: unknown };
    // Who names the format may have items of types to come.
    const isItem = typeof type === "string" && (ITEM.test(type) || format === "openai-responses");
    if (typeof role === "string" || isItem) return;
    const what = typeof message === "object" ? JSON.stringify(message) : String(message);
    throw new TypeError(`messages[${index}] is no message: it has neither a role nor a type of the Responses API: ${what.slice(0, 100)}`);
  });
  return [...messages];
}
