import { describe, expect, test } from "vitest";
import { calling, setExploreStage, submitting, toldLast } from "../../../test/support/explorer-fixture.ts";
import type { Turn } from "../../../test/mock-model/server.ts";

const stage = setExploreStage([
  { path: "src/cart.ts", content: "export function cartTotal(items) {\n  return items.length;\n}\n" },
  { path: "src/tax.ts", content: "export const tax = 2;\n" },
]);

describe("wrong sources", () => {
  test("go back to the model once, with the reasons, and are listed although mended", async () => {
    const answer = await stage.explore([
      calling(["read_lines", { path: "src/tax.ts" }]),
      submitting("It counts.", "src/card.ts:1-2", "src/cart.ts:1-3"),
      submitting("It counts them.", "src/cart.ts:1-3", "src/tax.ts:1-1"),
    ]);
    expect(toldLast(stage.server)).toContain("did you mean src/cart.ts");
    expect(answer).toMatchObject({
      kind: "answered",
      verified: true,
      synthesis: "It counts them.",
      sources: [{ location: "src/cart.ts:1-3" }, { location: "src/tax.ts:1-1" }],
      dropped: [{ location: "src/card.ts:1-2" }],
      cost: { calls: 3 },
    });
  });

  test("are those that nothing has shown in this run, listed symbols included", async () => {
    const answer = await stage.explore([
      calling(["list_symbols", { paths: ["src/tax.ts"] }]),
      submitting("The tax is 2.", "src/tax.ts:1-1"),
      calling(["read_lines", { path: "src/tax.ts" }]),
      submitting("The tax is 2.", "src/tax.ts:1-1"),
    ]);
    expect(JSON.stringify(stage.server.requests[2]?.body)).toContain(
      "was not read in this run; read_lines there first",
    );
    expect(answer).toMatchObject({ kind: "answered", verified: true, sources: [{ location: "src/tax.ts:1-1" }] });
  });

  test("are dropped the second time", async () => {
    const answer = await stage.explore([
      submitting("It counts.", "src/cart.ts:1-30", "src/cart.ts:1-3"),
      submitting("It counts.", "src/cart.ts:1-31", "src/cart.ts:1-3"),
    ]);
    expect(answer).toMatchObject({
      kind: "answered",
      verified: true,
      sources: [{ location: "src/cart.ts:1-3" }],
      dropped: [{ location: "src/cart.ts:1-30" }, { location: "src/cart.ts:1-31" }],
    });
  });

  test("are marked as such where nothing else is left", async () => {
    const wrong = submitting("It is magic.", "src/magic.ts:1-2");
    expect(await stage.explore([wrong, wrong])).toMatchObject({
      kind: "answered",
      verified: false,
      synthesis: "It is magic.",
      sources: [],
      dropped: [{ location: "src/magic.ts:1-2" }],
    });
  });

  test("do not push right ones out: what held the first time stays", async () => {
    const answer = await stage.explore([
      submitting("It counts.", "src/cart.ts:1-3", "src/magic.ts:1-2"),
      submitting("It is magic.", "src/magic.ts:1-2"),
    ]);
    expect(answer).toMatchObject({
      synthesis: "It counts.",
      sources: [{ location: "src/cart.ts:1-3" }],
      verified: true,
    });
  });

  test("are told also where only the synthesis cites them", async () => {
    const answer = await stage.explore([
      submitting("See src/gone.ts:3, src/cart.ts:2-9; not localhost:8080 or node:24.", "src/cart.ts:1-3"),
      submitting("See src/cart.ts:2.", "src/cart.ts:1-3"),
    ]);
    expect(answer).toMatchObject({
      synthesis: "See src/cart.ts:2.",
      dropped: [
        { location: "src/gone.ts:3" },
        { location: "src/cart.ts:2-9", why: expect.stringContaining("3 lines") },
      ],
    });
  });

  test("are not asked for again in the last answer that is allowed", async () => {
    const answer = await stage.explore(
      [submitting("It counts.", "src/card.ts:1-2", "src/cart.ts:1-3")],
      {},
      { limits: { quick: { steps: 1 } } },
    );
    expect(answer).toMatchObject({ kind: "answered", sources: [{ location: "src/cart.ts:1-3" }], cost: { calls: 1 } });
  });

  test("stay out, and the rest stands, where the mending does not come about", async () => {
    const half = submitting("It counts.", "src/card.ts:1-2", "src/cart.ts:1-3");
    for (const trouble of [
      { kind: "status", status: 401 },
      { kind: "answer", finish: "refused" },
      { kind: "answer", text: "x".repeat(300_000) },
    ] as const) {
      expect(await stage.explore([half, trouble])).toMatchObject({
        kind: "answered",
        synthesis: "It counts.",
        sources: [{ location: "src/cart.ts:1-3" }],
        dropped: [{ location: "src/card.ts:1-2" }],
        cost: { calls: 2 },
      });
    }
  });
});

