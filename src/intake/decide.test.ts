import { describe, expect, test } from "vitest";
import { type EventKind, type TrackerEvent, EVENT_KINDS } from "../domain/event.ts";
import { type IssueState, ISSUE_STATES } from "../domain/lifecycle.ts";
import type { LastSeen } from "../storage/threads.ts";
import { type Decision, type DecisionFacts, callsFor, decide, isNothingUnlessEngaged, whyDropped } from "./decide.ts";

const AT = new Date("2026-01-01T00:00:00Z");

function event(kind: EventKind, change: Partial<TrackerEvent> = {}): TrackerEvent {
  return {
    provider: "local",
    externalProjectId: "shop",
    externalIssueId: "1",
    kind,
    actor: "ann",
    actorIsBot: false,
    at: AT,
    assignee: null,
    commentId: null,
    threadId: null,
    text: null,
    branch: null,
    outcome: null,
    ...change,
  };
}

const toBot = { assignee: "Relay" };
const call = { text: "@relay please look" };

const OPEN = { state: "open" as const, assignees: ["relay", "mia"] };
const CLOSED = { ...OPEN, state: "closed" as const };
const UNASSIGNED = { ...OPEN, assignees: ["mia"] };

/** What Relay saw last: an issue that it is assigned to, or was, closed where it is stopped. */
function seenIn(state: IssueState | null, last: Partial<LastSeen> = {}): LastSeen | null {
  const tracker = {
    state: state === "closed" ? ("closed" as const) : ("open" as const),
    commentCount: 0,
    updatedAt: AT,
  };
  return state && { state, assignees: ["relay"], tracker, endsHeardUntil: AT, ...last };
}

/** The issue as the event tells of it. */
function toldBy({ kind }: TrackerEvent, state: IssueState | null) {
  if (kind === "closed") return CLOSED;
  if (kind === "unassigned") return UNASSIGNED;
  return state === null && kind !== "assigned" ? UNASSIGNED : OPEN;
}

function decided(state: IssueState | null, what: TrackerEvent, change: Partial<DecisionFacts> = {}): string {
  return shown(decide(what, { ...FACTS, seen: seenIn(state), now: toldBy(what, state), ...change }));
}

const FACTS = {
  names: ["relay"],
  merged: false,
  actorPermitted: true,
  assignerPermitted: true,
  respondToBots: false,
  wished: false,
};

function shown(decision: Decision): string {
  switch (decision.kind) {
    case "drop":
    case "stop":
      return `${decision.kind}: ${decision.reason}`;
    case "engage":
    case "refresh":
    case "resume":
    case "restart":
      return `${decision.kind}, wake ${decision.wake}`;
    case "decline":
      return decision.kind;
    default:
      return decision satisfies never;
  }
}

describe("an issue that is not Relay's business", () => {
  test.each([
    ["assigned", toBot, "engage, wake quiet"],
    ["assigned", { assignee: "mia" }, "drop: not engaged"],
    ["assigned", {}, "drop: not engaged"],
    ["opened", {}, "drop: not engaged"],
    ["opened", call, "engage, wake now"],
    ["commented", { text: "looks bad" }, "drop: not engaged"],
    ["commented", call, "engage, wake now"],
    ["comment_edited", call, "drop: not engaged"],
    ["edited", call, "drop: not engaged"],
    ["comment_deleted", {}, "drop: not engaged"],
    ["unassigned", toBot, "drop: not engaged"],
    ["closed", {}, "drop: not engaged"],
    ["reopened", {}, "drop: not as the event tells"],
    ["labelled", {}, "drop: not engaged"],
  ] satisfies [EventKind, Partial<TrackerEvent>, string][])("%s %j: %s", (kind, change, expected) => {
    expect(decided(null, event(kind, change))).toBe(expected);
  });

  test("a mention counts only from somebody with permission", () => {
    expect(decided(null, event("commented", call), { actorPermitted: false })).toBe("drop: mention without permission");
    expect(decided(null, event("opened", call), { actorPermitted: false })).toBe("drop: mention without permission");
  });

  test("an assignment counts only by somebody with permission, and somebody else's call beside it still does", () => {
    const refused = { assignerPermitted: false };
    expect(decided(null, event("assigned", toBot), refused)).toBe("drop: assigned without permission");
    expect(decided(null, event("commented", call), { ...refused, now: OPEN })).toBe("engage, wake now");
  });

  test("talk in a pull request engages nothing, as long as no task of Relay's made it", () => {
    expect(decided(null, event("commented", { ...call, externalIssueId: "!7" }))).toBe("drop: of a pull request");
  });

  test("another bot's mention engages nothing, another bot's assignment does", () => {
    expect(decided(null, event("commented", { ...call, actorIsBot: true }))).toBe("drop: another bot");
    expect(decided(null, event("assigned", { ...toBot, actorIsBot: true }))).toBe("engage, wake quiet");
  });
});

