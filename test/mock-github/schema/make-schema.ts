import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { OPERATIONS } from "./wanted.ts";

/**
 * Writes `operations.json`: the operations that Relay calls, out of GitHub's published description.
 *
 *     npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
 *     node test/mock-github/schema/make-schema.ts package/generated/api.github.com.json
 *
 * Parameters and answers are inlined; schemas that several operations share are kept once, by name. What describes and
 * exemplifies is left out. `nullable` becomes a type, as JSON Schema has it.
 */
const Description = z.object({
  info: z.object({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const Parameter = z.object({ name: z.string(), in: z.string(), required: z.boolean().optional(), schema: z.unknown() });
const Content = z.record(z.string(), z.object({ schema: z.unknown() }));
const Operation = z.object({
  operationId: z.string(),
  externalDocs: z.object({ url: z.string() }).optional(),
  parameters: z.array(z.unknown()).optional(),
  requestBody: z.object({ required: z.boolean().optional(), content: Content }).optional(),
  responses: z.record(z.string(), z.unknown()),
});
const Answer = z.object({ content: Content.optional() });
const Reference = z.object({ $ref: z.string() });

const WORDS = new Set(["description", "example", "examples", "externalDocs", "title", "x-github", "x-octokit"]);

/** Octokit's copy has the answer of an old Enterprise here, by which an account is a user and a company at once. */
const CORRECTED: Record<string, Record<string, unknown>> = {
  "apps/list-installations": { "200": { type: "array", items: { $ref: "#/components/schemas/installation" } } },
};
const source = process.argv[2];
if (source === undefined) throw new Error("name the file api.github.com.json of @octokit/openapi");
const description = Description.parse(JSON.parse(readFileSync(source, "utf8")));
const schemas = new Map<string, unknown>();

function resolve(value: unknown): unknown {
  const reference = Reference.safeParse(value);
  if (!reference.success) return value;
  const [kind = "", name = ""] = reference.data.$ref.split("/").slice(2);
  return description.components[kind]?.[name];
}

/** A schema without prose, its references turned to ours, and what they name kept. */
function schemaOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaOf);
  if (typeof value !== "object" || value === null) return value;
  const reference = Reference.safeParse(value);
  if (reference.success) {
    const name = reference.data.$ref.split("/").at(-1) ?? "";
    if (!schemas.has(name)) {
      schemas.set(name, null);
      schemas.set(name, schemaOf(resolve(value)));
    }
    return { $ref: `#/schemas/${name}` };
  }
  const entries = Object.entries(value).filter(([key, part]) => !(WORDS.has(key) && !isProperty(key, part)));
  const kept: Record<string, unknown> = Object.fromEntries(entries.map(([key, part]) => [key, schemaOf(part)]));
  if (kept["nullable"] !== true) return kept;
  delete kept["nullable"];
  if (Array.isArray(kept["enum"])) kept["enum"] = [...kept["enum"], null];
  if (typeof kept["type"] !== "string") return { anyOf: [kept, { type: "null" }] };
  return { ...kept, type: [kept["type"], "null"] };
}

/** `title` and `description` are names of properties as well, which have a schema, not a text. */
function isProperty(key: string, part: unknown): boolean {
  return ["description", "title"].includes(key) && typeof part === "object";
}

function operationOf(method: string, path: string, value: unknown): [string, unknown] {
  const operation = Operation.parse(value);
  const parameters = (operation.parameters ?? []).map((each) => {
    const parameter = Parameter.parse(resolve(each));
    return { ...parameter, schema: schemaOf(parameter.schema) };
  });
  const responses = Object.entries(operation.responses).map(([status, each]) => {
    const content = Answer.parse(resolve(each)).content?.["application/json"];
    const schema = CORRECTED[operation.operationId]?.[status] ?? content?.schema;
    return [status, schema === undefined ? null : schemaOf(schema)];
  });
  const json = operation.requestBody?.content["application/json"];
  return [
    operation.operationId,
    {
      method: method.toUpperCase(),
      path,
      docs: operation.externalDocs?.url ?? "",
      parameters: parameters.map(({ name, in: place, required, schema }) => ({
        name,
        in: place,
        required: required ?? false,
        schema,
      })),
      body: json === undefined ? null : schemaOf(json.schema),
      bodyRequired: operation.requestBody?.required ?? false,
      responses: Object.fromEntries(responses),
    },
  ];
}

const found = new Map<string, unknown>();
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, value] of Object.entries(methods)) {
    const named = z.object({ operationId: z.string() }).safeParse(value);
    if (named.success && OPERATIONS.includes(named.data.operationId)) found.set(...operationOf(method, path, value));
  }
}
const missing = OPERATIONS.filter((name) => !found.has(name));
if (missing.length > 0) throw new Error(`the description has no ${missing.join(", ")}`);

const lines = (map: Map<string, unknown>) =>
  [...map]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(",\n");
const from = JSON.stringify(`@octokit/openapi ${description.info.version}, api.github.com`);
writeFileSync(
  join(import.meta.dirname, "operations.json"),
  `{"source":${from},\n"operations":{\n${lines(found)}\n},\n"schemas":{\n${lines(schemas)}\n}}\n`,
);
