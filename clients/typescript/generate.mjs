// Makes src/generated from openapi/anchord.json: the types of what is sent and replied, and a table of the operations.
// With --check it writes nothing, and fails where that would change a file.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const ROOT = new URL("../../", import.meta.url);
const OUT = new URL("src/generated/", import.meta.url);
const HEAD = "// Made by generate.mjs from openapi/anchord.json; changes belong there.\n\n";
const METHODS = ["get", "put", "post", "patch", "delete"];
const JSON_BODY = "application/json";
const STREAMS = { "text/event-stream": "events", "application/x-ndjson": "lines" };

const document = JSON.parse(await readFile(new URL("openapi/anchord.json", ROOT), "utf8"));
const kinds = await readFile(new URL("crates/http/src/problem/kinds.toml", ROOT), "utf8");

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const pascal = (name) => camel(`_${name}`);
const comment = (text, indent) => `${indent}/** ${text.trim().replaceAll("*/", "*\\/").replace(/\n(?=(.*))/g, (_, line) => (line ? `\n${indent} * ` : `\n${indent} *`))} */\n`;

/** Headers are no arguments: the client has options for Prefer, Idempotency-Key, Last-Event-ID. */
function operationOf(method, path, item) {
  const named = (place) => item.parameters?.filter((parameter) => parameter.in === place) ?? [];
  const header = (name) => named("header").find((parameter) => parameter.name === name);
  const replies = Object.entries(item.responses).filter(([status]) => status.startsWith("2"));
  const media = [...new Set(replies.flatMap(([, reply]) => Object.keys(reply.content ?? {})))];
  const body = Object.keys(item.requestBody?.content ?? {})[0];
  const required = [...named("path"), ...named("query")].some((parameter) => parameter.required) || item.requestBody?.required;
  const [tag, verb] = item.operationId.split(".");
  const reserved = [...named("path"), ...named("query")].find(({ name }) => ["body", "wait", "accept"].includes(name));
  if (reserved) throw new Error(`${item.operationId}: a parameter is called ${reserved.name}`);
  return {
    id: item.operationId, tag, verb, method: method.toUpperCase(), path, item, media, body,
    query: named("query").map(({ name, schema, explode }) => (schema.type === "array" && explode !== false ? `${name}*` : name)),
    required: Boolean(required) || STREAMS[media[0]] === "events",
    canWait: header("Prefer")?.description.includes("wait=N") ?? false,
    hasKey: header("Idempotency-Key") !== undefined,
    // No body: a deletion; or one that may not be there yet. `Prefer: return=minimal` is not sent.
    mayBeEmpty: replies.some(([status]) => status === "204") && header("Prefer") === undefined,
    isPage: named("query").some(({ name }) => name === "cursor"),
  };
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => operationOf(method, path, item[method])),
);

// ---- types --------------------------------------------------------------------------------------------------------

/** Refusals and failures are one schema, `Problem`; examples and the headers of replies have no type of their own. */
function slim(value) {
  if (Array.isArray(value)) return value.map(slim);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).filter(([name, inner]) => name !== "example" && !(name === "examples" && Array.isArray(inner)))
    .map(([name, inner]) => [name, slim(inner)]));
}
const slimmed = slim(document);
for (const item of Object.values(slimmed.paths))
  for (const method of METHODS.filter((name) => item[name])) {
    for (const [status, reply] of Object.entries(item[method].responses)) {
      delete reply.headers;
      if (!status.startsWith("2")) delete item[method].responses[status];
    }
    item[method].parameters = item[method].parameters?.filter((parameter) => parameter.in !== "header");
  }
delete slimmed.components.responses;

// An index signature of `any` takes the message types of providers' libraries, which are interfaces; one of `unknown` refuses them.
const { factory } = ts;
const any = factory.createKeywordTypeNode(ts.SyntaxKind.AnyKeyword);
const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
const message = factory.createTypeLiteralNode([
  factory.createIndexSignature(undefined, [factory.createParameterDeclaration(undefined, undefined, "field", undefined, text)], any),
]);
const nodes = await openapiTS(slimmed, {
  transform: (_, { path }) => (path === "#/components/schemas/Message" ? message : undefined),
});
const kept = nodes.filter((node) => ["components", "operations"].includes(node.name?.text));
const generated = { "schema.ts": HEAD + astToString(kept) };

