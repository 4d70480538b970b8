import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { PageEnv } from "../login.ts";
import type { ApiDeps } from "./deps.ts";

/** Bytes of a body: the longest words, with room for their JSON. */
const MOST_BYTES = 512 * 1024;

/**
 * Checks calls that change something (R-SAFE-4, R-SAFE-5): they must be small, JSON, and, if a cookie says who calls,
 * from one of Relay's own pages. To send JSON or a bearer, a page of another site would first need a preflight's
 * consent, and nothing here gives it.
 */
export function changeGuard({ publicUrl }: Pick<ApiDeps, "publicUrl">): MiddlewareHandler<PageEnv> {
  const limited = bodyLimit({
    maxSize: MOST_BYTES,
    onError: (c) => c.json({ error: `the body is larger than ${MOST_BYTES} bytes` }, 413),
  });
  return async (c, next) => {
    if (c.req.method === "GET" || c.req.method === "HEAD") return await next();
    const isJson = /^application\/json *(?:;|$)/i.test(c.req.header("content-type") ?? "");
    const hasBody = (c.req.header("content-length") ?? "0") !== "0" || c.req.header("transfer-encoding") !== undefined;
    const byBearer = /^Bearer /i.test(c.req.header("authorization") ?? "");
    if (!byBearer && !isOwn(c.req.header("sec-fetch-site"), c.req.header("origin"), originsOf(c.req.url, publicUrl))) {
      return c.json({ error: "this call came from a page of another site; open Relay's own page again" }, 403);
    }
    if (!isJson && (hasBody || !byBearer)) {
      return c.json({ error: "the body must be JSON; send it with content-type: application/json" }, 415);
    }
    if (c.get("viewer").token?.acts === false) {
      return c.json({ error: "this token only reads here; make one at /tokens that does what you may do" }, 403);
    }
    if ((c.req.header("content-encoding") ?? "identity").toLowerCase() !== "identity") {
      return c.json({ error: "compressed bodies are not taken; send it as it is" }, 415);
    }
    return await limited(c, next);
  };
}

/** Behind a proxy, the browser sees another address than that of the request. */
function originsOf(url: string, publicUrl: string | undefined): string[] {
  return [new URL(url).origin, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
}

/**
 * Whether the browser says that one of Relay's own pages calls. A caller that says nothing is no browser, and has no
 * cookie to misuse.
 */
function isOwn(site: string | undefined, origin: string | undefined, own: readonly string[]): boolean {
  if (origin !== undefined) return own.includes(origin) && (site === undefined || site === "same-origin");
  return site === "same-origin";
}
