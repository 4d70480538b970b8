import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { registerHooks } from "node:module";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readCiEvent } from "../src/app/ci/event.ts";
import { HOSTED } from "../src/adapters/trackers/registry.ts";
import { configWithoutFile } from "../src/config/config.ts";
import { systemClock } from "../src/lib/clock.ts";
import { githubPayloads } from "./support/github-payloads.ts";

const ROOT = join(import.meta.dirname, "..");
const textOf = async (file: string) => await readFile(join(ROOT, file), "utf8");

// GitHub's own parser imports JSON as only bundlers do.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".min.json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await import("@actions/workflow-parser");
const { parseAction } = await import("@actions/workflow-parser/actions/action-parser");
hooks.deregister();
const trace = new NoOperationTraceWriter();

const workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.object({
    relay: z.object({ steps: z.array(z.object({ uses: z.string(), with: z.record(z.string(), z.unknown()) })) }),
  }),
});

test("GitHub takes the workflow and the action as they are", async () => {
  const file = { name: "deploy/github/relay.yml", content: await textOf("deploy/github/relay.yml") };
  const { context, value } = parseWorkflow(file, trace);
  expect(context.errors.getErrors()).toEqual([]);
  if (value === undefined) throw new Error("it is empty");
  await convertWorkflowTemplate(context, value);
  expect(context.errors.getErrors()).toEqual([]);
  const action = parseAction({ name: "action.yml", content: await textOf("action.yml") }, trace);
  expect(action.context.errors.getErrors()).toEqual([]);
});

test("a job of GitLab speaks to the server that started it, unless another one is set", () => {
  const job = { GITLAB_CI: "true", CI_SERVER_URL: "https://gitlab.example.org/" };
  const urlOf = (env: Record<string, string>) => HOSTED.gitlab.inJob?.(configWithoutFile(env), env).gitlab.url;
  expect(urlOf(job)).toBe("https://gitlab.example.org");
  expect(urlOf({ ...job, GITLAB_URL: "https://other.example.org" })).toBe("https://other.example.org");
  expect(urlOf({ CI_SERVER_URL: "https://gitlab.example.org" })).toBe("https://gitlab.com");
});

test("a mistake in a workflow would be found", () => {
  const { context } = parseWorkflow({ name: "wrong.yml", content: "on: issuess\njobs:\n  a:\n    run-on: x\n" }, trace);
  expect(context.errors.getErrors()).not.toEqual([]);
});

test("the workflow never has a request's code beside its secrets, and asks for no more than it needs", async () => {
  const text = await textOf("deploy/github/relay.yml");
  const { permissions, jobs } = workflow.parse(parse(text));
  expect(Object.values(permissions).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "read",
    "read",
    "write",
    "write",
    "write",
  ]);
  const [checkout] = jobs.relay.steps;
  expect(checkout).toMatchObject({
    uses: expect.stringMatching(/^actions\/checkout@/),
    with: { ref: "${{ github.event.repository.default_branch }}", "persist-credentials": false },
  });
  // No text of an event gets into a shell.
  expect(`${text}${await textOf("action.yml")}`).not.toMatch(/run:.*\$\{\{|head\.(?:sha|ref)/);
});

const starts = z.object({
  on: z.record(z.string(), z.looseObject({ types: z.array(z.string()).optional() }).or(z.unknown())),
});

test("each event that starts a job by the workflow is one that the job acts on", async () => {
  const { on } = starts.parse(parse(await textOf("deploy/github/relay.yml")));
  const config = configWithoutFile({ RELAY_REPOSITORIES: "*/*" });
  const ignored: string[] = [];
  let count = 0;
  for (const [name, settings] of Object.entries(on)) {
    const { types } = z
      .object({ types: z.array(z.string()) })
      .catch({ types: [] })
      .parse(settings);
    for (const type of types) {
      // The payload of this event is that of the other.
      const of = name === "pull_request_target" ? "pull_request" : name;
      const examples = githubPayloads.filter((one) => one.name === of);
      const example = examples.find(({ action }) => action === type) ?? examples[0];
      const payload = { ...example?.payload, action: type };
      const env = { GITHUB_EVENT_NAME: name };
      const { meaning } = await readCiEvent({ body: Buffer.from(JSON.stringify(payload)), name: "payload" }, null, {
        config,
        env,
        clock: systemClock,
      });
      count += 1;
      if (meaning.kind !== "delivery") ignored.push(`${name} ${type}: ${meaning.kind}`);
    }
  }
  expect(count).toBeGreaterThan(15);
  expect(ignored).toEqual([]);
});
