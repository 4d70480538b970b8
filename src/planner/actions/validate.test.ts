import { describe, expect, test } from "vitest";
import { type Action, type ActionProblem, QUICK_WAY } from "../../domain/action.ts";
import type { Gap } from "../../domain/gap.ts";
import type { BatchState, JudgedMessage } from "./batch-state.ts";
import { parseSubmission } from "./submission.ts";
import { validateBatch } from "./validate.ts";

const minute = (count: number) => new Date(Date.UTC(2026, 0, 1, 12, count));

function gap(number: number, change: Partial<Gap> = {}): Gap {
  return {
    id: `90000000000000000${number}`,
    issueId: "1",
    number,
    question: `Question ${number}?`,
    evidence: null,
    severity: "high",
    respondent: "reporter",
    topic: null,
    proposedDefault: null,
    status: "open",
    askedAt: minute(10),
    askedIn: null,
    closedAt: null,
    closedReason: null,
    closedNote: null,
    answeredIn: null,
    createdAt: minute(10),
    ...change,
  };
}

function message(seq: number, content: string, change: Partial<JudgedMessage> = {}): JudgedMessage {
  return {
    seq,
    author: "ann",
    role: "reporter",
    isBot: false,
    timestamp: minute(seq),
    editedAt: null,
    isNew: true,
    content,
    externalId: `c${seq}`,
    externalThreadId: `t${seq}`,
    permitted: true,
    ...change,
  };
}

const state: BatchState = {
  issue: "7",
  gaps: [
    gap(1),
    gap(2, { severity: "blocking" }),
    gap(3, { status: "pending", askedAt: null, evidence: "src/a.ts:1" }),
    gap(4, { status: "closed", closedReason: "answered" }),
  ],
  nextGapNumber: 5,
  findings: [{ id: "f1" }],
  messages: [
    message(5, "Let's do it now"),
    message(20, "Yes,\n  please GO ahead with   the spec."),
    message(21, "start please", { permitted: false }),
    message(22, "ship the thing", { isBot: true }),
    message(23, "May I proceed?", { role: "self", isBot: true }),
    message(24, "> May I proceed?\n\nno, `run it` is wrong\n```\nexecute\n```"),
  ],
  participants: ["alice"],
  bot: "relay",
  hasSpec: true,
  proceedAsked: false,
  wishes: [],
  quickWay: false,
  textEdited: false,
  now: minute(30),
};

/** Actions as a planner writes them, parsed. */
function judge(actions: unknown[], change: Partial<BatchState> = {}): ActionProblem[] {
  const parsed = parseSubmission({ actions, reasoning: "why" });
  if (parsed.kind === "refused") throw new Error(JSON.stringify(parsed.problems));
  return validateBatch(parsed.batch, { ...state, ...change });
}

const comment = (content: string, reply_to_id?: string) => ({
  type: "post_comment",
  content,
  reply_to_id: reply_to_id ?? null,
});
const gaps = (fields: object) => ({ type: "update_gaps", ...fields });
const question = (fields: object = {}) => ({
  question: "Why?",
  evidence: "src/a.ts:3",
  proposed_default: "so",
  severity: "high",
  respondent: "reporter",
  ...fields,
});
const closed = (gap_id: string | number, reason = "answered", note: string | null = "so") => ({ gap_id, reason, note });
const ready = (proceed_signal = "go ahead") => ({
  type: "ready_for_spec_generation",
  context_summary: "all",
  proceed_signal,
});
const closeAll = gaps({ close: [closed(1), closed(2)] });
const found = (fields: object = {}) => ({ synthesis: "It is here", sources: [{ location: "src/a.ts:3" }], ...fields });

