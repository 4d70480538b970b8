import { z } from "zod";
import { CONCLUSIONS, CONTENTS } from "./entities.ts";

const item = { as: z.string(), repo: z.string(), number: z.number() };
const body = z.string();

/** What people do. `repo` is `owner/name`, `as` the login of who does it. */
export const Act = z.discriminatedUnion("do", [
  z.object({
    do: z.literal("open"),
    as: z.string(),
    repo: z.string(),
    title: z.string(),
    body: z.string().nullable().default(null),
    labels: z.array(z.string()).default([]),
    assignees: z.array(z.string()).default([]),
  }),
  z.object({ do: z.literal("edit"), ...item, title: z.string().optional(), body: z.string().optional() }),
  z.object({ do: z.literal("close"), ...item, reason: z.enum(["completed", "not_planned"]).default("completed") }),
  z.object({ do: z.literal("reopen"), ...item }),
  z.object({ do: z.literal("assign"), ...item, login: z.string() }),
  z.object({ do: z.literal("unassign"), ...item, login: z.string() }),
  z.object({ do: z.literal("label"), ...item, label: z.string() }),
  z.object({ do: z.literal("unlabel"), ...item, label: z.string() }),
  z.object({ do: z.literal("lock"), ...item }),
  z.object({ do: z.literal("unlock"), ...item }),
  z.object({ do: z.literal("delete"), ...item }),
  z.object({ do: z.literal("transfer"), ...item, to: z.string() }),
  z.object({ do: z.literal("comment"), ...item, body }),
  z.object({ do: z.literal("edit_comment"), ...item, comment: z.number(), body }),
  z.object({ do: z.literal("delete_comment"), ...item, comment: z.number() }),
  z.object({
    do: z.literal("react"),
    ...item,
    comment: z.number().nullable().default(null),
    content: z.enum(CONTENTS),
  }),
  z.object({ do: z.literal("push"), as: z.string(), repo: z.string(), branch: z.string(), sha: z.string().optional() }),
  /** A file of a branch from now on; null takes it away. */
  z.object({
    do: z.literal("write_file"),
    as: z.string(),
    repo: z.string(),
    branch: z.string(),
    path: z.string(),
    content: z.string().nullable(),
  }),
  /** The repository has another name; the old one leads there. */
  z.object({ do: z.literal("rename_repository"), as: z.string(), repo: z.string(), name: z.string() }),
  z.object({ do: z.literal("delete_branch"), as: z.string(), repo: z.string(), branch: z.string() }),
  z.object({
    do: z.literal("open_pull"),
    as: z.string(),
    repo: z.string(),
    title: z.string(),
    body: z.string().nullable().default(null),
    head: z.string(),
    base: z.string().default("main"),
    draft: z.boolean().default(false),
    /** The fork that its head is in. */
    from: z.string().nullable().default(null),
  }),
  /** A check on a commit says how it stands; with the name and the workflow of an earlier one it is that, run again. */
  z.object({
    do: z.literal("check_run"),
    as: z.string().default("github-actions[bot]"),
    repo: z.string(),
    sha: z.string(),
    name: z.string(),
    workflow: z.string().default("CI"),
    /** Null while it runs. */
    conclusion: z.enum(CONCLUSIONS).nullable(),
    title: z.string().nullable().default(null),
    summary: z.string().nullable().default(null),
    text: z.string().nullable().default(null),
    annotations: z
      .array(
        z.object({
          path: z.string(),
          line: z.number().default(1),
          level: z.enum(["notice", "warning", "failure"]).default("failure"),
          message: z.string(),
        }),
      )
      .default([]),
  }),
  z.object({
    do: z.literal("status"),
    as: z.string(),
    repo: z.string(),
    sha: z.string(),
    context: z.string().default("default"),
    state: z.enum(["error", "failure", "pending", "success"]),
    description: z.string().nullable().default(null),
    targetUrl: z.string().nullable().default(null),
  }),
  /** The thread that begins with the comment is settled, or open again. */
  z.object({ do: z.literal("resolve_thread"), ...item, comment: z.number(), resolved: z.boolean().default(true) }),
  /** Its base or its branch has moved, and this is what becomes of it. */
  z.object({ do: z.literal("find_mergeable"), ...item, mergeable: z.boolean().nullable() }),
  z.object({ do: z.literal("ready"), ...item, draft: z.boolean().default(false) }),
  z.object({ do: z.literal("request_review"), ...item, login: z.string() }),
  z.object({
    do: z.literal("review"),
    ...item,
    state: z.enum(["APPROVED", "CHANGES_REQUESTED", "COMMENTED"]),
    body: z.string().default(""),
    comments: z.array(z.object({ path: z.string(), line: z.number().default(1), body })).default([]),
  }),
  z.object({
    do: z.literal("review_comment"),
    ...item,
    body,
    path: z.string().default("README.md"),
    line: z.number().default(1),
    /** The first comment of the thread that it answers. */
    inReplyTo: z.number().nullable().default(null),
  }),
  z.object({ do: z.literal("edit_review_comment"), ...item, comment: z.number(), body }),
  z.object({ do: z.literal("delete_review_comment"), ...item, comment: z.number() }),
  z.object({ do: z.literal("merge"), ...item }),
  z.object({
    do: z.literal("checks_completed"),
    as: z.string().default("github-actions[bot]"),
    repo: z.string(),
    number: z.number(),
    conclusion: z.enum(["success", "failure", "neutral", "cancelled", "timed_out", "action_required"]),
  }),
  /** Somebody's role from now on; `none` ends it. */
  z.object({
    do: z.literal("permit"),
    repo: z.string(),
    login: z.string(),
    role: z.enum(["none", "read", "triage", "write", "maintain", "admin"]),
  }),
  z.object({
    do: z.literal("install"),
    app: z.number(),
    account: z.string(),
    repositories: z.union([z.literal("all"), z.array(z.string())]).default("all"),
  }),
  z.object({ do: z.literal("uninstall"), installation: z.number() }),
  z.object({ do: z.literal("suspend"), installation: z.number() }),
  z.object({ do: z.literal("unsuspend"), installation: z.number() }),
  z.object({
    do: z.literal("change_permissions"),
    installation: z.number(),
    permissions: z.record(z.string(), z.enum(["read", "write", "admin"])),
  }),
  z.object({
    do: z.literal("change_repositories"),
    installation: z.number(),
    add: z.array(z.string()).default([]),
    remove: z.array(z.string()).default([]),
  }),
]);
export type Act = z.input<typeof Act>;
export type Deed = z.output<typeof Act>;

/** What came of it: the numbers and ids of what is new. */
export interface Outcome {
  number?: number;
  comment?: number;
  review?: number;
  sha?: string;
  check?: number;
  installation?: number;
}
