import { describe, expect, test } from "vitest";
import { orderOf, planOf } from "../../../test/support/run-fixture.ts";
import type { AgentFacts, CheckResult, IterationFacts } from "../../domain/work.ts";
import { completionOf } from "./completion.ts";
import type { WorkOrder } from "./work-order.ts";

const limits = { iterations: 8, minutes: 60, iterationMinutes: 5, checkMinutes: 5, usd: 5, tokens: null };

function check(output: string | null, command = "npm test"): CheckResult {
  const outcome = output === null ? "passed" : "failed";
  return { kind: "test", command, outcome, code: output === null ? 0 : 1, seconds: 1, output: output ?? "" };
}

function facts(number: number, change: Partial<IterationFacts> = {}, agent: Partial<AgentFacts> = {}): IterationFacts {
  return {
    number,
    commit: `c${number}`,
    tree: `t${number}`,
    agent: {
      ending: "finished",
      detail: "",
      summary: "",
      denied: [],
      usable: true,
      question: null,
      done: null,
      answers: [],
      ...agent,
    },
    checks: [check(null)],
    undone: [],
    changedFiles: 1,
    untouched: [],
    usd: 0.1,
    seconds: 10,
    ...change,
  };
}

const look = (...checks: CheckResult[]): IterationFacts =>
  facts(0, { commit: null, agent: null, checks, changedFiles: 0, untouched: ["total.txt"], usd: 0 });
const NOTHING = { commit: null, tree: "t0", changedFiles: 0 };
const nextStep = (all: readonly IterationFacts[], order: WorkOrder = orderOf()) => completionOf(all, order, limits);
const kind = (all: readonly IterationFacts[], order?: WorkOrder) => nextStep(all, order)?.kind ?? "go on";

