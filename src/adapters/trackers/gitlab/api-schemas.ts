import { z } from "zod";
import { answerReader } from "../answer-reader.ts";

/** GitLab assigns the work of deleted accounts to this one. */
const GHOST = "ghost";

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

const login = z
  .object({ username: z.string() })
  .nullish()
  .transform((user) => user?.username ?? GHOST);
const author = z
  .object({ username: z.string(), id: z.number().nullish() })
  .nullish()
  .transform((given) => ({ login: given?.username ?? GHOST, id: given?.id ?? null }));
const logins = z
  .array(login)
  .nullish()
  .transform((given) => given ?? []);

export const user = z.object({
  id: z.number(),
  username: z.string(),
  /** Only where a single user is asked for. */
  bot: z.boolean().nullish(),
});

/** The token's own account. */
export const ownUser = user.extend({
  name: text,
  /** The address of its commits on the web: one that it chose, or the instance's `noreply`. */
  commit_email: z.string().nullish(),
});

export const member = z.object({
  id: z.number(),
  username: z.string(),
  state: z.string().optional(),
  access_level: z.number(),
});

export const issue = z.object({
  iid: z.number(),
  title: z.string(),
  description: text,
  author: login,
  state: z.enum(["opened", "closed"]).transform((state) => (state === "opened" ? ("open" as const) : state)),
  labels: z.array(z.string()),
  assignees: logins,
  web_url: z.string().nullish(),
  confidential: z.boolean().nullish(),
  discussion_locked: z.boolean().nullish(),
  moved_to_id: z.number().nullish(),
  issue_type: z.string().nullish(),
  user_notes_count: z.number(),
  created_at: time,
  updated_at: time,
  references: z.object({ full: z.string() }).optional(),
});

export const note = z.object({
  id: z.number(),
  body: text,
  author,
  system: z.boolean(),
  internal: z.boolean().nullish(),
  /** The former name of `internal`. */
  confidential: z.boolean().nullish(),
  created_at: time,
  updated_at: time,
  /** The other fields come with merge requests only. */
  resolvable: z.boolean().nullish(),
  resolved: z.boolean().nullish(),
  resolved_at: time.nullish(),
  /** Of a note on a line of a diff; a removed line has only the old path and line. */
  position: z
    .object({
      new_path: z.string().nullish(),
      old_path: z.string().nullish(),
      new_line: z.number().nullish(),
      old_line: z.number().nullish(),
    })
    .nullish(),
});

export const discussion = z.object({ id: z.string(), notes: z.array(note) });

/** A job of a pipeline, or another service's status of a commit. */
export const commitStatus = z.object({
  id: z.number(),
  name: z.string(),
  ref: text,
  status: z.string(),
  description: text,
  target_url: z.string().nullish(),
  allow_failure: z.boolean().nullish(),
});

export const award = z.object({ name: z.string(), user: login });

export const project = z.object({
  id: z.number(),
  path_with_namespace: z.string(),
  /** Null if the repository is empty. */
  default_branch: z.string().nullish(),
  http_url_to_repo: z.string(),
  visibility: z.string().nullish(),
  web_url: z.string().nullish(),
});

export const mergeRequest = z.object({
  iid: z.number(),
  title: z.string(),
  description: text,
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.number().nullish(),
  target_project_id: z.number(),
  state: z.string(),
  has_conflicts: z.boolean().nullish(),
  /** Also under its older name. */
  detailed_merge_status: z.string().nullish(),
  merge_status: z.string().nullish(),
  reviewers: z
    .array(user)
    .nullish()
    .transform((given) => given ?? []),
  labels: z.array(z.string()),
  web_url: z.string().nullish(),
  updated_at: time,
});

/** Parses the parts of a response that Relay uses. */
export const read = answerReader("GitLab", "GITLAB_URL");
