import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { FaultRule } from "../../mock-github/http/faults.ts";
import type { Act } from "../../mock-github/world/acts.ts";
import type { Seed } from "../../mock-github/world/seed.ts";
import { startMockProcess } from "./mock-process.ts";
import type { Lag } from "../../support/lag.ts";
import { type Deed, type Happening, type World, type Trouble, BOT, LATE, MOST_TROUBLES, SLOW_MS } from "./world.ts";

const TOKEN = "ghp_aSecretOfRelaysOwn0123456789";
const SECRET = "the webhook secret of GitHub";
const PROJECT = "acme/shop";

const APP = "relay-acme";
const PERMISSIONS: Record<string, "read" | "write"> = {
  metadata: "read",
  issues: "write",
  contents: "write",
  pull_requests: "write",
  checks: "read",
  statuses: "read",
};

const started = z.object({
  url: z.string(),
  planted: z.object({ apps: z.array(z.object({ id: z.number(), privateKey: z.string() })) }),
});
const requests = z.object({ requests: z.array(z.object({ at: z.number(), method: z.string(), path: z.string() })) });
const outcome = z.object({ number: z.number().optional(), comment: z.number().optional() });
const reaction = z.object({ login: z.string(), content: z.string() });
const issues = z.array(
  z.object({
    number: z.number(),
    state: z.enum(["open", "closed"]),
    labels: z.array(z.object({ name: z.string() })),
    assignees: z.array(z.object({ login: z.string() })),
    thread: z.array(
      z.object({
        id: z.number(),
        user: z.object({ login: z.string() }),
        body: z.string(),
        created_at: z.iso.datetime().transform((time) => Date.parse(time)),
        reacted: z.array(reaction),
      }),
    ),
    reacted: z.array(reaction),
  }),
);

/** A GitHub whose webhooks go to `webhooks`, an address without a path. */
export async function startGithubWorld(
  folder: string,
  webhooks: string,
  { cloneUrl, app = false }: { cloneUrl: string; app?: boolean },
): Promise<World> {
  const hook = { url: `${webhooks}/webhooks/github`, secret: SECRET };
  const seed: Seed = {
    organizations: ["acme"],
    users: ["ann", "mia", "guest", BOT],
    repositories: [
      {
        name: PROJECT,
        cloneUrl,
        collaborators: { ann: "read", mia: "write", guest: "read", [BOT]: "write" },
        hooks: app ? [] : [hook],
      },
    ],
    apps: app
      ? [{ slug: APP, owner: "acme", permissions: PERMISSIONS, hook, installations: [{ account: "acme" }] }]
      : [],
    tokens: [{ token: TOKEN, login: BOT }],
  };
  const file = join(folder, "github.json");
  await writeFile(file, JSON.stringify(seed));
  const mock = await startMockProcess("mock-github", ["--seed", file]);
  const { url, planted } = started.parse(JSON.parse(mock.firstLine));
  const [own] = planted.apps;
  const control = async (path: string, body?: unknown) => await mock.control(url, path, body);
  const faults = async (rules: FaultRule[]) => void (await control("faults", rules));
  let troubles: FaultRule[] = [];
  let lags: Partial<Lag>[] = [];
  await control("limits", { writesPerMinute: 1_000_000, limit: 1_000_000 });

  return {
    provider: "github",
    bot: own ? `${APP}[bot]` : BOT,
    project: PROJECT,
    env: {
      GITHUB_API_URL: url,
      ...(own ? { GITHUB_APP_ID: String(own.id), GITHUB_PRIVATE_KEY: own.privateKey } : { GITHUB_TOKEN: TOKEN }),
      GITHUB_WEBHOOK_SECRET: SECRET,
      GITHUB_WRITES_PER_MINUTE: "off",
    },
    secrets: [TOKEN, SECRET],
    act: async (deed) => {
      const { number, comment } = outcome.parse(await control("act", actOf(deed)));
      if (number !== undefined) {
        const isAssigned = deed.do === "open" && deed.assigned;
        if (isAssigned) await control("act", actOf({ do: "assign", as: "mia", issue: number }));
        return { issue: number };
      }
      return comment === undefined ? null : { comment };
    },
    deliveries: async (fate) => {
      const order = fate === "reversed" ? "reversed" : "in_order";
      const now = { late: "send", send: "send", hold: "hold", reversed: "send", twice: "twice", lose: "lose" } as const;
      await control("courier", { fate: now[fate], release: order });
      if (fate === "late") await control("late", LATE);
    },
    trouble: async ({ kind, at }) => {
      const where = { reading: { method: "GET", skip: 1 }, writing: { method: "POST" }, comments: COMMENTS }[at];
      troubles = [...troubles, { ...where, times: 1, trouble: TROUBLE[kind] }].slice(-MOST_TROUBLES);
      await faults(troubles);
    },
    lag: async (rule) => {
      const others = lags.filter(({ number }) => number !== rule.number);
      lags = rule.number === undefined ? [...others, rule] : [rule, ...others];
      await control("lags", lags);
    },
    spoil: async (issue, kind) =>
      void (await control("fault", { ...commentsOf(issue), times: 1, trouble: TROUBLE[kind] } satisfies FaultRule)),
    slowReading: async (issue, ms) =>
      void (await control("fault", {
        method: "GET",
        path: `/issues/${issue}`,
        trouble: { kind: "delay", ms },
      } satisfies FaultRule)),
    late: async (what, issue, ms) => void (await control("late", { ...kindOf(what, issue), ms })),
    replay: async (what, issue) => void (await control("replay", kindOf(what, issue))),
    requests: async () => requests.parse(await control("requests")).requests,
    silence: async (when) => await faults([{ ...COMMENTS, times: 1, trouble: { kind: `hang_${when}` } }, ...troubles]),
    unanswered: async () => {
      const asked = z.array(z.object({ method: z.string(), path: z.string() })).parse(await control("unanswered"));
      return asked.filter(({ method, path }) => method === "POST" && /\/issues\/\d+\/comments$/.test(path)).length;
    },
    calm: async () => {
      troubles = [];
      lags = [];
      await control("lags", lags);
      await faults(troubles);
      await control("courier", { fate: "send", release: "in_order" });
      await control("settled");
    },
    settled: async () => void (await control("settled")),
    look: async () => {
      const found = issues.parse(await control(`issues?repo=${PROJECT}`));
      return found.map((issue) => ({
        number: String(issue.number),
        open: issue.state === "open",
        labels: issue.labels.map(({ name }) => name),
        assignees: issue.assignees.map(({ login }) => login),
        comments: issue.thread.map(({ id, user, body, created_at: at }) => ({
          id: String(id),
          author: user.login,
          body,
          at,
        })),
        reactions: [
          ...issue.reacted.map(({ login, content }) => `${login} ${content} to the issue`),
          ...issue.thread.flatMap(({ id, reacted }) =>
            reacted.map(({ login, content }) => `${login} ${content} to ${id}`),
          ),
        ],
      }));
    },
    violations: async () => {
      const log = z.object({ violations: z.array(z.string()), mistakes: z.array(z.string()) });
      const { violations, mistakes } = log.parse(await control("requests"));
      return [...violations, ...mistakes];
    },
  };
}

