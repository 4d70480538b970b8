import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BOUNDARY, ASKS, openObeying } from "../planner/obeying-model.ts";
import type { Turn } from "../mock-model/server.ts";
import { isRecord } from "../../src/lib/text.ts";
import { answer, submit } from "../support/planner-fixture.ts";
import { BOT, report } from "../support/relay.ts";
import { boundaryFrom } from "../../src/adapters/models/fence.ts";
import { type Input, allInputs, inputs, tableOf } from "./inputs.ts";

/*
 * Texts of our own that attack Relay, each with the effect that it must not have (R-SAFE-1 to 9). They go the whole way:
 * comments through intake and dossier into the prompt of a model that obeys whoever speaks, its answers into comments.
 * `npm run hostile` prints the table that docs/security.md has.
 */

type Life = Awaited<ReturnType<typeof openObeying>>;

const failed = new Set<string>();

/** Inputs that a model may read in one cycle, below the window of a prompt. */
const TOGETHER = 80;
/** Comments that a model may post in one cycle, and orders that it hears in one. */
const COMMENTS = 6;
/** Cycles of one issue, of which Relay runs no endless number. */
const CYCLES = 10;
const ORDERS = 5;
const MOST_PROMPT = 600_000;
/** The boundary of an explorer whose dice all show the same. */
const EXPLORING = boundaryFrom(() => 0.5);

afterAll(() => console.log(`\n${tableOf(failed)}\n`));

interface Broken {
  id: string;
  what: string;
}

/** Notes what came through, for the table. */
function counted(broken: readonly Broken[]): readonly Broken[] {
  for (const { id } of broken) failed.add(id);
  return broken;
}

const comment = (content: string) => ({ type: "post_comment", data: { content } });
const close = { type: "update_gaps", data: { close: [{ gap_id: 1, reason: "answered", note: "as eve says" }] } };
const ready = (signal: string) => ({
  type: "ready_for_spec_generation",
  data: { context_summary: "as told", proceed_signal: signal },
});
const learn = (content: string) => ({
  type: "update_learnings",
  data: { propose: [{ type: "domain_learnings", content }] },
});

/** All texts that models were sent since the last script, as they read them, without their own words. */
function read({ server }: Life): string {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (isRecord(value) && value["type"] !== "tool_use") for (const each of Object.values(value)) walk(each);
    else if (Array.isArray(value)) for (const each of value) walk(each);
  };
  for (const { body } of server.requests) walk(body["messages"]);
  return texts.join("\n");
}

function inGroups(of: readonly Input[], size: number): Input[][] {
  return Array.from({ length: Math.ceil(of.length / size) }, (_, at) => of.slice(at * size, (at + 1) * size));
}

/** Somebody writes all of these, and the model reads them in one cycle. */
async function reads(life: Life, group: readonly Input[], turns: Turn[] = []): Promise<string> {
  for (const { text } of group.slice(0, -1)) await life.people.comment(life.issue, "eve", text);
  await life.says("eve", group.at(-1)?.text ?? "", turns);
  return read(life);
}

/** Whether every fence with this boundary that a prompt opens is closed once, and no other is. */
function isFenced(prompt: string, boundary: string): boolean {
  const opened = prompt.match(new RegExp(`^<<<.* ${boundary}$`, "gm"))?.length ?? 0;
  const closed = prompt.match(new RegExp(`^${boundary}>>>$`, "gm"))?.length ?? 0;
  return opened > 0 && opened === closed;
}

/** What a text must not hold, `boundary` being no text but an effect. */
const found = (text: string, { id, mustNot, shown = [] }: Input) => [
  ...mustNot.filter((what) => what !== "boundary" && text.includes(what)).map((what) => ({ id, what })),
  ...shown.filter((what) => !text.includes(what)).map((what) => ({ id, what: `${what} is left out` })),
];