describe("an issue that ended and began again before Relay looked", () => {
  const later = new Date("2030-01-01T00:00:00Z");
  const before = new Date(later.getTime() - 1);
  const seen = (state: IssueState, endsHeardUntil: Date | null, updatedAt = later) =>
    seenIn(state, { tracker: { state: "open", commentCount: 0, updatedAt }, endsHeardUntil });

  test.each([
    ["closed", {}],
    ["reopened", {}],
    ["unassigned", toBot],
  ] satisfies [EventKind, Partial<TrackerEvent>][])(
    "is stopped and resumed by an event %s that is not heard yet, whatever else touched it since",
    (kind, change) => {
      const told = event(kind, { at: later, ...change });
      for (const updatedAt of [before, later, new Date(later.getTime() + 60_000)]) {
        const facts = { now: OPEN, seen: seen("waiting_confirmation", before, updatedAt) };
        expect(decided("waiting_confirmation", told, facts)).toBe("restart, wake quiet");
      }
    },
  );

  test.each([
    ["closed", {}],
    ["reopened", {}],
    ["unassigned", toBot],
  ] satisfies [EventKind, Partial<TrackerEvent>][])("is not, by a late or repeated event %s", (kind, change) => {
    const told = event(kind, { at: later, ...change });
    for (const heard of [later, null]) {
      const facts = { now: OPEN, seen: seen("waiting_confirmation", heard) };
      expect(decided("waiting_confirmation", told, facts)).toBe("refresh, wake no");
    }
  });

  test("is not, by the unassignment of somebody else, or by what a comparison found", () => {
    const facts = { now: OPEN, seen: seen("waiting_confirmation", before) };
    for (const told of [event("unassigned", { at: later, assignee: "mia" }), event("closed", { at: later, actor: "" })])
      expect(decided("waiting_confirmation", told, facts)).toBe("refresh, wake no");
  });

  test("stops where somebody without permission assigned Relay again", () => {
    const facts = { now: OPEN, seen: seen("waiting_confirmation", before), assignerPermitted: false };
    const told = event("unassigned", { at: later, ...toBot });
    expect(decided("waiting_confirmation", told, facts)).toBe("stop: unassigned");
  });

  test("stays done where the work is done", () => {
    const facts = { now: OPEN, seen: seen("done", new Date(0)) };
    expect(decided("done", event("reopened", { at: later }), facts)).toBe("refresh, wake no");
  });
});

const WAITING: IssueState[] = ["pending_plan", "clarifying", "awaiting_proceed", "waiting_confirmation", "done"];

describe.each(WAITING)("an issue in %s", (state) => {
  test.each([
    ["commented", { text: "here you are" }, "refresh, wake quiet"],
    ["commented", call, "refresh, wake now"],
    ["comment_edited", { text: "here you are" }, "refresh, wake quiet"],
    ["comment_edited", call, "refresh, wake quiet"],
    ["comment_deleted", {}, "refresh, wake quiet"],
    ["edited", { text: "new words" }, "refresh, wake quiet"],
    ["labelled", {}, "refresh, wake no"],
    ["assigned", { assignee: "mia" }, "refresh, wake no"],
    ["assigned", toBot, "refresh, wake no"],
    ["unassigned", toBot, "stop: unassigned"],
    ["closed", {}, "stop: closed"],
    ["reopened", {}, "refresh, wake no"],
  ] satisfies [EventKind, Partial<TrackerEvent>, string][])("%s %j: %s", (kind, change, expected) => {
    expect(decided(state, event(kind, change))).toBe(expected);
  });

  test("without permission a mention is a comment like any other", () => {
    expect(decided(state, event("commented", call), { actorPermitted: false })).toBe("refresh, wake quiet");
  });

  test.each(["commented", "comment_edited", "comment_deleted"] satisfies EventKind[])(
    "%s by another bot is kept as context and wakes nobody",
    (kind) => {
      expect(decided(state, event(kind, { ...call, actorIsBot: true }))).toBe("refresh, wake no");
    },
  );
});

