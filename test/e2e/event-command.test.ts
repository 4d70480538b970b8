import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { answerComment, readAnswers } from "../../src/cli/answers-file.ts";
import { parseIssueFile } from "../../src/adapters/trackers/issue-file/parse.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { exec } from "../../src/lib/exec.ts";
import { pasteTables } from "../../src/storage/copy-tables.ts";
import { listGaps } from "../../src/storage/gaps.ts";
import { findIssue } from "../../src/storage/issues.ts";
import { emptyDatabase } from "../support/database.ts";
import { EXAMPLES, QUIET, startRelay } from "./cli-harness.ts";
import { githubPlace } from "./hosted-github.ts";
import { type Serving, PATIENT, openServing } from "./serving-fixture.ts";

const TIMEOUT = 400_000;
const ROOT = join(import.meta.dirname, "../..");
const MIGRATIONS = join(ROOT, "migrations");

const sender = z.object({ sender: z.object({ login: z.string() }) });

interface Told {
  name: string;
  file: string;
}

/** What the tracker tells: each event in a file, as a job of its CI gets it. Those of Relay itself start no job. */
async function hearing({ place, folder }: Serving) {
  const told: Told[] = [];
  let count = 0;
  const hear = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const name = request.headers["x-github-event"];
    const { login } = sender.parse(JSON.parse(body.toString())).sender;
    if (typeof name === "string" && name !== "push" && login !== place.bot) {
      count += 1;
      const file = join(folder, `event-${count}.json`);
      await writeFile(file, body);
      told.push({ name, file });
    }
    response.end("{}");
  };
  const server = createServer((request, response) => void hear(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = z.object({ port: z.number() }).parse(server.address());
  place.setHook(`http://127.0.0.1:${port}`);
  return {
    /** The events since the last call; waits for at least so many. */
    take: async (least: number): Promise<Told[]> => {
      await expect.poll(() => told.length, PATIENT).toBeGreaterThanOrEqual(least);
      return told.splice(0);
    },
  };
}

const outcome = z.object({
  kind: z.enum(["done", "nothing", "unfinished", "busy"]),
  isRepeated: z.boolean().optional(),
  issues: z.array(z.object({ issue: z.string(), state: z.string(), words: z.string() })).optional(),
});

async function openJobs() {
  const place = await githubPlace();
  const serving = await openServing(place);
  // The state is in a branch; nothing else of a job is left when the next begins.
  serving.env["DATABASE_URL"] = "";
  let jobs = 0;
  const begin = ({ name, file }: Told) => {
    jobs += 1;
    const env = { ...serving.env, GITHUB_EVENT_NAME: name, RELAY_HOME: join(serving.folder, `job-${jobs}`) };
    const args = ["event", file, "--state", "branch", "--lease-seconds", "6", "--minutes", "3", "--json"];
    const started = startRelay({ folder: serving.folder, home: "", specs: "", repository: "", env: {} }, args, { env });
    started.child.stdin.end();
    return started;
  };
  const job = async (told: Told) => {
    const { code, out, err } = await begin(told).ended;
    expect(err, `${told.name} ${out}`).not.toMatch(/^relay: /m);
    return { code, ...outcome.parse(JSON.parse(out)) };
  };
  const comments = (number: number) =>
    place.issue(number).said.flatMap(({ author, body }) => (author === place.bot ? [body] : []));
  return {
    ...serving,
    events: await hearing(serving),
    begin,
    job,
    comments,
    /** What Relay said, without its status comment. */
    said: (number: number) => comments(number).filter((body) => !isStatusComment(body)),
    state: async () => await serving.git("show", "relay/state:state.txt"),
  };
}

type Jobs = Awaited<ReturnType<typeof openJobs>>;

/** The comment that answers the questions that the state has. */
async function answersTo(number: number, { place, state }: Jobs) {
  const { db, connection } = await emptyDatabase();
  await pasteTables(connection, Readable.from([Buffer.from(`${await state()}\n`)]), MIGRATIONS);
  const issue = await findIssue(db, { ...place, externalProjectId: place.project, externalIssueId: String(number) });
  const answers = await readAnswers(join(EXAMPLES, "answers.yaml"));
  return { text: answerComment(answers, await listGaps(db, issue?.id ?? "")), proceed: answers.proceed ?? "" };
}

test(
  "R-SHIP-1: from an issue to its pull request, each event in a job of its own, with the state in a branch",
  async () => {
    const relay = await openJobs();
    const { place, events, job, begin, said, comments } = relay;
    const { title, body } = parseIssueFile(await readFile(join(EXAMPLES, "issue.md")), "issue.md");
    const number = place.assign("ruthg", title, body);
    const opening = await events.take(2);
    for (const told of opening) await job(told);
    expect(said(number)).toHaveLength(1);
    // The job is started again: the same event does nothing.
    const [first] = opening.slice(-1);
    if (first === undefined) throw new Error("nothing was told");
    const before = comments(number);
    expect(await job(first)).toMatchObject({ code: 0, kind: "done", isRepeated: true });
    expect(comments(number)).toEqual(before);

    const { text, proceed } = await answersTo(number, relay);
    place.say(number, "ruthg", text);
    const [answered] = await events.take(1);
    if (answered === undefined) throw new Error("no answer was told");
    // A job is killed as soon as it has said something; the next one says it not again, and goes on.
    const killed = begin(answered);
    await expect.poll(() => said(number).length, PATIENT).toBe(2);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await job(answered)).toMatchObject({ code: 0, kind: "done", issues: [{ state: "awaiting_proceed" }] });
    expect(said(number)).toHaveLength(2);

    place.say(number, "ruthg", proceed);
    const [go] = await events.take(1);
    if (go === undefined) throw new Error("no go-ahead was told");
    // Two jobs for one event at once: one works, the other waits for it and finds nothing to do.
    const both = await Promise.all([job(go), job(go)]);
    expect(both.filter(({ isRepeated }) => isRepeated)).toHaveLength(1);
    expect(both.map(({ issues }) => issues?.[0]?.state)).toEqual(["waiting_confirmation", "waiting_confirmation"]);
    const planned = said(number).length;
    expect(both.at(0)?.issues?.[0]?.words).toMatch(/^I’m waiting for plan 1 to be approved by /);

    place.say(number, "mia", "Yes, go ahead.");
    for (const told of await events.take(1)) {
      expect(await job(told)).toMatchObject({ code: 0, kind: "done", issues: [{ state: "in_review" }] });
    }
    expect(relay.only()).toMatchObject({ title: expect.stringMatching(/^fix: /), state: "open" });
    expect(said(number).length - planned).toBeLessThanOrEqual(1);
    expect(await relay.git("rev-list", "--count", "relay/state")).toBe("1");
    // What is readable for everybody has none of the job's secrets.
    const kept = await relay.state();
    for (const name of ["GITHUB_TOKEN", "GITHUB_WEBHOOK_SECRET"]) {
      expect(kept).not.toContain(relay.env[name] ?? "no such variable");
    }
  },
  TIMEOUT,
);

