export { Anchord, type ContextOf, type Options } from "./client.js";
export { AnchordError, ConnectionError, ProblemError, TimeoutError, type ProblemCode } from "./errors.js";
export type { Api } from "./generated/api.js";
export { version } from "./generated/version.js";
export type { Arguments, CallOptions, Context, Event, Item, Message, OperationId, Page, Problem, Reply, Schemas } from "./types.js";
