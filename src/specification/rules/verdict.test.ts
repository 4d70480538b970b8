import { describe, expect, test } from "vitest";
import { message, specInput } from "../../../test/support/spec-input.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { statementsOf } from "../input.ts";
import { offlineSpecGenerator } from "./writer.ts";

const DECIDERS = new Set(["max", "ruth", "ann"]);
const REQUEST = {
  title: "A filter for the list",
  labels: ["enhancement"],
  body: "`shop list --city NAME` should show the customers of one city.",
};
const FAULT = {
  title: "Deleting a customer twice fails",
  labels: ["bug"],
  body: "`shop delete 7` twice prints a stack trace.\n\nExpected: exit code 0.",
};

/** What the spec of an issue by ann says after what people said: max, ruth and ann decide. */
async function specOf(issue: typeof REQUEST, ...thread: [string, string][]) {
  const messages = thread.map(([author, content], at) => message({ seq: at + 1, author, content }));
  const given = specInput({ ...issue, messages });
  const { markdown } = await offlineSpecGenerator().generate(
    {
      ...given,
      deciders: new Set(messages.filter(({ author }) => DECIDERS.has(author)).map(({ seq }) => seq)),
      statements: statementsOf(given.issue, messages, DECIDERS),
    },
    null,
  );
  const { decisions, requirements } = parseSpec(markdown);
  return {
    summary: markdown.split("## Problem")[0] ?? "",
    decisions: decisions.map(({ decision }) => decision),
    consequences: decisions.map(({ consequences }) => consequences),
    givens: requirements
      .flatMap(({ scenarios }) => scenarios.flatMap(({ steps }) => steps))
      .flatMap(({ keyword, text }) => (keyword === "GIVEN" ? [text] : [])),
    markdown,
  };
}

const DECLINED = "Nothing is to be built";
const MAY_BE_OVER = "ask before anything is built";

describe("an issue is declined", () => {
  test("by a no to it, whatever the reporter says to that", async () => {
    const { summary } = await specOf(REQUEST, ["max", "No, thanks."], ["ann", "OK, fair enough."]);
    expect(summary).toContain(DECLINED);
  });

  test("by no answer to a question, and not after a yes, however short", async () => {
    const thread: [string, string][] = [
      ["max", "Yes, nice."],
      ["kai", "Should `shop show` have it too?"],
      ["max", "No."],
    ];
    const { summary, decisions } = await specOf(REQUEST, ...thread);
    expect(summary).not.toContain(DECLINED);
    expect(decisions).toEqual(["“A filter for the list” Yes, nice", "“Should `shop show` have it too?” No"]);
    expect((await specOf(REQUEST, ...thread.slice(1))).summary).not.toContain(DECLINED);
  });
});

describe("where words may refuse the whole, put it off or call it done, the spec asks first", () => {
  test.each([
    "I appreciate the work, but this is not the direction I want the shop to take.",
    "We decided against it: people can filter. Closing as not planned.",
    "This is out of scope for the shop.",
    "Not now. Maybe in version 2.",
    "Not before version 2.",
    "Duplicate of #88.",
    "Fixed in 1.2, please update.",
    "That's by design. Not a bug.",
    "Danke für die Mühe, das werden wir aber nicht aufnehmen.",
    "Non, désolé, ce n'est pas prévu. Je ferme.",
    "Preferimos no añadir filtros.",
    "Não vamos fazer isso.",
    "Спасибо, но мы не будем это делать.",
    "感谢建议，但我们不打算加这个功能。",
    "ありがとうございます。ただ、これは対応しない方針です。",
    "I don't see the benefit.",
    "Not for me, sorry.",
    "That would be a breaking change, so it has to wait for 2.0.",
    "Dupe of #390",
    "Fixed on master.",
    "Passt leider nicht ins Konzept.",
    "Pas pour l'instant.",
    "这是预期行为,不是 bug。",
  ])("%s", async (words) => {
    const { summary, decisions, markdown } = await specOf(REQUEST, ["max", words]);
    expect(summary.includes(MAY_BE_OVER) || summary.includes(DECLINED)).toBe(true);
    expect(decisions[0]).toContain(words.replace(/^ありがとうございます。|[.。]$/g, ""));
    expect(markdown).toMatch(/Ask @max whether anything is to be built|Build nothing/);
  });

  test("also where the reporter takes the issue back", async () => {
    const { summary } = await specOf(
      FAULT,
      ["max", "Which version?"],
      ["ann", "Never mind, my mistake. Closing this."],
    );
    expect(summary).toContain("@ann may have refused");
  });

  test.each([
    "Yes, but not now for guests.",
    "No, exit code 3: a second delete is an error.",
    "Fine. `--town` as well, please.",
    "Closed accounts must not be listed.",
    "Makes sense. On the day itself it is not postponed any more.",
    "I'd do the list; the third wish is out of scope.",
    "1可以,2不做,3以后再说。",
    "出発日は入れましょう。地図は今回は見送ります。",
    "Not a duplicate of #12, that one is about returns. Exit 3 please.",
    "Deferred jobs run at night, and cancel must ask first.",
    "Not before the sum is known: show a dash.",
    "Duplicates are merged, the later entry wins.",
    "Den Dialog mit Escape schließen, doppelte Einträge zusammenführen.",
    "Las cuentas cerradas no se muestran.",
    "Les comptes fermés ne sont pas affichés.",
    "Os corrigidos vão para o fim.",
    "Закрытые счета не показывать.",
    "已解决的排在最后。",
    "対応済みは最後に表示。",
    "The order is decided by the name.",
  ])("not for words that decide how: %s", async (words) => {
    const { summary } = await specOf(REQUEST, ["max", words]);
    expect(summary).not.toContain(MAY_BE_OVER);
  });
});

