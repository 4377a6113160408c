/** The bound of a wait for bytes; it does not run while the reader does something else. */
export interface Clock {
  again(limit: number): void;
  stop(): void;
}

/** The lines of a body, each without its end. */
export async function* linesOf(body: ReadableStream<Uint8Array>, clock: Clock, limit: number): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      clock.again(limit);
      const { value, done } = await reader.read();
      clock.stop();
      rest += value ? decoder.decode(value, { stream: true }) : decoder.decode();
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
      if (done) break;
    }
    if (rest !== "") yield rest;
  } finally {
    // Whoever stops reading ends the connection.
    await reader.cancel().catch(() => {});
  }
}

/** An event as it stands in a stream of server-sent events. */
export interface ServerSent {
  id: string | undefined;
  data: string;
}

/** The events of a stream; one without data moves the id alone. */
export async function* serverSent(lines: AsyncIterable<string>): AsyncGenerator<ServerSent> {
  let id: string | undefined;
  let data: string[] = [];
  for await (const line of lines) {
    if (line === "") {
      if (id !== undefined || data.length > 0) yield { id, data: data.join("\n") };
      [id, data] = [undefined, []];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    if (field === "data") data.push(value);
  }
}
