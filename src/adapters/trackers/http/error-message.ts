import { z } from "zod";
import { stripHiddenCharacters } from "../../../domain/text/hidden-characters.ts";
import { removeSecrets } from "../../../domain/text/secrets/remove-secrets.ts";

const LONGEST = 300;
const DEEPEST = 4;
const MOST_PARTS = 20;

const objectSchema = z.record(z.string(), z.unknown());
const listSchema = z.array(z.unknown());
const KNOWN_FIELDS = ["message", "error", "error_description", "errors"];
/** One entry of GitHub's `errors`. */
const fieldErrorSchema = z.object({
  field: z.string().optional().catch(undefined),
  code: z.string(),
  message: z.string().optional().catch(undefined),
});

/**
 * A tracker's error message, on one line of at most 300 characters: GitHub's `message` and `errors`, GitLab's
 * `message` in its many shapes, `error` and `error_description`, the title of a page, or plain text. `secrets` are the
 * credentials sent with the call; they are redacted.
 */
export function errorMessageIn(text: string, secrets: readonly string[]): string {
  const trimmed = text.trim();
  const plain = /^[{["]/.test(trimmed) ? toldInJson(trimmed) : /^\s*</.test(trimmed) ? titleOf(trimmed) : trimmed;
  return safeLine(plain, secrets);
}

/** One line that is safe to show and to log. */
export function safeLine(text: string, secrets: readonly string[]): string {
  // Invisible characters are removed first, so that they cannot split a secret.
  const plain = stripHiddenCharacters(text.slice(0, 20_000)).replaceAll(/[\s\p{C}]+/gu, " ");
  const clean = removeSecrets(withoutSecrets(plain, secrets)).text.trim();
  return clean.length <= LONGEST
    ? clean
    : `${clean
        .slice(0, LONGEST - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    for (const form of [secret, encodeURIComponent(secret.toWellFormed()), Buffer.from(secret).toString("base64")]) {
      if (form.length >= 4) clean = clean.replaceAll(form, "[secret removed]");
    }
  }
  return clean;
}

function toldInJson(text: string): string {
  try {
    return messageIn(JSON.parse(text), DEEPEST);
  } catch {
    return text;
  }
}

function messageIn(value: unknown, depth: number): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (depth === 0) return "";
  const list = listSchema.safeParse(value);
  if (list.success)
    return joined(
      list.data.slice(0, MOST_PARTS).map((each) => messageIn(each, depth - 1)),
      ", ",
    );
  const object = objectSchema.safeParse(value);
  return object.success ? toldInObject(object.data, depth) : "";
}

function toldInObject(object: Record<string, unknown>, depth: number): string {
  const fieldError = fieldErrorSchema.safeParse(object);
  if (fieldError.success) {
    const { field, code, message } = fieldError.data;
    return joined([field ?? "", message ?? code.replaceAll("_", " ")], ": ");
  }
  const known = KNOWN_FIELDS.map((name) => object[name]);
  if (known.some((each) => each !== undefined)) {
    return joined([...new Set(known.map((each) => messageIn(each, depth - 1)))], ": ");
  }
  // GitLab: `{"message": {"title": ["is too long"]}}`.
  const entries = Object.entries(object).slice(0, MOST_PARTS);
  return joined(
    entries.map(([name, each]) => joined([name === "base" ? "" : name, messageIn(each, depth - 1)], " ")),
    ", ",
  );
}

function joined(parts: string[], separator: string): string {
  return parts.filter((part) => part !== "").join(separator);
}

/** Only the title of an HTML page, such as a proxy's. */
function titleOf(html: string): string {
  const title = /<(title|h1)\b[^>]{0,200}>([^<]{1,400})/i.exec(html)?.[2];
  return title ?? "a page instead of an answer";
}
