// Shared by the adapters: settings that the service is told once, which failures an agent outlives, and who hears of them.
import type { Anchord } from "./client.js";
import { ConnectionError, ProblemError } from "./errors.js";

/** Told of each failure: the agent goes on without the service, unless it is a mistake such as a wrong key, which is thrown. */
export type OnProblem = (error: unknown) => void;

/** Milliseconds for which a service that cannot be reached is not asked again: doubled each time. */
const FIRST_PAUSE = 5000;
const LONGEST_PAUSE = 60_000;
/** Refusals that pass by themselves, or are about one message: all others below 500 are mistakes, such as a wrong key. */
const PASSING = new Set([408, 409, 413, 429]);
/** Beyond so many sessions the service is told again. */
const MOST_SESSIONS = 10_000;

export interface LinkOptions {
  /** The model's window in tokens, in place of the one that follows from its name. */
  window?: number | undefined;
  /** Told of each failure of a call of the service. Default: `console.warn`, once for each kind. */
  onProblem?: OnProblem | undefined;
}

/** An adapter's connection to the service. */
export class Link {
  readonly #window: number | undefined;
  readonly #onProblem: OnProblem;
  /** The tokens that the service was told of, by session. */
  readonly #told = new Map<string, number>();
  #pause = 0;
  #until = 0;

  constructor(options: LinkOptions, print: (line: string) => unknown = console.warn) {
    const printed = new Set<string>();
    this.#window = options.window;
    this.#onProblem = options.onProblem ?? ((error) => {
      // One line for each kind: an outage has as many failures as the agent has calls.
      const { code, name, message } = error as ProblemError;
      const kind = code ?? name;
      if (!printed.has(kind)) print(`anchord: ${message ?? String(error)}`);
      printed.add(kind);
    });
  }

  /** Whether the service could not be reached a moment ago, so that nobody waits for it again. */
  get isAway(): boolean {
    return Date.now() < this.#until;
  }

  /** Tells of a failure, and throws what is a mistake. */
  failed(error: unknown, options: { mayThrow: boolean } = { mayThrow: true }): void {
    if (error instanceof ConnectionError) {
      this.#pause = Math.min(2 * this.#pause || FIRST_PAUSE, LONGEST_PAUSE);
      this.#until = Date.now() + this.#pause;
    }
    this.#onProblem(error);
    if (options.mayThrow && error instanceof ProblemError && error.status < 500 && !PASSING.has(error.status)) throw error;
  }

  answered(): void {
    this.#pause = 0;
  }

  /** Tells the window, and how large the parts of a request are that are never stored: once, and when they grow. */
  async tell(anchord: Anchord, session: string, unseen: unknown[] = []): Promise<void> {
    const told = this.#told.get(session);
    // Four characters are about a token.
    const tokens = Math.ceil(unseen.map((part) => JSON.stringify(part) ?? "").join("").length / 4);
    const body = {
      ...(told === undefined && this.#window !== undefined ? { context_window: this.#window } : {}),
      // What is small, or changes a little with every request such as a time of day, costs no call.
      ...(tokens > 1.1 * (told ?? 0) + 100 ? { system_tokens: tokens } : {}),
    };
    if (Object.keys(body).length === 0) return;
    try {
      await anchord.sessions.update({ session_id: session, body });
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== "session-not-found") throw error;
      await anchord.sessions.put({ session_id: session, body });
    }
    if (this.#told.size >= MOST_SESSIONS) this.#told.clear();
    this.#told.set(session, body.system_tokens ?? told ?? 0);
  }
}
