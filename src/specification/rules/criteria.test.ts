import { describe, expect, test } from "vitest";
import { finding, message, specInput } from "../../../test/support/spec-input.ts";
import { statementsOf } from "../input.ts";
import { offlineSpecGenerator } from "./writer.ts";

async function scenariosOf(given: { title: string; body: string; labels?: string[]; language?: string }) {
  const { markdown } = await offlineSpecGenerator().generate(specInput({ ...given, messages: [] }), null);
  const [, criteria = ""] = markdown.split("## Success Criteria\n");
  return (criteria.split("\n## ")[0] ?? "")
    .split("#### Scenario: ")
    .slice(1)
    .map((one) =>
      one
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.replace(/^- \*\*(\w+)\*\*/, "$1")),
    );
}

describe("a criterion in the words of Gherkin is split at them", () => {
  const full = [
    ["en", "Given a card `A`, when the board is exported, then the file has one line"],
    ["en", "GIVEN a card `A` WHEN the board is exported THEN the file has one line"],
    ["de", "Gegeben eine Karte `A`, wenn das Board exportiert wird, dann hat die Datei eine Zeile"],
    ["de", "Angenommen es gibt eine Karte `A`. Wenn das Board exportiert wird, Dann hat die Datei eine Zeile"],
    ["es", "Dado que hay una tarjeta `A`, cuando se exporta el tablero, entonces el archivo tiene una línea"],
    ["fr", "Étant donné une carte `A`, quand le tableau est exporté, alors le fichier a une ligne"],
    ["fr", "Étant donné qu'il y a une carte `A`, lorsqu'on exporte le tableau, alors le fichier a une ligne"],
    ["pt", "Dado um cartão `A`, quando o quadro é exportado, então o arquivo tem uma linha"],
    ["ru", "Дано: карточка `A`, когда доска экспортируется, тогда в файле одна строка"],
    ["ru", "Допустим, что есть карточка `A`, если доска экспортируется, то в файле одна строка"],
    ["zh", "假如有一张卡片 `A`，当导出看板时，那么文件里有一行"],
    ["ja", "前提 カード `A` がある、もしボードを書き出したら、ならばファイルは1行になる"],
  ];
  test.each(full)("%s: %s", async (language, criterion) => {
    const title = language === "zh" ? "导出" : "Export";
    const body = `Export.\n\n- [ ] ${criterion}\n- [ ] ${criterion.replaceAll("`A`", "`B`")}`;
    const [first, second, ...others] = await scenariosOf({ title, body, labels: ["enhancement"], language });
    expect(others).toEqual([]);
    for (const steps of [first, second]) {
      expect(steps?.map((step) => step.split(" ")[0])).toEqual(["GIVEN", "WHEN", "THEN"]);
      expect(steps?.join("\n")).not.toMatch(
        /(?:GIVEN|WHEN|THEN) (?:given|when|then|gegeben|wenn|dann|dado|cuando|entonces|étant|quand|lorsqu|alors|quando|então|дано|допустим|когда|если|тогда|то |假如|当|那么|前提|もし|ならば)/iu,
      );
    }
    expect(first?.[0]).toContain("`A`");
    expect(second?.[0]).toContain("`B`");
  });

  test("a word in code or in a quotation opens no step", async () => {
    const body = "- [ ] Given the text “then, when”, when `if when then` is run, then it prints `then 1`";
    expect(await scenariosOf({ title: "Print", body, labels: ["enhancement"] })).toEqual([
      ["GIVEN the text “then, when”", "WHEN `if when then` is run", "THEN it prints `then 1`"],
    ]);
  });
});