describe("a paused issue", () => {
  test.each(["commented", "comment_edited", "comment_deleted", "edited", "opened"] satisfies EventKind[])(
    "%s is read and wakes nobody, whoever calls",
    (kind) => {
      expect(decided("paused", event(kind, call))).toBe("refresh, wake no");
    },
  );
  test("can be stopped", () => {
    expect(decided("paused", event("closed"))).toBe("stop: closed");
    expect(decided("paused", event("unassigned", toBot))).toBe("stop: unassigned");
  });
});

describe("a stopped issue", () => {
  test.each([
    ["assigned", toBot, "resume, wake quiet"],
    ["assigned", { assignee: "mia" }, "drop: stopped"],
    ["reopened", {}, "resume, wake quiet"],
    ["commented", call, "resume, wake now"],
    ["commented", { text: "anybody there?" }, "drop: stopped"],
    ["comment_edited", call, "drop: stopped"],
    ["edited", {}, "drop: stopped"],
    ["closed", {}, "stop: closed"],
    ["unassigned", toBot, "stop: unassigned"],
  ] satisfies [EventKind, Partial<TrackerEvent>, string][])("%s %j: %s", (kind, change, expected) => {
    expect(decided("closed", event(kind, change))).toBe(expected);
  });

  test("a mention without permission does not wake it, nor one by another bot", () => {
    expect(decided("closed", event("commented", call), { actorPermitted: false, now: CLOSED })).toBe(
      "drop: mention without permission",
    );
    expect(decided("closed", event("commented", { ...call, actorIsBot: true }))).toBe("drop: another bot");
  });
});

test("what Relay does itself is dropped, in every state and for every kind of event (R-IN-4)", () => {
  for (const kind of EVENT_KINDS) {
    for (const state of [null, ...ISSUE_STATES]) {
      const own = event(kind, { ...toBot, ...call, actor: "RELAY" });
      expect(decided(state, own)).toBe("drop: Relay's own doing");
    }
  }
});

test("Relay goes by all of its names: that which it writes as, and that which people use (R-IN-4)", () => {
  const names = ["relay[bot]", "relay"];
  for (const actor of ["relay", "Relay[bot]"]) {
    expect(decided("clarifying", event("commented", { ...call, actor }), { names })).toBe("drop: Relay's own doing");
  }
  expect(decided(null, event("commented", call), { names })).toBe("engage, wake now");
  expect(decided(null, event("assigned", { assignee: "relay[bot]" }), { names })).toBe("engage, wake quiet");
});