const commentsOf = (issue: number) => ({ method: "POST", path: `/issues/${issue}/comments` });

function kindOf(what: Happening, number: number) {
  return what === "commented"
    ? { event: "issue_comment", action: "created", number }
    : { event: "issues", action: what, number };
}

const COMMENTS = { operation: "issues/create-comment" };
const TROUBLE: Record<Trouble["kind"], FaultRule["trouble"]> = {
  "500": { kind: "status", status: 500 },
  "502 with a page": { kind: "html", status: 502 },
  "503": { kind: "status", status: 503 },
  "429": { kind: "status", status: 429, headers: { "retry-after": "1" } },
  "secondary limit": { kind: "secondary_limit", status: 403, retryAfter: 1 },
  "cut before": { kind: "cut_before" },
  "502 after": { kind: "status_after", status: 502 },
  slow: { kind: "slow", ms: SLOW_MS },
  "cut after": { kind: "cut_after" },
  truncated: { kind: "truncate" },
  late: { kind: "delay", ms: 1_000 },
};

function actOf(deed: Deed): Act {
  if (deed.do === "open") {
    const { as, title, body } = deed;
    return { do: "open", repo: PROJECT, as, title, body };
  }
  const at = { as: deed.as, repo: PROJECT, number: deed.issue };
  switch (deed.do) {
    case "comment":
    case "edit":
      return { ...at, do: deed.do, body: deed.body };
    case "edit_comment":
      return { ...at, do: deed.do, comment: deed.comment, body: deed.body };
    case "delete_comment":
      return { ...at, do: deed.do, comment: deed.comment };
    case "assign":
    case "unassign":
      return { ...at, do: deed.do, login: BOT };
    case "close":
    case "reopen":
      return { ...at, do: deed.do };
    default:
      return deed satisfies never;
  }
}
