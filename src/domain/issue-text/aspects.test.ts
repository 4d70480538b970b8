import { describe, expect, test } from "vitest";
import { readIssue } from "./issue-reading.ts";
import type { Aspects } from "./aspects.ts";

function aspects(title: string, body: string): Aspects {
  return readIssue({ title, body, labels: [] }).aspects;
}

function flags(found: Aspects): string {
  return [found.reproduction, found.expected, found.actual].map((each) => (each.present ? "+" : "-")).join("");
}

describe("from headings and forms", () => {
  test.each([
    [
      "English form",
      "### Steps to reproduce\n\n1. Open\n2. Save\n\n### Expected behavior\n\nSaved\n\n### Actual behavior\n\nLost\n",
    ],
    [
      "bold lines",
      "**Describe the bug**\nIt is lost.\n\n**To Reproduce**\nSave it.\n\n**Expected behavior**\nIt is kept.\n",
    ],
    ["labels", "Steps to reproduce: save twice\n\nExpected: one file\n\nActual: two files\n"],
    [
      "questions",
      "* What went wrong?\nLost\n* What did you expect should have happened?\nKept\n* How to reproduce?\nSave\n",
    ],
    [
      "Russian",
      "### Шаги воспроизведения\nОткрыть\n### Ожидаемое поведение\nСохранено\n### Фактическое поведение\nПропало\n",
    ],
    [
      "German",
      "## Schritte zur Reproduktion\nÖffnen\n## Erwartetes Verhalten\nGespeichert\n## Tatsächliches Verhalten\nWeg\n",
    ],
    [
      "Spanish",
      "## Pasos para reproducir\nAbrir\n## Comportamiento esperado\nGuardado\n## Comportamiento actual\nPerdido\n",
    ],
    [
      "French",
      "## Étapes pour reproduire\nOuvrir\n## Comportement attendu\nEnregistré\n## Comportement actuel\nPerdu\n",
    ],
    [
      "Portuguese",
      "## Passos para reproduzir\nAbrir\n## Comportamento esperado\nSalvo\n## Comportamento atual\nPerdido\n",
    ],
    ["Chinese", "## 复现步骤\n打开文件\n## 期望结果\n已保存\n## 实际结果\n丢失\n"],
    ["Japanese", "## 再現手順\n開く\n## 期待する動作\n保存される\n## 実際の動作\n消える\n"],
  ])("%s", (_, body) => {
    const found = aspects("File", body);
    expect(flags(found)).toBe("+++");
    expect(found.expected.from).toBe("section");
  });

  test("what the template left there counts as nothing", () => {
    const body =
      "### Describe the bug\n\nA clear and concise description of what the bug is.\n\n### Steps to reproduce\n\n_No response_\n\n" +
      "### Expected behavior\n\nN/A\n\n### Checklist\n\n- [ ] I have searched\n- [x] I have read the docs\n\n" +
      "<!-- Expected: write here -->\n\n### Environment\n\n- OS: [e.g. iOS]\n";
    const reading = readIssue({ title: "Menu", body, labels: [] });
    expect(flags(reading.aspects)).toBe("---");
    expect(reading.acceptanceCriteria).toEqual([]);
    expect(reading.hidden[0]).toMatchObject({ kind: "comment" });
  });

  test("a heading in a code block is no section", () => {
    const found = readIssue({ title: "T", body: "```md\n### Expected behavior\nx\n```\n", labels: [] });
    expect(found.sections.map((section) => section.topic)).toEqual([null]);
  });
});

