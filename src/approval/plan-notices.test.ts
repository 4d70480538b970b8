import { describe, expect, test } from "vitest";
import { WRITTEN_LANGUAGES } from "../i18n/phrases.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import { PLAN_ERRORS } from "../domain/plan.ts";
import { replyVerdict } from "./read-reply.ts";
import { type PlanNotice, planNotice } from "./plan-notices.ts";

const notices: PlanNotice[] = [
  { kind: "started" },
  { kind: "waits" },
  { kind: "agreed" },
  { kind: "refused", people: ["alice"], needs: "write" },
  { kind: "refused", people: ["alice"], needs: "maintain" },
  ...PLAN_ERRORS.flatMap((code) => [
    { kind: "failed" as const, code, hasSpec: true },
    { kind: "failed" as const, code, hasSpec: false },
  ]),
  { kind: "stale", version: 3 },
  { kind: "stopped" },
];

describe("what is said around a plan", () => {
  test("is in English, when work starts, the sentence that people and tools wait for", () => {
    expect(planNotice({ kind: "started" }, "en")).toBe(
      "Work on this task has started. The implementation will appear in a pull request.",
    );
    expect(planNotice({ kind: "started" }, "en", "merge request")).toBe(
      "Work on this task has started. The implementation will appear in a merge request.",
    );
    expect(planNotice({ kind: "agreed" }, "en")).toBe("The plan is approved. The task is queued.");
  });

  test("names who said a yes that does not count, what it lacks, and no team", () => {
    const refused = (people: string[], needs: "write" | "maintain") =>
      planNotice({ kind: "refused", people, needs }, "en");
    expect(refused(["alice", "bob", "alice"], "write")).toBe(
      "@alice, @bob, thank you. This plan needs approval from someone with write access to this repository.",
    );
    expect(refused(["alice"], "maintain")).toContain("a maintainer of this repository");
    expect(refused(["org/team", "x\n/close", "dependabot[bot]", ""], "write")).toMatch(
      /^@orgteam, @xclose, @dependabot, /,
    );
    expect(
      refused(
        Array.from({ length: 90 }, (_, index) => `u${index}`),
        "write",
      ).match(/@/g),
    ).toHaveLength(5);
  });

  test("says, when planning failed, why, and that the spec is still valid where there is one", () => {
    const failed = (hasSpec: boolean) => planNotice({ kind: "failed", code: "FILE_NOT_FOUND", hasSpec }, "en");
    expect(failed(true)).toBe(
      "I couldn’t make a plan: a file it needs is not in the repository. Someone needs to plan this one manually; the spec is still valid.",
    );
    expect(failed(false)).not.toContain("spec");
  });

  test.each(WRITTEN_LANGUAGES)(
    "is different words for each thing in %s, with all of its facts, and starts nothing",
    (language) => {
      const said = notices.map((notice) => planNotice(notice, language));
      expect(new Set(said).size).toBe(said.length);
      for (const words of said) {
        expect(words).not.toMatch(/\{\{|\}\}|undefined|^\w+_\w+$/);
        expect(replyVerdict(words).verdict).not.toBe("affirmative");
        expect(safeComment(words, { participants: ["alice"], bot: "relay", origins: "later" }).changes).toEqual([]);
      }
      expect(planNotice({ kind: "stale", version: 37 }, language)).toContain("37");
    },
  );

  test("is in English where Relay does not write the language", () => {
    expect(planNotice({ kind: "stopped" }, "uk")).toBe(planNotice({ kind: "stopped" }, "en"));
  });
});