describe("the tracker decides, not the event (R-IN-10)", () => {
  const stopped = (last: Partial<LastSeen>) => seenIn("closed", last);
  const whileOpen = { state: "open" as const, commentCount: 0, updatedAt: new Date(0) };

  test.each([
    ["closed", {}, OPEN, "refresh, wake no"],
    ["unassigned", toBot, OPEN, "refresh, wake no"],
    ["assigned", toBot, CLOSED, "stop: closed"],
    ["reopened", {}, CLOSED, "stop: closed"],
    ["commented", {}, CLOSED, "stop: closed"],
    ["commented", {}, UNASSIGNED, "stop: unassigned"],
    ["labelled", {}, UNASSIGNED, "stop: unassigned"],
    ["commented", call, CLOSED, "decline"],
  ] satisfies [EventKind, Partial<TrackerEvent>, object, string][])(
    "a running issue, %s %j, found as %j: %s",
    (kind, change, now, expected) => {
      expect(decided("clarifying", event(kind, change), { now })).toBe(expected);
    },
  );

  test.each([
    ["assigned", toBot, CLOSED, "drop: not as the event tells"],
    ["assigned", toBot, UNASSIGNED, "drop: not as the event tells"],
    ["reopened", {}, OPEN, "engage, wake quiet"],
    ["commented", call, CLOSED, "decline"],
    ["opened", call, OPEN, "engage, wake now"],
  ] satisfies [EventKind, Partial<TrackerEvent>, object, string][])(
    "an issue that Relay is not engaged in, %s %j, found as %j: %s",
    (kind, change, now, expected) => {
      expect(decided(null, event(kind, change), { now })).toBe(expected);
    },
  );

  test.each([
    ["reopened", {}, CLOSED, "drop: stopped"],
    ["assigned", toBot, CLOSED, "drop: stopped"],
    ["closed", {}, OPEN, "resume, wake quiet"],
    ["commented", call, CLOSED, "decline"],
    ["reopened", {}, UNASSIGNED, "drop: stopped"],
  ] satisfies [EventKind, Partial<TrackerEvent>, object, string][])(
    "a closed issue, %s %j, found as %j: %s",
    (kind, change, now, expected) => {
      expect(decided("closed", event(kind, change), { now })).toBe(expected);
    },
  );

  test("who was engaged by a mention stays engaged, unassigned as before, and goes on when the issue is reopened", () => {
    const byMention = { assignees: ["mia"] };
    const late = event("unassigned", toBot);
    expect(decided("clarifying", late, { seen: seenIn("clarifying", byMention) })).toBe("refresh, wake no");
    const reopened = { seen: stopped(byMention), now: UNASSIGNED };
    expect(decided("closed", event("reopened"), reopened)).toBe("resume, wake quiet");
  });

  test("an issue that Relay was unassigned from goes on when Relay is assigned, not when it is closed and reopened", () => {
    const seen = stopped({ assignees: ["mia"], tracker: whileOpen });
    expect(decided("closed", event("closed"), { seen, now: { ...CLOSED, assignees: ["mia"] } })).toBe("stop: closed");
    expect(decided("closed", event("reopened"), { seen, now: UNASSIGNED })).toBe("drop: stopped");
    expect(decided("closed", event("assigned", toBot), { seen, now: OPEN })).toBe("resume, wake quiet");
  });

  test("an issue whose request was closed stays stopped, whatever is delivered again", () => {
    const last = event("assigned").at;
    const seen = stopped({ tracker: { ...whileOpen, updatedAt: last } });
    for (const kind of ["assigned", "reopened", "closed", "unassigned"] satisfies EventKind[]) {
      expect(decided("closed", event(kind, toBot), { seen, now: OPEN })).toBe("drop: stopped");
    }
    expect(decided("closed", event("unassigned", toBot), { seen, now: UNASSIGNED })).toBe("stop: unassigned");
    // Taken off and put back on before the first of the two was processed.
    const again = event("assigned", { ...toBot, at: new Date(last.getTime() + 1) });
    expect(decided("closed", again, { seen, now: OPEN })).toBe("resume, wake quiet");
    expect(decided("closed", again, { seen, now: UNASSIGNED })).toBe("stop: unassigned");
  });

  test("the merge of its own request closes no issue for Relay", () => {
    const merged = { merged: true, now: CLOSED };
    expect(decided("in_review", event("closed"), merged)).toBe("refresh, wake now");
    expect(decided("done", event("closed"), merged)).toBe("refresh, wake no");
    expect(decided("in_review", event("commented", call), merged)).toBe("refresh, wake now");
  });

  test("what was merged rests as long as its issue is closed, and a wish is told so (R-LIFE-11)", () => {
    const merged = { merged: true, now: CLOSED };
    for (const kind of ["commented", "comment_edited", "edited", "labelled", "unassigned"] as const) {
      expect(decided("done", event(kind, toBot), merged)).toBe("refresh, wake no");
    }
    expect(decided("done", event("commented", call), { ...merged, wished: true })).toBe("decline");
    expect(decided("in_review", event("commented", call), { ...merged, wished: true })).toBe("refresh, wake now");
    expect(decided("done", event("commented", call), { merged: true, now: OPEN })).toBe("refresh, wake now");
  });
});

describe("where other bots are heeded", () => {
  const heeding = (state: IssueState | null, what: TrackerEvent) => decided(state, what, { respondToBots: true });

  test("what they say may wake an issue that Relay is engaged in, and no other", () => {
    expect(heeding("clarifying", event("commented", { text: "done", actorIsBot: true }))).toBe("refresh, wake quiet");
    expect(heeding("paused", event("commented", { text: "done", actorIsBot: true }))).toBe("refresh, wake no");
    expect(heeding("closed", event("commented", { ...call, actorIsBot: true }))).toBe("drop: another bot");
    expect(heeding(null, event("commented", { ...call, actorIsBot: true }))).toBe("drop: another bot");
  });
});

test("a comment with the marker of an action is a bot's, whoever posts it", () => {
  const marked = { text: "Which total?\n\n<!-- relay:action:1.2.0.0 -->" };
  expect(decided("clarifying", event("commented", marked))).toBe("refresh, wake no");
  expect(
    decided("clarifying", event("commented", { text: `> ${marked.text.replaceAll("\n", "\n> ")}\n\nthis one` })),
  ).toBe("refresh, wake quiet");
});