const action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().default("") })),
  runs: z.object({
    steps: z.array(z.object({ run: z.string().optional(), env: z.record(z.string(), z.string()).default({}) })),
  }),
});
const gitlabJob = z.object({ relay: z.object({ script: z.array(z.string()) }) });

test(
  "the last step of action.yml works an event off as it stands, and so does the last line of the job for GitLab",
  async () => {
    const relay = await openJobs();
    const { inputs, runs } = action.parse(parse(await readFile(join(ROOT, "action.yml"), "utf8")));
    const step = runs.steps.at(-1);
    const valueOf = (text: string) =>
      text.replace(/^\$\{\{ inputs\.(\w+) \}\}$/, (_, name: string) => inputs[name]?.default ?? "");
    const given = Object.fromEntries(Object.entries(step?.env ?? {}).map(([name, text]) => [name, valueOf(text)]));
    expect(given).toMatchObject({ GITHUB_TOKEN: "${{ github.token }}", RELAY_STATE: "branch" });
    const programs = join(relay.folder, "programs");
    await mkdir(programs);
    await symlink(join(ROOT, "bin/relay.js"), join(programs, "relay"));
    const bash = async (script: string, env: Record<string, string>) =>
      await exec("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
        cwd: relay.folder,
        env: {
          ...process.env,
          ...QUIET,
          ...relay.env,
          RELAY_HOME: join(relay.folder, "job"),
          PATH: `${programs}:${process.env["PATH"] ?? ""}`,
          ...env,
        },
        timeoutMs: TIMEOUT,
      });

    const { title, body } = parseIssueFile(await readFile(join(EXAMPLES, "issue.md")), "issue.md");
    const number = relay.place.assign("ruthg", title, body);
    const [told] = (await relay.events.take(2)).slice(-1);
    if (told === undefined) throw new Error("nothing was told");
    const job = { GITHUB_EVENT_NAME: told.name, GITHUB_EVENT_PATH: told.file };
    const done = await bash(step?.run ?? "", { ...given, GITHUB_TOKEN: relay.env["GITHUB_TOKEN"] ?? "", ...job });
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout.toString("utf8")).toContain(`#${number} is clarifying`);
    expect(await relay.git("rev-list", "--count", "relay/state")).toBe("1");

    const { script } = gitlabJob.parse(
      parse(await readFile(join(ROOT, "deploy/gitlab/relay.gitlab-ci.yml"), "utf8")),
    ).relay;
    const payload = join(relay.folder, "payload.json");
    await writeFile(
      payload,
      `{"object_kind":"release","user":{"id":1,"username":"ann"},"project":{"id":1,"path_with_namespace":"acme/shop"}}`,
    );
    const nothing = await bash(script.at(-1) ?? "", { TRIGGER_PAYLOAD: payload, CI_PROJECT_PATH: "acme/shop" });
    expect(nothing.stdout.toString("utf8")).toMatch(/^Nothing to do: /);
    expect(nothing.code).toBe(0);
  },
  TIMEOUT,
);
