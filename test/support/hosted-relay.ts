import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openRelay } from "../../src/app/relay.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { openConnection } from "../../src/app/trackers/connections.ts";
import { isServedProject } from "../../src/app/trackers/served-projects.ts";
import { githubWebhooks } from "../../src/adapters/trackers/github/webhook.ts";
import { configWithoutFile } from "../../src/config/config.ts";
import { issueName } from "../../src/domain/issue.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { exec } from "../../src/lib/exec.ts";
import { type Log, silentLog } from "../../src/lib/log.ts";
import { findIssue } from "../../src/storage/issues.ts";
import { startMockGithub } from "../mock-github/server.ts";
import { freshDatabase } from "./database.ts";
import { lineTo } from "./database-proxy.ts";
import { startWeb } from "./web-server.ts";

export const PROJECT = "acme/shop";
const SECRET = "a webhook secret of some length";
const FILES = {
  "src/cart.ts": `export function total(prices: number[]): number {
  if (prices.length === 0) throw new Error("cart is empty");
  return prices.reduce((sum, price) => sum + price, 0);
}
`,
  "README.md": "# shop\n",
};

/** People by what they may do; a stranger is none of them. */
const PEOPLE = { ann: "read", tom: "triage", mia: "write", max: "maintain", relay: "write" } as const;

/** A whole Relay in this process beside a GitHub that sends it webhooks, with rules and a quiet wait of ten minutes. */
export async function openHosted(settings: Record<string, string> = {}, log: Log = silentLog) {
  const { db, connection: fresh } = await freshDatabase();
  const { url } = await lineTo(fresh);
  const folder = await mkdtemp(join(tmpdir(), "relay-hosted-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const users = [...Object.keys(PEOPLE), "stranger"];
  const repositories = [{ name: PROJECT, private: false, collaborators: PEOPLE }];
  const mock = await startMockGithub({
    seed: { organizations: ["acme"], users, repositories, tokens: [{ token: "ghp_relay", login: "relay" }] },
  });
  onTestFinished(async () => await mock.close());
  const repository = mock.world.repository(PROJECT);
  repository.cloneUrl = await codeIn(join(folder, "shop"));
  const env = {
    DATABASE_URL: url,
    RELAY_HOME: join(folder, ".relay"),
    RELAY_SPEC_ROOT: join(folder, "specs"),
    GITHUB_API_URL: mock.url,
    GITHUB_TOKEN: "ghp_relay",
    GITHUB_WEBHOOK_SECRET: SECRET,
    ...settings,
  };
  const config = configWithoutFile(env);
  const runtime = await openRuntime(config, silentLog);
  runtime.willWork();
  const relay = await openRelay(config, { log, env, runtime });
  onTestFinished(async () => await relay.close());
  await relay.work(4);
  // What is looked for at the start is over before anything happens.
  await expect
    .poll(() => mock.requests.some(({ path, status }) => path.startsWith("/issues?") && status !== null))
    .toBe(true);
  const { address } = await startWeb({
    readers: [githubWebhooks({ secrets: [SECRET], clock: systemClock })],
    receive: runtime.receive,
    serves: async (provider, project) => await isServedProject(provider, project, { config, db: () => db }),
  });
  repository.hooks = [
    { url: `${address}/webhooks/github`, secret: SECRET, events: ["*"], active: true, id: 1, createdAt: new Date() },
  ];
  const at = (number: number) => ({ repo: PROJECT, number });
  const stored = async (number: number) =>
    await findIssue(db, { provider: "github", externalProjectId: PROJECT, externalIssueId: String(number) });
  const ownComments = (number: number) =>
    mock.world.item(PROJECT, number).comments.filter(({ author }) => author === "relay");
  const connection = await openConnection("github", config, { db, clock: systemClock, sleep, log, env });
  if (connection === null) throw new Error("there are credentials");
  return {
    ...relay,
    folder,
    mock,
    address,
    env,
    runtime,
    /** The tracker as another process opens it. */
    trackerOf: async () => await connection.tracker(),
    stored,
    open: (as: string, title: string, body: string, assignees: string[] = []) =>
      mock.act({ do: "open", as, repo: PROJECT, title, body, labels: [], assignees }).number ?? 0,
    say: (as: string, number: number, body: string) =>
      mock.act({ do: "comment", as, ...at(number), body }).comment ?? 0,
    /** Relay's comments, without its status comment. */
    said: (number: number) => ownComments(number).flatMap(({ body }) => (isStatusComment(body) ? [] : [body])),
    /** Its status comments: one, or none. */
    statuses: (number: number) => ownComments(number).filter(({ body }) => isStatusComment(body)),
    /** Who has reacted with 👀: to the issue, or to one of its comments. */
    eyes: (number: number, comment?: number) => {
      const item = mock.world.item(PROJECT, number);
      const on = comment === undefined ? item : item.comments.find(({ id }) => id === comment);
      return (on?.reactions ?? []).filter(({ content }) => content === "eyes").map(({ login }) => login);
    },
    /** Resolves when the issue waits in this state, with nothing left to do. */
    reaches: async (number: number, state: string) => {
      await expect.poll(async () => (await stored(number))?.state).toBe(state);
      const issue = await stored(number);
      if (issue === null)
        throw new Error(
          `${issueName({ provider: "github", externalProjectId: PROJECT, externalIssueId: String(number) })} is not known`,
        );
      await expect.poll(async () => await relay.orchestrator.isIdle(issue.id)).toBe(true);
    },
  };
}

async function codeIn(folder: string): Promise<string> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "A shop"],
  ]) {
    const { code, stderr } = await exec("git", ["-C", folder, ...args]);
    if (code !== 0) throw new Error(stderr);
  }
  return folder;
}
