import { html } from "hono/html";
import { Hono } from "hono";
import { isOperator, maySee } from "../../../app/people/viewer.ts";
import type { ThreadMessage } from "../../../domain/conversation.ts";
import type { People } from "../../../adapters/trackers/local/people.ts";
import type { Issue, IssueAddress } from "../../../domain/issue.ts";
import { withoutMarkdown } from "../../../domain/text/comment-markdown.ts";
import type { Clock } from "../../../lib/clock.ts";
import { standingWords } from "../../../notify/status-comment.ts";
import { listAuditBetween } from "../../../storage/audit.ts";
import type { Db } from "../../../storage/db.ts";
import { listFindings } from "../../../storage/findings.ts";
import { listGaps } from "../../../storage/gaps.ts";
import { type IssueOverview, overviewsOf } from "../../../storage/issue-overview.ts";
import { findIssue } from "../../../storage/issues.ts";
import { listMessages, listMessagesNumbered } from "../../../storage/messages.ts";
import { listCalls } from "../../../storage/model-calls.ts";
import type { PageEnv } from "../../login.ts";
import { type PageContext, missing, numberIn, shown } from "../answer.ts";
import type { Markup } from "../document.ts";
import { speakingForm } from "../local-forms.ts";
import { issueAt, pathOf } from "../paths.ts";
import { issuePage, tabIn } from "./page.ts";
import { costPart, evidencePart, planPart, storyPart } from "./parts.ts";
import { changesTab, logLines, runTab } from "./run-routes.ts";
import { rawSpec, specTab } from "./spec-routes.ts";
import { hostedSpeaking } from "./speaking.ts";
import { standpointOf } from "./standpoint.ts";
import { scenesOf } from "./story.ts";

export interface IssueDeps {
  db: () => Db;
  clock: Clock;
  people: () => People;
  /** Relay's login in the local tracker. */
  bot: string;
  /** Relay's data directory, with the mirrors of repositories. */
  home: string;
}

const MESSAGES_A_PAGE = 200;
/** Characters of messages on a page. */
const MOST_TEXT = 100_000;
const MOST_ENTRIES = 2_000;

/** What an issue has beside its page. */
const BESIDE = ["/log", "/spec.md"] as const;

/**
 * `/issues/PROVIDER/PROJECT/NUMBER`, one part at a time by `?part=`; `…/log`, the lines of a run; `…/spec.md`, the spec
 * as it is stored.
 */
export function issueRoutes(deps: IssueDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/issues/*", async (c) => {
    const db = deps.db();
    const path = new URL(c.req.url).pathname.slice("/issues/".length);
    const beside = BESIDE.find((name) => path.endsWith(name)) ?? "";
    const address = issueAt(path.slice(0, path.length - beside.length));
    const issue = address && (await findIssue(db, address));
    // Who may not see an issue does not learn that it exists (R-SAFE-4).
    if (issue === null && (await isJustOpened(address, c, deps))) return await beginning(c);
    if (issue === null || !maySee(c.get("viewer"), issue))
      return await missing(c, "Relay has not taken up this issue, or not yet. This page shows it when it does.");
    if (beside === "/log") return c.json(await logLines(c, issue, deps));
    if (beside === "/spec.md") return await rawSpec(c, issue, deps);
    const overview = (await overviewsOf(db, [issue.id]))(issue.id);
    const { standing } = standpointOf(issue, overview, deps);
    const words = withoutMarkdown(standingWords(issue, { ...overview, standing }, "en"));
    const tab = tabIn(c.req.query("part"));
    const content = await partOf(c, issue, overview, deps);
    const viewer = c.get("viewer");
    const maySpeak = issue.provider === "local" ? isOperator(viewer) : viewer.provider === issue.provider;
    const main = issuePage(
      { issue, overview, standing, words, tab, isOperator: isOperator(viewer), maySpeak, now: deps.clock.now() },
      content,
    );
    return await shown(c, { title: `#${issue.externalIssueId} ${issue.title}`, at: null }, main);
  });
  return routes;
}

/** Whether an issue of the local tracker is there that Relay has not read yet: its page comes a moment later. */
async function isJustOpened(address: IssueAddress | null, c: PageContext, { people }: IssueDeps): Promise<boolean> {
  const number = numberIn(address?.externalIssueId);
  if (address?.provider !== "local" || number === null || !isOperator(c.get("viewer"))) return false;
  return (await people().findIssue(address.externalProjectId, { number, url: null, title: "" })) !== null;
}

async function beginning(c: PageContext): Promise<Response> {
  const main = html`<h1>Relay begins to read</h1>
    <p>This page shows the issue as soon as Relay has taken it up.</p>`;
  return await shown(c, { title: "Relay begins to read", at: null }, main);
}

async function partOf(c: PageContext, issue: Issue, overview: IssueOverview, deps: IssueDeps): Promise<Markup> {
  const db = deps.db();
  const now = deps.clock.now();
  const tab = tabIn(c.req.query("part"));
  switch (tab) {
    case "story": {
      const wanted = numberIn(c.req.query("message"));
      const before = wanted === null ? numberIn(c.req.query("before")) : wanted + MESSAGES_A_PAGE / 2;
      const messages = fitting(await listMessages(db, issue.id, MESSAGES_A_PAGE, before), wanted);
      const [first] = messages;
      const last = messages.at(-1);
      const older = first !== undefined && first.seq > 1 ? first.seq : null;
      const [after] =
        before === null || last === undefined ? [] : await listMessagesNumbered(db, issue.id, [last.seq + 1]);
      const audit = await listAuditBetween(db, issue.id, {
        since: older === null ? null : (first?.timestamp ?? null),
        until: after?.timestamp ?? null,
        most: MOST_ENTRIES,
      });
      const calls = (await listCalls(db, issue.id)).filter(({ at }) => at >= (audit[0]?.at ?? at));
      const links = {
        older: older === null ? null : `${pathOf(issue)}?before=${older}`,
        newer: after === undefined ? null : `${pathOf(issue)}?before=${after.seq + MESSAGES_A_PAGE}`,
      };
      const story = storyPart(
        issue,
        scenesOf(messages, audit, { calls, gaps: await listGaps(db, issue.id) }),
        links,
        now,
      );
      if (issue.provider !== "local") {
        return html`${story}${await hostedSpeaking(issue, issue.provider, c.get("viewer"), { db, clock: deps.clock, overview })}`;
      }
      const members = await deps.people().listPeople(issue.externalProjectId);
      return html`${story}${speakingForm(issue, overview, { members, login: c.get("session").login })}`;
    }
    case "spec":
      return await specTab(c, issue, deps);
    case "plan":
      return planPart(overview.plan);
    case "run":
      return await runTab(c, issue, overview, deps);
    case "changes":
      return await changesTab(c, issue, overview, deps);
    case "evidence":
      return evidencePart(await listGaps(db, issue.id), await listFindings(db, issue.id));
    case "cost":
      return costPart(await listCalls(db, issue.id), now);
    default:
      return tab satisfies never;
  }
}

/** The newest of them that fit on a page, and in any case the one that is wanted. */
function fitting(messages: readonly ThreadMessage[], wanted: number | null): ThreadMessage[] {
  let room = MOST_TEXT;
  const from = messages.findLastIndex(({ seq, content }) => {
    room -= content.length;
    return room < 0 && (wanted === null || seq <= wanted);
  });
  // The last one that does not fit begins the page: it may be the only one.
  return messages.slice(Math.max(0, from));
}
