import { z } from "zod";
import { answerReader } from "../answer-reader.ts";

/** The user of a deleted account is null; GitHub shows this login instead. */
const GHOST = { login: "ghost", isBot: false };

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

const account = z
  .object({ login: z.string(), type: z.string().optional() })
  .nullish()
  .transform((user) =>
    user ? { login: user.login, isBot: user.type === "Bot" || user.login.endsWith("[bot]") } : GHOST,
  );

/** Of a single user. */
export const profile = z.object({ id: z.number(), name: z.string().nullish() });

export const issue = z.object({
  number: z.number(),
  title: z.string(),
  body: text,
  user: account,
  state: z.enum(["open", "closed"]),
  labels: z.array(z.union([z.string(), z.object({ name: text }).transform(({ name }) => name)])),
  assignees: z
    .array(account)
    .nullish()
    .transform((accounts) => (accounts ?? []).map(({ login }) => login)),
  html_url: z.string().nullish(),
  repository_url: z.string(),
  comments: z.number(),
  locked: z.boolean().nullish(),
  created_at: time,
  updated_at: time,
  /** Present only if the issue is a pull request. */
  pull_request: z.unknown().optional().transform(Boolean),
});

export const comment = z.object({ id: z.number(), user: account, body: text, created_at: time, updated_at: time });

/** A single comment, with its issue or pull request. */
export const issueComment = comment.extend({ issue_url: z.string() });

/** A comment on a line of a pull request. */
export const reviewComment = comment.extend({
  node_id: z.string(),
  path: z.string(),
  /** Null if newer commits removed the line; `original_line` is its former place. */
  line: z.number().nullish(),
  original_line: z.number().nullish(),
  /** The first comment of the thread; absent on that comment itself. */
  in_reply_to_id: z.number().nullish(),
});

export const review = z.object({
  id: z.number(),
  user: account,
  body: text,
  /** Absent for pending reviews, which only their author sees. */
  submitted_at: time.nullish(),
});

export const reaction = z.object({ user: account, content: z.string() });

export const repository = z.object({
  id: z.number(),
  full_name: z.string(),
  default_branch: z.string(),
  clone_url: z.string(),
  private: z.boolean().nullish(),
  html_url: z.string().nullish(),
});

const place = z.object({ id: z.number() }).nullish();

export const pullRequest = z.object({
  number: z.number(),
  node_id: z.string(),
  title: z.string(),
  body: text,
  /** Null if the fork was deleted. */
  head: z.object({ ref: z.string(), repo: place }),
  base: z.object({ ref: z.string(), repo: place }),
  draft: z.boolean().optional(),
  state: z.enum(["open", "closed"]),
  updated_at: time,
  merged_at: z.string().nullish(),
  /** Only when a single request is fetched; null until GitHub has computed it. */
  mergeable: z.boolean().nullish(),
  requested_reviewers: z
    .array(account)
    .nullish()
    .transform((accounts) => (accounts ?? []).map(({ login }) => login)),
  labels: z.array(z.object({ name: text })).nullish(),
  /** Number of comments under it; only when a single request is fetched. */
  comments: z.number().optional(),
  html_url: z.string().nullish(),
});

const output = z
  .object({ title: text, summary: text, text, annotations_count: z.number().optional() })
  .nullish()
  .transform((given) => ({ title: "", summary: "", text: "", annotations_count: 0, ...given }));

export const checkRun = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  html_url: z.string().nullish(),
  details_url: z.string().nullish(),
  check_suite: z.object({ id: z.number() }).nullish(),
  output,
});

export const annotation = z.object({
  path: text,
  start_line: z.number().nullish(),
  annotation_level: text,
  title: text,
  message: text,
});

export const commitStatus = z.object({
  context: z.string(),
  state: z.string(),
  description: text,
  target_url: z.string().nullish(),
});

/** Parses the parts of a response that Relay uses. */
export const read = answerReader("GitHub", "GITHUB_API_URL");
