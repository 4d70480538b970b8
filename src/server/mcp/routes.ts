import {
  createMcpHandler,
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { type MiddlewareHandler, Hono } from "hono";
import type { Relay } from "../../app/relay.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { DashboardDeps } from "../dashboard/dashboard.ts";
import { type GuardDeps, type PageEnv, loginGuard } from "../login.ts";
import { isLoopback } from "../loopback.ts";
import type { McpDeps } from "./context.ts";
import { mcpServer } from "./mcp-server.ts";

interface McpRouteDeps {
  mcp: McpDeps;
  login: GuardDeps;
  /** Where it listens, and the address by which others reach it. */
  server: { host: string; publicUrl: string | undefined };
  /** Aborted when the server begins to stop: streams end. */
  stopping: AbortSignal;
}

/** Bytes of a request: a spec to check fits. */
const LARGEST_REQUEST = 2 * 1024 * 1024;

/**
 * `/mcp` for logged-in callers (R-SAFE-4). Each request is answered by itself, so that any number of processes can
 * serve one client.
 */
export function mcpRoutes({ mcp, login, server, stopping }: McpRouteDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.use("/mcp", fromOwnPages(hostsOf(server)), loginGuard(login, "programs"));
  routes.all("/mcp", async (c) => {
    if (c.req.method === "POST" && !/^application\/json\b/i.test(c.req.header("content-type") ?? "")) {
      return c.json({ error: "/mcp takes JSON: send content-type application/json" }, 415);
    }
    const viewer = c.get("viewer");
    const handler = createMcpHandler(() => mcpServer(mcp, viewer), {
      maxRequestBodySize: LARGEST_REQUEST,
      onerror: (error) => mcp.log.debug({ error: messageOf(error) }, "mcp request refused"),
    });
    const signal = AbortSignal.any([c.req.raw.signal, stopping]);
    return await handler.fetch(new Request(c.req.raw, { signal }));
  });
  return routes;
}

/** What `/mcp` needs besides what the pages of a server need. */
export interface OwnMcpDeps {
  /** Opened on first use: most servers are asked for no code. */
  relay: () => Promise<Pick<Relay, "code">>;
  /** Where it listens. */
  host: string;
  version: string;
}

/** `/mcp` of a server with pages, whose clients are on other machines. */
export function servedMcpRoutes(pages: DashboardDeps, { relay, host, version }: OwnMcpDeps, log: Log): Hono<PageEnv> {
  const { db, acts, bot, publicUrl, stopping } = pages;
  const mcp: McpDeps = {
    db: async () => await Promise.resolve(db()),
    acts: async () => await Promise.resolve(acts),
    withCode: async (repository, work) => {
      if (repository === null) throw new RelayError("usage", "say which `repository`: this server is in no folder");
      const { withCode, indexOf } = (await relay()).code;
      return await withCode(repository, async (code) =>
        work({ repository: code, index: async () => await indexOf(code) }),
      );
    },
    secretsOf: pages.secretsOf,
    folder: null,
    bot,
    version,
    log,
  };
  return mcpRoutes({ mcp, login: pages, server: { host, publicUrl }, stopping });
}

/**
 * The host names by which clients reach a server; null if it cannot know them: other machines may reach it, and no
 * public address is set.
 */
function hostsOf({ host, publicUrl }: McpRouteDeps["server"]): string[] | null {
  if (publicUrl === undefined && !isLoopback(host)) return null;
  const named = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return [...localhostAllowedHostnames(), ...named, host.includes(":") ? `[${host}]` : host];
}

/** A page of another site must not reach the server, by whatever name it has the browser call it (DNS rebinding). */
function fromOwnPages(hosts: readonly string[] | null): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const host = c.req.header("host") ?? "";
    const allowed = hosts === null ? [hostnameIn(host)] : [...hosts];
    if (!validateHostHeader(host, allowed).ok) {
      return c.json({ error: "this server is not called by that host; set server.public_url" }, 403);
    }
    if (!validateOriginHeader(c.req.header("origin"), allowed).ok) {
      return c.json({ error: "this call came from a page of another site" }, 403);
    }
    await next();
    return undefined;
  };
}

function hostnameIn(host: string): string {
  return URL.parse(`http://${host}`)?.hostname ?? "";
}
