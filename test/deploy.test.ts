import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

const services = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      command: z.array(z.string()).optional(),
      read_only: z.boolean().optional(),
      cap_drop: z.array(z.string()).optional(),
      volumes: z.array(z.string()),
    }),
  ),
});

test("the compose file runs the server and workers apart, read-only and without capabilities", () => {
  const { database, web, worker } = services.parse(parse(textOf("deploy/compose.yaml"), { merge: true })).services;
  expect(database).toBeDefined();
  for (const relay of [web, worker]) expect(relay).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
  expect([web?.command, worker?.command]).toEqual([
    ["serve", "--role", "web,planner"],
    ["serve", "--role", "worker"],
  ]);
  // Workers share no folder: each name of a volume is used by one service.
  const named = [web, worker].flatMap((one) => one?.volumes ?? []).filter((volume) => !volume.startsWith("/"));
  expect(new Set(named).size).toBe(named.length);
});

test("the Kubernetes example has a server and workers of one image, as an account without rights", () => {
  const documents = parseAllDocuments(textOf("deploy/kubernetes/relay.yaml"));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const deployment = z.looseObject({
    kind: z.literal("Deployment"),
    spec: z.looseObject({
      template: z.looseObject({
        spec: z.looseObject({
          securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
          enableServiceLinks: z.literal(false),
          containers: z.tuple([
            z.looseObject({
              image: z.string(),
              args: z.array(z.string()),
              securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
            }),
          ]),
        }),
      }),
    }),
  });
  const containers = documents
    .map((document) => deployment.safeParse(document.toJS()).data?.spec.template.spec.containers[0])
    .filter((container) => container !== undefined);
  expect(containers.map(({ args }) => args.at(-1))).toEqual(["web,planner", "worker"]);
  expect(new Set(containers.map(({ image }) => image)).size).toBe(1);
});

test("the container is made from all that a package has", () => {
  const { files } = z.object({ files: z.array(z.string()) }).parse(JSON.parse(textOf("package.json")));
  const kept = textOf(".dockerignore").split("\n");
  const has = (name: string) => kept.includes(`!${name}`) || (name.endsWith(".json") && kept.includes("!*.json"));
  // What is built there.
  expect(files.filter((name) => !name.startsWith("!") && name !== "dist" && !has(name))).toEqual([]);
});

test("the container has a Node that Relay runs on, an account of its own and a health check", () => {
  const lines = textOf("Dockerfile").split("\n");
  const { engines } = z.object({ engines: z.object({ node: z.string() }) }).parse(JSON.parse(textOf("package.json")));
  const node = Number(/node:(\d+)-/.exec(lines.join("\n"))?.[1]);
  expect(node).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
  expect(lines).toContain("USER 10001:10001");
  expect(lines.some((line) => line.startsWith("HEALTHCHECK "))).toBe(true);
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!hasSystemd)("systemd accepts the unit (without systemd-analyze: skipped)", () => {
  const { stdout, stderr } = spawnSync(
    "systemd-analyze",
    ["verify", "--man=no", join(ROOT, "deploy/systemd/relay.service")],
    { encoding: "utf8" },
  );
  // It ends well also where it could not read a value.
  expect(`${stdout}${stderr}`).toBe("");
});