// ---- operations ---------------------------------------------------------------------------------------------------

const codes = [...kinds.matchAll(/^\[([\w-]+)\]$/gm)].map((match) => match[1]);
let table = HEAD;
table += "/** The problems that the service tells, by the last part of their `type`. */\n";
table += `export const problemCodes = ${JSON.stringify(codes, null, 2)} as const;\n\n`;
table += "/** Every operation of the API: how it is called, and what of it the client has to know. */\n";
table += "export const operations = {\n";
for (const it of operations) {
  const entry = { method: it.method, path: it.path, query: it.query };
  if (it.body) entry.body = it.body;
  if (it.canWait) entry.canWait = true;
  if (it.hasKey) entry.hasKey = true;
  if (it.isPage) entry.reply = "page";
  else if (STREAMS[it.media[0]]) entry.reply = STREAMS[it.media[0]];
  else entry.reply = it.media.length === 0 ? "nothing" : it.media[0] === JSON_BODY ? "json" : "text";
  table += `  ${JSON.stringify(it.id)}: ${JSON.stringify(entry)},\n`;
}
generated["operations.ts"] = `${table}} as const;\n`;

const tags = new Map();
for (const it of operations) tags.set(it.tag, [...(tags.get(it.tag) ?? []), it]);
let api = `${HEAD}import type { Arguments, CallOptions, Page, Reply } from "../types.js";\n\n`;
for (const [tag, members] of tags) {
  const about = document.tags?.find(({ name }) => name === tag)?.description;
  api += (about ? comment(about, "") : "") + `export interface ${pascal(tag)} {\n`;
  for (const it of members) {
    const says = comment(it.item.summary + (it.item.description ? `\n\n${it.item.description}` : ""), "  ");
    const given = `${it.required ? "args" : "args?"}: Arguments<"${it.id}">`;
    // Beside JSON some replies have other forms, for `accept`.
    for (const media of it.media.slice(1))
      api += `${says}  ${camel(it.verb)}(args: Arguments<"${it.id}"> & { accept: "${media}" }, options?: CallOptions): Promise<Reply<"${it.id}", "${media}">>;\n`;
    const first = it.media[0];
    const reply = it.isPage ? `Page<"${it.id}">`
      : STREAMS[first] ? `AsyncIterable<Reply<"${it.id}", "${first}">>`
      : first === undefined ? "Promise<void>"
      : `Promise<Reply<"${it.id}", "${first}">${it.mayBeEmpty ? " | undefined" : ""}>`;
    api += `${says}  ${camel(it.verb)}(${given}, options?: CallOptions): ${reply};\n`;
  }
  api += "}\n\n";
}
api += "/** Every operation of the API, by tag and verb. */\nexport interface Api {\n";
for (const tag of tags.keys()) api += `  readonly ${camel(tag)}: ${pascal(tag)};\n`;
generated["api.ts"] = `${api}}\n`;

// ---- files --------------------------------------------------------------------------------------------------------

const version = /^version = "(.+)"$/m.exec(await readFile(new URL("Cargo.toml", ROOT), "utf8"))[1];
generated["version.ts"] = `${HEAD}export const version = ${JSON.stringify(version)};\n`;
const stale = [];
for (const [name, source] of Object.entries(generated)) {
  const file = new URL(name, OUT);
  if ((await readFile(file, "utf8").catch(() => "")) === source) continue;
  stale.push(name);
  if (!process.argv.includes("--check")) await writeFile(file, source);
}
const own = JSON.parse(await readFile(new URL("package.json", import.meta.url), "utf8")).version;
if (own !== version) throw new Error(`package.json has version ${own}, Cargo.toml ${version}`);
if (stale.length > 0 && process.argv.includes("--check")) throw new Error(`not current: ${stale.join(", ")}; run just clients-typescript-generate`);