describe("a run is done", () => {
  test("when its commands pass and the files of the plan are touched, whatever the agent says", () => {
    expect(kind([look(check(null)), facts(1)])).toBe("done");
    expect(kind([look(check(null)), facts(1, {}, { ending: "failed", detail: "broken pipe" })])).toBe("done");
  });

  test("not while a command fails, also where the agent says so", () => {
    expect(kind([look(check(null)), facts(1, { checks: [check("FAIL adds")] }, { done: "All done." })])).toBe("go on");
  });

  test("not without a change", () => {
    expect(kind([look(check(null)), facts(1, NOTHING, { done: "All done." })])).toBe("go on");
  });

  test("not in the middle of something, but at the end of its time", () => {
    const cut = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => facts(number, {}, { ending: "timeout" }));
    expect(kind([look(), ...cut.slice(0, 3)])).toBe("go on");
    expect(kind([look(), ...cut])).toBe("done");
  });

  test("with a file of the plan left, once the agent says why, or two leave it", () => {
    const order = orderOf({ plan: planOf(["total.txt", "other.txt", "more.txt"]) });
    const left = { untouched: ["other.txt"] };
    expect(kind([look(), facts(1, left)], order)).toBe("go on");
    expect(kind([look(), facts(1, left, { done: "The other file needs no change." })], order)).toBe("done");
    expect(kind([look(), facts(1, left), facts(2, left)], order)).toBe("done");
    expect(kind([look(), facts(1, left), facts(2, { ...left, commit: null })], order)).toBe("done");
    expect(kind([look(), facts(1, { untouched: ["other.txt", "more.txt"] }), facts(2, left)], order)).toBe("go on");
  });

  test("with a file of the plan left that its last words name, where it needs no change", () => {
    const order = orderOf({ plan: planOf(["src/total.txt", "src/other.txt"]) });
    const left = { untouched: ["src/other.txt"] };
    const says = (summary: string, more: Partial<AgentFacts> = {}) => facts(1, left, { summary, ...more });
    const looked = "The total is right. I looked at `src/other.txt`: it needs no change.";
    expect(kind([look(check(null)), says(looked)], order)).toBe("done");
    expect(kind([look(check(null)), says("Mended; other.txt is fine.")], order)).toBe("done");
    expect(kind([look(check(null)), says("The total is right; another.txt too.")], order)).toBe("go on");
    expect(kind([look(check(null)), says(looked, { ending: "timeout" })], order)).toBe("go on");
    const red = [
      look(check("Error: no server")),
      facts(1, { ...left, checks: [check("Error: no server")] }, { summary: looked }),
    ];
    expect(kind(red, order)).toBe("go on");
    const none = facts(
      1,
      { untouched: ["src/total.txt", "src/other.txt"] },
      { summary: `${looked} And src/total.txt.` },
    );
    expect(kind([look(check(null)), none], order)).toBe("go on");
  });

  test.each([
    ["Check `src/other.txt` for the same fault.", "done"],
    ["Verify that nothing else changes.", "done"],
    ["Prüfe, ob dort dasselbe steht.", "done"],
    ["Vérifier que rien d’autre ne change.", "done"],
    ["Проверь, что там то же самое.", "done"],
    ["检查那里是否也有问题。", "done"],
    ["同じ誤りがないかを確認する。", "done"],
    ["Checkout shows the total.", "go on"],
    ["Change the label there.", "go on"],
  ])("of a silent agent with a file left of which the plan says “%s”: %s", (description, expected) => {
    const plan = planOf(["src/total.txt", "src/other.txt"]);
    const step = { order: 1, command: null };
    plan.plan_steps = [
      { ...step, description: "Mend the total.", files_involved: ["src/total.txt"] },
      { ...step, order: 2, description, files_involved: ["src/other.txt"] },
    ];
    const order = orderOf({ plan });
    expect(kind([look(check(null)), facts(1, { untouched: ["src/other.txt"] })], order)).toBe(expected);
    const unbegun = facts(1, { untouched: ["src/total.txt", "src/other.txt"] });
    expect(kind([look(check(null)), unbegun], order)).toBe("go on");
  });

  test("without any file of the plan only after it went back once, or where no iteration is left (R-WORK-11)", () => {
    const none = { untouched: ["total.txt"] };
    const done = { done: "The fault is elsewhere." };
    expect(kind([look(), facts(1, none, done)])).toBe("go on");
    expect(kind([look(), facts(1, none, done), facts(2, { ...none, commit: null }, done)])).toBe("done");
    expect(kind([look(), facts(1, none, { usable: false, done: "x" })])).toBe("unusable");
    expect(completionOf([look(), facts(1, none, done)], orderOf(), { ...limits, iterations: 1 })?.kind).toBe("done");
    expect(kind([look(), facts(1, none, done)], orderOf({ reason: "review" }))).toBe("done");
  });

  test("with a command that was red before, in the same words but for chance", () => {
    const before = look(check("3 failed in 2.1 s\nError: no server at /tmp/x81h3/sock"));
    const after = check("3 failed in 17 s\nError: no server at /tmp/q77aa/sock");
    const all = [before, facts(1, { checks: [after] }), facts(2, { checks: [after] })];
    expect(nextStep(all.slice(0, 2))).toBeNull();
    expect(nextStep(all)).toMatchObject({ kind: "done", redBefore: ["npm test"] });
    const worse = check("Error: no server at /tmp/x/sock\nError: total is wrong");
    expect(kind([before, facts(1, { checks: [worse] }), facts(2, { checks: [worse] })])).toBe("go on");
  });
});

