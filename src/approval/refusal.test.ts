import { describe, expect, test } from "vitest";
import type { IssueState } from "../domain/lifecycle.ts";
import type { Stop } from "../domain/plan.ts";
import type { Permission } from "../adapters/trackers/tracker.ts";
import type { Rules } from "./consent.ts";
import { type RefusalFacts, type Word, refusalInReview, refusalOf, standingOf } from "./refusal.ts";

const RULES: Rules = { mode: "implement", risk: "LOW", confirmers: ["carl"] };

let count = 0;
function word(content: string, author = "mia", permission: Permission = "write", change: Partial<Word> = {}): Word {
  count += 1;
  const isReporter = author === "ann";
  return { messageId: `m${count}`, content, author, permission, isBot: false, isReporter, isEarlier: false, ...change };
}

function refused(words: Word[], change: Partial<RefusalFacts> = {}): Stop | null {
  return refusalOf({ ...RULES, state: "queued", words, downs: [], takenBack: null, ...change });
}

describe("a refusal", () => {
  test.each<[IssueState, Stop["halted"] | undefined]>([
    ["waiting_confirmation", "plan"],
    ["queued", "queued"],
    ["in_progress", "running"],
    ["stuck", "running"],
    ["in_review", "review"],
    ["clarifying", undefined],
    ["done", undefined],
  ])("in %s halts %s", (state, halted) => {
    expect(refused([word("Stop, please")], { state })?.halted).toBe(halted);
  });

  test.each<[string, Permission, boolean]>([
    ["mia", "write", true],
    ["max", "admin", true],
    ["carl", "read", true],
    ["ann", "read", true],
    ["eve", "triage", false],
    ["eve", "none", false],
  ])("of %s with the permission %s counts: %s", (author, permission, counts) => {
    expect(refused([word("no", author, permission)]) !== null).toBe(counts);
  });

  test("is not annulled by what others say, nor by a second sentence of its author, only by their approval", () => {
    const no = word("stop");
    expect(refused([no, word("please also do that", "eve", "none")])).toMatchObject({ by: "mia" });
    expect(refused([no, word("yes", "max", "admin")])).toMatchObject({ by: "mia" });
    const second = word("the migration is wrong");
    expect(refused([no, second])).toMatchObject({ by: "mia", messageId: no.messageId });
    expect(refused([no, word("go ahead")])).toBeNull();
  });

  test.each([
    ["yes, but name the function overdueReport", true],
    ["oui, mais renomme l'option", true],
    ["ok but only after Friday", true],
    ["yes, but I'm worried", false],
    ["ok, but not sure about this", false],
    ["no", false],
  ])("of a plan that waits: %j halts nothing: %s", (words, waits) => {
    expect(refused([word(words)], { state: "waiting_confirmation" }) === null).toBe(waits);
  });

  test("keeps the change requests beside it unread", () => {
    const wish = word("please also handle undefined");
    expect(refused([word("stop"), wish, word("thanks!")])?.kept).toEqual([wish.messageId]);
  });

  test("of the highest rank counts, since it decides who may lift it", () => {
    expect(refused([word("stop", "max", "admin"), word("no")])).toMatchObject({ by: "max", permission: "admin" });
    expect(refused([word("no"), word("stop", "max", "admin")])).toMatchObject({ by: "max" });
  });

  test("may be a thumbs-down, or an approval taken back", () => {
    const eve = { author: "eve", isBot: false, isReporter: false, permission: "read" as const };
    expect(refused([], { downs: [eve] })).toBeNull();
    expect(refused([], { downs: [eve, { ...eve, author: "mia", permission: "write" }] })).toMatchObject({ by: "mia" });
    const takenBack = { by: "mia", permission: "write", messageId: "m1" };
    expect(refused([], { takenBack })).toMatchObject({ by: "mia", how: "taken_back" });
  });

  test("is no mere “no” that answers the question of a run, nor one that answers something before the plan", () => {
    expect(refused([word("No.")], { state: "stuck" })).toBeNull();
    expect(refused([word("Stop it.")], { state: "stuck" })).toMatchObject({ halted: "running" });
    expect(refused([word("No.", "mia", "write", { isEarlier: true })], { state: "waiting_confirmation" })).toBeNull();
  });

  test("is nothing that approves, thanks, or reminds", () => {
    for (const content of ["yes", "thanks!", "Please keep the old name"]) expect(refused([word(content)])).toBeNull();
  });
});

describe("a refusal in effect", () => {
  const stop: Stop = { by: "mia", permission: "write", messageId: "m0", how: "refused", halted: "plan", kept: ["old"] };

  test.each<[string, string, Permission, boolean]>([
    ["go on", "mia", "write", true],
    ["go on", "mia", "none", false],
    ["go on", "bob", "write", true],
    ["go on", "max", "admin", true],
    ["go on", "ann", "read", false],
    ["go on", "carl", "read", true],
    ["go on", "eve", "none", false],
    ["please use the other table instead", "mia", "write", true],
    ["please use the other table instead", "ann", "read", false],
    ["please use the other table instead", "eve", "none", false],
    ["thanks!", "mia", "write", false],
    ["no, still not", "mia", "write", false],
  ])("is lifted by %j of %s with the permission %s: %s", (content, author, permission, lifted) => {
    expect(standingOf(stop, [word(content, author, permission)], RULES).lifted).toBe(lifted);
  });

  test("is not lifted by what was written before it was answered", () => {
    const old = word("please use the other table instead", "mia", "write", { messageId: "old" });
    expect(standingOf(stop, [old], RULES).lifted).toBe(false);
  });

  test("passes to whoever repeats it at a higher rank", () => {
    const words = [word("no", "max", "admin"), word("go on")];
    expect(standingOf(stop, words, RULES)).toMatchObject({ lifted: false, stop: { by: "max", permission: "admin" } });
    expect(standingOf(stop, [word("go on", "bob"), word("no", "bob")], RULES).lifted).toBe(false);
  });
});

describe("on a pull request", () => {
  test.each([
    ["Stop.", null],
    ["Stop.", "src/cart.ts"],
    ["@relay stop", null],
    ["Please don’t work on this any more.", null],
    ["No.", null],
    ["No, I veto this. Do not continue.", null],
    ["Please close this, we do not want it.", null],
    ["Bitte schließen, wir wollen das nicht.", null],
    ["Merci de fermer, nous ne voulons pas de ça.", null],
    ["Закройте, пожалуйста, это не нужно.", null],
    ["请关闭，我们不需要这个。", null],
  ])("%j (at %s) halts", (words, path) => {
    expect(refusalInReview(words, path)).toBe("refused");
  });

  test.each([
    ["No, use a map here.", "src/cart.ts"],
    ["No.", "src/cart.ts"],
    ["This is wrong: it must be rounded.", null],
    ["I am not sure the rounding is right.", null],
    ["I don’t like the name of this function.", null],
    ["No, this does not work on Windows.", null],
    ["Do not touch the README.", null],
    ["The tests do not pass.", null],
    ["Please close the file handle in the loader.", null],
    ["LGTM, thanks!", null],
  ])("%j (at %s) says what to change, or nothing", (words, path) => {
    expect(refusalInReview(words, path)).toBeNull();
  });
});