describe("a criterion's own case", () => {
  const body = [
    "We meet on the same day of each month. I propose `repeat: monthly`.",
    "",
    "Acceptance criteria:",
    "",
    "- [ ] there are four dates for a season",
    "- [ ] when `almanac check` is run, the error is `unknown repeat: yearly`",
  ].join("\n");

  test("belongs to no other criterion", async () => {
    const scenarios = await scenariosOf({ title: "Monthly events", body, labels: ["enhancement"] });
    const [first, second] = scenarios.map((steps) => steps.find((step) => step.startsWith("WHEN")));
    expect(second).toBe("WHEN `almanac check` is run");
    expect(first).not.toContain("almanac check");
  });

  test("is not that of the fault, and has no checkbox", async () => {
    const scenarios = await scenariosOf({
      title: "Three problems with the export",
      body: [
        'A card `Milk, eggs` becomes two columns. Expected: `"Milk, eggs"`.',
        "",
        '- [ ] GIVEN a card `Milk, eggs` WHEN the board is exported THEN the line has `"Milk, eggs"`',
        "- [ ] GIVEN a card `=1+1` WHEN the board is printed THEN the cell is `'=1+1`",
      ].join("\n"),
      labels: ["bug"],
    });
    expect(scenarios.flat().join("\n")).not.toMatch(/\[ \]|WHEN GIVEN/);
    expect(scenarios[0]?.find((step) => step.startsWith("WHEN"))).not.toMatch(/exported|printed/);
  });
});

test("a command that is named in short is run with the arguments that the issue shows", async () => {
  const shown = "$ tide fetch 8443970 --from 2026-01-01\nValueError: Invalid isoformat string";
  const scenarios = await scenariosOf({
    title: "fetch crashes with ValueError",
    body: `Since yesterday every \`tide fetch\` dies.\n\n\`\`\`\n${shown}\n\`\`\``,
    labels: ["bug"],
  });
  expect(scenarios[0]).toContain("WHEN `tide fetch 8443970 --from 2026-01-01` is run");
});

test("a command whose result a sentence tells is run, and the sentence is not", async () => {
  const scenarios = await scenariosOf({
    title: "Fetching a year takes minutes",
    body: "`tide export 8443970 --from 2025-01-01` takes 4 min 10 s here. A month takes 3 s.",
    labels: ["performance"],
  });
  expect(scenarios[0]).toContain("WHEN `tide export 8443970 --from 2025-01-01` is run");
});

describe("what its reporter corrected", () => {
  test.each([
    [
      "en",
      "The checkout shows `1,234.50 EUR`, it should be `1.234,50 EUR`.",
      "Correction: it should be `1234,50 €`, I was wrong above.",
    ],
    [
      "pt",
      "No checkout aparece `1,234.50 EUR`, devia ser `1.234,50 EUR`.",
      "Correção: devia ser `1234,50 €` — o símbolo vem depois. Enganei-me acima.",
    ],
  ])("holds alone, as the outcome: %s", async (language, body, content) => {
    const messages = [message({ seq: 1, author: "ann", content })];
    const given = specInput({ title: "Price", body, labels: ["bug"], language, messages });
    const input = { ...given, deciders: new Set<number>(), requests: [] };
    const statements = statementsOf(given.issue, messages, new Set());
    const { markdown } = await offlineSpecGenerator().generate({ ...input, statements }, null);
    expect(markdown).not.toContain("1.234,50 EUR");
    expect(markdown.match(/\*\*THEN\*\* .*/g)).toEqual([expect.stringContaining("`1234,50 €`")]);
    expect(markdown).not.toMatch(/GIVEN|wrong above|Correção/);
  });
});

describe("the problem", () => {
  const problemOf = async (given: {
    title: string;
    body: string;
    labels: string[];
    said?: string[];
    language?: string;
  }) => {
    const messages = (given.said ?? []).map((content, at) => message({ seq: at + 1, author: "bob", content }));
    const { markdown } = await offlineSpecGenerator().generate(specInput({ ...given, messages }), null);
    return markdown.split("## Problem Statement\n")[1]?.split("\n## ")[0] ?? "";
  };

  test("of a fault is what the title names, and not the set-up before it", async () => {
    const problem = await problemOf({
      title: "mails bounce much too early",
      body: "We run postern 1.8 with `max_attempts: 8` and the default ports. This morning all mails bounced after 8 seconds.",
      labels: ["bug"],
    });
    expect(problem).toContain("Now: This morning all mails bounced after 8 seconds.");
  });

  test.each([
    [
      "en",
      "Monthly events",
      "Our club meets on the same day of each month. I propose to have `repeat: monthly`.",
      "repeat: monthly",
    ],
    [
      "pt",
      "Comando para apagar",
      "Hoje apago ficheiros à mão no spool. Gostava de ter `postern delete ID`.",
      "postern delete ID",
    ],
    [
      "fr",
      "Afficher en pieds",
      "Les cartes sont en pieds. Serait-il possible d'avoir `--unit ft` pour `fetch` ?",
      "--unit ft",
    ],
    ["zh", "报表按货架分组", "现在的库存报表只按 SKU 排序。希望能按货架分组，每个货架有小计。", "每个货架有小计"],
  ])("of a request that was discussed has the wish: %s", async (language, title, body, wish) => {
    const said = [language === "zh" ? "同意。货架按名称排序。" : "Agreed, but call it `other`."];
    expect(await problemOf({ title, body, labels: ["enhancement"], said, language })).toContain(wish);
  });
});

