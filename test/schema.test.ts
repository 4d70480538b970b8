import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { repositoryFileSchema } from "../src/config/repository-file.ts";
import { configSchema } from "../src/config/schema.ts";

test("relay.schema.json says what relay.yaml may hold; update it with `npm test -- -u`", async () => {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  const file = join(import.meta.dirname, "../relay.schema.json");
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(file);
  expect(readFileSync(file, "utf8")).toContain("idle_minutes");
});

test("relay-repository.schema.json says what .relay.yml may hold; update it with `npm test -- -u`", async () => {
  const schema = z.toJSONSchema(repositoryFileSchema, { io: "input" });
  const file = join(import.meta.dirname, "../relay-repository.schema.json");
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(file);
  expect(readFileSync(file, "utf8")).toContain("blocked_paths");
});
