import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Lets calls that change something pass only from Relay's own pages, whatever their body is (R-SAFE-4); and from
 * programs with a bearer, which no page of another site can send. Behind a proxy, the browser sees `publicUrl`, not the
 * address of the request.
 */
export function ownPagesOnly(publicUrl: string | undefined): MiddlewareHandler {
  const origin = publicUrl === undefined ? null : new URL(publicUrl).origin;
  return async (c, next) => {
    const isOwn =
      c.req.header("sec-fetch-site") === "same-origin" ||
      c.req.header("origin") === (origin ?? new URL(c.req.url).origin);
    const hasBearer = /^Bearer /i.test(c.req.header("authorization") ?? "");
    if (!SAFE.has(c.req.method) && !isOwn && !hasBearer) {
      throw new HTTPException(403);
    }
    await next();
  };
}
