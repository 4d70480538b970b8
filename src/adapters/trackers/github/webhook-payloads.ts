import { z } from "zod";
import { files, optionalText, text } from "../payload-fields.ts";

/*
 * The fields of GitHub's payloads that Relay uses; all others are ignored. An optional field of the wrong type counts
 * as missing; a required one makes the call malformed.
 */

const number = z.int().positive();
const time = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .refine((at) => at.getUTCFullYear() >= 0 && at.getUTCFullYear() <= 9999)
  .nullish()
  .catch(null);

/** Null if the account was deleted. */
const account = z.object({ login: text.pipe(z.string().min(1)), type: optionalText });
const optionalAccount = account.nullish().catch(null);

const repository = z.object({
  id: z.int().nullish().catch(null),
  full_name: text.pipe(z.string().regex(/^[^\s/]+\/[^\s/]+$/, { error: "must be owner/name" })),
  default_branch: optionalText,
});
const origin = z.object({ repository, sender: account });
export type Origin = z.infer<typeof origin>;

const head = z
  .object({
    ref: optionalText,
    repo: z.object({ id: z.int() }).nullish().catch(null),
  })
  .nullish()
  .catch(null);
const pullRequest = z.object({
  number,
  head,
  merged: z.boolean().nullish().catch(null),
  closed_at: time,
  updated_at: time,
});

export const issuesPayload = origin.extend({
  issue: z.object({ number, title: optionalText, body: optionalText, updated_at: time }),
  assignee: optionalAccount,
  label: z.object({ name: optionalText }).nullish().catch(null),
});

export const issueCommentPayload = origin.extend({
  issue: z.object({
    number,
    /** Present only for pull requests, whose discussions GitHub reports as those of issues. */
    pull_request: z.unknown().optional(),
  }),
  comment: z.object({ id: z.int(), body: optionalText, created_at: time, updated_at: time }),
});

export const pullRequestPayload = origin.extend({ pull_request: pullRequest });

export const reviewPayload = origin.extend({
  pull_request: pullRequest,
  review: z.object({ id: z.int(), body: optionalText, state: optionalText, submitted_at: time }),
});

export const reviewCommentPayload = origin.extend({
  pull_request: pullRequest,
  comment: z.object({
    id: z.int(),
    body: optionalText,
    created_at: time,
    updated_at: time,
    /** The first comment of the thread. */
    in_reply_to_id: z.int().nullish().catch(null),
  }),
});

export const checkSuitePayload = origin.extend({
  check_suite: z.object({
    id: z.int(),
    conclusion: optionalText,
    /** Null for a fork's branch, whose pull requests are not listed either. */
    head_branch: optionalText,
    head_sha: optionalText,
    updated_at: time,
    pull_requests: z.array(
      z.object({
        number,
        head,
        base: z
          .object({ repo: z.object({ id: z.int() }).nullish().catch(null) })
          .nullish()
          .catch(null),
      }),
    ),
  }),
});

export const statusPayload = origin.extend({
  id: z.int(),
  sha: text,
  state: text,
  context: optionalText,
  updated_at: time,
  /** At most ten branches of the repository that contain the commit, as head or earlier. */
  branches: z.array(z.object({ name: text, commit: z.object({ sha: text }) })),
});

export const pushPayload = z.object({
  repository,
  ref: optionalText,
  after: text,
  deleted: z.boolean().nullish().catch(null),
  forced: z.boolean().nullish().catch(null),
  commits: z
    .array(z.object({ added: files, modified: files, removed: files }))
    .nullish()
    .catch(null),
});

export const installationPayload = z.object({ installation: z.object({ account }) });

export const actionPayload = z.object({ action: z.string().nullish().catch(null) });
