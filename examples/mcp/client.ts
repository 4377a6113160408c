// Looks into a session over MCP, with the official client (`npm install @modelcontextprotocol/sdk tsx`).
//
//   npx tsx examples/mcp/client.ts http://127.0.0.1:8080/mcp?session=first     # the key is in ANCHORD_API_KEY
//   npx tsx examples/mcp/client.ts anchord mcp --session first                 # over standard input and output
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [first, ...rest] = process.argv.slice(2);
const transport = first.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(first), {
      requestInit: { headers: { Authorization: `Bearer ${process.env.ANCHORD_API_KEY}` } },
    })
  : new StdioClientTransport({ command: first, args: rest, env: process.env as Record<string, string> });

const client = new Client({ name: "example", version: "1" });
await client.connect(transport);
console.log("server:", client.getServerVersion()?.name, client.getServerVersion()?.version);
console.log("tools:", ...(await client.listTools()).tools.map((tool) => tool.name));

const found = await client.callTool({ name: "search_past", arguments: { query: "port" } });
console.log("search_past:", (found.content as { text: string }[])[0].text.split("\n")[0]);

for (const resource of (await client.listResources()).resources) {
  const read = await client.readResource({ uri: resource.uri });
  console.log(`${resource.uri}: ${(read.contents[0] as { text: string }).text.length} characters`);
}

const prompt = await client.getPrompt({ name: "handoff", arguments: { level: "500" } });
console.log("handoff:", (prompt.messages[0].content as { text: string }).text.split("\n")[0]);
await client.close();
