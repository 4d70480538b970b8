import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { sha256Of } from "../../lib/sha256.ts";

const FILES = {
  style: { file: "relay.css", type: "text/css; charset=utf-8" },
  script: { file: "relay.js", type: "text/javascript; charset=utf-8" },
  icon: { file: "relay.svg", type: "image/svg+xml" },
} as const;

const read = Object.entries(FILES).map(([name, { file, type }]) => {
  const text = readFileSync(join(import.meta.dirname, "assets", file), "utf8");
  const [stem = "", ending = ""] = file.split(".");
  const hash = sha256Of(text).slice(0, 12);
  return { name, path: `/assets/${stem}.${hash}.${ending}`, text, type };
});

function pathOf(wanted: keyof typeof FILES): string {
  return read.find(({ name }) => name === wanted)?.path ?? "";
}

/** Addresses of the files that pages need; each names its content, so that browsers keep it for good. */
export const ASSETS = { style: pathOf("style"), script: pathOf("script"), icon: pathOf("icon") };

/** Open to all: the login page needs them, and they say nothing about anybody. */
export function assetRoutes(): Hono {
  const routes = new Hono();
  for (const { path, text, type } of read) {
    routes.get(path, (c) =>
      c.body(text, 200, { "content-type": type, "cache-control": "public, max-age=31536000, immutable" }),
    );
  }
  routes.get("/favicon.ico", (c) => c.redirect(ASSETS.icon, 301));
  return routes;
}
