import { z } from "zod";
import { shortLine } from "./transcript.ts";

const LINE_LIMIT = 300;
/** The arguments that describe a call best, under the names of all agents; the first one counts. */
const DESCRIPTIVE = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "pattern",
  "query",
  "url",
  "description",
];

const inputSchema = z.record(z.string(), z.unknown());

/** A tool call in one line: `Edit src/cart.ts`. */
export function toolLine(name: string, input: unknown): string {
  const values = inputSchema.safeParse(input).data ?? {};
  const argument = DESCRIPTIVE.map((key) => values[key]).find((value) => value !== undefined && value !== "");
  if (argument === undefined) return shortLine(name, LINE_LIMIT);
  return shortLine(`${name} ${asText(argument)}`, LINE_LIMIT);
}

const textPart = z.object({ text: z.string() });

/** The text of a value: a string, a text part, a list of parts, or anything else. */
export function asText(value: unknown): string {
  return Array.isArray(value) ? value.slice(0, 100).map(partText).join(" ") : partText(value);
}

function partText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  return textPart.safeParse(value).data?.text ?? asJson(value);
}

/** Empty for values nested too deeply to serialize. */
function asJson(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? "").slice(0, 8_000);
  } catch {
    return "";
  }
}
