// Makes the types of the client from the OpenAPI document. It leaves the shape of messages to the provider;
// here they are those of OpenAI's library, so that its messages go in and contexts come out without a cast.
import { writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const document = new URL("../../openapi/anchord.json", import.meta.url);
const message = ts.factory.createTypeReferenceNode("ChatCompletionMessageParam");
const nodes = await openapiTS(document, {
  inject: 'import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";\n',
  transform: (_, { path }) => (path === "#/components/schemas/Message" ? message : undefined),
});
await writeFile(new URL("anchord.ts", import.meta.url), astToString(nodes));
