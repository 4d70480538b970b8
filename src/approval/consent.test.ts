import { describe, expect, test } from "vitest";
import { type ConfirmationFacts, type PlanReply, confirmationOf } from "./consent.ts";

let count = 0;

function reply(content: string, change: Partial<PlanReply> = {}): PlanReply {
  count += 1;
  const usual = { author: "mia", isBot: false, isReporter: false, permission: "write" as const };
  return { messageId: `m${count}`, content, ...usual, ...change };
}

function judged(change: Partial<ConfirmationFacts>) {
  return confirmationOf({
    ...{ mode: "implement", risk: "LOW", replies: [], earlier: [], reactions: [], confirmers: [] },
    ...change,
  });
}

const ann = { author: "ann", isReporter: true, permission: "read" } as const;

describe("a plan", () => {
  test.each(["yes", "lgtm", "👍", "ship it", "да, бери в работу", "Ja, bitte", "はい", "go ahead!"])(
    "is confirmed by a clear yes of somebody who may write: %s",
    (content) => {
      const yes = reply(content);
      expect(judged({ replies: [yes] })).toEqual({ kind: "confirmed", by: "mia", messageId: yes.messageId });
    },
  );

  test("is not confirmed by a yes to the spec alone, which is answered and takes nothing back", () => {
    const ofSpec = reply("Go ahead with the spec.");
    const refused = [{ author: "mia", messageId: ofSpec.messageId, needs: "yes to the plan" }];
    expect(judged({ replies: [ofSpec] })).toEqual({ kind: "waiting", refused });
    expect(judged({ replies: [reply("yes", { author: "bob" }), ofSpec] })).toMatchObject({
      kind: "confirmed",
      by: "bob",
    });
    expect(judged({ replies: [reply("yes"), reply("The spec is fine.")] })).toMatchObject({ kind: "confirmed" });
    expect(judged({ replies: [reply("no"), reply("Go ahead with the spec.")] })).toEqual({
      kind: "waiting",
      refused: [],
    });
    expect(judged({ replies: [reply("Write the spec.", { permission: "read" })] })).toEqual({
      kind: "waiting",
      refused: [],
    });
  });

  test.each([
    "yes, but rename the flag first",
    "looks good once the tests pass",
    "does it touch the API?",
    "also fix #12",
  ])("is thought over after more than a yes: %s", (content) => {
    const wish = reply(content, { author: "bob" });
    const found = { kind: "changed", messageIds: [wish.messageId] };
    expect(judged({ replies: [wish] })).toEqual(found);
    expect(judged({ replies: [wish, reply("yes")] })).toEqual(found);
    expect(judged({ replies: [reply("yes"), wish] })).toEqual(found);
  });

  test.each([
    ["the reporter’s", ann],
    ["an assignee’s", { author: "joe", isAssignee: true, permission: "triage" }],
  ] as const)("is thought over for %s wish, which holds up nobody else’s yes (R-CONF-9)", (_, who) => {
    const wish = reply("also handle undefined, please", who);
    const found = { kind: "changed", messageIds: [wish.messageId] };
    expect(judged({ replies: [wish] })).toEqual(found);
    expect(judged({ replies: [wish, reply("yes", who)] })).toEqual(found);
    expect(judged({ replies: [wish, reply("yes")] }).kind).toBe("confirmed");
    expect(judged({ replies: [reply("yes"), wish] }).kind).toBe("confirmed");
    expect(judged({ earlier: [wish], replies: [reply("yes")] }).kind).toBe("confirmed");
    // Where the reporter’s yes counts, so do their wishes; and a refusal counts anyway.
    const ofReporter = judged({ mode: "plan", replies: [reply("also handle undefined", ann), reply("yes")] });
    expect(ofReporter.kind).toBe("changed");
    expect(judged({ replies: [reply("yes"), reply("no, wait", who)] }).kind).toBe("waiting");
  });

  test.each(["thanks!", "> Say yes to start.", "```\nyes\n```", ""])(
    "keeps waiting on what says nothing: %j",
    (content) => {
      const found = judged({ replies: [reply(content)] });
      expect(["waiting", "changed"]).toContain(found.kind);
      expect(found.kind).not.toBe("confirmed");
    },
  );

  test("waits while somebody who may write says no, whoever says yes", () => {
    expect(judged({ replies: [reply("no", { author: "bob" }), reply("yes")] }).kind).toBe("waiting");
    expect(judged({ replies: [reply("yes"), reply("hold on", { author: "bob" })] }).kind).toBe("waiting");
    expect(judged({ replies: [reply("no", { author: "troll", permission: "read" }), reply("yes")] }).kind).toBe(
      "confirmed",
    );
  });

  test("does not start on a yes that its author took back", () => {
    expect(judged({ replies: [reply("yes"), reply("stop")] }).kind).toBe("waiting");
  });

  test("starts on a yes that comes after a no of the same person", () => {
    expect(judged({ replies: [reply("not yet"), reply("yes")] }).kind).toBe("confirmed");
    expect(judged({ replies: [reply("yes"), reply("not yet"), reply("yes")] }).kind).toBe("confirmed");
    expect(judged({ replies: [reply("not yet"), reply("yes"), reply("no")] }).kind).toBe("waiting");
  });

  test("is not started by the reporter alone, who is told what it needs", () => {
    const yes = reply("yes", ann);
    expect(judged({ replies: [yes] })).toEqual({
      kind: "waiting",
      refused: [{ author: "ann", messageId: yes.messageId, needs: "write" }],
    });
    expect(judged({ mode: "plan", replies: [yes] }).kind).toBe("confirmed");
    expect(judged({ replies: [yes], confirmers: ["Ann"] }).kind).toBe("confirmed");
  });

  test("of high risk needs a maintainer, and no list changes that", () => {
    const yes = reply("yes");
    expect(judged({ risk: "HIGH", confirmers: ["mia"], replies: [yes] })).toEqual({
      kind: "waiting",
      refused: [{ author: "mia", messageId: yes.messageId, needs: "maintain" }],
    });
    expect(judged({ risk: "HIGH", replies: [reply("yes", { permission: "maintain" })] }).kind).toBe("confirmed");
  });

  test("is confirmed by a thumbs-up of somebody who may write, of nobody else, and beside no wish", () => {
    const thumb = { author: "mia", isBot: false, isReporter: false, permission: "write" } as const;
    expect(judged({ reactions: [thumb] })).toEqual({ kind: "confirmed", by: "mia", messageId: null });
    expect(judged({ reactions: [{ ...thumb, permission: "triage" }] }).kind).toBe("waiting");
    expect(judged({ reactions: [{ ...thumb, isBot: true }] }).kind).toBe("waiting");
    const wish = reply("please keep the old name", { author: "bob" });
    expect(judged({ reactions: [thumb], replies: [wish] }).kind).toBe("changed");
  });

  test("is confirmed once the planner has found that a wish changes nothing", () => {
    const wish = reply("does it touch the API?");
    expect(judged({ replies: [wish, reply("yes")] }).kind).toBe("changed");
    expect(judged({ replies: [{ ...wish, settled: true }, reply("yes")] }).kind).toBe("confirmed");
  });

  test("is not confirmed by what was said before it, and thought over for what was wished before it and is unread", () => {
    expect(judged({ earlier: [reply("yes")] })).toEqual({ kind: "waiting", refused: [] });
    expect(judged({ earlier: [reply("keep the old name, please")], replies: [reply("yes")] }).kind).toBe("changed");
  });

  test("is nothing to bots", () => {
    expect(judged({ replies: [reply("yes", { isBot: true }), reply("and rename it", { isBot: true })] })).toEqual({
      kind: "waiting",
      refused: [],
    });
  });
});
