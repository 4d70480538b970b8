import { type Call, pages } from "../pages.ts";
import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import type { MissedDelivery } from "../connection.ts";
import { read } from "./api-schemas.ts";
import { projectPath } from "./calls.ts";
import { leadsTo } from "../webhook.ts";

const PAGE = 100;
const MOST_PAGES = 5;
/** GitLab returns its delivery log in pages of 20, and keeps it for some days. */
const LOG_PAGE = 20;
const MOST_LOG_PAGES = 100;

const flag = z.boolean().nullish();
const hook = z.object({
  id: z.number(),
  url: z.string(),
  issues_events: flag,
  confidential_issues_events: flag,
  confidential_note_events: flag,
  note_events: flag,
  merge_requests_events: flag,
  pipeline_events: flag,
  enable_ssl_verification: flag,
  /** `executable`, `temporarily_disabled` or `disabled`, after failures. */
  alert_status: z.string().nullish(),
  /** Both since GitLab 18.11. */
  token_present: flag,
  signing_token_present: flag,
});
export type Hook = z.infer<typeof hook>;
export type HookFlag = Extract<keyof Hook, `${string}_events`>;

const headers = z.record(z.string(), z.unknown()).nullish();
const logged = z.object({
  id: z.number(),
  trigger: z.string(),
  request_headers: headers,
  response_status: z.union([z.string(), z.number()]).nullish(),
  /** Not in versions before 18. */
  created_at: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .nullish(),
});
type Logged = z.infer<typeof logged>;

/** The project's webhook with this URL; null if there is none. */
export async function hookTo(call: Call, project: string, url: string): Promise<Hook | null> {
  const first = { method: "GET", path: `${projectPath(project)}/hooks`, query: { per_page: PAGE } } as const;
  for await (const body of pages(call, first, MOST_PAGES)) {
    const found = read(z.array(hook), body, `the webhooks of ${project}`).find((one) => leadsTo(one.url, url));
    if (found) return found;
  }
  return null;
}

/** Makes the webhook of a project with this URL, unless there is one. */
export async function makeHook(
  call: Call,
  project: string,
  { url, secret }: { url: string; secret: string },
): Promise<"made" | "present"> {
  if ((await hookTo(call, project, url)) !== null) return "present";
  const events = {
    push_events: true,
    issues_events: true,
    confidential_issues_events: true,
    note_events: true,
    confidential_note_events: true,
    merge_requests_events: true,
    pipeline_events: true,
  };
  const key = secret.startsWith("whsec_") ? { signing_token: secret } : { token: secret };
  await call({
    method: "POST",
    path: `${projectPath(project)}/hooks`,
    body: { url, ...key, ...events, enable_ssl_verification: true },
  });
  return "made";
}

/** Null if Relay's role is below Maintainer, which hides webhooks. */
export async function unlessHidden<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RelayError && (error.code === "forbidden" || error.code === "not_found")) return null;
    throw error;
  }
}

/**
 * Deliveries since then that failed, oldest first. GitLab tries each once and lists the newest first, with manual
 * retries as separate entries; a delivery that succeeded on a later attempt is not included. If GitLab does not return
 * times, all deliveries in its log are considered, with `since` as their time.
 */
export async function missedDeliveries(
  call: Call,
  { project, hookId, since }: { project: string; hookId: number; since: Date },
): Promise<MissedDelivery[]> {
  const missed = new Map<string, MissedDelivery>();
  const arrived = new Set<string>();
  const path = `${projectPath(project)}/hooks/${hookId}/events`;
  const first = { method: "GET", path, query: { per_page: LOG_PAGE } } as const;
  reading: for await (const body of pages(call, first, MOST_LOG_PAGES)) {
    for (const event of read(z.array(logged), body, `the deliveries to Relay from ${project}`)) {
      if (event.created_at && event.created_at < since) break reading;
      const id = idOf(event);
      const status = Number(event.response_status) || 0;
      if (status >= 200 && status < 300) arrived.add(id);
      // The oldest attempt has the time of the event; the newest has the current status.
      const at = event.created_at ?? since;
      missed.set(id, { id, event: event.trigger, at, status: missed.get(id)?.status ?? status });
    }
  }
  return [...missed.values()].filter(({ id }) => !arrived.has(id)).toReversed();
}

/** The same delivery id that the webhook reader uses. */
function idOf({ id, request_headers: sent }: Logged): string {
  const key = sent?.["Idempotency-Key"] ?? sent?.["X-Gitlab-Webhook-UUID"];
  return typeof key === "string" ? key : String(id);
}
