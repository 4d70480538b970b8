import { describe, expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { isStatusComment } from "../../src/domain/marker.ts";
import { storedSpec } from "../../src/adapters/spec-stores/stored-spec.ts";
import type { SpecInput } from "../../src/specification/generator.ts";
import { type Life, BOT, report } from "../support/relay.ts";
import { moment, openPlanning, planOf, planned, say, setMode, tasksOf } from "../support/planning-relay.ts";

const WISH = "Looks good, but an undefined list throws too. Please fix that here as well, with a test.";

/** A Relay, and what the texts of its edited comments were, without its status comment. */
async function watched(files: Record<string, string> = {}) {
  const edits: string[] = [];
  const life = await openPlanning(
    (deps) => ({
      trackerFor: async (repository) => {
        const tracker = await deps.trackerFor(repository);
        const updateComment: typeof tracker.updateComment = async (address, id, body) => {
          if (!isStatusComment(body)) edits.push(body);
          return await tracker.updateComment(address, id, body);
        };
        return { ...tracker, updateComment };
      },
    }),
    files,
  );
  return { life, edits };
}

const specOf = async (life: Life, issue: IssueAddress) =>
  (await storedSpec((await life.existing(issue)).spec, life.specStore))?.content ?? "";

test.each([
  WISH,
  "Use a Map instead.",
  "Also handle undefined, please.",
  "No. Refuse an undefined list as well.",
  "Could you also handle undefined?",
  "Bitte auch undefined behandeln, mit einem Test.",
])(
  "“%s” of somebody who decides revises spec and plan in one go, and one yes is asked for (R-CONF-9)",
  async (words) => {
    const { life, edits } = await watched();
    setMode(life, "implement");
    const issue = await planned(life);
    const before = (await life.said(issue)).length;
    await moment();
    expect(await say(life, issue, "mia", words)).toMatchObject({ state: "waiting_confirmation" });
    expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
    expect(await specOf(life, issue)).toContain("asked by @mia");
    // One comment more: what has changed. None asks for a go-ahead.
    expect(await life.said(issue)).toHaveLength(before + 1);
    // The old plan's comment first says that it no longer counts, then becomes the new plan.
    expect(edits).toHaveLength(2);
    expect(edits[0]).toMatch(
      /^> \*\*This plan no longer counts: @mia asked for a change\. A new one follows\.\*\*\n\n/,
    );
    expect(edits[1]).not.toContain("no longer counts");
    expect(await tasksOf(life)).toEqual([]);
    await moment();
    expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  },
);

test("a wish after a quick plan is revised in one go as well", async () => {
  const { life } = await watched({ ".relay.yml": "fast_track: true\n" });
  const body =
    "### Steps to reproduce\n1. Call `total([])` of src/cart.ts\n\n### Expected\nIt answers 0.\n\n### Actual\nIt throws a TypeError.";
  const issue = await report(life, body);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
  await moment();
  expect(await say(life, issue, "mia", WISH)).toMatchObject({ state: "waiting_confirmation" });
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  expect(await life.said(issue)).toHaveLength(2);
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
});

test("a wish while the task waits takes the task back, and the next plan needs a yes of its own", async () => {
  const { life } = await watched();
  setMode(life, "implement");
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  expect(await say(life, issue, "mia", WISH)).toMatchObject({ state: "waiting_confirmation" });
  expect(await tasksOf(life)).toEqual(["cancelled"]);
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
});

test("a question to the plan leaves it standing, and is answered", async () => {
  const { life, edits } = await watched();
  setMode(life, "implement");
  const issue = await planned(life);
  await moment();
  expect(await say(life, issue, "mia", "Why do you change src/cart.ts?")).toMatchObject({
    state: "waiting_confirmation",
  });
  expect((await life.said(issue)).at(-1)).toContain("@mia, I can’t answer questions without a model.");
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
  expect(edits).toEqual([]);
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
});

test("a yes for later leaves the plan standing, is answered, and is no part of a later spec", async () => {
  const { life, edits } = await watched();
  const issue = await planned(life);
  await moment();
  expect(await say(life, issue, "mia", "go ahead tomorrow")).toMatchObject({ state: "waiting_confirmation" });
  expect((await life.said(issue)).at(-1)).toContain("@mia, I don’t take that as a yes to the plan yet.");
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
  expect(edits).toEqual([]);
  await say(life, issue, "mia", "Yes. Ruth is on holiday until Monday. Please also handle undefined.");
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  expect(await specOf(life, issue)).toMatch(/\*\*THEN\*\* Please also handle undefined \(message \d+\)/);
  expect(await specOf(life, issue)).not.toMatch(/THEN.*(?:tomorrow|Ruth)/);
});

test("an unclear word leaves the plan standing and is answered; what was said on the way is no part of a later spec", async () => {
  const { life } = await watched();
  const issue = await planned(life);
  for (const words of ["k", "what do you think?", "I talked to Walt."]) {
    await moment();
    expect(await say(life, issue, "mia", words)).toMatchObject({ state: "waiting_confirmation" });
    expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
  }
  expect((await life.said(issue)).at(-1)).toContain("I don’t take that as a yes to the plan yet.");
  await moment();
  await say(life, issue, "mia", "Please also handle undefined.");
  const spec = await specOf(life, issue);
  expect(spec).toContain("handle undefined");
  expect(spec).not.toMatch(/THEN\*\* k\b|do you think|Walt/);
});

test("a plan's comment says that it no longer counts when the issue was edited, when somebody stopped it, and when Relay was unassigned", async () => {
  const { life, edits } = await watched();
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "stop");
  expect(edits.at(-1)).toMatch(/^> \*\*This plan no longer counts: @mia stopped it\./);
  await say(life, issue, "mia", "go ahead");
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  await life.deliver(
    await life.people.editIssue(issue, "ann", { body: "`total([])` in src/cart.ts throws. Expected: -1." }),
  );
  await life.settled(issue);
  expect(edits.some((text) => text.startsWith("> **This plan no longer counts: the issue was edited."))).toBe(true);
  expect(await planOf(life, issue)).toMatchObject({ version: 3, status: "posted" });
  await life.deliver(await life.people.unassign(issue, "mia", BOT));
  await life.settled(issue);
  expect(edits.at(-1)).toMatch(/^> \*\*This plan no longer counts: I was unassigned\./);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  expect(await planOf(life, issue)).toMatchObject({ version: 4, status: "posted" });
  expect(edits.at(-1)).not.toContain("no longer counts");
});

