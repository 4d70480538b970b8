import { anything, assert, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSubmission } from "./submission.ts";

const actionsOf = (submitted: unknown) => {
  const result = parseSubmission(submitted);
  return result.kind === "batch" ? result.batch.actions : result.problems;
};

describe("a submission", () => {
  test("may wrap the fields of an action in data, or not", () => {
    const wrapped = { actions: [{ type: "post_comment", data: { content: "Hello" } }], reasoning: "greet" };
    const flat = { actions: [{ type: "post_comment", content: "Hello", reply_to_id: null }], reasoning: "greet" };
    expect(parseSubmission(flat)).toEqual(parseSubmission(wrapped));
    expect(parseSubmission(flat)).toEqual({
      kind: "batch",
      batch: { actions: [{ type: "post_comment", data: { content: "Hello" } }], reasoning: "greet" },
    });
  });

  test("may be a bare list", () => {
    expect(actionsOf([{ type: "set_spec_status", status: "approved" }])).toEqual([
      { type: "set_spec_status", data: { status: "approved" } },
    ]);
  });

  test("may use the older name of the handoff; ids of findings and gaps in it are dropped", () => {
    expect(
      actionsOf([
        {
          type: "ready_for_plan",
          context_summary: "c",
          proceed_signal: "go",
          relevant_finding_ids: ["1"],
          closed_gap_ids: [2],
        },
      ]),
    ).toEqual([
      {
        type: "ready_for_spec_generation",
        data: { context_summary: "c", proceed_signal: "go", learnings_applied: [] },
      },
    ]);
  });

  test.each([
    ["gap 12", "12"],
    ["Gap #12", "12"],
    ["gap_12", "12"],
    ["[gap 12]", "12"],
    ["#12", "12"],
    [12, "12"],
    ["12", "12"],
    ["187463527645184000", "187463527645184000"],
    ["the first one", "the first one"],
  ])("may name a gap %j", (written, reference) => {
    expect(
      actionsOf([{ type: "update_gaps", ask: [written], close: [{ gap_id: written, reason: "not_relevant" }] }]),
    ).toEqual([
      {
        type: "update_gaps",
        data: { add: [], ask: [reference], close: [{ gap_id: reference, reason: "not_relevant" }] },
      },
    ]);
  });

  test.each([
    ["text", "the submission must be an object with a list `actions`"],
    [{ actions: "none" }, "the submission must be an object with a list `actions`"],
    [[7], "an action must be an object with a `type`"],
    [
      [{ type: "merge" }],
      'type must be one of post_comment, update_findings, update_gaps, update_learnings, ready_for_spec_generation, update_spec, set_spec_status (got "merge")',
    ],
    [[{ type: "post_comment" }], "content is required (of type string)"],
    [[{ type: "post_comment", content: 5 }], "content must be of type string (got 5)"],
    [
      [{ type: "update_gaps", close: [{ gap_id: 3, reason: "done" }] }],
      'close[0].reason must be one of "answered", "inferred", "not_relevant" (got "done")',
    ],
    [
      [{ type: "update_gaps", ask: [{}] }],
      'ask[0] must be a gap, as its number (12) or its id in quotes ("123…") (got {})',
    ],
    [
      [{ type: "update_gaps", add: [{ question: "Why?", severity: "high" }] }],
      'add[0].respondent is required (one of "reporter", "assignee", "maintainer")',
    ],
    [
      [{ type: "update_findings", add: [{ synthesis: "s", sources: [{ location: "" }] }] }],
      'add[0].sources[0].location must be a non-empty string (got "")',
    ],
    [[{ type: "update_spec", content_markdown: "# Spec" }], 'mode is required ("overwrite")'],
    [[{ type: "update_learnings", propose: {} }], "propose must be a list (got {})"],
  ])("that does not fit is explained: %j", (submitted, detail) => {
    expect(parseSubmission(submitted)).toEqual({ kind: "refused", problems: [{ index: 0, rule: "schema", detail }] });
  });

  test("names the action that is wrong", () => {
    const good = { type: "post_comment", content: "x" };
    expect(parseSubmission([good, { type: "post_comment" }])).toMatchObject({ problems: [{ index: 1 }] });
  });

  test("holds at most 50 actions", () => {
    const action = { type: "post_comment", content: "x" };
    expect(parseSubmission(Array.from({ length: 50 }, () => action)).kind).toBe("batch");
    expect(parseSubmission(Array.from({ length: 51 }, () => action))).toEqual({
      kind: "refused",
      problems: [{ index: 50, rule: "schema", detail: "a batch holds at most 50 actions, this one has 51" }],
    });
  });

  test("never throws, whatever a model writes", () => {
    assert(
      property(anything(), (value) => {
        const result = parseSubmission([{ type: "update_gaps", data: value }, value]);
        expect(["batch", "refused"]).toContain(result.kind);
      }),
    );
  });
});