describe("from prose", () => {
  test.each([
    ["I expected a list, but got a string.", "a list", "got a string"],
    ["Ожидал увидеть список, но получил строку.", "список", "получил строку"],
    ["Es sollte eine Liste sein, aber ich bekomme einen String.", "eine Liste", "einen String"],
    ["Debería devolver una lista, pero obtengo una cadena.", "una lista", "obtengo una cadena"],
    ["Cela devrait renvoyer une liste, mais j'obtiens une chaîne.", "une liste", "une chaîne"],
    ["Deveria retornar uma lista, mas recebo um texto.", "uma lista", "recebo um texto"],
    ["应该返回列表，但实际返回字符串。", "应该返回列表", "返回字符串"],
    ["リストが返るはずですが、文字列になります。", "はず", "文字列"],
    ["Expected `7`, actual `3`.", "Expected `7`", "actual `3`"],
    ["Expected 7 and got 3.", "Expected 7", "got 3"],
    ["I expected 7; it returned 3.", "7", "it returned 3"],
    ["Expected 7 (got 3).", "Expected 7", "got 3."],
    ["Erwartet 7, tatsächlich 3.", "7", "tatsächlich 3"],
    ["Esperado 7, obtenido 3.", "7", "obtenido 3"],
    ["Attendu 7, obtenu 3.", "7", "obtenu 3"],
    ["Esperado 7, recebido 3.", "7", "recebido 3"],
    ["Ожидалось 7, а получилось 3.", "7", "получилось 3"],
    ["期望 7，实际 3。", "7", "实际 3"],
    ["期待値は7、実際は3。", "7", "実際は3"],
  ])("%s", (body, expected, actual) => {
    const found = aspects("Wrong result of parse, ошибка, Fehler, error, erreur, erro, 错误, エラー", body);
    expect(found.expected.text).toContain(expected);
    expect(found.expected.text).not.toContain(actual);
    expect(found.actual.text).toContain(actual);
  });

  test("what should come out is the assertion that fails, and no other line of the code", () => {
    const code = ["rates = {'DE': [Band(2, 4.99)]}", "assert rates", "assert price(rates, 'DE', 2) == 4.99  # fails"];
    const body = `The price is wrong:\n\n\`\`\`python\n${code.join("\n")}\n\`\`\`\n`;
    expect(aspects("Wrong price", body).expected.text).toBe("`assert price(rates, 'DE', 2) == 4.99`");
    const setUp = "It fails:\n\n```python\nimport pytest\n\ndef test_it(res):\n    run('a')\n    assert 0\n```\n";
    expect(aspects("Teardown is told wrongly", setUp).expected.present).toBe(false);
  });

  test.each([
    ["Don't add new code to src/b.js."],
    ["Please do not rename the function."],
    ["Bitte füge keinen Code hinzu."],
    ["No añadas código a src/b.js."],
    ["N'ajoutez rien."],
    ["Não adicione código."],
    ["Не добавляй код в src/b.js."],
    ["请不要添加代码。"],
  ])("an order of what not to do is not what happens: %s", (order) => {
    const { actual } = aspects("f is wrong", "`f(1)` returns NaN. Expected: 0.\n\n" + order);
    expect(actual.text).toContain("returns NaN");
  });

  test.each([
    ["If the rate file were wrong, I would have fixed it there."],
    ["It used to be fine in 8.1."],
    ["I don't want that, because then wrong numbers would become valid."],
  ])("what is not so does not happen: %s", (remark) => {
    const body = `\`quote --weight 2\` prints 6.99 EUR. Our contract says "up to 2 kg", so it must be 4.99 EUR. ${remark}`;
    const found = aspects("Wrong price for 2 kg", body);
    expect(found.actual.text).toContain("prints 6.99 EUR");
    expect(found.reproduction.present).toBe(true);
  });

  test("“as expected” and what is expected of somebody's next step tell no result", () => {
    for (const body of ["As expected, it was slow to load.", "Expected to be easy, and it was asked for often."])
      expect(aspects("Add a page", body).actual.present).toBe(false);
  });

  test.each([
    ["The duration that is printed for 3660 is `1h60m`. Expected `1h1m`.", "The duration that is printed for 3660"],
    ['For the basket "2 apples" the total is 3.50. It should be 7.00.', "For the basket"],
    ["Bei 3 Äpfeln ist die Summe 3,50. Erwartet: 7,00.", "Bei 3 Äpfeln"],
  ])("what goes in and what comes out, beside what should, is a reproduction: %s", (body, start) => {
    const found = aspects("Wrong result", body);
    expect(found.reproduction.text).toContain(start);
    expect(found.expected.present && found.actual.present).toBe(true);
  });

  test.each([
    ["`f(1)` returns 2, expected 3.", "expected 3.", "`f(1)` returns 2"],
    ["`f(1)` gives 2, but I expected 3.", "I expected 3.", "`f(1)` gives 2"],
    ["`f(1)` liefert 2, erwartet wird 3.", "erwartet wird 3.", "`f(1)` liefert 2"],
    ["`f(1)` devuelve 2, se esperaba 3.", "se esperaba 3.", "`f(1)` devuelve 2"],
    ["`f(1)` возвращает 2, ожидается 3.", "ожидается 3.", "`f(1)` возвращает 2"],
    ["`f(1)` renvoie 2, attendu 3.", "attendu 3.", "`f(1)` renvoie 2"],
    ["`f(1)` 返回 2，期望 3。", "期望 3。", "`f(1)` 返回 2"],
  ])("one sentence with both results has each of them: %s", (body, expected, actual) => {
    expect(aspects("f is wrong", body)).toMatchObject({
      expected: { text: expected },
      actual: { text: actual },
      reproduction: { present: true },
    });
  });

  test.each([
    ...[
      "f(1) → 2, should be 3",
      "f(1) => 2 (should be 3)",
      "f(1) -> 2, expected 3",
      "f(1) ⇒ 2\nshould be 3",
      "f(1) → 2. Should be 3.",
    ],
    ...[
      "f(1) → 2. Expected: 3",
      "f(1) → 2.\nExpected: 3",
      "f(1) → 2.\n\nExpected: 3",
      "f(1) → 2\n\nshould be 3",
      "f(1) returns 2\nExpected: 3",
    ],
    ...[
      "f(1) → 2 but 3 is expected",
      "f(1) → 2, but it should be 3",
      "f(1) → 2, sollte 3 sein",
      "f(1) → 2. Erwartet: 3",
      "f(1) → 2, devrait être 3",
    ],
    ...[
      "f(1) → 2, debería ser 3",
      "f(1) → 2, deveria ser 3",
      "f(1) → 2, должно быть 3",
      "f(1) → 2，应为 3",
      "f(1) → 2。期待: 3",
    ],
  ])("a call with an arrow shows its result: %j", (body) => {
    const { kind, aspects: found } = readIssue({ title: "f", body, labels: [] });
    expect([kind.kind, flags(found)]).toEqual(["bug", "+++"]);
    expect([found.actual.text, found.expected.text]).toEqual([
      expect.stringMatching(/^f\(1\) (?:\S{1,2}|returns) 2[.。]?$/),
      expect.stringMatching(/^\D*3\D*$/),
    ]);
  });

  test.each([["f(1) → 2 instead of 3"], ["f(1) -> 2 statt 3"]])(
    "an arrow with the right result in the same words is a fault: %s",
    (body) => {
      const { kind, aspects: found } = readIssue({ title: "f", body, labels: [] });
      expect([kind.kind, flags(found)]).toEqual(["bug", "+++"]);
    },
  );

  test.each([
    "It should be possible to write map(1) => 2 instead of a function.",
    "Rename a -> b, should be easy.",
    "Bump node 18 -> 20.",
    "Add a flag: f(1) → 2.",
  ])("an arrow alone reports no fault: %s", (body) => {
    expect(readIssue({ title: "Add syntax", body, labels: [] }).kind.kind).not.toBe("bug");
  });

  test.each([
    ...["Ist: 3,50 / Soll: 7,00", "Ist: 3,50\nSoll: 7,00", "**Ist:** 3,50 **Soll:** 7,00", "- Ist: 3,50\n- Soll: 7,00"],
    ...["Es stimmt nicht. Ist: 3,50, Soll: 7,00", "Ist-Zustand: 3,50; Soll-Zustand: 7,00", "Ist/Soll: 3,50 / 7,00"],
    ...[
      "Actual: 3,50 Expected: 7,00",
      "Actual: 3,50, expected: 7,00",
      "Expected: 7,00 Actual: 3,50",
      "Expected: 7,00\nActual: 3,50",
    ],
    ...["Actual result: 3,50 / Expected result: 7,00", "Got: 3,50 but expected: 7,00", "Actual/Expected: 3,50 / 7,00"],
    ...["实际：3,50 期望：7,00", "实际：3,50，期望：7,00", "实际结果：3,50；预期结果：7,00"],
    ...["実際: 3,50 期待: 7,00", "実際：3,50、期待：7,00", "実際の結果：3,50\n期待する結果：7,00"],
    ...["Факт: 3,50 Ожидание: 7,00", "Факт: 3,50, ожидание: 7,00", "Получено: 3,50\nОжидалось: 7,00"],
    ...[
      "Obtenido: 3,50 Esperado: 7,00",
      "Obtenu : 3,50 Attendu : 7,00",
      "Obtido: 3,50 Esperado: 7,00",
      "Obtido: 3,50\nEsperado: 7,00",
    ],
  ])("labels tell both results in one paragraph: %j", (body) => {
    const { kind, aspects: found } = readIssue({ title: "Total", body, labels: [] });
    expect([kind.kind, found.actual.text, found.expected.text]).toEqual(["bug", "3,50", "7,00"]);
  });

  test.each([
    ["The file is 3 MB. It is kept at C: Expected to go."],
    ['It prints "Actual: 1" and `Expected: 2` where it fails.'],
    ["Add a page that shows what is expected: dates, and the actual ones."],
    ["The current one is slow; add a faster one, as expected by http://example.com/actual: it is easy."],
  ])("words before a colon, code and addresses are no labels: %s", (body) => {
    expect(readIssue({ title: "Page", body, labels: [] }).sections.map(({ topic }) => topic)).toEqual([null]);
  });

  test("the last word of a result is kept", () => {
    const found = aspects("Order", "Actual: y; z / Expected: x, y");
    expect([found.actual.text, found.expected.text]).toEqual(["y; z", "x, y"]);
  });

  // A search that goes back and forth would not end; how long it takes, `npm run bench:readers` measures.
  test("labels are looked for to the end of the text", () => {
    for (const piece of ["Expected ", "a-", "Actual: ", "** ", "f(1) → 2, should ", " expected", "A/", "，实际"]) {
      expect(aspects("Total", piece.repeat(60_000 / piece.length))).toHaveProperty("expected");
    }
  });

  test("what is expected may stand in a line of its own", () => {
    const found = aspects("Wrong duration", "The duration that is printed for 3660 is `1h60m`.\nExpected: `1h1m`.");
    expect([flags(found), found.expected.text]).toEqual(["+++", "`1h1m`."]);
  });

  test("a version and a size are no reproduction", () => {
    const body = "Since version 3.2 it has 10 windows. I expected it to work.";
    expect(aspects("Wrong result", body).reproduction.present).toBe(false);
  });

  test("the sentence that says it is the text, not the whole issue", () => {
    const found = aspects(
      "Paths are wrong",
      "I use version 2.1. Files are shown relative to the new directory. The displayed directory should stay relative to the original one. Thanks!",
    );
    expect(found.expected).toEqual({
      present: true,
      text: "The displayed directory should stay relative to the original one.",
      from: "prose",
    });
    expect(found.compatibility).toMatchObject({ present: true, text: "2.1" });
  });

  test("politeness and questions are no expectations", () => {
    const body =
      "The total is wrong. Should I open a pull request? I would be happy to submit a PR. Everything else works as expected.";
    expect(aspects("Total is wrong", body).expected.present).toBe(false);
  });

  test("a quoted message with must in it is none either", () => {
    expect(aspects("Error on start", "It fails with `events must be an array`.").expected.present).toBe(false);
  });

  test("code, a playground or steps are a reproduction; output alone is none", () => {
    expect(aspects("Crash", "Given this:\n\n```js\nparse('').then(print)\n```\nit crashes").reproduction.from).toBe(
      "code",
    );
    expect(aspects("Crash", "It crashes: https://codesandbox.io/s/abc").reproduction.from).toBe("link");
    expect(aspects("Crash", "1. Open the page\n2. Click on save\n\nIt crashes.").reproduction.present).toBe(true);
    const output =
      "It crashes.\n\n```\nTypeError: x is undefined\n    at a (src/a.js:1:2)\n    at b (src/b.js:1:2)\n```";
    expect(aspects("Crash", output).reproduction.present).toBe(false);
  });

  test.each([
    ["Minutes are lost", "`parseDuration('1h30m')` returns 3600. Expected 5400."],
    ["Minutes are lost", "```js\nparseDuration('1h30m') // 3600, should be 5400\n```"],
    ["Minutes are lost", "```js\nparseDuration('1h30m') // => 3600\n```\nIt should be 5400."],
    ["Minutes are lost", "I get 3600 instead of 5400 from `parseDuration('1h30m')`."],
    ["Minutes are lost", "`parseDuration('1h30m')` gives 3600, should be 5400"],
    ["Minutes are lost", "`parseDuration('1h30m')` yields 3600 but 5400 is right."],
    ["Minutes are lost", "parseDuration('1h30m') -> 3600 (expected: 5400)"],
    ["parseDuration('1h30m') returns 3600 instead of 5400", ""],
    ["Minutes are lost", "| call | result | expected |\n|---|---|---|\n| `parseDuration('1h30m')` | 3600 | 5400 |"],
    ["Minutes are lost", "```\nassert parse_duration('1h30m') == 5400\nE  AssertionError: assert 3600 == 5400\n```"],
    ["Minutes are lost", "```\nAssertionError: expected parseDuration('1h30m') to be 5400, got 3600\n```"],
    ["Minutes are lost", "`duration --of 1h30m` prints 3600 instead of 5400."],
    ["Minuten fehlen", "`parseDuration('1h30m')` liefert 3600 statt 5400."],
    ["Минуты", "`parseDuration('1h30m')` возвращает 3600 вместо 5400."],
    ["Los minutos", "`parseDuration('1h30m')` devuelve 3600 en vez de 5400."],
    ["Les minutes", "`parseDuration('1h30m')` renvoie 3600 au lieu de 5400."],
    ["Os minutos", "`parseDuration('1h30m')` retorna 3600 em vez de 5400."],
    ["分钟", "`parseDuration('1h30m')` 返回 3600，应为 5400。"],
    ["分", "`parseDuration('1h30m')` は 5400 ではなく 3600 を返します。"],
  ])("a call with its result and the right one is all three: %s: %s", (title, body) => {
    const { kind, aspects: found } = readIssue({ title, body, labels: [] });
    expect([kind.kind, flags(found)]).toEqual(["bug", "+++"]);
  });

  test.each([
    ["The export is wrong. `export()` should work."],
    ["`total()` is wrong."],
    ["The file(s) and `src/total.ts` are wrong, and the export fails."],
    ["The name `total` is wrong."],
  ])("a name alone is no reproduction: %s", (body) => {
    expect(aspects("The export is wrong", body).reproduction.present).toBe(false);
  });

  test("later comments fill what the issue leaves open", () => {
    const comments = [{ author: "ann", body: "I expected the file to be kept." }];
    const reading = readIssue({ title: "File is lost", body: "It is lost.", labels: [], comments });
    expect(reading.aspects.expected).toMatchObject({ present: true, from: "comment" });
    expect(reading.aspects.actual.from).toBe("prose");
  });
});