test.each([
  ["zh", "对汉字误报", "`lintel check` 报告 120 个字符，期望 40 个。", /[\u4e00-\u9fff”）][,;:](?: |$)/mu],
  [
    "ja",
    "時刻がずれる",
    "予定を取り込むと、翌日の時刻が表示されます。",
    /[\u3040-\u30ff\u4e00-\u9fff」）][,;](?: |$)/mu,
  ],
  [
    "fr",
    "Les raccourcis se déclenchent",
    "Quand j'écris, la touche `n` ouvre une carte.",
    /\p{L}\)?[;:](?: |$)|»[;:]/mu,
  ],
])("the marks between parts are those of the language: %s", async (language, title, body, foreign) => {
  const findings = [
    finding(1, {
      synthesis: "`onKey` (`src/a.ts`)",
      sources: [{ location: "src/a.ts:9", snippet: "onKey()", found_by: "words" }],
    }),
  ];
  const { markdown } = await offlineSpecGenerator().generate(
    specInput({ title, body, labels: ["bug"], language, findings }),
    null,
  );
  const written =
    markdown
      .split("## TL;DR")[1]
      ?.split("\n## Evidence")[0]
      ?.replaceAll(/`[^`]*`|\*\*[^*]*\*\*|^#+ .*$/gmu, "…") ?? "";
  expect(written).not.toMatch(foreign);
});

test.each([
  [
    "en",
    "Goal: the year in under 40 s on your machine. I don't want streaming now.",
    "THEN the year in under 40 s on your machine",
  ],
  [
    "de",
    "Ziel: das Jahr in unter 40 s auf deinem Rechner. Streaming will ich jetzt nicht.",
    "THEN das Jahr in unter 40 s auf deinem Rechner",
  ],
  ["fr", "Objectif : l'année en moins de 40 s. Pas de streaming pour l'instant.", "THEN l'année en moins de 40 s"],
])("a goal with a value is the outcome, and not the complaint: %s", async (language, content, outcome) => {
  const messages = [message({ seq: 1, author: "bob", content: `Quadratic. ${content}` })];
  const body = "`tide export 8443970 --from 2025-01-01` takes 4 min 10 s here.";
  const input = specInput({ title: "Fetching a year is slow", body, labels: ["performance"], language, messages });
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  const steps = (markdown.match(/\*\*(?:WHEN|THEN)\*\* .*/g) ?? []).map((step) => step.replaceAll("**", ""));
  expect(steps[0]).toMatch(/^WHEN [^.]*`tide export 8443970 --from 2025-01-01`(?! takes)/);
  expect(steps[1]?.startsWith(outcome)).toBe(true);
});

test("what is right already is not the outcome of the fault", async () => {
  const body =
    "Bei drei Karten und 5 % Gebühr sollten es 59,85 € sein, das stimmt auch. Mit 3,5 % kommen nur 19,66 € heraus statt 19,67 €.";
  const given = { title: "Gebühr wird falsch gerundet", body, labels: ["bug"], language: "de" };
  const [steps, ...others] = await scenariosOf(given);
  expect(steps?.at(-1)).toContain("19,67 €");
  expect(steps?.join("\n")).not.toContain("59,85");
  expect(others).toEqual([]);
});

test("a setting that an issue shows is used, and not run", async () => {
  const body = "All mails bounced after 8 seconds.\n\n```yaml\nretry_delay: 10m\nworkers: 4\n```";
  const [steps] = await scenariosOf({ title: "mails bounce too early", body, labels: ["bug"] });
  expect(steps?.[0]).toBe("WHEN the code under Problem Statement is used");
});