describe("an answer that something is not there", () => {
  const none = (...searched: string[]) =>
    calling([
      "submit_findings",
      {
        synthesis: "There is no discount.",
        sources: [{ location: "src/cart.ts:1-3" }],
        ...(searched.length === 0 ? {} : { searched_for: searched }),
      },
    ]);

  test("says what was searched for", async () => {
    const answer = await stage.explore([
      none(),
      calling(["search_text", { text: "discount" }], ["search_text", { text: "Rebate" }]),
      none("discount", "rebate", "coupon"),
    ]);
    expect(JSON.stringify(stage.server.requests[1]?.body)).toContain("give them in searched_for");
    expect(answer).toMatchObject({
      kind: "answered",
      synthesis: "There is no discount.\n\nSearched for: discount, rebate.",
    });
  });

  test("is not believed to words that no search looked for", async () => {
    const answer = await stage.explore([none("discount"), none("discount")]);
    expect(toldLast(stage.server)).toContain("give them in searched_for");
    expect(answer).toMatchObject({ synthesis: "There is no discount." });
  });
});

describe("a submission", () => {
  test("without sources is asked for some once, and then taken as what it is", async () => {
    const none = submitting("There is no such thing; I looked for discount and rebate.");
    expect(await stage.explore([none, none])).toMatchObject({ kind: "answered", verified: false, dropped: [] });
    expect(toldLast(stage.server)).toContain("there is no source");
  });

  test("of more than 2,000 characters is told so once, and then cut", async () => {
    const long = submitting("It counts. ".repeat(400), "src/cart.ts:1-3");
    const answer = await stage.explore([long, long]);
    if (answer.kind === "gave up") throw new Error(answer.why);
    expect(toldLast(stage.server)).toContain("at most 2000 are kept");
    expect(answer.synthesis.length).toBeLessThanOrEqual(2_000);
    expect(answer.synthesis.endsWith("It counts.…")).toBe(true);
  });

  test("twice in one answer counts once, the first time", async () => {
    const answer = await stage.explore([
      calling(
        ["submit_findings", { synthesis: "First.", sources: [{ location: "src/cart.ts:1-3" }] }],
        ["submit_findings", { synthesis: "Second.", sources: [{ location: "src/tax.ts:1-1" }] }],
      ),
    ]);
    expect(answer).toMatchObject({ synthesis: "First.", sources: [{ location: "src/cart.ts:1-3" }] });
  });

  test("twice in one answer is no mending of the first", async () => {
    const answer = await stage.explore([
      calling(
        ["submit_findings", { synthesis: "First.", sources: [{ location: "src/card.ts:1-3" }] }],
        ["submit_findings", { synthesis: "Second.", sources: [{ location: "src/tax.ts:1-1" }] }],
      ),
      submitting("Third.", "src/cart.ts:1-1"),
    ]);
    expect(answer).toMatchObject({ synthesis: "Third.", sources: [{ location: "src/cart.ts:1-1" }] });
  });

  test("names each source once, and at most 12", async () => {
    const many = Array.from({ length: 13 }, (_, n) => `src/cart.ts:${(n % 3) + 1}-${Math.min(3, (n % 3) + 1)}`);
    expect((await stage.explore([submitting("It counts.", ...many)])).sources).toHaveLength(3);
  });

  test("has no hidden text in it", async () => {
    const answer = await stage.explore([submitting("It <!-- obey -->co\u200bunts.\u202e", "src/cart.ts:1-3")]);
    expect(answer.synthesis).toBe("It counts.");
  });
});

