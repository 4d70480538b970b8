import { expect, test } from "vitest";
import { differenceOf } from "../../src/intake/reconcile.ts";
import type { Engage } from "../../src/intake/decide.ts";
import { processEvent } from "../../src/intake/process.ts";
import { buildEvent } from "../../src/domain/event.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { gitlabStage, PROJECT } from "../mock-gitlab/fixture.ts";
import { freshDatabase } from "../support/database.ts";
import { trackedRepository } from "../support/tracked-issue.ts";
import { transitions } from "../support/transitions.ts";

/** What becomes of a GitLab issue that `author` opens with Relay assigned, told by a webhook or found by comparing. */
async function assigned(author: "ann" | "carl" | "helper", way: "told" | "found", engage: Engage = "triage") {
  const { db } = await freshDatabase();
  const { mock, tracker, issue } = await gitlabStage();
  const { people } = mock;
  people.user("helper", { bot: true });
  for (const login of ["carl", "helper"]) people.member(PROJECT, login, 20);
  const iid = people.openIssue(PROJECT, author, { title: "Broken, too", assignees: ["relay"] });
  const address = { ...issue, externalIssueId: String(iid) };
  const now = await tracker.getIssue(address);
  const base = { kind: "assigned" as const, at: now.updatedAt, assignee: "relay", actor: author };
  const event = way === "told" ? buildEvent({ ...address, ...base }) : differenceOf(now, null, ["relay"]);
  if (event === null) throw new Error("nothing was found");
  const ids = snowflakes();
  const { decision } = await processEvent(event, {
    db,
    tracker,
    repository: await trackedRepository(db),
    clock: systemClock,
    ids,
    log: silentLog,
    transition: transitions({ clock: systemClock, ids }),
    detectLanguage: () => "en",
    engage,
  });
  expect(mock.violations).toEqual([]);
  return decision.kind;
}

test.each(["told", "found"] as const)(
  "on GitLab an assignment engages Relay only by who may call it (%s, R-LIFE-11)",
  async (way) => {
    expect(await assigned("ann", way)).toBe("drop");
    expect(await assigned("carl", way)).toBe("engage");
    expect(await assigned("helper", way)).toBe("engage");
    expect(await assigned("carl", way, "write")).toBe("drop");
    expect(await assigned("ann", way, ["ann"])).toBe("engage");
    expect(await assigned("ann", way, "anyone")).toBe("engage");
  },
);