describe("a batch is taken", () => {
  test.each<[string, unknown[]]>([
    ["nothing at all", []],
    ["a comment", [comment("Hello")]],
    ["a comment of 65,000 characters", [comment("x".repeat(65_000))]],
    ["a reply to a thread", [comment("Hello", "t5")]],
    ["a reply to a message", [comment("Hello", "c5")]],
    ["a reply to a message by its number", [comment("Hello", "#5")]],
    [
      "closing by number, by text and by id",
      [gaps({ close: [closed(1), closed("gap 2"), closed("900000000000000003")] })],
    ],
    ["a note is not needed for what does not matter", [gaps({ close: [closed(1, "not_relevant", null)] })]],
    ["asking a pending gap", [gaps({ ask: ["gap 3"] }), comment("**3.** Question 3?")]],
    [
      "asking what an earlier action keeps",
      [gaps({ add: [question({ pending: true })] }), gaps({ ask: [5] }), comment("5. Why?")],
    ],
    ["closing what the same action adds", [gaps({ add: [question()], close: [closed(5)] })]],
    ["many questions kept for later", [gaps({ add: Array.from({ length: 20 }, () => question({ pending: true })) })]],
    [
      "many assumptions that nobody is asked about",
      [
        gaps({
          add: Array.from({ length: 9 }, () => question()),
          close: Array.from({ length: 9 }, (_, n) => closed(n + 5)),
        }),
      ],
    ],
    ["a finding", [{ type: "update_findings", add: [found()], remove: ["f1"] }]],
    ["a learning", [{ type: "update_learnings", propose: [{ type: "code_learnings", content: "x".repeat(2_000) }] }]],
    ["the handoff when all is closed", [closeAll, ready()]],
    ["the handoff before the action that closes all", [ready(), closeAll]],
    ["the handoff with pending gaps left", [closeAll, ready("Yes, please go AHEAD")]],
    [
      "a blocking gap inferred on a go-ahead that came after it",
      [gaps({ close: [closed(1), closed(2, "inferred")] }), ready()],
    ],
    [
      "a gap that does not block, inferred on an older go-ahead",
      [gaps({ close: [closed(1, "inferred"), closed(2)] }), ready("do it now")],
    ],
    [
      "a new spec of 200,000 characters",
      [{ type: "update_spec", content_markdown: "x".repeat(200_000), mode: "overwrite" }],
    ],
    ["a status", [{ type: "set_spec_status", status: "approved" }]],
  ])("with %s", (_, actions) => {
    expect(judge(actions)).toEqual([]);
  });

  test("with a handoff that rests on a finding alone", () => {
    expect(judge([ready()], { gaps: [] })).toEqual([]);
  });
});