test("whose words revise a plan goes by permissions at that moment, for planner and spec writer alike", async () => {
  const seen: { wishes: number[]; decides: string[] }[] = [];
  const written: SpecInput[] = [];
  const life = await openPlanning((deps) => ({
    plannerFor: (code, spending) => {
      const planner = deps.plannerFor(code, spending);
      return {
        ...planner,
        plan: async (context, judge) => {
          const decides = context.participants.flatMap(({ login, mayProceed }) => (mayProceed ? [login] : []));
          seen.push({ wishes: context.wishes, decides });
          return await planner.plan(context, judge);
        },
      };
    },
    generatorFor: (code, spending) => {
      const writer = deps.generatorFor(code, spending);
      const generate: typeof writer.generate = async (input, correction) => {
        written.push(input);
        return await writer.generate(input, correction);
      };
      return { ...writer, generate };
    },
  }));
  const issue = await planned(life);
  // The reporter decides about a spec, but not about a plan that is carried out.
  expect(written.at(-1)?.goAheads.size).toBe(1);
  setMode(life, "implement");
  await moment();
  await life.people.comment(issue, "ann", "Also rename total to sum.");
  await life.people.setMember("shop", "bob", "read");
  await life.people.comment(issue, "bob", "Also delete the README.");
  const wish = await say(life, issue, "mia", "Also handle undefined.");
  expect(wish.state).toBe("waiting_confirmation");
  expect(seen.at(-1)?.decides).toEqual(["mia"]);
  expect(seen.at(-1)?.wishes).toHaveLength(1);
  const input = written.at(-1);
  expect(input?.requests.map(({ content }) => content)).toEqual(["Also handle undefined."]);
  expect(input?.messages.filter(({ seq }) => input.goAheads.has(seq)).map(({ author }) => author)).toEqual(["mia"]);
  expect(await specOf(life, issue)).not.toContain("delete the README");
});

test("a wish made while the spec is written is in the next version (R-CONF-9)", async () => {
  let speak: (() => Promise<void>) | null = null;
  const life = await openPlanning((deps) => ({
    generatorFor: (code, spending) => {
      const writer = deps.generatorFor(code, spending);
      const generate: typeof writer.generate = async (input, correction) => {
        const draft = await writer.generate(input, correction);
        await speak?.();
        speak = null;
        return draft;
      };
      return { ...writer, generate };
    },
  }));
  setMode(life, "spec");
  const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  speak = async () =>
    void (await life.deliver(await life.people.comment(issue, "ann", "Also refuse negative prices.")));
  await say(life, issue, "mia", "go ahead with the spec");
  await say(life, issue, "mia", "go ahead");
  expect(await specOf(life, issue)).toContain("refuse negative prices (message 4)");
});

const BASKET = {
  "src/currency.ts":
    "export function percent(amount: number, rate: number): number {\n  return (amount * rate) / 100;\n}\n",
  "src/report.ts":
    'import { total } from "./cart.ts";\n\nexport const monthly = (carts: number[][]) => carts.map((one) => total(one));\n',
  "test/cart.test.ts": 'import { total } from "../src/cart.ts";\n\ntest("total", () => total([1]));\n',
  "test/currency.test.ts":
    'import { percent } from "../src/currency.ts";\n\ntest("percent", () => percent(200, 10));\n',
};