describe("a run is given up", () => {
  test("after two idle iterations in a row, with what the agent said last", () => {
    const idle = (number: number) => facts(number, NOTHING, { ending: "failed", detail: "HTTP 529" });
    expect(kind([look(), idle(1)])).toBe("go on");
    expect(nextStep([look(), idle(1), idle(2)])).toMatchObject({
      kind: "no progress",
      detail: expect.stringContaining("HTTP 529"),
    });
    expect(kind([look(), idle(1), facts(2, { checks: [check("FAIL")] }), idle(3)])).toBe("go on");
  });

  test("not while failures go away", () => {
    const failing = (number: number, output: string) => facts(number, { commit: null, checks: [check(output)] });
    expect(
      kind([look(), failing(1, "FAIL a\nFAIL b\nFAIL c"), failing(2, "FAIL a\nFAIL b"), failing(3, "FAIL a")]),
    ).toBe("go on");
  });

  test("where no other agent would fare better", () => {
    expect(nextStep([look(), facts(1, NOTHING, { ending: "failed", usable: false, detail: "no key" })])).toEqual({
      kind: "unusable",
      detail: "no key",
    });
  });

  test("at the bound of money, with the checks of that moment", () => {
    const failing = { checks: [check("FAIL")], usd: 3 };
    expect(nextStep([look(), facts(1, failing), facts(2, { ...failing, tree: "x" })])).toMatchObject({
      kind: "limit",
      limit: "money",
      checks: [{ outcome: "failed" }],
    });
  });
});

test("a run of unknown cost ends at its bound of tokens (R-WORK-13)", () => {
  const tokens = { input: 400, cachedInput: 0, cacheWrite: 0, output: 200, reasoning: 0 };
  const one = (number: number, priced: boolean) =>
    facts(number, { checks: [check(`FAIL ${number}`)], tree: `x${number}`, usd: priced ? 0.1 : 0, priced, tokens });
  const bound = { ...limits, tokens: 1_000 };
  expect(completionOf([look(), one(1, false)], orderOf(), bound)).toBeNull();
  expect(completionOf([look(), one(1, false), one(2, false)], orderOf(), bound)).toMatchObject({ limit: "tokens" });
  expect(completionOf([look(), one(1, true), one(2, false)], orderOf(), bound)).toBeNull();
});

describe("a follow-up", () => {
  const review = orderOf({ reason: "review", plan: planOf(["total.txt", "other.txt"]) });

  test("is done with a change that stands, whatever the plan named", () => {
    expect(kind([look(), facts(1, { untouched: ["other.txt"] })], review)).toBe("done");
  });

  test("may need no change where the agent says why; red checks are left to people then (R-WORK-15)", () => {
    const none = facts(1, { commit: null }, { done: "It is so on purpose." });
    expect(kind([look(), none], review)).toBe("done");
    const checks = { ...review, reason: "checks" } as const;
    expect(nextStep([look(), none], checks)).toMatchObject({ kind: "not caused", said: "It is so on purpose." });
    const red = { commit: null, checks: [check("Error: rates")] };
    expect(kind([look(check("Error: rates")), facts(1, red, { done: "Red before." })], checks)).toBe("not caused");
    expect(kind([look(check(null)), facts(1, red, { done: "Not mine." })], checks)).toBe("go on");
    expect(kind([look(), facts(1, {}, { done: "Mended." })], checks)).toBe("done");
    expect(kind([look(), facts(1, { commit: null })], review)).toBe("go on");
  });
});

test("a question that was answered is not asked again", () => {
  const asking = facts(1, { checks: [], commit: null }, { question: "Net or gross?" });
  expect(nextStep([look(), asking])).toEqual({ kind: "question", question: "Net or gross?" });
  const answers = [{ question: "net or gross", answer: "Gross" }];
  expect(kind([look(), asking], orderOf({ answers }))).toBe("go on");
});

test("a question that an agent asks again although it was told the answer needs a better one", () => {
  const asking = (number: number, question: string) => facts(number, { checks: [], commit: null }, { question });
  const order = orderOf({ answers: [{ question: "Net or gross?", answer: "Good question!" }] });
  const again = "Net, or gross?";
  expect(nextStep([look(), asking(1, "Net or gross?"), asking(2, again)], order)).toEqual({
    kind: "question",
    question: again,
  });
});
