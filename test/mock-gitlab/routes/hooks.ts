import { z } from "zod";
import { notFound } from "../answer.ts";
import { page } from "../paging.ts";
import { PAGES, get, need, part, projectOf, write, type Call, type Route } from "../route.ts";
import type { Hook, HookEvent } from "../state.ts";

const flag = z.boolean().optional();
/** A page of the log holds 20 at most. */
const LOG_PAGE = 20;

function hookShape(hook: Hook, projectId: number): Record<string, unknown> {
  return {
    id: hook.id,
    url: hook.url,
    name: null,
    description: null,
    created_at: hook.createdAt.toISOString(),
    push_events: false,
    tag_push_events: false,
    merge_requests_events: hook.events.mergeRequests,
    repository_update_events: false,
    enable_ssl_verification: true,
    alert_status: "executable",
    disabled_until: null,
    url_variables: [],
    push_events_branch_filter: null,
    branch_filter_strategy: "wildcard",
    custom_webhook_template: "",
    custom_headers: [],
    project_id: projectId,
    issues_events: hook.events.issues,
    confidential_issues_events: hook.events.confidentialIssues,
    note_events: hook.events.notes,
    confidential_note_events: hook.events.confidentialNotes,
    pipeline_events: hook.events.pipelines,
    emoji_events: hook.events.emoji,
    token_present: hook.token !== null,
    signing_token_present: hook.signingToken !== null,
  };
}

function eventShape(hook: Hook, event: HookEvent): Record<string, unknown> {
  const hidden = event.headers["X-Gitlab-Token"] === undefined ? {} : { "X-Gitlab-Token": "[REDACTED]" };
  const data: unknown = JSON.parse(event.body);
  return {
    id: event.id,
    url: hook.url,
    trigger: event.trigger,
    request_headers: { ...event.headers, ...hidden },
    request_data: data,
    response_headers: {},
    response_body: event.responseBody,
    execution_duration: 0.1,
    response_status: event.responseStatus,
    created_at: event.createdAt.toISOString(),
  };
}

const GROUPS = new Map([
  ["successful", "2"],
  ["client_failure", "4"],
  ["server_failure", "5"],
]);

function asked(event: HookEvent, status: string | null): boolean {
  if (status === null) return true;
  return status.split(",").some((one) => {
    const group = GROUPS.get(one);
    return group === undefined ? event.responseStatus === one : event.responseStatus.startsWith(group);
  });
}

function hookOf(call: Call): Hook {
  const project = projectOf(call);
  need(call, project, 40);
  const hook = project.hooks.find((one) => String(one.id) === part(call, "hook_id"));
  if (!hook) throw notFound();
  return hook;
}

/** The webhooks of a project and the log of what they sent. */
export const hookRoutes: Route[] = [
  get("/projects/{id}/hooks", PAGES, (call) => {
    const project = projectOf(call);
    need(call, project, 40);
    return page(call, project.hooks, (hook) => hookShape(hook, project.id));
  }),
  write(
    "POST",
    "/projects/{id}/hooks",
    {
      url: z.url(),
      token: z.string().optional(),
      signing_token: z
        .string()
        .regex(/^whsec_/)
        .optional(),
      name: z.string().optional(),
      description: z.string().optional(),
      push_events: flag,
      issues_events: flag,
      confidential_issues_events: flag,
      note_events: flag,
      confidential_note_events: flag,
      merge_requests_events: flag,
      pipeline_events: flag,
      emoji_events: flag,
      enable_ssl_verification: flag,
    },
    (call, body) => {
      const project = projectOf(call);
      need(call, project, 40);
      const hook: Hook = {
        id: call.world.state.nextId(),
        url: body.url,
        token: body.token ?? null,
        signingToken: body.signing_token ?? null,
        events: {
          issues: body.issues_events ?? false,
          confidentialIssues: body.confidential_issues_events ?? false,
          notes: body.note_events ?? false,
          confidentialNotes: body.confidential_note_events ?? false,
          mergeRequests: body.merge_requests_events ?? false,
          pipelines: body.pipeline_events ?? false,
          emoji: body.emoji_events ?? false,
        },
        createdAt: call.world.state.now(),
        log: [],
      };
      project.hooks.push(hook);
      return { status: 201, json: hookShape(hook, project.id) };
    },
  ),
  get("/projects/{id}/hooks/{hook_id}/events", ["status", ...PAGES], (call) => {
    const hook = hookOf(call);
    const events = hook.log.filter((event) => asked(event, call.query.get("status"))).toReversed();
    return page(call, events, (event) => eventShape(hook, event), LOG_PAGE);
  }),
  write("POST", "/projects/{id}/hooks/{hook_id}/events/{hook_log_id}/resend", {}, async (call) => {
    const hook = hookOf(call);
    const event = hook.log.find((one) => String(one.id) === part(call, "hook_log_id"));
    if (!event) throw notFound();
    const again = await call.world.resend(hook, event);
    return { status: 201, json: { response_status: Number(again.responseStatus) || 500 } };
  }),
];
