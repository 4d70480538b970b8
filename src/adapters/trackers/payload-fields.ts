import { z } from "zod";

/** PostgreSQL stores neither NUL nor lone surrogates, and such a character must not block a delivery forever. */
export const text = z.string().transform((value) => value.replaceAll("\0", "").toWellFormed());
export const optionalText = text.nullish().catch(null);
export const files = z.array(text).nullish().catch(null);
