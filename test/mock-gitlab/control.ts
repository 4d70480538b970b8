import { z } from "zod";
import { Lag } from "../support/lag.ts";
import type { Answer } from "./answer.ts";
import type { Fault } from "./faults.ts";
import type { MockGitlab } from "./server.ts";

const level = z.literal([0, 5, 10, 15, 20, 30, 40, 50]);
const at = { project: z.string(), iid: z.number(), kind: z.enum(["issue", "merge_request"]).default("issue") };
const texts = z.array(z.string());
const act = z.discriminatedUnion("do", [
  z.object({ do: z.literal("user"), username: z.string(), bot: z.boolean().default(false) }),
  z.object({ do: z.literal("token"), username: z.string(), token: z.string(), scopes: texts.default(["api"]) }),
  z.object({
    do: z.literal("project"),
    path: z.string(),
    visibility: z.enum(["private", "public"]).default("private"),
    cloneUrl: z.string().nullable().default(null),
  }),
  z.object({ do: z.literal("member"), project: z.string(), username: z.string(), level }),
  z.object({
    do: z.literal("hook"),
    project: z.string(),
    url: z.string(),
    token: z.string().nullable().default(null),
    signingToken: z.string().nullable().default(null),
  }),
  z.object({ do: z.literal("branch"), project: z.string(), name: z.string() }),
  z.object({ do: z.literal("file"), project: z.string(), path: z.string(), content: z.string() }),
  z.object({
    do: z.literal("open_issue"),
    project: z.string(),
    author: z.string(),
    title: z.string(),
    description: z.string().default(""),
    labels: texts.default([]),
    assignees: texts.default([]),
  }),
  z.object({
    do: z.literal("edit"),
    ...at,
    actor: z.string(),
    change: z.object({
      title: z.string().optional(),
      description: z.string().optional(),
      labels: texts.optional(),
      assignees: texts.optional(),
      state: z.enum(["opened", "closed", "merged"]).optional(),
    }),
  }),
  z.object({
    do: z.literal("comment"),
    ...at,
    author: z.string(),
    body: z.string(),
    thread: z.string().optional(),
    position: z.object({ path: z.string(), line: z.number() }).nullable().default(null),
  }),
  z.object({ do: z.literal("resolve"), ...at, actor: z.string(), thread: z.string() }),
  z.object({ do: z.literal("review"), ...at, actor: z.string(), verdict: z.enum(["approved", "changes_requested"]) }),
  z.object({
    do: z.literal("job"),
    project: z.string(),
    sha: z.string(),
    name: z.string(),
    status: z.enum(["created", "pending", "running", "success", "failed", "canceled", "skipped", "manual"]),
    /** Its log; null for what another service says. */
    trace: z.string().nullable().default(""),
    description: z.string().nullable().default(null),
  }),
  z.object({
    do: z.literal("pipeline"),
    project: z.string(),
    actor: z.string(),
    branch: z.string(),
    status: z.enum(["success", "failed", "running", "canceled"]),
    ofBranch: z.boolean().default(false),
  }),
  z.object({ do: z.literal("edit_comment"), ...at, id: z.number(), actor: z.string(), body: z.string() }),
  z.object({ do: z.literal("delete_comment"), ...at, id: z.number() }),
]);
type Act = z.output<typeof act>;

const fault = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("status"), status: z.number(), headers: z.record(z.string(), z.string()).default({}) }),
  z.object({ kind: z.literal("delay"), ms: z.number() }),
  z.object({ kind: z.literal("status_after"), status: z.number().default(502) }),
  z.object({ kind: z.literal("hang") }),
  z.object({ kind: z.literal("cut"), when: z.enum(["before", "after"]) }),
  z.object({ kind: z.literal("truncate") }),
]);
/** Each rule holds for so many of the requests that it fits; the first that fits is taken. */
const rules = z.array(
  z.object({ method: z.string().optional(), path: z.string().default(""), times: z.number().default(1), fault }),
);
const policy = z.object({
  policy: z.enum(["send", "hold", "drop"]),
  order: z.enum(["kept", "reversed", "twice"]).default("kept"),
});

const kind = z.object({ kind: z.string().optional(), action: z.string().optional(), iid: z.number().optional() });
/** The next so many of a kind come late. */
const late = kind.extend({ ms: z.number(), times: z.number().default(1) });

