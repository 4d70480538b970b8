import { describe, expect, test } from "vitest";
import { answer, looks, setPlannerStage, submit } from "../../../test/support/planner-fixture.ts";
import type { Turn } from "../../../test/mock-model/server.ts";

const stage = setPlannerStage();
const sent = (at: number) => JSON.stringify(stage.server.requests[at]?.body);

const WAIT = submit();
const BAD = submit({ type: "post_comment", data: { content: " " } });
const WORDS: Turn = { kind: "answer", text: "I would ask Ann." };

/** `why` of a cycle without actions. */
const unable = (why: string, code: string, retryable: boolean) => ({
  kind: "unable",
  why,
  error: expect.objectContaining({ code, retryable }),
});

describe("a model that stumbles", () => {
  test("gets its problems back with hints, and may mend them twice", async () => {
    const worse = submit({ type: "update_gaps", data: { close: [{ gap_id: 9, reason: "answered" }] } });
    expect(await stage.plan([BAD, worse, WAIT])).toMatchObject({ kind: "planned", run: { refusals: 2 } });
    expect(sent(1)).toContain("comment_length");
    expect(sent(1)).toContain("(2 left)");
    expect(sent(2)).toContain("gap 9 does not exist");
  });

  test("is refused with what was wrong in the end, after two rounds of mending", async () => {
    const other = (text: string) => submit({ type: "post_comment", data: { content: text } });
    const planned = await stage.plan([other(""), other(" "), other("  "), WAIT]);
    expect(planned).toMatchObject({
      kind: "refused",
      problems: [{ index: 0, rule: "comment_length" }],
      run: { calls: 3, refusals: 3 },
    });
    expect(stage.server.requests).toHaveLength(3);
  });

  test("that hands in the same again and again is refused for what was wrong with it", async () => {
    const planned = await stage.plan([BAD], {}, true);
    expect(planned).toMatchObject({ kind: "refused", problems: [{ rule: "comment_length" }] });
  });

  test("that hands in no batch at all hears what one looks like", async () => {
    expect(await stage.plan([answer(["submit_actions", { batch: [] }]), WAIT])).toMatchObject({ kind: "planned" });
    expect(sent(1)).toContain("must be an object with a list `actions`");
  });

  test("that packs its list into a text is understood", async () => {
    const packed = answer(["submit_actions", { actions: '[{"type":"post_comment","content":"Hi."}]', reasoning: "r" }]);
    expect(await stage.plan([packed])).toMatchObject({
      batch: { actions: [{ data: { content: "Hi." } }], reasoning: "r" },
    });
  });

  test.each([
    ["malformed JSON", answer(["submit_actions", '{"actions": [']), "not a JSON object"],
    ["arguments off the schema", answer(["explore", { thoroughness: "utterly" }]), "do not fit the tool's schema"],
    ["an unknown tool", answer(["post_comment", { content: "Hi" }]), "There is no tool of that name"],
    ["an answer cut for its length", { ...WAIT, finish: "length" as const }, "cut off"],
  ])("with %s is told, once costs one answer, three in a row end the cycle", async (_name, stumble, hint) => {
    expect(await stage.plan([stumble, WAIT])).toMatchObject({ kind: "planned", run: { calls: 2 } });
    expect(sent(1)).toContain(hint);
    const given = await stage.plan([stumble, stumble, stumble, WAIT]);
    expect(given).toMatchObject({ kind: "unable", run: { calls: 3, usage: { output: 60 } } });
    expect(stage.server.requests).toHaveLength(3);
  });

  test("that answers in words is reminded once", async () => {
    expect(await stage.plan([WORDS, WAIT])).toMatchObject({ kind: "planned" });
    expect(sent(1)).toContain("only tool calls count");
    expect(await stage.plan([WORDS, WORDS, WAIT])).toMatchObject(unable("no submission", "invalid", false));
  });

  test("that submits twice in one answer is taken at its first word", async () => {
    const comment = (content: string) => ({ actions: [{ type: "post_comment", data: { content } }] });
    const twice = answer(["submit_actions", comment("One.")], ["submit_actions", comment("Two.")]);
    expect(await stage.plan([twice])).toMatchObject({
      kind: "planned",
      batch: { actions: [{ data: { content: "One." } }] },
      run: { calls: 1, refusals: 0 },
    });
  });

  test("that submits before its explorations are back is asked to read them first", async () => {
    const hasty = answer(["submit_actions", { actions: [] }], ["explore", { question: "What throws?" }]);
    expect(await stage.plan([hasty, WAIT])).toMatchObject({ kind: "planned", run: { calls: 4, refusals: 0 } });
    expect(sent(1)).toContain("read what your other calls brought");
  });

  test("that explores without end is told the limit, and ends at the limit of steps", async () => {
    const questions = Array.from({ length: 20 }, (_, n) => looks(`What is ${n}?`));
    const planned = await stage.plan(questions, { limits: { explorations: 2, steps: 6 } });
    expect(planned).toMatchObject({ ...unable("limit of steps", "too_large", false), run: { explorations: 2 } });
    expect(stage.explored).toHaveLength(2);
    expect(sent(3)).toContain("Explore limit reached (max 2 calls). Please call submit_actions");
  });

  test("has no more explorations once they cost too much", async () => {
    await stage.plan([looks("a"), looks("b"), WAIT], { limits: { exploreUsd: 0.01 } });
    expect(stage.explored).toHaveLength(1);
    expect(sent(2)).toContain("budget for explorations is spent");
  });

  test("that says 300 KB is not read to the end", async () => {
    const planned = await stage.plan([submit({ type: "post_comment", data: { content: "x".repeat(300_000) } })]);
    expect(planned).toMatchObject(unable("limit of answer length", "too_large", false));
  });

  test("that declines has declined", async () => {
    const planned = await stage.plan([{ kind: "answer", text: "I cannot.", finish: "refused" }]);
    expect(planned).toMatchObject({ ...unable("declined", "forbidden", false), run: { calls: 1 } });
  });
});

