// A server that answers as a test tells it, and remembers what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
  at: number;
}

/** Answers each request by the next of the functions, the last one again and again. */
export async function scripted(...answers: ((reply: ServerResponse, asked: Asked) => void)[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, reply) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const it = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body, at: Date.now() };
    asked.push(it);
    answers[Math.min(asked.length, answers.length) - 1]?.(reply, it);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  };
  return { url, asked, close };
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) => (reply: ServerResponse) => {
  reply.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};

export const problem = (status: number, kind: string, headers: Record<string, string> = {}, members = {}) => (reply: ServerResponse) => {
  const body = { type: `/problems/${kind}`, title: kind, status, detail: "Why.", instance: "request-1", ...members };
  reply.writeHead(status, { "content-type": "application/problem+json", ...headers }).end(JSON.stringify(body));
};
