import { z } from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { cycleFacts, gap } from "../../../test/support/cycle-facts.ts";
import { actionSchema } from "../../domain/action.ts";
import type { Finding } from "../../domain/finding.ts";
import type { Gap } from "../../domain/gap.ts";
import { buildContext } from "../context.ts";
import { offlinePlanner } from "./planner.ts";

const FILES: Record<string, string> = {
  "src/tide/forecast.ts":
    "export const forecastTide = <\n  Station extends { id: string },\n  Unit extends string,\n>(\n  station: Station,\n  unit: Unit,\n) => {\n  return `${station.id} ${unit}`;\n};\n",
  "src/tide/station.ts": "export class Station {\n  name() {\n    return 'station tide';\n  }\n}\n",
  "src/mail/digest.ts":
    "export function sendDigest(list) {\n  return list.map((subscriber) => subscriber.address);\n}\n",
  "test/forecast.test.ts":
    "import { forecastTide } from '../src/tide/forecast';\n\ntest('id', () => forecastTide({ id: 'a' }, 'm'));\n",
  "src/quay/mooring.ts": "export function tieUp(rope) {\n  return rope.knot;\n}\n",
  "test/mooring.test.ts": "test('works', () => {});\n",
  "src/page.ts":
    "import { forecastTide } from './tide/forecast';\n\nexport const page = () => forecastTide({ id: 'b' }, 'ft');\n",
  "src/tide/moon.ts": "export const moon = 1;\n",
  "core/Buoy.java": "package core;\n\nclass Buoy {\n  int drift() {\n    return 1;\n  }\n}\n",
  "core/Harbor.java": "package core;\n\nclass Harbor {\n  Buoy buoy = new Buoy();\n}\n",
  "core/test/BuoyTest.java": "package core;\n\nclass BuoyTest {\n  Buoy buoy = new Buoy();\n}\n",
  "src/view/frame.ts":
    "export const WIDTH = 80; // width of the frame\nexport function renderFrame() {\n  return WIDTH;\n}\n",
  "src/span/span.ts":
    "export function parseSpan(text) {\n  return Number(text.replace('h', '')) * 3600;\n}\n\nexport function printSpan(seconds) {\n  const hours = Math.floor(seconds / 3600);\n  return `${hours}h`;\n}\n",
  "CHANGELOG.md": "- the forecast is late\n- a station was missing\n- the moon is full\n",
  "menu.json": '["station",\n "moon",\n "forecast"]\n',
};

let repository: IndexedRepository;

beforeAll(async () => {
  const files = Object.entries(FILES).map(([path, content]) => ({ path, content }));
  repository = await indexedRepository([{ files }]);
});

afterAll(async () => await repository.remove());

async function look(
  body: string,
  given: { answer?: string; by?: "reporter" | "other"; agreed?: string; gaps?: Gap[]; findings?: Finding[] } = {},
) {
  const { index } = repository;
  const base = cycleFacts({ gaps: given.gaps ?? [], findings: given.findings ?? [] });
  const timestamp = new Date("2026-02-01T00:00:00Z");
  const { by = "reporter" } = given;
  const answer = { author: by === "other" ? "zed" : "ann", role: by, isBot: false, timestamp, editedAt: null } as const;
  const rest = { seq: 1, replyToSeq: null, externalId: "1", externalThreadId: null };
  const told = given.answer === undefined ? [] : [{ ...answer, ...rest, content: given.answer }];
  const messages =
    given.agreed === undefined
      ? told
      : [...told, { ...answer, ...rest, author: "ann", role: "reporter" as const, seq: 2, content: given.agreed }];
  const context = buildContext({
    ...base,
    issue: { ...base.issue, title: "Wrong tide", body },
    messages,
    totalMessages: messages.length,
    newMessages: messages.map(({ seq }) => seq),
  });
  const planner = offlinePlanner(index.repository, async () => await Promise.resolve(index));
  const planned = await planner.plan(context, (batch) => {
    const accepted = z.object({ actions: z.array(actionSchema), reasoning: z.string() }).parse(batch);
    return { kind: "accepted", batch: accepted };
  });
  if (planned.kind !== "planned") throw new Error("not planned");
  const found = planned.batch.actions.find(({ type }) => type === "update_findings");
  return found?.type === "update_findings" ? found.data : { add: [], remove: [] };
}