/** The files of each plan after the first, and what is decided, step by step. */
async function plansAfter(...wishes: string[]) {
  const life = await openPlanning(() => ({}), BASKET);
  const issue = await planned(life);
  const plans: { files: string[]; spec: string; comment: string }[] = [];
  for (const words of wishes) {
    await moment();
    await say(life, issue, "mia", words);
    const plan = await planOf(life, issue);
    const files = plan?.plan.file_changes.map(({ path }) => path).toSorted() ?? [];
    plans.push({ files, spec: await specOf(life, issue), comment: plan?.commentBody ?? "" });
  }
  return plans;
}

const FIRST = ["src/cart.ts", "test/cart.test.ts"];
const BOTH = ["src/cart.ts", "src/currency.ts", "test/cart.test.ts", "test/currency.test.ts"];

describe("a wish adds to the plan unless it says otherwise, in eight languages (R-CONF-9)", () => {
  test.each([
    "Please also fix `percent` in src/currency.ts: it must round to two digits.",
    "While you are at it, round `percent` in src/currency.ts as well.",
    "Bitte auch `percent` in src/currency.ts korrigieren: auf zwei Stellen runden.",
    "Por favor, corrige también `percent` en src/currency.ts: debe redondear.",
    "Merci de corriger aussi `percent` dans src/currency.ts : il doit arrondir.",
    "Por favor, corrija também `percent` em src/currency.ts: deve arredondar.",
    "Пожалуйста, исправь также `percent` в src/currency.ts: он должен округлять.",
    "请同时修复 src/currency.ts 里的 `percent`，应该四舍五入。",
    "src/currency.ts の `percent` も丸めるように修正してください。",
  ])("%s", async (words) => {
    const [plan] = await plansAfter(words);
    expect(plan?.files).toEqual(BOTH);
    expect(plan?.spec).toMatch(/\| `src\/cart\.ts` \|[^]*\| `src\/currency\.ts` \|/);
    expect(plan?.spec).toMatch(/\*\*WHEN\*\* `percent`/);
  });
});

test.each([
  [
    "Not in src/cart.ts but in src/currency.ts, please: `percent` must round.",
    ["src/currency.ts", "test/currency.test.ts"],
  ],
  ["Please fix it in src/currency.ts instead.", ["src/currency.ts", "test/currency.test.ts"]],
  ["Please leave src/report.ts alone.", FIRST],
  ["Leave test/cart.test.ts alone.", ["src/cart.ts"]],
  ["Please fix `percent` in src/currency.ts too, and leave src/report.ts alone.", BOTH],
  ["Please use `percent` from src/currency.ts.", FIRST],
])("“%s” replaces or removes just what it names", async (words, files) => {
  const [plan] = await plansAfter(words);
  expect(plan?.files).toEqual(files);
});

test("wishes add up, and one for what a later wish leaves alone is taken out of plan, spec and what is decided", async () => {
  const [first, second, third] = await plansAfter(
    "Please also fix `percent`: it must round to two digits.",
    "Please also let `monthly` in src/report.ts skip empty carts.",
    "Leave src/currency.ts alone.",
  );
  expect(first?.files).toEqual(BOTH);
  expect(second?.files).toEqual([...BOTH, "src/report.ts"].toSorted());
  expect(third?.files).toEqual([...FIRST, "src/report.ts"].toSorted());
  const before = third?.comment.split("<details>")[0] ?? "";
  expect(before).toMatch(/Not part of this:[^]*percent/);
  expect(before.replace(/\*\*Not part of this:[^]*?\n\n\*\*/, "")).not.toContain("percent");
  expect(third?.spec).not.toMatch(/#### Scenario: it must round/);
});

test("a remark, a yes to the spec and a yes that waits for somebody else leave the plan standing; nothing stops", async () => {
  const { life, edits } = await watched();
  setMode(life, "implement");
  const issue = await planned(life);
  for (const words of [
    "I have seen it, thanks.",
    "The spec is right, yes. I have not read the plan.",
    "yes\u200b\u2060 <!-- no, stop --> provided Anna agrees",
    "```\nyes\n```",
  ]) {
    await moment();
    expect(await say(life, issue, "mia", words)).toMatchObject({ state: "waiting_confirmation" });
    expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
  }
  expect((await life.said(issue)).at(-1)).toContain("I don’t take that as a yes to the plan yet.");
  expect(edits).toEqual([]);
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
});

test("a wish with hidden characters revises the plan like any other", async () => {
  const { life } = await watched();
  const issue = await planned(life);
  await moment();
  const words = "Use\u200b a <!-- no, stop --> Map instead.";
  expect(await say(life, issue, "mia", words)).toMatchObject({ state: "waiting_confirmation" });
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
});
