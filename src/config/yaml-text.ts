import { distance } from "fastest-levenshtein";
import { LineCounter, type Document } from "yaml";
import { z } from "zod";
import { RelayError } from "../lib/errors.ts";
import { isRecord } from "../lib/text.ts";
import { yamlDocument } from "../lib/yaml.ts";

/**
 * Parses a YAML text as a mapping; an empty text is an empty one. `name` is its file or place, for the error. Throws
 * `config`, naming the line and the fix.
 */
export function mappingIn(text: string, name: string): Record<string, unknown> {
  const lines = new LineCounter();
  const document = yamlDocument(text, lines);
  const error = document.errors[0];
  if (error) {
    throw new RelayError("config", `${name}:${lines.linePos(error.pos[0]).line}: not valid YAML: ${error.message}`);
  }
  const value = unfold(document, name);
  if (value === null || value === undefined) return {};
  if (!isRecord(value)) throw new RelayError("config", `${name}: must be a mapping of keys to values`);
  return value;
}

function unfold(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 });
  } catch (cause) {
    throw new RelayError("config", `${name}: its YAML aliases expand too far; write the values out`, { cause });
  }
}

/** Names an unknown key with its new name, or with a similar one; null for another problem. */
export function unknownKey(issue: z.core.$ZodIssue, schema: z.ZodType, renamed: Record<string, string>): string | null {
  if (issue.code !== "unrecognized_keys") return null;
  const wrong = issue.keys[0] ?? "";
  const name = [...issue.path.map(String), wrong].join(".");
  const moved = Object.entries(renamed).filter(([old]) => `${old}.`.startsWith(`${name}.`));
  if (moved.length > 0) return moved.map(([old, now]) => `“${old}” is now called “${now}”`).join(", ");
  const near = nearest(wrong, keysAt(issue.path, schema));
  return `unknown key “${name}”${near === null ? "" : `; did you mean “${near}”?`}`;
}

/** Keys that there are at a place of a configuration. */
function keysAt(path: PropertyKey[], schema: z.ZodType): string[] {
  let place: unknown = z.toJSONSchema(schema, { io: "input" });
  for (const step of path) {
    const { properties, items } = mapping.parse(place);
    place = typeof step === "number" ? items : properties[String(step)];
  }
  return Object.keys(mapping.parse(place).properties);
}

const mapping = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  /** Of a list. */
  items: z.unknown().optional(),
});

/** The closest known word, unless it is too different. */
export function nearest(word: string, known: string[]): string | null {
  const [best] = known
    .map((candidate) => ({ candidate, steps: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null;
}