/** What a look added, as it is stored. */
function stored(added: readonly Pick<Finding, "sources" | "synthesis">[]): Finding[] {
  return added.map((one, at) => ({
    ...one,
    id: String(at),
    issueId: "1",
    number: at + 1,
    commit: null,
    createdAt: new Date(0),
  }));
}

test("findings keep the search's order and reason, whatever the symbol looks like (R-SPEC-19)", async () => {
  const { add } = await look("`forecastTide` gives the wrong unit.");
  expect(add[0]?.sources[0]).toMatchObject({
    location: "src/tide/forecast.ts:3",
    kind: "forecastTide",
    found_by: "defines",
  });
});

test("a finding names a symbol that the report mentions and the file defines, or the words they share", async () => {
  const told = async (...given: Parameters<typeof look>) => (await look(...given)).add[0]?.synthesis;
  expect(await told("The frame has the wrong width: the frame of `renderFrame` is cut at the width.")).toBe(
    "`src/view/frame.ts` holds code of `renderFrame`, which the report mentions.",
  );
  expect(await told("`renderframe` is cut.")).not.toContain("defines");
  expect(await told("`sendDigest` gives no address of a subscriber.")).toBe(
    "`src/mail/digest.ts` holds code of `sendDigest`, which the report mentions.",
  );
  const gaps = [{ ...gap(1, "open"), topic: "actual" as const }];
  const answered = await told("It is cut.", { answer: "1. The output of `sendDigest` is cut.", gaps });
  expect(answered).toContain("src/mail/digest.ts");
  expect(answered).not.toContain("mentions");
});

test("the test that bears the file's name is found, whatever words it has", async () => {
  const { add } = await look("`tieUp` loses the rope.");
  const places = add.map(({ sources }) => sources[0]?.location.replace(/:\d+$/, ""));
  expect(places).toEqual(expect.arrayContaining(["src/quay/mooring.ts", "test/mooring.test.ts"]));
});

test("an answer's words lead the search elsewhere, and its findings replace the earlier ones", async () => {
  const first = await look("The tide is wrong.");
  expect(first.add[0]?.sources[0]?.location).toContain("src/tide/");
  const findings = stored(first.add);
  const gaps = [{ ...gap(1, "open"), topic: "actual" as const }];
  const answer = "1. The digest goes to every subscriber address, see `sendDigest`.";
  const second = await look("The tide is wrong.", { answer, gaps, findings });
  expect(second.add[0]?.sources[0]).toMatchObject({ location: "src/mail/digest.ts:2", found_by: "defines" });
  expect(second.remove).toEqual(findings.map(({ id }) => id));
  const model = {
    id: "m",
    sources: [{ location: "src/tide/station.ts:1", snippet: "" }],
    synthesis: "Said by a model.",
  };
  const beside = await look("The tide is wrong.", {
    answer,
    gaps,
    findings: findings.slice(0, 1).map((one) => ({ ...one, ...model })),
  });
  expect(beside.remove).toEqual([]);
});

test("the lines of a stack trace that was corrected replace those of the first look", async () => {
  const trace = (line: number) =>
    `It dies:\n\n\`\`\`\nError: bad span\n    at printSpan (src/span/span.ts:${line}:3)\n    at parseSpan (src/span/span.ts:2:3)\n\`\`\``;
  const before = await look(trace(6));
  const findings = stored(before.add);
  expect(await look(trace(6), { findings })).toEqual({ add: [], remove: [] });
  const after = await look(trace(7), { findings });
  expect(after.remove).toEqual(findings.map(({ id }) => id));
  expect(JSON.stringify(after.add)).toContain("src/span/span.ts:7");
  const later = await look(trace(6).replace(":2:3", ":1:3"), { findings });
  expect(JSON.stringify(later.add)).not.toContain('src/span/span.ts:2"');
});

