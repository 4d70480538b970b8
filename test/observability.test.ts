import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { createMetrics } from "../src/server/metrics.ts";
import { NO_FIGURES } from "./support/web-server.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The metrics that `/metrics` has, with what a histogram makes of its name. */
async function served(): Promise<Set<string>> {
  const text = await createMetrics(NO_FIGURES).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => ({ name, type }));
  return new Set(
    types.flatMap(({ name, type }) =>
      type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

/** Names of metrics in a query. */
function namesIn(query: string): string[] {
  return query.match(/\b(?:relay|process|nodejs)_[a-z0-9_]+/g) ?? [];
}

const target = z.looseObject({ expr: z.string() });
const source = z.object({ type: z.literal("prometheus"), uid: z.literal("${datasource}") });
const dashboard = z.looseObject({
  id: z.null(),
  uid: z.string(),
  schemaVersion: z.number().min(36),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  panels: z.array(
    z.looseObject({
      id: z.number(),
      type: z.string(),
      title: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      datasource: source.optional(),
      targets: z.array(target).default([]),
    }),
  ),
});
const rules = z.object({
  groups: z.array(z.looseObject({ rules: z.array(z.looseObject({ alert: z.string(), expr: z.string() })) })),
});

test("each panel and each alert asks for metrics that /metrics has, and each metric of Relay is documented", async () => {
  const metrics = await served();
  const { panels } = dashboard.parse(JSON.parse(read("deploy/observability/relay-dashboard.json")));
  const { groups } = rules.parse(parse(read("deploy/observability/relay-alerts.yaml")));
  const asked = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
  ];
  expect(asked.filter((expr) => namesIn(expr).length === 0)).toEqual([]);
  expect(asked.flatMap(namesIn).filter((name) => !metrics.has(name))).toEqual([]);
  const page = read("docs/observability.md");
  const own = [...metrics].filter((name) => name.startsWith("relay_") && !/_(?:bucket|sum|count)$/.test(name));
  expect(own.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  const told = [...new Set(page.match(/\brelay_[a-z_]+/g))];
  expect(told.filter((name) => !metrics.has(name))).toEqual([]);
});

test("the dashboard can be imported: its data source is a choice, and no panel covers another", () => {
  const { panels, templating } = dashboard.parse(JSON.parse(read("deploy/observability/relay-dashboard.json")));
  expect(templating.list).toMatchObject([{ name: "datasource", type: "datasource", query: "prometheus" }]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(panels.filter(({ type, datasource }) => type !== "row" && datasource === undefined)).toEqual([]);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
