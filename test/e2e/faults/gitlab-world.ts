import { z } from "zod";
import { startMockProcess } from "./mock-process.ts";
import type { Lag } from "../../support/lag.ts";
import { type Deed, type Happening, type World, type Trouble, BOT, LATE, MOST_TROUBLES, SLOW_MS } from "./world.ts";

const TOKEN = "glpat-aSecretOfRelaysOwn0123";
const SECRET = "the webhook secret of GitLab";
const PROJECT = "group/shop";

const user = z.object({ username: z.string() });
const award = z.object({ name: z.string(), user });
const requests = z.array(z.object({ at: z.number(), method: z.string(), path: z.string() }));
const issues = z.array(
  z.object({
    iid: z.number(),
    state: z.enum(["opened", "closed"]),
    labels: z.array(z.string()),
    assignees: z.array(user),
    notes: z.array(
      z.object({
        id: z.number(),
        author: user,
        body: z.string(),
        system: z.boolean(),
        awards: z.array(award),
        createdAt: z.iso.datetime().transform((time) => Date.parse(time)),
      }),
    ),
    awards: z.array(award),
  }),
);

/** A GitLab whose webhooks go to `webhooks`, an address without a path. */
export async function startGitlabWorld(webhooks: string, cloneUrl: string): Promise<World> {
  const mock = await startMockProcess("mock-gitlab", []);
  const url = mock.firstLine;
  const control = async (path: string, body: unknown = {}) => await mock.control(url, path, body);
  const act = async (what: unknown) => await control("act", what);
  for (const username of ["ann", "mia", "guest", BOT]) await act({ do: "user", username });
  await act({ do: "project", path: PROJECT, cloneUrl });
  for (const [username, level] of Object.entries({ ann: 10, mia: 30, guest: 10, [BOT]: 30 })) {
    await act({ do: "member", project: PROJECT, username, level });
  }
  await act({ do: "token", username: BOT, token: TOKEN });
  await act({ do: "hook", project: PROJECT, url: `${webhooks}/webhooks/gitlab`, token: SECRET });
  /** What is held goes out twice when it is let go. */
  let twice = false;
  let troubles: unknown[] = [];
  let lags: Partial<Lag>[] = [];

  return {
    provider: "gitlab",
    bot: BOT,
    project: PROJECT,
    env: {
      GITLAB_URL: url,
      GITLAB_TOKEN: TOKEN,
      GITLAB_WEBHOOK_SECRET: SECRET,
      GITLAB_WRITES_PER_MINUTE: "off",
    },
    secrets: [TOKEN, SECRET],
    act: async (deed) => {
      const made = await act(actOf(deed));
      if (deed.do === "open") {
        const issue = z.number().parse(made);
        if (deed.assigned) await act(actOf({ do: "assign", as: "mia", issue }));
        return { issue };
      }
      return deed.do === "comment" ? { comment: z.object({ id: z.number() }).parse(made).id } : null;
    },
    deliveries: async (fate) => {
      const order = fate === "reversed" ? "reversed" : twice ? "twice" : "kept";
      await control("deliveries", { policy: "send", order });
      twice = fate === "twice";
      const policy = {
        late: "send",
        send: "send",
        hold: "hold",
        reversed: "send",
        twice: "hold",
        lose: "drop",
      } as const;
      if (policy[fate] !== "send") await control("deliveries", { policy: policy[fate] });
      if (fate === "late") await control("late", LATE);
    },
    trouble: async ({ kind, at }) => {
      const where = { reading: { method: "GET" }, writing: { method: "POST" }, comments: COMMENTS }[at];
      troubles = [...troubles, { ...where, fault: TROUBLE[kind] }].slice(-MOST_TROUBLES);
      await control("faults", troubles);
    },
    lag: async (rule) => {
      const others = lags.filter(({ number }) => number !== rule.number);
      lags = rule.number === undefined ? [...others, rule] : [rule, ...others];
      await control("lags", lags);
    },
    spoil: async (issue, kind) =>
      void (await control("fault", {
        method: "POST",
        path: `/issues/${issue}/(notes|discussions)$`,
        fault: TROUBLE[kind],
      })),
    slowReading: async (issue, ms) =>
      void (await control("fault", {
        method: "GET",
        path: `/issues/${issue}(/|\\?|$)`,
        times: 1_000,
        fault: { kind: "delay", ms },
      })),
    late: async (what, issue, ms) => void (await control("late", { ...kindOf(what, issue), ms })),
    replay: async (what, issue) => void (await control("replay", kindOf(what, issue))),
    requests: async () => requests.parse(await control("requests")),
    // What this one does not answer has had its effect.
    silence: async () => void (await control("faults", [{ ...COMMENTS, fault: { kind: "hang" } }, ...troubles])),
    unanswered: async () => z.array(z.unknown()).parse(await control("unanswered")).length,
    calm: async () => {
      troubles = [];
      lags = [];
      await control("lags", lags);
      await control("faults", troubles);
      await control("deliveries", { policy: "send" });
      await control("settled");
    },
    settled: async () => void (await control("settled")),
    look: async () => {
      const found = issues.parse(await control("issues", { project: PROJECT }));
      return found.map((issue) => ({
        number: String(issue.iid),
        open: issue.state === "opened",
        labels: issue.labels,
        assignees: issue.assignees.map(({ username }) => username),
        comments: issue.notes
          .filter(({ system }) => !system)
          .map(({ id, author, body, createdAt: at }) => ({ id: String(id), author: author.username, body, at })),
        reactions: [
          ...issue.awards.map((one) => `${one.user.username} ${one.name} to the issue`),
          ...issue.notes.flatMap(({ id, awards }) => awards.map((one) => `${one.user.username} ${one.name} to ${id}`)),
        ],
      }));
    },
    violations: async () => z.array(z.string()).parse(await control("violations")),
  };
}

