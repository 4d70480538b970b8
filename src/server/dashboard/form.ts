import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import { html } from "hono/html";
import { RelayError } from "../../lib/errors.ts";
import type { PageEnv } from "../login.ts";
import type { Markup } from "./document.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** The longest text that a form takes, in characters. */
export const LONGEST = 60_000;

/**
 * The fields of a form; `sha256` is the hash of all of them, `key` the same for a form of one page, null without its
 * random field.
 */
export type Form = ((name: string) => string) & { sha256: string; key: string | null };

/** A field that makes each form unique: sent again as it is, it does nothing. */
export function onceKey(): Markup {
  return html`<input type="hidden" name="once" value="${randomUUID()}" />`;
}

/** The fields that were sent. Throws `invalid` for one that is too long. */
export async function fieldsOf(c: Context<PageEnv>): Promise<Form> {
  const body = await c.req.parseBody();
  const field = (name: string) => {
    const value = body[name];
    if (typeof value !== "string") return "";
    if (value.length > LONGEST) throw new RelayError("invalid", `${name} is longer than ${LONGEST} characters`);
    return value.replaceAll("\r\n", "\n");
  };
  const hashOf = (text: string) => sha256Of(`${c.req.path}\n${text}`);
  const once = field("once");
  return Object.assign(field, { sha256: hashOf(JSON.stringify(body)), key: once === "" ? null : hashOf(once) });
}

/** What the form did, if it is the one that did it; throws `conflict` if something else was sent from its page. */
export function requireSame<T>(form: Form, sha256: string, did: T): T {
  if (sha256 === form.sha256) return did;
  throw new RelayError(
    "conflict",
    "something else was sent from this form before; open the page again to send this too",
  );
}
