import { describe, expect, test } from "vitest";
import { type PhraseKey, WRITTEN_LANGUAGES, phrases } from "../../i18n/phrases.ts";
import type { BatchState } from "./batch-state.ts";
import { judgeSubmission } from "./submission.ts";

const GOOD = {
  question: "An export without rows answers 500 now. Should it give the header only, or a message?",
  evidence: "src/export/csv.ts:41 reads the first row",
  severity: "high",
  respondent: "reporter",
  proposed_default: "the header only",
};

const state: BatchState = {
  issue: "57",
  gaps: [],
  nextGapNumber: 1,
  findings: [],
  messages: [
    {
      seq: 3,
      author: "ann",
      role: "reporter",
      isBot: false,
      timestamp: new Date(0),
      editedAt: null,
      isNew: true,
      content: "It fails.",
      externalId: "c3",
      externalThreadId: null,
      permitted: true,
    },
  ],
  participants: ["ann"],
  bot: "relay",
  hasSpec: false,
  proceedAsked: false,
  wishes: [],
  quickWay: false,
  textEdited: false,
  now: new Date(1),
};

/** The problems of a batch that asks these questions in one comment. */
function asked(questions: object[], comment?: string) {
  const numbered = questions.map((_, at) => `**${at + 1}.** Why?`).join("\n");
  const judged = judgeSubmission(
    {
      actions: [
        { type: "update_gaps", add: questions.map((one) => ({ ...GOOD, ...one })) },
        { type: "post_comment", content: comment ?? `@ann\n${numbered}` },
      ],
    },
    state,
  );
  return judged.kind === "accepted" ? [] : judged.problems.map(({ rule, detail }) => `${rule}: ${detail}`);
}

const blocking = { severity: "blocking" };

describe("a round of questions", () => {
  test.each([
    [[{}, {}, {}], []],
    [[blocking, blocking, blocking, blocking], []],
    [[blocking, blocking, blocking, {}], ["4 questions would wait"]],
    [Array.from({ length: 5 }, () => blocking), ["5 questions would wait"]],
    [[{}, {}, {}, { pending: true }], []],
  ])("holds three, or four that are blocking: %j", (questions, problems) => {
    expect(asked(questions)).toEqual(problems.map((problem) => expect.stringContaining(`question_limit: ${problem}`)));
  });

  test("counts the questions that wait since before", () => {
    const gap = (number: number) => ({
      ...{ id: String(number), issueId: "1", number, question: "Why?", evidence: null, topic: null },
      ...{ severity: "high" as const, respondent: "reporter" as const, proposedDefault: null, status: "open" as const },
      ...{ askedAt: new Date(0), askedIn: "c1", closedAt: null, closedReason: null, closedNote: null },
      ...{ answeredIn: null, createdAt: new Date(0) },
    });
    const submitted = {
      actions: [
        { type: "update_gaps", add: [GOOD] },
        { type: "post_comment", content: "4. Why?" },
      ],
    };
    const judged = judgeSubmission(submitted, { ...state, gaps: [gap(1), gap(2), gap(3)], nextGapNumber: 4 });
    expect(judged).toMatchObject({ problems: [{ rule: "question_limit" }] });
  });
});

describe("a question", () => {
  test("that is low is an assumption", () => {
    expect(asked([{ severity: "low" }])).toEqual([expect.stringContaining("close it as inferred with its default")]);
  });

  test.each(["none", "n/a", "I was not sure, e.g. about the format", "message #4 does not say", "and/or"])(
    "without a place or a message as evidence is refused: %s",
    (evidence) => {
      expect(asked([{ evidence }])).toEqual([expect.stringContaining("name a place (src/a.ts:12), a message (#3)")]);
    },
  );

  test.each([
    "src/a.ts",
    "`bin/relay` has no such flag",
    "Makefile:3",
    "#3 says both",
    "#57 shows it in a picture only",
  ])("rests on a place or a message: %s", (evidence) => {
    expect(asked([{ evidence }])).toEqual([]);
  });

  test.each([
    "Any other requirements number 4?",
    "Is there anything else I should know?",
    "Please clarify.",
    "What are the acceptance criteria?",
    "Is my understanding correct?",
    "Gibt es noch weitere Anforderungen?",
    "Was sind die Akzeptanzkriterien?",
    "¿Cuáles son los criterios de aceptación?",
    "Quels sont les critères d’acceptation ?",
    "Quais são os critérios de aceitação?",
    "Есть ли ещё другие требования?",
    "Каковы критерии приёмки?",
    "ほかに要件はありますか。",
    "还有其他要求吗？",
  ])("is no stock phrase: %s", (question) => {
    expect(asked([{ question }])).toEqual([expect.stringContaining("ask about one case, with its choices")]);
  });

  test.each([
    "Should a second export replace the first, or get any other name?",
    "Should we continue with the next row when one fails, or stop?",
    "Sollen leere Zeilen mitgezählt werden?",
    "Does `acceptance criteria` keep its heading in the printed form, or lose it?",
  ])("about one case stands: %s", (question) => {
    expect(asked([{ question }])).toEqual([]);
  });
});

describe("a comment that asks", () => {
  test.each([
    "Thanks for the report! **1.** Why?",
    "@ann 🎉 **1.** Why?",
    "@ann, danke! **1.** Why?",
    "谢谢！**1.** Why?",
  ])("opens with what matters: %s", (comment) => {
    expect(asked([{}], comment)).toEqual([expect.stringContaining("comment_opening")]);
  });

  test("has 200 words, in any script", () => {
    expect(asked([{}], `**1.** ${"word ".repeat(195)}`)).toEqual([]);
    expect(asked([{}], `**1.** ${"word ".repeat(300)}`)).toEqual([expect.stringContaining("at most 200")]);
    expect(asked([{}], `**1.** ${"仕様を書いてください。".repeat(60)}`)).toEqual([
      expect.stringContaining("at most 200"),
    ]);
  });

  test.each(WRITTEN_LANGUAGES)("does not ask for the go-ahead besides: %s", (language) => {
    const say = phrases("questions", language);
    const gates: PhraseKey<"questions">[] = ["gate", "gate_found", "gate_revision"];
    for (const gate of gates) {
      const problems = asked([{}], `**1.** Why?\n\n${say(gate, { text: "`src/a.ts`" })}`);
      expect(problems).toEqual([expect.stringContaining("go_ahead_alone")]);
    }
  });
});