describe("what the result is judged by", () => {
  test("an acceptance section's items, ticked or not", () => {
    const body = "Export.\n\n## Acceptance criteria\n\n- [ ] CSV has a header\n- [x] UTF-8\n- Empty reports work\n";
    expect(readIssue({ title: "Add export", body, labels: [] }).acceptanceCriteria).toEqual([
      "CSV has a header",
      "UTF-8",
      "Empty reports work",
    ]);
  });

  test.each([
    "The header must be written once.",
    "Заголовок должен быть один.",
    "Die Kopfzeile muss einmal geschrieben werden.",
    "El encabezado debe aparecer una vez.",
    "L'en-tête doit apparaître une fois.",
    "O cabeçalho deve aparecer uma vez.",
    "表头必须只出现一次。",
    "ヘッダーは一度だけ書く必要がある。",
  ])("a sentence that binds: %s", (sentence) => {
    expect(readIssue({ title: "Export", body: `Export. ${sentence}`, labels: [] }).acceptanceCriteria).toEqual([
      sentence,
    ]);
  });
});

describe("the gist", () => {
  test("adds the decisive sentence to the title", () => {
    const reading = readIssue({
      title: "[BUG] Cart total",
      body: "Hello! I love this shop. The rounding of discounts fails with more than ten positions.",
      labels: [],
    });
    expect(reading.gist).toBe("Cart total: The rounding of discounts fails with more than ten positions.");
  });

  test("is the title alone when the text says the same", () => {
    expect(readIssue({ title: "Cart total is wrong", body: "The cart total is wrong.", labels: [] }).gist).toBe(
      "Cart total is wrong",
    );
  });
});

test("what is expected is not what happens, however it reads", () => {
  const body =
    "When I call `retry(fn)`, the delay grows beyond 100 ms.\n\nExpected behavior: the delay never exceeds it.";
  expect(aspects("Retry ignores maxDelay", body).actual.text).not.toContain("never exceeds");
});