function kindOf(what: Happening, iid: number) {
  if (what === "commented") return { kind: "note", iid };
  const action = { closed: "close", reopened: "reopen", assigned: "update", unassigned: "update" }[what];
  return { kind: "issue", action, iid };
}

const COMMENTS = { method: "POST", path: "/(notes|discussions)$" };
const TROUBLE: Record<Trouble["kind"], unknown> = {
  "500": { kind: "status", status: 500 },
  "502 with a page": { kind: "status", status: 502, headers: { "content-type": "text/html" } },
  "503": { kind: "status", status: 503 },
  "429": { kind: "status", status: 429, headers: { "retry-after": "1" } },
  "secondary limit": { kind: "status", status: 429, headers: { "content-type": "text/plain", "retry-after": "1" } },
  "cut before": { kind: "cut", when: "before" },
  "502 after": { kind: "status_after", status: 502 },
  slow: { kind: "delay", ms: SLOW_MS },
  "cut after": { kind: "cut", when: "after" },
  truncated: { kind: "truncate" },
  late: { kind: "delay", ms: 1_000 },
};

function actOf(deed: Deed): unknown {
  if (deed.do === "open") {
    const { as: author, title, body: description } = deed;
    return { do: "open_issue", project: PROJECT, author, title, description };
  }
  const at = { project: PROJECT, iid: deed.issue };
  const edit = (change: unknown) => ({ ...at, do: "edit", actor: deed.as, change });
  switch (deed.do) {
    case "comment":
      return { ...at, do: "comment", author: deed.as, body: deed.body };
    case "edit_comment":
      return { ...at, do: "edit_comment", id: deed.comment, actor: deed.as, body: deed.body };
    case "delete_comment":
      return { ...at, do: "delete_comment", id: deed.comment };
    case "edit":
      return edit({ description: deed.body });
    case "assign":
      return edit({ assignees: [BOT] });
    case "unassign":
      return edit({ assignees: [] });
    case "close":
      return edit({ state: "closed" });
    case "reopen":
      return edit({ state: "opened" });
    default:
      return deed satisfies never;
  }
}
