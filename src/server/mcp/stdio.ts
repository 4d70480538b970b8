import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Viewer } from "../../app/people/viewer.ts";
import { messageOf } from "../../lib/errors.ts";
import type { McpDeps } from "./context.ts";
import { mcpServer } from "./mcp-server.ts";

/** Speaks MCP on standard input and output, until the client closes them or `stopping` is aborted. */
export async function speakStdio(deps: McpDeps, viewer: Viewer, stopping: AbortSignal): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const ends = [
    once(process.stdin, "end", { signal }),
    once(process.stdin, "close", { signal }),
    once(process.stdout, "error", { signal }),
    once(stopping, "abort", { signal }),
  ];
  const session = serveStdio(() => mcpServer(deps, viewer), {
    onerror: (error) => deps.log.warn({ error: messageOf(error) }, "message not understood"),
  });
  try {
    if (!stopping.aborted) await Promise.race(ends);
  } finally {
    over.abort();
    await Promise.allSettled(ends);
    await session.close();
  }
}