test("one message on a fault is a decision, no circumstance of the case, and goes before what the reporter expects", async () => {
  const words = "No, 0 would hide mistakes: exit code 3 if it is deleted already";
  const { decisions, givens, markdown } = await specOf(FAULT, ["max", `${words}.`]);
  expect(decisions).toEqual([words]);
  expect(givens.join("\n")).not.toContain("hide mistakes");
  expect(markdown).toContain("exit code 0; where the Decision Log says otherwise, that holds");
});

test("the reporter overrules nobody, and their questions are no decisions", async () => {
  const { consequences } = await specOf(
    REQUEST,
    ["max", "`--city`, and no other name."],
    ["ann", "I don't agree. It should really be `--town`. Please do it anyway."],
    ["ann", "We need it on one page. Could `shop show` have it?"],
    ["ruth", "Only the list."],
  );
  expect(consequences.slice(0, 4)).toEqual([
    "Holds unless a later decision says otherwise.",
    "Said by the reporter: no decision of others gives way to it.",
    "Asked by the reporter; what others answer holds.",
    "The plan follows it.",
  ]);
});

test("a question of somebody who decides is in the log, and decides nothing; a go-ahead answers no question", async () => {
  const { decisions, consequences } = await specOf(REQUEST, ["max", "Thanks! Would it be ok to drop `--town`?"]);
  expect(decisions[0]).toContain("Would it be ok");
  expect(consequences[0]).toBe("A question: it decides nothing.");
});

test.each(["OK, B it is.", "B.", "Ja, dann B.", "404."])("an option or a number is a decision: %s", async (words) => {
  const { decisions } = await specOf(
    REQUEST,
    ["ruth", "Either A) a column or B) a filter, and 404 or 410 for none."],
    ["max", words],
  );
  expect(decisions[1]).toContain(words.replace(/\.$/, ""));
});

describe("answers by number stand beside what they answer", () => {
  const LIST = {
    ...FAULT,
    body: `${FAULT.body}\n\nSome questions:\n1. Is 3 the code?\n2. Is a log line needed?\n3. Both?`,
  };

  test.each([
    "1 yes, 2 no, 3 only with `-v`.",
    "1. yes 2. no 3. only with `-v`",
    "1: yes\n2: no\n3: only with `-v`",
    "- 1: yes\n- 2: no\n- 3: only with `-v`",
  ])("%j", async (answer) => {
    const { decisions } = await specOf(LIST, ["max", answer]);
    expect(decisions[0]).toMatch(
      /^\(1\) “Is 3 the code\?” yes[.,]? \(2\) “Is a log line needed\?” no[.,]? \(3\) “Both\?” only with `-v`$/,
    );
  });

  test("or after the whole list where they cannot be told apart", async () => {
    const { decisions } = await specOf(LIST, ["max", "a) yes b) no"]);
    expect(decisions[0]).toBe("“(1) Is 3 the code? (2) Is a log line needed? (3) Both?” a) yes b) no");
  });

  test("and somebody's own orders answer nothing", async () => {
    const { decisions } = await specOf(LIST, ["max", "1. Print an error\n2. Add a test"]);
    expect(decisions[0]).toBe("(1) Print an error (2) Add a test");
  });

  test("what is answered is no criterion of its own", async () => {
    const items = "1. Quote names with a comma\n2. Add a note\n3. Gzip the list with `--gzip`";
    const { markdown } = await specOf({ ...REQUEST, body: `Some wishes:\n\n${items}` }, [
      "max",
      "1. yes\n2. no\n3. not in this release",
    ]);
    expect(markdown).not.toContain("Scenario: Gzip");
    expect(markdown).toContain("(3) “Gzip the list with `--gzip`” not in this release");
  });
});