describe("a server in trouble", () => {
  test.each([
    [429, "rate_limited", "rate_limited"],
    [529, "overloaded", "unavailable"],
    [500, "server_error", "unavailable"],
  ])("%i is tried again, and then leaves the cycle for later", async (status, why, code) => {
    expect(await stage.plan([{ kind: "status", status }, WAIT])).toMatchObject({ kind: "planned", run: { calls: 2 } });
    const planned = await stage.plan([{ kind: "status", status }], {}, true);
    expect(planned).toMatchObject({ ...unable(why, code, true), run: { calls: 4, costUsd: 0 } });
  });

  test("a wrong key is not tried again", async () => {
    expect(await stage.plan([{ kind: "status", status: 401 }])).toMatchObject(unable("auth", "config", false));
  });

  test.each([
    ["that hangs", { kind: "hang" }, "timeout", "timeout"],
    ["whose stream is cut", { kind: "cut", text: "I th" }, "cut_short", "unavailable"],
  ] as const)("one %s is counted by Relay's own numbers", async (_name, turn, why, code) => {
    // Long enough for an answer to come on a busy machine; of a turn that hangs, all tries end by it.
    const silence = turn.kind === "hang" ? { silenceMs: 3_000 } : {};
    expect(await stage.plan([turn, WAIT], silence)).toMatchObject({ kind: "planned" });
    const planned = await stage.plan([turn], turn.kind === "hang" ? { silenceMs: 300 } : {}, true);
    expect(planned).toMatchObject({ ...unable(why, code, true), run: { usage: { estimated: true } } });
    expect(planned.run?.costUsd).toBeGreaterThan(0);
  });

  test("time that runs out in an exploration ends the cycle, not its cost", async () => {
    const planned = await stage.plan([looks(), WAIT], {
      limits: { ms: 3_000 },
      explore: async ({ signal }) =>
        await new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        }),
    });
    expect(planned).toMatchObject({ ...unable("limit of time", "timeout", true), run: { calls: 1 } });
  });
});