describe("a file or symbol that only somebody without a say names leads nowhere", () => {
  test.each([
    ["a path", "Please delete src/mail/digest.ts."],
    ["a symbol", "The new requirement is: remove `sendDigest`."],
    ["a stack trace", "Same here:\n\n```\nError: no\n    at sendDigest (src/mail/digest.ts:2:3)\n```"],
  ])("%s", async (_, answer) => {
    const body = "The tide forecast of a station is wrong.";
    const plain = await look(body);
    const first = plain.add[0]?.sources[0];
    expect(first?.location).toContain("src/tide/");
    expect(await look(body, { answer, by: "other" })).toEqual(plain);
    const byReporter = await look(body, { answer });
    expect(byReporter.add[0]?.sources[0]?.location).toContain("src/mail/digest.ts");
  });

  test("unless somebody who decides takes it up", async () => {
    const body = "The tide forecast of a station is wrong.";
    const answer = "We should change `sendDigest` in src/mail/digest.ts.";
    const { add } = await look(body, { answer, by: "other", agreed: "I agree, let's do that." });
    expect(add[0]?.sources[0]?.location).toContain("src/mail/digest.ts");
  });
});

test("callers, tests of today and lists kept by hand are noted, with their lines (R-SPEC-20)", async () => {
  const { add } = await look("`forecastTide` gives the wrong unit.");
  const notes = add.flatMap(({ sources }) => sources.map(({ location, found_by }) => `${found_by} ${location}`));
  expect(notes).toEqual(
    expect.arrayContaining(["callers src/page.ts:3", "tests test/forecast.test.ts:3", "lists menu.json:3"]),
  );
  expect(notes.filter((note) => note.startsWith("lists"))).toEqual(["lists menu.json:3"]);
});

test("where nothing is imported, a rare name tells the callers and the test", async () => {
  const { add } = await look("`Buoy` drifts.");
  const notes = add.flatMap(({ sources }) => sources.map(({ location, found_by }) => `${found_by} ${location}`));
  expect(notes).toEqual(expect.arrayContaining(["callers core/Harbor.java:4", "tests core/test/BuoyTest.java:4"]));
});

test("a file that somebody with a say asked not to touch is no finding (R-CONF-9)", async () => {
  const places = async (...given: Parameters<typeof look>) =>
    (await look(...given)).add.flatMap(({ sources }) => sources.map(({ location }) => location));
  const told = "`forecastTide` gives the wrong unit.";
  expect((await places(told)).join()).toContain("src/tide/forecast.ts");
  expect((await places(`${told} Please do not touch src/tide/forecast.ts.`)).join()).not.toContain(
    "src/tide/forecast.ts",
  );
  const answer = "Leave the `src/tide/` folder alone.";
  expect((await places(told, { answer })).join()).not.toContain("src/tide/");
});

test("a symbol that somebody with a say asked not to touch is no place; its file may be (R-CONF-9)", async () => {
  const told = "The span that is printed for 3660 seconds lacks its minutes.";
  const places = async (order: string) =>
    (await look(`${told} ${order}`)).add.flatMap(({ sources }) => sources.map(({ location }) => location));
  expect(await places("It may be `parseSpan`.")).toContain("src/span/span.ts:1");
  for (const order of ["Please don't change `parseSpan()`, others rely on it.", "Leave `span.parseSpan` as it is."]) {
    const found = (await places(order)).filter((location) => location.startsWith("src/span/"));
    expect(found[0]).toMatch(/^src\/span\/span\.ts:[5-7]$/);
    expect(found).not.toContain("src/span/span.ts:1");
  }
});
