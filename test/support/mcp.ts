import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { secretsAt } from "../../src/app/code/repository-secrets.ts";
import { openActs } from "../../src/app/people/acts.ts";
import { type Viewer, operatorView } from "../../src/app/people/viewer.ts";
import type { McpDeps } from "../../src/server/mcp/context.ts";
import { codeIn } from "../../src/server/mcp/code.ts";
import { folderAt } from "../../src/server/mcp/folder.ts";
import { mcpServer } from "../../src/server/mcp/mcp-server.ts";
import { type Life, BOT } from "./relay.ts";
import { listeningLog } from "./web-server.ts";

/** What the MCP server of a Relay is made of, started in its repository, or on another machine. */
export function mcpDeps(life: Life, where: "in the folder" | "elsewhere" = "in the folder"): McpDeps {
  const code = codeIn(life.code.root, life.home, secretsAt([]));
  onTestFinished(async () => await code.close());
  const acts = openActs({
    ...life,
    bot: BOT,
    db: () => life.db,
    receiveWithin: life.orchestrator.receiveWithin,
    controls: async () => await Promise.resolve(life),
  });
  return {
    db: async () => await Promise.resolve(life.db),
    acts: async () => await Promise.resolve(acts),
    withCode: code.withCode,
    secretsOf: life.secretsOf,
    folder: where === "elsewhere" ? null : folderAt(life.code.root),
    bot: BOT,
    version: "0.0.0",
    log: listeningLog().log,
  };
}

const resultSchema = z.object({
  content: z.array(z.object({ type: z.literal("text"), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/** What a client gets of a tool: its text, its data, and whether it failed. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = resultSchema.parse(await client.callTool({ name, arguments: args }));
  return {
    text: result.content.map(({ text }) => text).join("\n"),
    data: result.structuredContent ?? {},
    failed: result.isError === true,
  };
}

/** The official client, on a server in this process. */
export async function mcpClient(deps: McpDeps, viewer: Viewer = operatorView("mia")): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1.0.0" });
  const server = mcpServer(deps, viewer);
  await server.connect(ours);
  await client.connect(theirs);
  onTestFinished(async () => await client.close());
  return client;
}
