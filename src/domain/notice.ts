import { z } from "zod";
import { PROVIDERS } from "./issue.ts";
import { ISSUE_STATES } from "./lifecycle.ts";

/** What a team can be told of (docs/notifications.md). */
export const NOTICE_EVENTS = ["waiting", "stuck", "request_opened", "merged", "spec_ready", "budget"] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** Who is told of what; no secrets. */
export interface NoticeTarget {
  name: string;
  events: readonly NoticeEvent[];
  /** Whether it is told of confidential issues, without their titles. */
  confidential: boolean;
  /** Whether it is told of the issues of a repository, by its name at the tracker. */
  serves: (externalProjectId: string) => boolean;
}

/** Where a target's notices go, and with which keys they are signed: secrets. */
export interface NoticeAddress {
  kind: "webhook" | "slack";
  url: string;
  keys: readonly Uint8Array[];
}

const address = z.string().nullable();

/**
 * One notice: the JSON body of a webhook, and what a message in Slack is made from. Fields are added, and never change
 * their meaning.
 */
export const noticeSchema = z.object({
  type: z.enum([...NOTICE_EVENTS, "test"]),
  /** The same however often it is sent. */
  id: z.string(),
  /** When it happened, ISO 8601. */
  at: z.string(),
  /** One sentence or two, in English, without Markdown. */
  text: z.string(),
  waiting_for: z
    .object({
      what: z.string(),
      people: z.array(z.string()),
      anyone_with: z.enum(["write", "maintain", "operator"]).nullable(),
      until: z.string().nullable(),
    })
    .nullable(),
  issue: z
    .object({
      provider: z.enum(PROVIDERS),
      repository: z.string(),
      number: z.union([z.number(), z.string()]),
      /** Null for a confidential issue. */
      title: z.string().nullable(),
      url: address,
      state: z.enum(ISSUE_STATES),
      confidential: z.boolean(),
    })
    .nullable(),
  request: z.object({ number: z.number(), url: address }).nullable(),
  budget: z
    .object({
      name: z.enum(["issue", "repository_day", "workspace_month"]),
      window: z.string(),
      limit_usd: z.number(),
      spent_usd: z.number(),
      /** When work goes on by itself. */
      resumes_at: z.string().nullable(),
    })
    .nullable(),
  links: z.object({ thread: address, dashboard: address, request: address }),
  /** US dollars; null where nothing that was used has a known price. */
  cost_usd: z.number().nullable(),
});

export type Notice = z.infer<typeof noticeSchema>;
