import { describe, expect, test } from "vitest";
import { finding, message, specInput } from "../../../test/support/spec-input.ts";
import { isForbidden } from "../../domain/statements/file-names.ts";
import { placesLeftOut } from "../../domain/statements/left-out.ts";
import { offlineSpecGenerator } from "./writer.ts";
import { statementsOf } from "../input.ts";
import { validateSpec } from "../validate/validate.ts";

const place = (number: number, path: string) =>
  finding(number, {
    synthesis: `\`${path}\` defines \`total\`.`,
    sources: [{ location: `${path}:1`, snippet: "export function total(list) {", kind: "total", found_by: "defines" }],
  });

async function written(order: string, later: string) {
  const input = specInput({
    title: "The list is slow",
    body: "`total` is called for each row. It takes 2 s.",
    messages: [message({ seq: 1, content: order }), message({ seq: 2, content: later })],
    findings: [place(1, "src/time/zone.js"), place(2, "src/time/calendar.js"), place(3, "src/list.js")],
  });
  const { markdown, complexity } = await offlineSpecGenerator().generate(input, null);
  const { document } = await validateSpec(markdown, { complexity });
  const out = document.nonGoals.flatMap(({ text }) => placesLeftOut(text));
  return {
    nonGoals: document.nonGoals.map(({ text }) => text),
    isOut: (path: string) => isForbidden(path, out),
    touched: document.tasks.flatMap(({ touchPoints }) => touchPoints.map(({ path }) => path)),
  };
}

describe("an order on a folder that is lifted for one file stays for the rest (R-CONF-9)", () => {
  test.each([
    ["Don't touch src/time/, please.", "Alright, you may change src/time/zone.js, but leave calendar.js alone."],
    ["Please leave src/time/ alone.", "Fine, do it in src/time/zone.js."],
    ["Bitte src/time/ nicht anfassen.", "Gut, src/time/zone.js darf geändert werden, sonst nichts."],
    ["No toques src/time/.", "Vale, puedes cambiar src/time/zone.js."],
    ["Ne touchez pas à src/time/.", "D'accord, src/time/zone.js peut être modifié."],
    ["Não mexa em src/time/.", "Certo, pode alterar src/time/zone.js."],
    ["Не трогайте src/time/.", "Ладно, src/time/zone.js можно менять."],
    ["src/time/ は変更しないでください。", "では、src/time/zone.js は変更しても構いません。"],
    ["不要修改 src/time 目录。", "好吧，src/time/zone.js 可以改，calendar.js 不行。"],
  ])("%s – %s", async (order, later) => {
    const { isOut, touched } = await written(order, later);
    expect(isOut("src/time/calendar.js")).toBe(true);
    expect(isOut("src/time/zone.js")).toBe(false);
    expect(touched).toContain("src/time/zone.js");
    expect(touched).not.toContain("src/time/calendar.js");
  });

  test("as does one on all of the code", async () => {
    const { isOut, touched, nonGoals } = await written(
      "Don't change anything in src for it though.",
      "OK, zone.js may be changed for that. Nothing else.",
    );
    expect(nonGoals).toContain("Changes to `src/!(zone.js)`: Don't change anything in src for it though (message 1)");
    expect(isOut("src/list.js")).toBe(true);
    expect(touched).toEqual(["src/time/zone.js"]);
  });

  test("and one on the file itself is no Non-goal any more", async () => {
    const { nonGoals, touched } = await written(
      "Don't touch src/time/zone.js, please.",
      "Alright, src/time/zone.js may be changed.",
    );
    expect(nonGoals.join("\n")).not.toContain("zone.js");
    expect(touched).toContain("src/time/zone.js");
  });
});

describe("an order to leave something of the program alone", () => {
  const outOf = async (thread: readonly (readonly [string, string])[]) => {
    const messages = thread.map(([author, content], at) => message({ seq: at + 1, author, content }));
    const given = specInput({ title: "Two faults at the desk", body: "Fees are negative.", labels: ["bug"], messages });
    const deciders = new Set(messages.flatMap(({ author, seq }) => (author === "max" ? [seq] : [])));
    const statements = statementsOf(given.issue, messages, new Set(["max"]));
    const { markdown } = await offlineSpecGenerator().generate({ ...given, deciders, statements }, null);
    const { document, errors } = await validateSpec(markdown, { grounding: { statements: statements.statements } });
    return { nonGoals: document.nonGoals.map(({ text }) => text).join("\n"), errors, document };
  };
  const ORDER = ["max", "The fees are a bug, please fix them. Leave `renew` alone."] as const;

  test("is no Non-goal once somebody who decides wants something of it", async () => {
    expect((await outOf([ORDER])).nonGoals).toContain("renew");
    const { nonGoals, document, errors } = await outOf([
      ORDER,
      ["max", "I was wrong: after two renewals the third must fail. So fix both."],
    ]);
    expect(nonGoals).not.toContain("renew");
    expect(document.decisions.map(({ decision }) => decision).join("\n")).toContain("Leave `renew` alone");
    expect(errors).toEqual([]);
  });

  test("stands in the log where its message says nothing else", async () => {
    const { nonGoals, document } = await outOf([
      ["max", "Leave `renew` alone."],
      ["max", "On second thought, `renew` should fail after two renewals."],
    ]);
    expect(nonGoals).not.toContain("renew");
    expect(document.decisions.map(({ decision }) => decision).join("\n")).toContain("Leave `renew` alone");
  });

  test.each([
    ["ann", "`renew` should fail after two renewals."],
    ["max", "The fees should be zero."],
    ["max", "Please don't change `renew` at all."],
  ])("stays a Non-goal after what @%s says: %j", async (author, content) => {
    expect((await outOf([ORDER, [author, content]])).nonGoals).toContain("renew");
  });
});