describe("a model that does not answer", () => {
  test("only talks: it is reminded once, and given up with what it said", async () => {
    const talk = { kind: "answer", text: "It counts, I think." } as const;
    expect(await stage.explore([talk, talk])).toMatchObject({
      kind: "gave up",
      cause: { kind: "never submitted" },
      synthesis: "It counts, I think.",
      sources: [],
      cost: { calls: 2, usage: { input: 200 } },
    });
    expect(toldLast(stage.server)).toContain("Nobody reads this");
  });

  test("goes on and on: it ends at the limit, after it was told that the end is near", async () => {
    const turns = Array.from({ length: 6 }, (_, n): Turn => ({
      kind: "answer",
      text: "Now I look for it.",
      calls: [{ tool: "search_text", input: JSON.stringify({ text: `word${n}` }) }],
    }));
    expect(await stage.explore(turns)).toMatchObject({
      kind: "gave up",
      cause: { kind: "limit", limit: "steps" },
      synthesis: null,
      cost: { calls: 6, steps: 6 },
    });
    expect(toldLast(stage.server)).toContain("You have 2 turns left");
    expect(toldLast(stage.server)).toContain("Your next turn is the last one");
  });

  test("goes on as long as it is set to, and the end names the setting (R-PLAN-17)", async () => {
    const turns = Array.from({ length: 12 }, (_, n) => calling(["search_text", { text: `word${n}` }]));
    const answer = await stage.explore(turns, { thoroughness: "quick" }, { steps: 28 });
    const why: unknown = expect.stringContaining("models.timeouts.explore_steps");
    expect(answer).toMatchObject({ kind: "gave up", cause: { limit: "steps" }, why, cost: { calls: 12 } });
  });

  test("makes the same call again: it is not carried out twice, and the third ends it", async () => {
    stage.server.script([calling(["read_lines", { path: "src/cart.ts" }])], { forever: true });
    const answer = await stage.agent().explore({ question: "What is it?", thoroughness: "medium" });
    expect(answer).toMatchObject({ kind: "gave up", cause: { kind: "limit", limit: "repeats" }, cost: { calls: 3 } });
    expect(toldLast(stage.server)).toContain("You made this very call in turn 1");
  });

  test("calls tools that do not exist", async () => {
    expect(await stage.explore([1, 2, 3].map((n) => calling(["run_shell", { n }])))).toMatchObject({
      kind: "gave up",
      cause: { kind: "failed", failure: { kind: "invalid_answer" } },
      cost: { calls: 3 },
    });
  });

  test("submits what does not fit, and mends it", async () => {
    const answer = await stage.explore([
      calling(["submit_findings", { synthesis: "", sources: "src/cart.ts" }]),
      submitting("It counts.", "src/cart.ts:1-3"),
    ]);
    expect(answer).toMatchObject({ kind: "answered", verified: true, cost: { calls: 2 } });
  });

  test("says 300 KB", async () => {
    const answer = await stage.explore([{ kind: "answer", text: "It counts. ".repeat(27_000) }]);
    expect(answer).toMatchObject({
      kind: "gave up",
      cause: { kind: "limit", limit: "answer_length" },
      cost: { calls: 1 },
    });
    expect(answer.synthesis?.length).toBeLessThanOrEqual(2_000);
  });

  test("submits 300 KB", async () => {
    const answer = await stage.explore([submitting("It counts. ".repeat(27_000), "src/cart.ts:1-3")]);
    expect(answer).toMatchObject({ kind: "gave up", cause: { kind: "limit", limit: "answer_length" } });
  });

  test("is cut off for its length again and again", async () => {
    const cut = { kind: "answer", text: "It", finish: "length" } as const;
    expect(await stage.explore([cut, cut, cut])).toMatchObject({
      kind: "gave up",
      cause: { kind: "limit", limit: "answer_length" },
      cost: { calls: 3 },
    });
  });

  test("declines", async () => {
    const answer = await stage.explore([{ kind: "answer", text: "I cannot help with that.", finish: "refused" }]);
    expect(answer).toMatchObject({ kind: "gave up", cause: { kind: "refused" }, synthesis: null, cost: { calls: 1 } });
    expect(answer.cost.costUsd).toBeGreaterThan(0);
  });

  test("cannot be reached with this key: the failure is told, and what was spent before is kept", async () => {
    const answer = await stage.explore([calling(["search_text", { text: "cart" }]), { kind: "status", status: 401 }]);
    expect(answer).toMatchObject({
      kind: "gave up",
      cause: { kind: "failed", failure: { kind: "auth" } },
      cost: { calls: 2, usage: { input: 100 } },
    });
  });

  test.each(["cut", "unfinished"] as const)("breaks off (%s) is asked again", async (kind) => {
    const answer = await stage.explore([{ kind, text: "It" }, submitting("It counts.", "src/cart.ts:1-3")]);
    expect(answer).toMatchObject({ kind: "answered", cost: { calls: 2, steps: 1 } });
  });

  test("hangs: its time ends it, and the end names the setting that allows more (R-PLAN-17)", async () => {
    const why: unknown = expect.stringContaining("models.timeouts.run_factor");
    expect(await stage.explore([{ kind: "hang" }], {}, { limits: { quick: { ms: 3_000 } } })).toMatchObject({
      kind: "gave up",
      cause: { kind: "limit", limit: "time" },
      why,
      cost: { calls: 1 },
    });
  });

  test("costs too much", async () => {
    const dear = { kind: "answer", calls: [{ tool: "find_files", input: "{}" }], usage: { output: 10_000 } } as const;
    expect(await stage.explore([{ ...dear, calls: [...dear.calls] }])).toMatchObject({
      kind: "gave up",
      cause: { kind: "limit", limit: "cost" },
      cost: { calls: 1, costUsd: expect.closeTo(0.501, 6) },
    });
  });
});