describe("a batch is refused", () => {
  test.each<[string, unknown[], Partial<BatchState>, string]>([
    ["comment_length", [comment(" \n")], {}, "content is empty; write the comment or drop the action"],
    ["comment_length", [comment("<!-- only hidden -->")], {}, "content is empty; write the comment or drop the action"],
    [
      "comment_length",
      [comment("x".repeat(65_001))],
      {},
      "the comment has 65001 characters, at most 65,000 fit; shorten or split it",
    ],
    [
      "reply_target",
      [comment("Hi", "t99")],
      {},
      'reply_to_id "t99" is no message or thread of this issue; use one that is, or leave it out',
    ],
    [
      "gap_question",
      [gaps({ add: [question({ question: " ", pending: true })] })],
      {},
      "add[0] has no question; write it",
    ],
    ["gap_exists", [gaps({ close: [closed(9)] })], {}, "gap 9 does not exist; use the number of a listed gap"],
    ["gap_exists", [gaps({ ask: ["that one"] })], {}, 'gap "that one" does not exist; use the number of a listed gap'],
    [
      "gap_exists",
      [gaps({ close: [closed(5)] }), gaps({ add: [question({ pending: true })] })],
      {},
      "gap 5 does not exist; use the number of a listed gap",
    ],
    ["gap_pending", [gaps({ ask: [1] })], {}, "gap 1 is not pending, so it cannot be asked; take it out of ask"],
    [
      "gap_pending",
      [gaps({ close: [closed(3)] }), gaps({ ask: [3] })],
      {},
      "gap 3 is not pending, so it cannot be asked; take it out of ask",
    ],
    ["gap_closed", [gaps({ close: [closed(4)] })], {}, "gap 4 is closed already; take it out of close"],
    [
      "gap_closed",
      [gaps({ close: [closed(1), closed("900000000000000001")] })],
      {},
      "gap 900000000000000001 is closed already; take it out of close",
    ],
    [
      "gap_note",
      [gaps({ close: [closed(1, "answered", null)] })],
      {},
      "closing gap 1 as answered needs a note with the answer",
    ],
    [
      "gap_note",
      [gaps({ close: [closed(1, "inferred", " ")] })],
      {},
      "closing gap 1 as inferred needs a note with the assumption and why",
    ],
    [
      "blocking_inferred",
      [gaps({ close: [closed(2, "inferred")] })],
      {},
      "gap 2 is blocking: it may be inferred only with a go-ahead that was given after it was asked; ask it and wait",
    ],
    [
      "blocking_inferred",
      [gaps({ close: [closed(1), closed(2, "inferred")] }), ready("do it now")],
      {},
      "gap 2 is blocking: it may be inferred only with a go-ahead that was given after it was asked; ask it and wait",
    ],
    [
      "blocking_inferred",
      [closeAll, gaps({ add: [question({ severity: "blocking" })], close: [closed(5, "inferred")] }), ready()],
      {},
      "gap 5 is blocking: it may be inferred only with a go-ahead that was given after it was asked; ask it and wait",
    ],
    [
      "finding_synthesis",
      [{ type: "update_findings", add: [found({ synthesis: "" })] }],
      {},
      "add[0] has no synthesis; say what was found",
    ],
    [
      "finding_sources",
      [{ type: "update_findings", add: [found({ sources: [] })] }],
      {},
      "add[0] has no source; give at least one with a location such as src/a.ts:12",
    ],
    [
      "finding_exists",
      [{ type: "update_findings", remove: ["f2"] }],
      {},
      'finding "f2" does not exist; take it out of remove',
    ],
    [
      "finding_limit",
      [{ type: "update_findings", add: Array.from({ length: 21 }, () => found()) }],
      {},
      "add has 21 findings, an issue keeps 20; merge them",
    ],
    [
      "learning_content",
      [{ type: "update_learnings", propose: [{ type: "code_learnings", content: " " }] }],
      {},
      "propose[0] is empty; write what was learned",
    ],
    [
      "learning_content",
      [{ type: "update_learnings", propose: [{ type: "code_learnings", content: "x".repeat(2_001) }] }],
      {},
      "propose[0] has 2001 characters, at most 2,000 fit; shorten it",
    ],
    [
      "learning_source",
      [{ type: "update_learnings", propose: [{ type: "code_learnings", content: "x" }] }],
      { messages: [message(1, "beep", { isBot: true })] },
      "no person with a say in the issue has written anything new, and learnings come from people only; drop this action",
    ],
    [
      "proceed_signal",
      [closeAll, ready(" ")],
      {},
      "proceed_signal is empty; quote the words of the person who said go",
    ],
    [
      "gaps_open",
      [ready()],
      {},
      "still open after this batch: gap 1, gap 2; close each as answered, inferred or not_relevant",
    ],
    [
      "gaps_open",
      [closeAll, gaps({ ask: [3] }), comment("**3.** Question 3?"), ready()],
      {},
      "still open after this batch: gap 3; close each as answered, inferred or not_relevant",
    ],
    [
      "gaps_open",
      [closeAll, ready(), gaps({ add: [question()] }), comment("**5.** Why?")],
      {},
      "still open after this batch: gap 5; close each as answered, inferred or not_relevant",
    ],
    [
      "nothing_known",
      [{ type: "update_findings", remove: ["f1"] }, ready()],
      { gaps: [] },
      "a spec needs at least one closed gap or finding; explore the code or ask first",
    ],
    ["one_handoff", [closeAll, ready(), ready()], {}, "a batch holds one ready_for_spec_generation; drop this one"],
    [
      "one_handoff",
      [closeAll, ready(), { type: "update_spec", content_markdown: "x", mode: "overwrite" }],
      {},
      "ready_for_spec_generation writes the spec already; drop one of the two",
    ],
    [
      "spec_length",
      [{ type: "update_spec", content_markdown: "", mode: "overwrite" }],
      {},
      "content_markdown is empty; give the whole spec",
    ],
    [
      "spec_length",
      [{ type: "update_spec", content_markdown: "x".repeat(200_001), mode: "overwrite" }],
      {},
      "the spec has 200001 characters, at most 200,000 (and 200 KiB) fit; shorten it",
    ],
    [
      "spec_length",
      [{ type: "update_spec", content_markdown: "я".repeat(102_401), mode: "overwrite" }],
      {},
      "the spec has 102401 characters, at most 200,000 (and 200 KiB) fit; shorten it",
    ],
    [
      "spec_verdict",
      [
        { type: "update_spec", content_markdown: "# Spec", mode: "overwrite" },
        { type: "set_spec_status", status: "approved" },
      ],
      {},
      "nobody has seen the version that this batch writes; leave its status to people, and drop this action",
    ],
    [
      "spec_missing",
      [{ type: "set_spec_status", status: "rejected" }],
      { hasSpec: false },
      "the issue has no spec whose status could be set; drop this action",
    ],
  ])("by the rule %s: %j", (rule, actions, change, detail) => {
    expect(judge(actions, change).map((problem) => ({ rule: problem.rule, detail: problem.detail }))).toEqual([
      { rule, detail },
    ]);
  });

  test.each([
    ["somebody who may not say it", "start please"],
    ["a bot", "ship the thing"],
    ["Relay itself", "May I proceed"],
    ["a quote", "> May I proceed?"],
    ["code", "run it"],
    ["a code block", "execute"],
    ["nobody", "make it so"],
    ["a part of a word", "o ahead"],
    ["a word cut short", "go ah"],
    ["punctuation", "."],
  ])("when the go-ahead was given by %s", (_, signal) => {
    expect(judge([closeAll, ready(signal)]).map((problem) => problem.rule)).toEqual(["proceed_signal"]);
  });

  test("with each problem at its action, in the order of the actions", () => {
    const problems = judge([ready("no such words"), comment(""), gaps({ close: [closed(9)] })]);
    expect(problems.map(({ index, rule }) => [index, rule])).toEqual([
      [0, "proceed_signal"],
      [0, "gaps_open"],
      [1, "comment_length"],
      [2, "gap_exists"],
    ]);
  });
});

