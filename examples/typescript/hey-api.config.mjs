// What @hey-api/openapi-ts makes: functions with fetch, for Node's modules.
import { fileURLToPath } from "node:url";

export default {
  input: "../../openapi/anchord.json",
  // A relative path of the configuration would be one of the generator's own folder.
  output: { path: "hey-api", clean: true, tsConfigPath: fileURLToPath(new URL("tsconfig.json", import.meta.url)) },
  plugins: ["@hey-api/client-fetch", "@hey-api/sdk", "@hey-api/typescript"],
  logs: { level: "error" },
};
