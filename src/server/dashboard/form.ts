import { createHash, randomUUID } from "node:crypto";
import type { Context } from "hono";
import { html } from "hono/html";
import { RelayError } from "../../lib/errors.ts";
import type { PageEnv } from "../login.ts";
import type { Markup } from "./document.ts";

/** The longest text that a form takes, in characters. */
export const LONGEST = 60_000;

/** The fields of a form; `sha256` is the hash of all of them, with the random one that each page brings. */
export type Form = ((name: string) => string) & { sha256: string };

/** Makes each form one of its own: sent again as it is, it does nothing. */
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
  const sha256 = createHash("sha256")
    .update(`${c.req.path}\n${JSON.stringify(body)}`)
    .digest("hex");
  return Object.assign(field, { sha256 });
}