test.each([
  "Everything that could change the outcome is settled; I would start at [`a.ts:1`](https://x). Shall I write the spec? Reply “go ahead” and I’ll start; until then, I’ll wait.",
  "@walt, I’ve stopped, as you asked. Plan 1 will not be carried out. I won’t do anything more here until you, or someone with the same permissions, tell me to continue or what to change.",
  "**What changes:** Prints the sum\n\n**Decided:** No, do not rename it — mia\n\n_Plan 1 · 04fa0fc_",
  "@mia, in Ordnung, ich fange nicht an. Wenn du es dir anders überlegst, antworte „leg los“.",
])("%j is another Relay's, and no refusal of a person's", (said) => {
  const told = event("commented", { text: `${said}\n\n<!-- relay:action:1.2.0.0 -->` });
  expect(decided("waiting_confirmation", told)).toBe("refresh, wake no");
});

test.each([
  ["a mere stop above", "Please stop.\n\n<!-- relay:plan:12 -->"],
  ["a stop with reasons above", "Stop, this deletes customer data. Two people asked.\n\n<!-- relay:plan:12 -->"],
  [
    "a stop between Relay's words and",
    "Everything that could change the outcome is settled; Shall I write the spec?\n\nNo, stop!\n\n<!-- relay:action:1.2 -->",
  ],
  ["a stop below", "The plan.\n\n<!-- relay:plan:12 -->\n\nStop, the plan is wrong."],
  ["an answer below", "Which total?\n\n<!-- relay:action:1.2.0.0 -->\n\nThe one with VAT."],
])("%s the marker of the text that a person copied is the person's", (_, text) => {
  const stop = { text };
  expect(decided("in_progress", event("commented", stop))).toBe("refresh, wake quiet");
  expect(decided("in_progress", event("commented", { ...stop, actorIsBot: true }))).toBe("refresh, wake no");
});

test("labels, an unassignment and a closing never wake", () => {
  for (const state of ISSUE_STATES) {
    for (const kind of ["labelled", "unassigned", "closed"] satisfies EventKind[]) {
      expect(decided(state, event(kind, toBot))).not.toMatch(/wake (now|quiet)/);
    }
  }
});

describe("what counts as a call", () => {
  test.each([
    ["@relay", true],
    ["Hey @Relay, look", true],
    ["(@relay)", true],
    ["@relay: go", true],
    ["**@relay** go", true],
    ["@relay.", true],
    ["`@relay`", false],
    ["```\n@relay\n```", false],
    ["```\n@relay, never closed", false],
    ["~~~\n@relay\n~~~", false],
    ["> @relay look\n\nno", false],
    ["> said\n@relay look", true],
    ["@relay-staging", false],
    ["@relayed", false],
    ["me@relay.example", false],
    ["https://example.org/@relay", false],
    ["acme/@relay", false],
    ["@@relay", false],
    ["relay", false],
    ["", false],
  ])("%j: %s", (text, expected) => {
    expect(callsFor(event("commented", { text }), ["relay"])).toBe(expected);
  });

  test("a login with a dot or brackets is taken literally", () => {
    expect(callsFor(event("commented", { text: "@my.bot" }), ["my.bot"])).toBe(true);
    expect(callsFor(event("commented", { text: "@myxbot" }), ["my.bot"])).toBe(false);
    expect(callsFor(event("commented", { text: "@relay[bot] go" }), ["relay[bot]"])).toBe(true);
  });
});

test.each(EVENT_KINDS)("what is stored as processed where Relay is not engaged, it would leave aside: %s", (kind) => {
  const texts = [null, "The total is wrong.", "@relay please look", "mail to ann@example.org"];
  const events = texts.flatMap((text) => [
    event(kind, { text }),
    event(kind, { text, actor: "", assignee: "relay" }),
    event(kind, { text, actor: "relay", actorIsBot: true }),
    event(kind, { text, externalIssueId: "!1" }),
  ]);
  const taken = events.filter(isNothingUnlessEngaged);
  expect(taken.map((one) => whyDropped(one, { names: ["relay"], seen: null })).filter((why) => why === null)).toEqual(
    [],
  );
  expect(taken.filter(({ externalIssueId }) => externalIssueId !== "1")).toEqual([]);
});
