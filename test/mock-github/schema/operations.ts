import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Parameter = z.object({ name: z.string(), in: z.string(), required: z.boolean(), schema: z.unknown() });
const Operation = z.object({
  method: z.string(),
  path: z.string(),
  docs: z.string(),
  parameters: z.array(Parameter),
  body: z.unknown(),
  bodyRequired: z.boolean(),
  responses: z.record(z.string(), z.unknown()),
});

export type Operation = z.infer<typeof Operation> & { id: string; pattern: RegExp; names: string[] };

/** GitHub's published description, as far as the mock goes; made by `make-schema.ts`. */
export const description = z
  .object({
    source: z.string(),
    operations: z.record(z.string(), Operation),
    schemas: z.record(z.string(), z.unknown()),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "operations.json"), "utf8")));

/** These may hold slashes, written as they are. */
const LONG = new Set(["path", "branch", "ref"]);

const operations: Operation[] = Object.entries(description.operations)
  .map(([id, operation]) => {
    const names = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? "");
    const source = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
      LONG.has(name) ? "(.+)" : "([^/]+)",
    );
    return { ...operation, id, names, pattern: new RegExp(`^${source}/?$`) };
  })
  // `/issues/comments/{id}` before `/issues/{number}/comments`: what is spelled out wins.
  .toSorted((a, b) => a.names.length - b.names.length);

/** The operation that a request means, with what stands in its path, decoded. */
export function findOperation(
  method: string,
  path: string,
): { operation: Operation; params: Map<string, string> } | null {
  for (const operation of operations) {
    const match = operation.method === method ? operation.pattern.exec(path) : null;
    if (match === null) continue;
    const values = match.slice(1).map(decode);
    return { operation, params: new Map(operation.names.map((name, n) => [name, values[n] ?? ""])) };
  }
  return null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
