import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { ROUTES } from "./server.ts";

/**
 * Compares the operations of this server with a description that GitLab has published (`doc/api/openapi` of its
 * source, version 3 of OpenAPI), and prints what the server takes and the description does not have:
 * `node test/mock-gitlab/compare-description.ts FILE`. The file is not part of this repository.
 */
const schema = z.object({ $ref: z.string().optional(), properties: z.record(z.string(), z.unknown()).optional() });
const content = z.record(z.string(), z.object({ schema: schema.optional() }));
const operation = z.object({
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).optional(),
  requestBody: z.object({ content: content.optional(), $ref: z.string().optional() }).optional(),
});
const description = z.object({
  info: z.object({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()).optional() }).optional(),
});

const file = process.argv[2];
if (file === undefined) throw new Error("name the file of the description");
const { info, paths, components } = description.parse(parse(readFileSync(file, "utf8"), { maxAliasCount: -1 }));
const plain = (path: string) => path.replaceAll(/\{\w+\}/g, "{}");
const known = new Map(Object.entries(paths).map(([path, methods]) => [plain(path), methods]));

function bodyNames(body: z.infer<typeof operation>["requestBody"]): string[] {
  const given = Object.values(body?.content ?? {})[0]?.schema;
  const name = given?.$ref?.split("/").at(-1);
  const found = name === undefined ? given : schema.parse(components?.schemas?.[name] ?? {});
  return Object.keys(found?.properties ?? {});
}

console.log(`GitLab's description, version ${info.version}`);
for (const route of ROUTES) {
  const found = known.get(plain(`/api/v4${route.path}`))?.[route.method.toLowerCase()];
  const name = `${route.method} ${route.path}`;
  if (found === undefined) {
    console.log(`${name}: not described`);
    continue;
  }
  const { parameters = [], requestBody } = operation.parse(found);
  const names = new Set([...parameters.map((one) => one.name.replace("[]", "")), ...bodyNames(requestBody)]);
  const taken = [...route.query, ...(route.body instanceof z.ZodObject ? Object.keys(route.body.shape) : [])];
  const unknown = taken.filter((one) => !names.has(one));
  console.log(`${name}: ${unknown.length === 0 ? "as described" : `not described: ${unknown.join(", ")}`}`);
}
