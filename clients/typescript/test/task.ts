// A task that is longer than a model's window, and a provider that plays the model: it refuses what real ones refuse, and knows
// only what it is sent. PROVIDER is its program, tests/agents/provider.py.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { createServer as createListener, type AddressInfo } from "node:net";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Anchord, type Schemas } from "anchord";

export interface Seen {
  n: number;
  path: string;
  kind?: string;
  /** The words of the task's files that still stand in the request. */
  needles?: number;
  step?: number;
  tokens?: number;
  refused?: string;
}

async function freePort(): Promise<number> {
  const listener = createListener();
  await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
  const { port } = listener.address() as AddressInfo;
  await new Promise((closed) => listener.close(closed));
  return port;
}

export interface Task {
  url: string;
  /** The folder with the files. */
  work: string;
  /** A folder for what an agent keeps. */
  home: string;
  prompt: string;
  steps: number;
  /** The requests so far. */
  seen(): Promise<Seen[]>;
  body(n: number): Promise<any>;
  close(): Promise<void>;
}

export async function startTask(steps: number, size: number, flags: string[] = []): Promise<Task> {
  const folder = await mkdtemp(join(tmpdir(), "anchord-typescript-"));
  const [work, home, log] = ["work", "home", "log"].map((name) => join(folder, name)) as [string, string, string];
  const program = process.env["PROVIDER"] ?? "";
  const name = `t-${Math.random().toString(16).slice(2, 8).padEnd(6, "0")}`;
  const python = `import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import pathlib, provider
for it in sys.argv[3:5]: pathlib.Path(it).mkdir()
for step in range(1, ${steps} + 1): pathlib.Path(sys.argv[3], f"file{step}.txt").write_text(provider.file_of(sys.argv[2], step, ${steps}, ${size}))
print(provider.prompt(sys.argv[2], ${steps}), end="")`;
  const prompt = await output("python3", ["-c", python, join(program, ".."), name, work, home]);
  const port = await freePort();
  const server = spawn("python3", ["-B", program, "--port", String(port), "--log", log, "--task", name, "--steps", String(steps), ...flags], { stdio: "inherit" });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100 && !(await fetch(`${url}/up`).then(() => true, () => false)); tries++) await new Promise((done) => setTimeout(done, 100));
  const seen = async () => {
    const lines = (await readFile(join(log, "requests.jsonl"), "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Seen).filter(({ path }) => path !== "/up").sort((one, other) => one.n - other.n);
  };
  const body = async (n: number) => JSON.parse(await readFile(join(log, "bodies", `${String(n).padStart(4, "0")}.json`), "utf8")) as unknown;
  const close = async () => {
    server.kill();
    await rm(folder, { recursive: true, force: true });
  };
  assert.equal((await readdir(work)).length, steps);
  return { url, work, home, prompt, steps, seen, body, close };
}

export function output(program: string, words: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {}): Promise<string> {
  return new Promise((done, failed) => {
    const process = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], ...options });
    let [out, err] = ["", ""];
    process.stdout.on("data", (piece) => (out += String(piece)));
    process.stderr.on("data", (piece) => (err += String(piece)));
    process.on("error", failed);
    process.on("close", (code) => (code === 0 ? done(out) : failed(new Error(`${program} ended with ${code}: ${out.slice(-3000)} ${err.slice(-3000)}`))));
  });
}

/** A server before the service that makes trouble when it is told to. */
export async function troubled() {
  const service = new Anchord().url;
  const state = { trouble: undefined as 429 | 503 | undefined, refused: 0 };
  const server = createServer(async (request, reply) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (state.trouble) {
      state.refused += 1;
      const problem = { type: "/problems/trouble", title: "Trouble", status: state.trouble, detail: "It is a test.", instance: "-" };
      reply.writeHead(state.trouble, { "content-type": "application/problem+json", "retry-after": "0" }).end(JSON.stringify(problem));
      return;
    }
    const headers = Object.entries(request.headers).filter(([name]) => !["host", "connection", "content-length"].includes(name)) as [string, string][];
    const body = pieces.length > 0 ? { body: Buffer.concat(pieces) } : {};
    const answer = await fetch(service + (request.url ?? ""), { method: request.method ?? "GET", headers, ...body });
    reply.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" }).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { state, url, close: () => (server.closeAllConnections(), server.close()) };
}

/** Every message of a session, and that it is one branch, with each call and its result once. */
export async function wholeSession(session: string, calls: (message: any) => [calls: string[], results: string[]]): Promise<Schemas["StoredMessage"][]> {
  const anchord = new Anchord();
  const stored: Schemas["StoredMessage"][] = [];
  for await (const message of anchord.messages.list({ session_id: session })) stored.push(message);
  const branches = await anchord.branches.list({ session_id: session });
  assert.deepEqual(branches.items.map(({ name }) => name), ["main"]);
  const made = stored.flatMap(({ message }) => calls(message)[0]);
  const answered = stored.flatMap(({ message }) => calls(message)[1]);
  assert.equal(new Set(made).size, made.length);
  assert.deepEqual(answered, made);
  return stored;
}

export const chatCalls = (message: any): [string[], string[]] => [
  ((message.tool_calls ?? []) as { id: string }[]).map(({ id }) => id),
  message.role === "tool" ? [message.tool_call_id as string] : [],
];