/** For tests in other processes: what they do as people, what goes wrong, and what became of it. */
export async function answerControl(mock: MockGitlab, name: string, body: string): Promise<Answer> {
  try {
    const given: unknown = body === "" ? {} : JSON.parse(body);
    return { status: 200, json: (await control(mock, name, given)) ?? null };
  } catch (error) {
    return { status: 400, json: { error: String(error) } };
  }
}

async function control(mock: MockGitlab, name: string, given: unknown): Promise<unknown> {
  switch (name) {
    case "act":
      return perform(mock, act.parse(given));
    case "faults":
      mock.faults = faultsOf(rules.parse(given));
      return null;
    case "fault": {
      // One more, before those that are there.
      const [before, one] = [mock.faults, faultsOf(rules.parse([given]))];
      mock.faults = (request) => one?.(request) ?? before?.(request) ?? null;
      return null;
    }
    case "limit":
      mock.limits.limit = z.object({ requests: z.number(), seconds: z.number() }).nullable().parse(given);
      return null;
    case "deliveries": {
      const wanted = policy.parse(given);
      mock.hooks.policy = wanted.policy;
      mock.hooks.late = [];
      if (wanted.policy === "send") await mock.hooks.release((held) => inOrder(held, wanted.order));
      return null;
    }
    case "lags":
      mock.state.lags.rules = z.array(Lag).parse(given);
      return null;
    case "late":
      // One more, behind those that are there.
      mock.hooks.late.push(late.parse(given));
      return null;
    case "replay":
      return mock.hooks.replay(kind.parse(given));
    case "requests":
      return mock.requests;
    case "violations":
      return mock.violations;
    case "unanswered":
      return mock.unanswered;
    case "settled":
      return await mock.hooks.settled();
    case "issues": {
      const { project } = z.object({ project: z.string() }).parse(given);
      return mock.state.projects.find((one) => one.path === project)?.issues;
    }
    case "merge_requests": {
      const { project } = z.object({ project: z.string() }).parse(given);
      return mock.state.projects.find((one) => one.path === project)?.mergeRequests;
    }
    case "thread": {
      const { project, iid } = z.object({ project: z.string(), iid: z.number() }).parse(given);
      const issue = mock.state.projects.find((one) => one.path === project)?.issues.find((one) => one.iid === iid);
      return issue?.notes.map(({ id, body, author, discussionId }) => ({
        id,
        body,
        author: author.username,
        discussionId,
      }));
    }
    default:
      throw new Error(`there is no control ${name}`);
  }
}

function inOrder<T>(held: T[], order: "kept" | "reversed" | "twice"): T[] {
  if (order === "twice") return held.flatMap((one) => [one, one]);
  return order === "reversed" ? held.toReversed() : held;
}

function faultsOf(list: z.output<typeof rules>): MockGitlab["faults"] {
  const left = list.map((rule) => ({ ...rule, pattern: new RegExp(rule.path) }));
  return ({ method, path }): Fault | null => {
    const rule = left.find(
      (one) => one.times > 0 && [undefined, method].includes(one.method) && one.pattern.test(path),
    );
    if (!rule) return null;
    rule.times -= 1;
    return rule.fault;
  };
}

function perform({ people }: MockGitlab, what: Act): unknown {
  switch (what.do) {
    case "user":
      return people.user(what.username, what);
    case "token":
      return people.token(what.username, what.token, what.scopes);
    case "project":
      return people.project(what.path, what);
    case "member":
      return people.member(what.project, what.username, what.level);
    case "hook":
      return people.hook(what.project, what.url, { token: what.token, signingToken: what.signingToken });
    case "branch":
      return people.branch(what.project, what.name);
    case "file":
      return people.file(what.project, what.path, what.content);
    case "open_issue":
      return people.openIssue(what.project, what.author, what);
    case "edit":
      return people.edit(what, what.actor, what.change);
    case "comment":
      return people.comment(what, what.author, what.body, {
        position: what.position,
        ...(what.thread === undefined ? {} : { thread: what.thread }),
      });
    case "resolve":
      return people.resolve(what, what.actor, what.thread);
    case "review":
      return what.verdict === "approved"
        ? people.approve(what, what.actor, true)
        : people.requestChanges(what, what.actor);
    case "job":
      return people.job(what.project, what.sha, what);
    case "pipeline":
      return people.pipeline(what.project, what.actor, what.branch, what.status, what);
    case "edit_comment":
      return people.editComment(what, what.id, what.actor, what.body);
    case "delete_comment":
      return people.deleteComment(what, what.id);
  }
  return what satisfies never;
}