test("only the first 50 characters of a go-ahead must be found", () => {
  const said = "yes, all of the above is right, so please go ahead and write it";
  const actions = [closeAll, ready(`${said.slice(0, 52)} and then something that was never said`)];
  expect(judge(actions, { messages: [message(20, said)] })).toEqual([]);
});

test("a go-ahead in a script without spaces may stand inside of a sentence", () => {
  expect(judge([closeAll, ready("可以开始")], { messages: [message(20, "好的可以开始了")] })).toEqual([]);
});

test("judging changes nothing of what it is given", () => {
  const before = structuredClone(state);
  const batch: { actions: Action[]; reasoning: string } = {
    actions: [
      { type: "update_gaps", data: { add: [], ask: ["3"], close: [{ gap_id: "1", reason: "answered", note: "so" }] } },
    ],
    reasoning: "",
  };
  validateBatch(batch, state);
  expect(state).toEqual(before);
});

describe("the quick way", () => {
  const done = gaps({ close: [closed(1), closed(2), closed(3, "not_relevant")] });
  const rules = (actions: unknown[], quickWay = true) => judge(actions, { quickWay }).map(({ rule }) => rule);

  test("needs no words of anybody, where it is open and nothing is left to ask (R-ACT-2)", () => {
    expect(rules([done, ready(QUICK_WAY)])).toEqual([]);
    expect(rules([done, ready(QUICK_WAY)], false)).toEqual(["proceed_signal"]);
  });

  test("leaves no question open or unasked, and nothing assumed", () => {
    expect(rules([ready(QUICK_WAY)])).toEqual(["gaps_open", "quick_way"]);
    expect(rules([closeAll, ready(QUICK_WAY)])).toEqual(["quick_way"]);
    expect(rules([gaps({ close: [closed(1), closed(2), closed(3, "inferred")] }), ready(QUICK_WAY)])).toEqual([
      "quick_way",
    ]);
    const assumed = gaps({ close: [closed(1), closed(2, "inferred"), closed(3)] });
    expect(rules([assumed, ready(QUICK_WAY)])).toContain("quick_way");
  });
});
