import { removeSecrets } from "../../domain/text/secrets.ts";

const MASK = "[masked]";
const SECRET_NAME = /^(?:.*[_-])?(?:api[_-]?key|authorization|secret|password|access[_-]?token)$/i;

/** A JSON value without keys: those given, those of known shapes, and the values of fields that are named like one. */
export function maskValue(value: unknown, keys: readonly string[]): unknown {
  if (typeof value === "string") return maskText(value, keys);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, keys));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === "string" && SECRET_NAME.test(name) ? MASK : maskValue(inner, keys),
    ]),
  );
}

/** The same for the lines of an event stream, each by itself, so that one that looks like a key costs no other. */
export function maskLines(text: string, keys: readonly string[]): string {
  return text
    .split("\n")
    .map((line) => maskLine(line, keys))
    .join("\n");
}

function maskLine(line: string, keys: readonly string[]): string {
  const [, head = "", json = ""] = /^((?:data:)?\s{0,8})([[{].*)$/s.exec(line) ?? [];
  if (json === "") return maskText(line, keys);
  try {
    return head + JSON.stringify(maskValue(JSON.parse(json), keys));
  } catch {
    return maskText(line, keys);
  }
}

function maskText(text: string, keys: readonly string[]): string {
  let masked = text;
  for (const key of keys) if (key !== "") masked = masked.replaceAll(key, MASK);
  return removeSecrets(masked).text;
}

const ID_NAMES = new Set(["id", "call_id", "tool_call_id", "tool_use_id"]);

/** A request in which ids are numbers in their order: where a server gives calls none, the SDK makes up random ones. */
export function numberIds(value: unknown): unknown {
  const numbers = new Map<string, string>();
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, held]) => [name, idOf(name, held) ?? walk(held)]));
  };
  const idOf = (name: string, held: unknown) => {
    if (typeof held !== "string" || !ID_NAMES.has(name)) return undefined;
    const number = numbers.get(held) ?? `#${numbers.size + 1}`;
    numbers.set(held, number);
    return number;
  };
  return walk(value);
}
