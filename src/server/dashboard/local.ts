import { type Context, Hono } from "hono";
import { type People, localPeople } from "../../adapters/trackers/local/people.ts";
import type { Acts } from "../../app/people/acts.ts";
import { isOperator } from "../../app/people/viewer.ts";
import { requireName } from "../../domain/person-name.ts";
import { isBlank } from "../../domain/text/hidden-characters.ts";
import type { TrackerEvent } from "../../domain/event.ts";
import { type IssueAddress, issueName } from "../../domain/issue.ts";
import type { ReceiveWithin } from "../../intake/receive.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import { keepRequest, setEvents } from "../../storage/api-requests.ts";
import type { Db } from "../../storage/db.ts";
import { findIssue } from "../../storage/issues.ts";
import { findRequest } from "../../storage/pull-requests.ts";
import { latestTask } from "../../storage/tasks.ts";
import type { PageEnv } from "../login.ts";
import { shown } from "./answer.ts";
import { type Form, fieldsOf, requireSame } from "./form.ts";
import { issueAt, pathOf } from "./paths.ts";
import { newIssuePage } from "./local-forms.ts";
import { decisionIn } from "../../app/people/decisions.ts";
import { planIn } from "./issue/speaking.ts";

export interface LocalDeps {
  db: () => Db;
  people: () => People;
  /** What people do at issues, here and by the API and MCP. */
  acts: Acts;
  /** Receives events of the local tracker, in the transaction that caused them. */
  receiveWithin: ReceiveWithin;
  clock: Clock;
  ids: Ids;
  /** Relay's login in the local tracker. */
  bot: string;
}

/** Receives the forms of the local tracker (`local-forms.ts`); each leads back to the issue. */
export function localRoutes({ db, people, acts, receiveWithin, clock, ids, bot }: LocalDeps): Hono<PageEnv> {
  /**
   * Does what a form asks for, once however often it is sent; returns what happened in the tracker. Throws `conflict`
   * if the form was sent before with something else in it.
   */
  const once = async (
    login: string,
    form: Form,
    work: (tracker: People, tx: Db) => Promise<TrackerEvent[]>,
  ): Promise<TrackerEvent[]> => {
    const by = { login, provider: null, key: keyOf(form) };
    return await db().transaction(async (tx) => {
      const { id, events, requestSha256 } = await keepRequest(tx, by, form.sha256, { clock, ids });
      if (events !== null) return requireSame(form, requestSha256, events);
      const made = await work(localPeople(tx, { clock, ids }), tx);
      await setEvents(tx, id, made);
      for (const [index, event] of made.entries()) {
        await receiveWithin(tx, {
          provider: "local",
          deliveryId: `form:${id}:${index}`,
          contentKey: null,
          events: [event],
        });
      }
      return made;
    });
  };
  const keyOf = ({ key }: Form) => (key === null ? `own:${ids.next()}` : `form:${key}`);
  const routes = new Hono<PageEnv>();

  routes.get("/try", async (c) => {
    refuseOthers(c);
    const main = newIssuePage(await people().listProjects(), c.get("session").login);
    return await shown(c, { title: "Open an issue", at: "/try" }, main);
  });
  routes.post("/try", async (c) => {
    refuseOthers(c);
    const form = await fieldsOf(c);
    const [project, author] = [form("project"), form("as")];
    const { login } = c.get("session");
    requireName(author, bot);
    const [opened] = await once(login, form, async (tracker) => {
      await tracker.invite(project, author, "read");
      const issue = await tracker.openIssue(project, {
        number: null,
        title: form("title"),
        body: form("body"),
        author,
        labels: [],
        assignees: [],
        url: null,
        createdAt: clock.now(),
      });
      return [issue, await tracker.assign(issue, login, bot)];
    });
    if (opened === undefined) throw new RelayError("internal", "the issue that was opened told of no event");
    return c.redirect(pathOf(opened), 303);
  });

  routes.post("/issues/*", async (c) => {
    const { address, act } = actionIn(c);
    refuseOthers(c);
    const form = await fieldsOf(c);
    const [who, { login }] = [form("as"), c.get("session")];
    switch (act) {
      case "say": {
        const decision = decisionIn(form("decision"));
        if (decision !== null) {
          await acts.decide(address, decision, { ...c.get("viewer"), login: who });
          return c.redirect(pathOf(address), 303);
        }
        if ((await findIssue(db(), address)) !== null) {
          const key = keyOf(form);
          // It may have been sent before Relay had read the issue.
          const sent = await keepRequest(db(), { login, provider: null, key }, form.sha256, { clock, ids });
          const by = { ...c.get("viewer"), login: who };
          if (sent.events !== null) requireSame(form, sent.requestSha256, sent.events);
          else await acts.say(address, form("text"), by, key, planIn(form("plan")));
        } else {
          // Relay has not read the issue yet: there is nothing that the words could decide.
          requireName(who, bot);
          if (isBlank(form("text"))) throw new RelayError("invalid", "there is nothing to say: write a comment first");
          await once(login, form, async (tracker) => {
            await tracker.invite(address.externalProjectId, who, "read");
            return [await tracker.comment(address, who, form("text"))];
          });
        }
        return c.redirect(pathOf(address), 303);
      }
      case "review":
        requireName(who, bot);
        await once(login, form, async (tracker, tx) => [
          await reviewed(address, who, form, { db: tx, people: tracker }),
        ]);
        return c.redirect(`${pathOf(address)}?part=changes`, 303);
      default:
        throw new RelayError("not_found", `there is nothing to do with “${act}” at ${issueName(address)}`);
    }
  });
  return routes;
}

/**
 * The people of the local tracker are who the operator says they are; accounts of other trackers have no part in it.
 */
function refuseOthers(c: Context<PageEnv>): void {
  if (!isOperator(c.get("viewer"))) throw new RelayError("not_found", "the local tracker is for who runs Relay");
}

async function reviewed(
  issue: IssueAddress,
  who: string,
  form: Form,
  { db, people }: { db: Db; people: People },
): Promise<TrackerEvent> {
  const known = await findIssue(db, issue);
  const task = known && (await latestTask(db, known.id));
  const opened = task && (await findRequest(db, task.id));
  if (opened?.state !== "open") throw new RelayError("invalid", `${issueName(issue)} has no open request`);
  const request = { project: issue.externalProjectId, number: opened.number };
  switch (form("do")) {
    case "merge":
      return await people.mergeRequest(request, who);
    case "close":
      return await people.closeRequest(request, who);
    default:
      if (isBlank(form("text"))) throw new RelayError("invalid", "say what should be different");
      return await people.reviewComment(request, who, form("text"), placeIn(form));
  }
}

/** The line of a file that a comment is about; null for the request as a whole. */
function placeIn(form: Form): { path: string; line: number } | null {
  if (form("path") === "") return null;
  const line = Number(form("line"));
  if (Number.isInteger(line) && line >= 1) return { path: form("path"), line };
  throw new RelayError("invalid", `a comment on ${form("path")} needs the number of a line, not “${form("line")}”`);
}

/** The issue and the last part of the path: `/issues/local/shop/1/say`. Throws for issues of other trackers. */
function actionIn(c: Context<PageEnv>): { address: IssueAddress; act: string } {
  const path = new URL(c.req.url).pathname.slice("/issues/".length);
  const cut = path.lastIndexOf("/");
  const address = issueAt(path.slice(0, Math.max(0, cut)));
  if (address?.provider !== "local") {
    throw new RelayError(
      "forbidden",
      "only issues of the local tracker are spoken at from here; others in their tracker",
    );
  }
  return { address, act: path.slice(cut + 1) };
}
