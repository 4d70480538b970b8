import type { Context } from "hono";
import { html } from "hono/html";
import type { PageEnv } from "../login.ts";
import { type Markup, type PageOf, page } from "./document.ts";

export type PageContext = Context<PageEnv>;

/** Answers with a page for the person who is logged in. */
export async function shown(c: PageContext, about: Omit<PageOf, "login">, main: Markup): Promise<Response> {
  return await c.html(page({ ...about, login: c.get("session").login }, main));
}

/** 404, with why. */
export async function missing(c: PageContext, why: string): Promise<Response> {
  c.status(404);
  const main = html`<h1>Not here</h1>
    <p>${why}</p>`;
  return await shown(c, { title: "Not here", at: null }, main);
}

/** A whole number of a query, below a thousand million; null if there is none. */
export function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