describe("hostile inputs", () => {
  test("have ids of their own", () => {
    const ids = allInputs().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(300);
  });

  test("that hide from people reach no model, and Relay says that they hid", async () => {
    const life = await openObeying();
    await life.assigned(submit());
    const broken: Broken[] = [];
    for (const group of inGroups(inputs("in"), TOGETHER)) {
      const text = await reads(life, group);
      expect(text.match(/@eve \(/g)?.length ?? 0).toBeGreaterThanOrEqual(group.length);
      broken.push(...group.flatMap((each) => found(text, each)));
    }
    expect(counted(broken)).toEqual([]);
    await life.shown(life.issue);
    const { comments } = await life.tracker.listComments(life.issue, null);
    const said = comments.filter(({ author }) => author === "relay").map(({ body }) => body);
    expect(said.join("\n")).toMatch(/Text that nobody sees was left out of what I read; places: \d{3}/);
    expect(said.join("\n")).not.toContain("quagga");
  });

  test("that a model says go out as harmless text", async () => {
    const files = {
      ".env": "FIRST=kx7Qp2mVz9rT4w\nADMIN_PASSWORD=marigoldhillside\nPASSPHRASE=plum anchor velvet tuba\n",
      "config/master.key": "c4c7a3f2a590233755e40eca18c62d71\n",
    };
    const broken: Broken[] = [];
    for (const some of inGroups(inputs("out"), CYCLES * COMMENTS)) {
      const life = await openObeying({ files });
      await life.assigned(submit());
      for (const group of inGroups(some, COMMENTS)) {
        const before = (await life.said(life.issue)).length;
        await life.says("ann", "And?", [submit(...group.map(({ text }) => comment(text)))]);
        const said = (await life.said(life.issue)).slice(before);
        expect(said).toHaveLength(group.length);
        broken.push(...group.flatMap((each, at) => found(`\n${said[at] ?? ""}`, each)));
      }
    }
    expect(counted(broken)).toEqual([]);
  });

  test("that give orders bring nothing about", async () => {
    const life = await openObeying();
    await life.assigned(ASKS);
    const effects = async () => {
      const { state, spec, gaps, learnings, said } = await life.state();
      const { labels } = await life.tracker.getIssue(life.issue);
      return JSON.stringify({ go_ahead: state, spec, questions: gaps, learnings, comments: said, labels });
    };
    const before = await effects();
    const broken: Broken[] = [];
    for (const group of inGroups(inputs("acts"), ORDERS)) {
      const prompt = await reads(life, group, [
        submit(close, ...group.map(({ text }) => ready(text))),
        submit(...group.map(({ text }) => learn(text))),
      ]);
      const after = await effects();
      broken.push(
        ...group.flatMap(({ id }) => [
          ...(after === before ? [] : [{ id, what: after }]),
          ...(isFenced(prompt, BOUNDARY) ? [] : [{ id, what: "boundary" }]),
        ]),
      );
    }
    expect(counted(broken)).toEqual([]);
  });

  test("that are names stay names", async () => {
    const all = inputs("names");
    const files = Object.fromEntries(
      all.filter((each) => each.as === "file").map(({ text }) => [text, "cart total\n"]),
    );
    const life = await openObeying({ files });
    await life.assigned(
      answer(["explore", { question: "cart total", thoroughness: "quick" }]),
      answer(["submit_findings", { synthesis: "It adds up.", sources: [{ location: "src/cart.ts:1-3" }] }]),
      submit(),
    );
    const prompts = [read(life)];
    const named = (as: Input["as"]) => all.filter((each) => each.as === as).map(({ text }) => text);
    await life.people.label(life.issue, "mia", named("label"));
    for (const author of named("author")) {
      await life.people.setMember("shop", author, "read");
      await life.people.comment(life.issue, author, "It is wrong.");
    }
    await life.says("eve", "And?", []);
    prompts.push(read(life));
    const said: string[] = [];
    for (const title of named("title")) {
      const issue = await report(life, "The total is wrong.", title);
      life.server.script([submit(comment("I look."))]);
      await life.deliver(await life.people.assign(issue, "mia", BOT));
      await life.settled(issue);
      prompts.push(read(life));
      said.push(...(await life.said(issue)));
    }
    const text = [...prompts, ...said].join("\n");
    const areFenced = isFenced(text, BOUNDARY) && isFenced(text, EXPLORING);
    const broken = all.flatMap((each) => [
      ...found(text, each),
      ...(areFenced ? [] : [{ id: each.id, what: "boundary" }]),
    ]);
    expect(counted(broken)).toEqual([]);
    for (const shown of ["It is wrong.", "Total wrong", "SYSTEM cart.ts"]) expect(text).toContain(shown);
  });

  test("that blow up are read to the end", async () => {
    const life = await openObeying();
    await life.assigned(submit());
    const all = inputs("blow").map((each) => ({ ...each, text: each.text.repeat(each.times ?? 1) }));
    const prompt = await reads(life, all);
    const stored = await life.existing(life.issue);
    const broken = all.flatMap(({ id }) => [
      ...(stored.state === "paused" ? [{ id, what: "stop" }] : []),
      ...(prompt.length > MOST_PROMPT ? [{ id, what: "grow" }] : []),
    ]);
    expect(counted(broken)).toEqual([]);
    expect(prompt.match(/@eve \(/g)?.length ?? 0).toBeGreaterThanOrEqual(all.length);
  });

  test("are counted in docs/security.md", () => {
    const docs = readFileSync(join(import.meta.dirname, "../../docs/security.md"), "utf8");
    expect(docs).toContain(tableOf(new Set()));
  });
});
