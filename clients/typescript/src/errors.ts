import { problemCodes } from "./generated/operations.js";
import type { Problem, Schemas } from "./types.js";

export type ProblemCode = (typeof problemCodes)[number];

/** The class of every error of this package. */
export class AnchordError extends Error {
  override name = "AnchordError";
}

/** The service could not be reached, or the connection ended before its reply did; `cause` has the reason. */
export class ConnectionError extends AnchordError {
  override name = "ConnectionError";
}

/** A call took longer than its `timeout`. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** The service refused the call, or failed: a problem as RFC 9457 has it. */
export class ProblemError extends AnchordError {
  override name = "ProblemError";
  /** The kind of problem, relative to the server, where it opens a page that explains it: `/problems/session-not-found`. */
  readonly type: string;
  /** The last part of `type`: `session-not-found`. A later service may have codes that this package does not know. */
  readonly code: ProblemCode | (string & {});
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The request's id, by which the service's log has it. */
  readonly requestId: string;
  /** Every invalid place of the request. */
  readonly errors: readonly Schemas["FieldError"][];
  /** The first invalid place, as a JSON pointer: `/messages/0/role`. */
  readonly field: string | undefined;
  /** The limit that was exceeded, where the problem has one. */
  readonly limit: number | undefined;
  /** Seconds until the call may be repeated, where the service tells. */
  readonly retryAfter: number | undefined;

  constructor(
    /** The problem with all of its members, such as `next_seq`. */
    readonly problem: Problem,
    options: { retryAfter?: number | undefined } = {},
  ) {
    super(`${problem.title}: ${problem.detail}`);
    this.type = problem.type;
    this.code = problem.type.slice(problem.type.lastIndexOf("/") + 1);
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.requestId = problem.instance;
    this.errors = problem.errors ?? [];
    this.field = this.errors[0]?.pointer;
    this.limit = typeof problem["limit"] === "number" ? problem["limit"] : undefined;
    this.retryAfter = options.retryAfter;
  }
}

/** The problem of a reply; one that some proxy wrote is no problem by its form, and becomes one. */
export async function problemOf(reply: Response): Promise<ProblemError> {
  const text = await reply.text().catch(() => "");
  const instance = reply.headers.get("x-request-id") ?? "";
  let problem: Problem = { type: "about:blank", title: reply.statusText || `Status ${reply.status}`, status: reply.status, detail: text.slice(0, 500), instance };
  if (reply.headers.get("content-type")?.startsWith("application/problem+json")) {
    try {
      problem = { ...problem, ...(JSON.parse(text) as Problem) };
    } catch {
      // It was cut: what is known of it is told.
    }
  }
  return new ProblemError(problem, { retryAfter: secondsOf(reply.headers.get("retry-after")) });
}

/** The seconds of a Retry-After, which may be a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
