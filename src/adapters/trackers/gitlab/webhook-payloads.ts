import { z } from "zod";
import { files, optionalText, text } from "../payload-fields.ts";

/*
 * The fields of GitLab's payloads that Relay uses; all others are ignored. An optional field of the wrong type counts
 * as missing; a required one makes the call malformed.
 */

const number = z.int().positive();

/** One GitLab version sends both `2026-03-01T10:00:00Z` and `2026-03-01 10:00:00 UTC`. */
const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z| UTC| ?[+-]\d\d:?\d\d)$/)
  .transform((value) => new Date(value.replace(" UTC", "Z").replace(" ", "T").replace(" ", "")))
  .refine((at) => at.getUTCFullYear() >= 0 && at.getUTCFullYear() <= 9999)
  .nullish()
  .catch(null);

const person = z.object({ username: text.pipe(z.string().min(1)) });
const people = z.array(person.nullable().catch(null)).nullish().catch(null);

/** Fields of all project payloads; those of groups and of the instance have no project. */
export const anyPayload = z.object({
  object_kind: optionalText,
  event_name: optionalText,
  project: z.unknown().optional(),
});

export const anyHappening = z.object({ object_attributes: z.record(z.string(), z.unknown()) });

const origin = z.object({
  user: person,
  project: z.object({
    id: z.int().nullish().catch(null),
    default_branch: optionalText,
    path_with_namespace: text.pipe(z.string().regex(/^[^\s/]+(?:\/[^\s/]+)+$/, { error: "must be group/name" })),
  }),
});
export type Origin = z.infer<typeof origin>;

/** Null without a change; the value before or after may be absent as well. */
function changeOf<T extends z.ZodType>(value: T) {
  return z.object({ previous: value, current: value }).nullish().catch(null);
}

export const issuePayload = origin.extend({
  object_attributes: z.object({
    iid: number,
    action: optionalText,
    /** `Issue`, `Incident`, `Task`, …; older versions send none. */
    type: optionalText,
    description: optionalText,
    created_at: time,
    updated_at: time,
  }),
  assignees: people,
  changes: z
    .object({
      title: changeOf(z.unknown()),
      description: changeOf(optionalText),
      assignees: changeOf(people),
      labels: changeOf(z.unknown()),
      confidential: changeOf(z.unknown()),
    })
    .nullish()
    .catch(null),
});
export type IssuePayload = z.infer<typeof issuePayload>;

const mergeRequest = z.object({
  iid: number,
  source_branch: optionalText,
  source_project_id: z.int().nullish().catch(null),
  target_project_id: z.int().nullish().catch(null),
});
export type MergeRequestFacts = z.infer<typeof mergeRequest>;

export const notePayload = origin.extend({
  object_attributes: z.object({
    id: z.int(),
    note: optionalText,
    noteable_type: optionalText,
    discussion_id: optionalText,
    /** `create` or `update`; absent before 16.11, which reports new notes only. */
    action: optionalText,
    /** `DiffNote` for one on a line of code. */
    type: optionalText,
    system: z.boolean().nullish().catch(null),
    internal: z.boolean().nullish().catch(null),
    confidential: z.boolean().nullish().catch(null),
    created_at: time,
    updated_at: time,
  }),
  issue: z.object({ iid: number, type: optionalText }).nullish(),
  merge_request: mergeRequest.nullish(),
});
export type NotePayload = z.infer<typeof notePayload>;

/** GitLab reports a reviewer's opinion only if they requested changes. */
const reviewers = z
  .array(z.object({ username: optionalText, state: optionalText }).nullable().catch(null))
  .nullish()
  .catch(null);

export const mergeRequestPayload = origin.extend({
  object_attributes: mergeRequest.extend({ action: optionalText, updated_at: time }),
  changes: z
    .object({ reviewers: changeOf(reviewers) })
    .nullish()
    .catch(null),
});
export type MergeRequestPayload = z.infer<typeof mergeRequestPayload>;

export const pushPayload = origin.pick({ project: true }).extend({
  ref: optionalText,
  /** Null where the branch was removed. */
  checkout_sha: optionalText,
  total_commits_count: z.int().nullish().catch(null),
  /** At most twenty, the newest. */
  commits: z
    .array(z.object({ added: files, modified: files, removed: files }))
    .nullish()
    .catch(null),
});
export type PushPayload = z.infer<typeof pushPayload>;

export const pipelinePayload = origin.extend({
  object_attributes: z.object({
    ref: optionalText,
    tag: z.boolean().nullish().catch(null),
    status: optionalText,
    created_at: time,
    finished_at: time,
  }),
  /** Null for a branch pipeline, even if the branch has an open merge request. */
  merge_request: mergeRequest.nullish(),
});
export type PipelinePayload = z.infer<typeof pipelinePayload>;
