import type { Call } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import type { ConnectionFinding } from "../connection.ts";
import { atLeast } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { projectPath } from "./calls.ts";
import { type Hook, type HookFlag, hookTo, missedDeliveries, unlessHidden } from "./hooks.ts";
import { permission } from "./people.ts";
import { checked, fine, wrong } from "../connection-findings.ts";

const DAY_MS = 24 * 3_600_000;
/** A token that expires sooner than this is reported. */
const SOON_MS = 14 * DAY_MS;

const token = z.object({ scopes: z.array(z.string()), expires_at: z.string().nullish() });

interface Given {
  call: Call;
  /** URL of GitLab's web pages. */
  baseUrl: string;
  /** Relay's public URL; null if unknown. */
  webhookUrl: string | null;
  clock: Clock;
}

/** Checks a token: owner, scopes, expiry and permissions in the project, plus the project's webhook. */
export async function inspect(given: Given, project: string | null): Promise<ConnectionFinding[]> {
  const page = `${given.baseUrl}/-/user_settings/personal_access_tokens`;
  const mend = `make a token with the scope api at ${page}, or one of the project in its settings, and set it as GITLAB_TOKEN`;
  return await checked({ what: "GitLab token", mend }, async () => {
    const { body } = await given.call({ method: "GET", path: "/user" });
    const { id, username } = read(answers.user, body, "the token's owner");
    return [
      fine("GitLab token", `belongs to ${username} at ${given.baseUrl}`),
      ...(await tokenFindings(given, mend)),
      ...(project === null ? [] : await projectFindings(given, { project, userId: id })),
    ];
  });
}

async function tokenFindings({ call, clock }: Given, mend: string): Promise<ConnectionFinding[]> {
  return await checked({ what: "token scopes", mend }, async () => {
    // This endpoint does not know OAuth tokens.
    const answer = await unlessMissing(call({ method: "GET", path: "/personal_access_tokens/self" }));
    if (answer === null) return [];
    const { scopes, expires_at: end } = read(token, answer.body, "the token");
    const granted = scopes.includes("api")
      ? fine("token scopes", scopes.join(", "))
      : wrong("token scopes", `it has ${scopes.join(", ") || "none"}, and lacks api`, mend);
    if (!end) return [granted];
    const left = new Date(end).getTime() - clock.now().getTime();
    return [
      granted,
      left < SOON_MS ? wrong("token end", `it ends on ${end}`, mend) : fine("token end", `valid until ${end}`),
    ];
  });
}

async function projectFindings(
  given: Given,
  { project, userId }: { project: string; userId: number },
): Promise<ConnectionFinding[]> {
  const what = `access to ${project}`;
  const members = `${given.baseUrl}/${project}/-/project_members`;
  const mend = `give Relay's account the role Developer at ${members}`;
  return await checked({ what, mend }, async () => {
    const path = projectPath(project);
    await given.call({ method: "GET", path });
    const answer = await unlessMissing(given.call({ method: "GET", path: `${path}/members/all/${userId}` }));
    const level = answer === null ? "none" : permission(read(answers.member, answer.body, `Relay in ${project}`));
    const role = atLeast(level, "write")
      ? fine(what, `Relay's account may ${level} there`)
      : wrong(what, `Relay's account may only ${level} there`, mend);
    return [role, ...(await webhookFindings(given, project))];
  });
}

async function webhookFindings(given: Given, project: string): Promise<ConnectionFinding[]> {
  const { call, webhookUrl, clock } = given;
  const page = `${given.baseUrl}/${project}/-/hooks`;
  if (webhookUrl === null) return [fine("webhook", `not checked: Relay does not know its own address; see ${page}`)];
  return await checked({ what: "webhook", mend: `look at ${page}` }, async () => {
    const found = await unlessHidden(hookTo(call, project, webhookUrl).then((hook) => ({ hook })));
    if (found === null) return [fine("webhook", `not checked: it is for Maintainers to see; see ${page}`)];
    if (found.hook === null) {
      const make = `add one at ${page} with the URL ${webhookUrl}, the value of GITLAB_WEBHOOK_SECRET as its secret token, and the events ${[...Object.keys(EVENTS), ...Object.keys(CONFIDENTIAL)].join(", ")}`;
      // A group webhook may cover the project, which does not list it.
      return [wrong("webhook", `none of the project leads to ${webhookUrl}`, `${make}, unless its group has one`)];
    }
    const since = new Date(clock.now().getTime() - DAY_MS);
    const missed = await unlessHidden(missedDeliveries(call, { project, hookId: found.hook.id, since }));
    const last = missed?.at(-1);
    return [
      ...hookFindings(found.hook, page),
      ...(missed !== null && last === undefined ? [fine("webhook deliveries", "all of the last day arrived")] : []),
      ...(last === undefined
        ? []
        : [
            wrong(
              "webhook deliveries",
              `${missed?.length ?? 0} of the last day did not arrive, the last one ${last.status === 0 ? "without an answer" : `with ${last.status}`}`,
              `see that ${webhookUrl} can be reached from GitLab; what was missed is found again by itself`,
            ),
          ]),
    ];
  });
}

/** Events of a webhook by their names on GitLab's page. */
const EVENTS = {
  "Issues events": "issues_events",
  Comments: "note_events",
  "Merge request events": "merge_requests_events",
  "Pipeline events": "pipeline_events",
} as const;
const CONFIDENTIAL = {
  "Confidential issues events": "confidential_issues_events",
  "Confidential comments": "confidential_note_events",
} as const;

function lackingOf(hook: Hook, events: Readonly<Record<string, HookFlag>>): string[] {
  return Object.entries(events).flatMap(([name, flag]) => (hook[flag] === false ? [name] : []));
}

function hookFindings(hook: Hook, page: string): ConnectionFinding[] {
  const findings: ConnectionFinding[] = [];
  const lacking = lackingOf(hook, EVENTS);
  if (lacking.length > 0) {
    findings.push(
      wrong("webhook events", `GitLab does not tell of ${lacking.join(", ")}`, `tick ${lacking.join(", ")} at ${page}`),
    );
  }
  const hidden = lackingOf(hook, CONFIDENTIAL);
  if (hidden.length > 0) {
    const detail = `GitLab does not tell of ${hidden.join(", ")}: Relay hears nothing of confidential issues, and late that an issue became one; tick them at ${page} if it is to`;
    findings.push(fine("webhook confidential events", detail));
  }
  if (hook.token_present === false && hook.signing_token_present !== true) {
    findings.push(wrong("webhook", "it has no secret", `set the value of GITLAB_WEBHOOK_SECRET at ${page}`));
  }
  if (hook.enable_ssl_verification === false) {
    findings.push(wrong("webhook", "it does not check Relay's certificate", `enable SSL verification at ${page}`));
  }
  if (hook.alert_status && hook.alert_status !== "executable") {
    findings.push(
      wrong(
        "webhook",
        `GitLab has switched it off (${hook.alert_status})`,
        `send a test at ${page} once Relay answers`,
      ),
    );
  }
  return findings.some(({ ok }) => !ok) ? findings : [fine("webhook", `leads to ${hook.url}`), ...findings];
}
