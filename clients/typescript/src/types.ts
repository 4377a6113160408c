// The arguments and replies of calls, from the generated types.
import type { components, operations } from "./generated/schema.js";

/** The schemas of the API, by name: `Schemas["Context"]`. */
export type Schemas = components["schemas"];
export type Context = Schemas["Context"];
export type Event = Schemas["Event"];
export type Message = Schemas["Message"];
export type Problem = Schemas["Problem"];

/** The name of an operation, as in the API: `messages.append`. */
export type OperationId = keyof operations;

/** The part of an operation of a kind; nothing is an empty object. */
type Part<Source, Name extends string> = Source extends { [N in Name]?: infer Found }
  ? [Exclude<Found, undefined>] extends [never] ? unknown : Exclude<Found, undefined>
  : unknown;
/** With `exactOptionalPropertyTypes` an optional parameter may be given as undefined all the same: it is not sent. */
type Loose<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : object extends Pick<T, K> ? T[K] | undefined : T[K] };
type Flat<T> = { [K in keyof T]: T[K] };
type Parameters<Id extends OperationId> = operations[Id]["parameters"];
type BodyOf<Content> = Content extends { "application/json": infer Json } ? { body: Json }
  : Content extends { "application/x-ndjson": unknown } ? { body: string }
  : unknown;
type Body<Id extends OperationId> = operations[Id] extends { requestBody: { content: infer Content } } ? BodyOf<Content>
  : operations[Id] extends { requestBody?: { content: infer Content } } ? Partial<BodyOf<Content>>
  : unknown;
type Wait<Id extends OperationId> = Id extends "stateless.compress" | "compressions.create" | "evaluations.create"
  ? { /** Seconds to wait for the result of what the call starts, at most 60. */ wait?: number | undefined }
  : unknown;

/** The arguments of an operation: the parameters of its path and query by their names, and its body. */
export type Arguments<Id extends OperationId> = Flat<
  Part<Parameters<Id>, "path"> & Loose<Part<Parameters<Id>, "query">> & Body<Id> & Wait<Id>
>;

type Contents<Responses> = { [Status in keyof Responses]: Responses[Status] extends { content: infer Content } ? Content : never }[keyof Responses];
type OfMedia<Content, Media extends string> = Content extends { [M in Media]: infer Value } ? Value : never;

/** The reply of an operation in a form, by its media type. */
export type Reply<Id extends OperationId, Media extends string = "application/json"> = OfMedia<Contents<operations[Id]["responses"]>, Media>;

type ItemOf<P> = P extends { items: readonly (infer Item)[] } ? Item : never;

/** An item of a list. */
export type Item<Id extends OperationId> = ItemOf<Reply<Id>>;

/** A list: awaited it is its first page, and iterated it is every item, of as many pages as there are. */
export interface Page<Id extends OperationId> extends PromiseLike<Reply<Id>>, AsyncIterable<Item<Id>> {}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, and every attempt and wait of it. */
  signal?: AbortSignal | undefined;
  /** Milliseconds of the call with all its repetitions. */
  timeout?: number | undefined;
  /** How often a call is repeated at most. */
  retries?: number | undefined;
  /** The key under which a POST is done once. Without it each call has one of its own, the same for its repetitions. */
  idempotencyKey?: string | undefined;
  /** Headers beside those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
}
