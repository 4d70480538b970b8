import { describe, expect, test } from "vitest";
import { message, specInput } from "../../../test/support/spec-input.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { statementsOf } from "../input.ts";
import { validateSpec } from "../validate/validate.ts";
import { offlineSpecGenerator } from "./writer.ts";

const DECIDERS = new Set(["max", "ruth"]);

/** The spec of a request by ann, after what people said: max and ruth decide. */
async function specOf(
  body: string,
  thread: readonly (readonly [string, string])[],
  language = "en",
  issue = { title: "A filter for the list", labels: ["enhancement"] },
  withSay = DECIDERS,
) {
  const messages = thread.map(([author, content], at) => message({ seq: at + 1, author, content }));
  const given = specInput({ ...issue, body, language, messages });
  const input = {
    ...given,
    deciders: new Set(messages.filter(({ author }) => withSay.has(author)).map(({ seq }) => seq)),
    statements: statementsOf(given.issue, messages, withSay),
  };
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  const { decisions, nonGoals, requirements, assumptions } = parseSpec(markdown);
  const steps = requirements.flatMap(({ scenarios }) => scenarios.flatMap((one) => one.steps));
  return {
    decisions: decisions.map(({ decision }) => decision),
    nonGoals: nonGoals.map(({ text }) => text),
    outcomes: steps.filter(({ keyword }) => keyword !== "WHEN").map(({ text }) => text),
    assumptions: assumptions.map(({ assumption }) => assumption),
    markdown,
  };
}

const ASKED = "`shop list --city NAME` should show the customers of one city.";

describe("what those who decide say in words that no rule knows", () => {
  test("stands among the decisions, in their order, and a scenario holds the work to them", async () => {
    const { decisions, outcomes } = await specOf(ASKED, [
      ["max", "Let's go with capitals."],
      ["max", "On reflection, small letters with a dot at the end."],
    ]);
    expect(decisions.slice(0, 2)).toEqual([
      "Let's go with capitals",
      "On reflection, small letters with a dot at the end",
    ]);
    expect(outcomes).toContainEqual(expect.stringContaining("a later one before an earlier one"));
  });

  test.each([
    ["en", "What about a city without customers?", "An empty table."],
    ["en", "What if the name is empty?", "Exit 2."],
    ["de", "Und bei einem leeren Namen?", "Dann Fehler 2."],
    ["fr", "Et si le nom est vide ?", "Une erreur."],
    ["es", "¿Y si el nombre está vacío?", "Un error."],
    ["pt", "E se o nome estiver vazio?", "Um erro."],
    ["ru", "А если имя пустое?", "Ошибка 2."],
    ["zh", "名字为空怎么办？", "报错。"],
    ["ja", "名前が空の場合は？", "エラーです。"],
  ])("stands with the question that it answers (%s): %j %j", async (language, question, answer) => {
    const { decisions, outcomes } = await specOf(
      ASKED,
      [
        ["ann", question],
        ["max", answer],
      ],
      language,
    );
    const whole = `“${question}” ${answer}`.replace(/[.。]$/, "");
    expect(decisions).toContainEqual(whole);
    expect(outcomes.join("\n")).not.toContain(answer.replace(/[.。]$/, ""));
  });

  test("is a no to what was asked, and takes nothing back that was decided before", async () => {
    const { decisions, markdown } = await specOf(ASKED, [
      ["max", "Ok, descending."],
      ["kai", "Could it also group by country?"],
      ["max", "No, let's not do that."],
    ]);
    expect(decisions).toContain("Ok, descending");
    expect(markdown).toContain("“Could it also group by country?” No, let's not do that");
    expect(markdown).not.toContain("taken up in message 3");
    expect(markdown).not.toContain("in place of");
  });

  test("is no remark about the report, no thanks, and nothing of the reporter's own", async () => {
    const { decisions } = await specOf(ASKED, [
      ["max", "Thanks for the idea! I'll have a look next week."],
      ["ann", "Great, looking forward to it."],
      ["ruth", "Can confirm. I'm torn."],
    ]);
    expect(decisions.filter((one) => /look|Great|torn|idea/.test(one))).toEqual([]);
  });
});

describe("a discussion", () => {
  test("stands in the Decision Log message by message, also what few words answer, and binds by its order", async () => {
    const { decisions, outcomes, nonGoals } = await specOf(ASKED, [
      ["max", "I'd go for capitals. Longer names: cut them after 20 signs?"],
      ["ruth", "Cutting looks odd. Wrap them, and store the whole name, don't cut it in the file."],
      ["max", "Hm OK. But a warning if a city is unknown?"],
      ["ruth", "No warning."],
    ]);
    expect(decisions).toEqual([
      "I'd go for capitals. Longer names: cut them after 20 signs?",
      "Cutting looks odd. Wrap them, and store the whole name, don't cut it in the file",
      "“But a warning if a city is unknown?” No warning",
    ]);
    expect(outcomes.at(-1)).toContain("a later one before an earlier one");
    expect(nonGoals).toEqual([]);
  });

  test("keeps a short no within a message, and the case of its first letter", async () => {
    const { decisions } = await specOf(ASKED, [
      ["max", "node:fs reads the cities from a file for three people. Nope. Thanks!"],
      ["ann", "Streets too?"],
      ["max", "Later, maybe. Not now."],
    ]);
    expect(decisions).toEqual([
      "node:fs reads the cities from a file for three people. Nope",
      expect.stringContaining("Later, maybe. Not now"),
    ]);
  });

  test("has no blanks between sentences in scripts without spaces", async () => {
    const { decisions } = await specOf(ASKED, [["max", "上传时带名字。之后返回 410。"]], "zh");
    expect(decisions[0]).toBe("上传时带名字。之后返回 410");
  });

  test("of a fault requires nothing that was overruled later in words that no rule knows", async () => {
    const messages = [
      message({ seq: 1, author: "max", content: "Definitely a bug. It should be 409 with the code ALREADY_PAID." }),
      message({ seq: 2, author: "eve", content: "Could it be 200 with the old date kept?" }),
      message({
        seq: 3,
        author: "max",
        content: "Idempotent... yes, nicer. Answer 200, and don't write anything.",
      }),
    ];
    const given = specInput({
      title: "`pay` twice moves the date",
      body: "`POST /pay` moves it.",
      labels: ["bug"],
      messages,
    });
    const input = { ...given, deciders: new Set([1, 3]), statements: statementsOf(given.issue, messages, DECIDERS) };
    const { decisions, requirements } = parseSpec((await offlineSpecGenerator().generate(input, null)).markdown);
    expect(JSON.stringify(requirements)).not.toMatch(/409|200/);
    expect(decisions.map(({ decision }) => decision)).toEqual([
      "Definitely a bug. It should be 409 with the code ALREADY_PAID",
      "“Could it be 200 with the old date kept?” Idempotent... yes, nicer. Answer 200, and don't write anything",
    ]);
  });
});

test("what was refused is not required: the decisions are", async () => {
  const { outcomes, markdown } = await specOf(ASKED, [
    ["max", "No, that's not going to happen. But an option `--match TEXT` is something I'd accept."],
    ["ann", "That would do."],
    ["max", "Fine. Off by default."],
  ]);
  expect(outcomes).toEqual([expect.stringContaining("the decisions of the discussion hold")]);
  expect(markdown).toContain("- Asked: A filter for the list. The Decision Log says what was decided.");
  expect(markdown).toMatch(/\| \d \| .*`--match TEXT`/);
  expect(markdown).toMatch(/\| \d \| .*Off by default/);
});

test.each([
  ["en", "We have three thousand customers. Could you build that in?"],
  ["de", "Wir haben dreitausend Kunden. Könntet ihr das einbauen?"],
  ["fr", "Nous avons trois mille clients. Est-ce qu'on pourrait l'ajouter ?"],
  ["pt", "Temos três mil clientes. Dá para incluir?"],
  ["ru", "У нас три тысячи клиентов. Можно добавить?"],
])("what is asked for without words of its own is what the title says (%s)", async (language, body) => {
  const { outcomes, markdown } = await specOf(body, [], language);
  expect(outcomes[0]).toContain("A filter for the list");
  expect(outcomes.join("\n")).not.toMatch(/[?？]/);
  expect(markdown.split("## Problem")[0]).not.toContain("?");
});

test.each([
  ["de", "Negative Beträge bekommen kein Hochkomma! Also nur, wenn das Feld keine Zahl ist."],
  ["en", "Amounts get no quote! So only where the field is no number."],
])("a limit of how a fault is mended is no Non-goal (%s)", async (language, reply) => {
  const issue = { title: "A leading minus becomes a formula", labels: ["bug"] };
  const { nonGoals, decisions } = await specOf("`=` is quoted, `-` is not.", [["max", reply]], language, issue);
  expect(nonGoals.join("\n")).not.toMatch(/Zahl|number/);
  expect(decisions.join("\n")).toMatch(/Zahl|number/);
});

describe("where a request was discussed, nothing but the decisions is required, in whatever words it was refused", () => {
  test.each([
    ["en", "We've been over this, and it's not one I want to look after."],
    ["en", "Guessable names defeat the purpose."],
    ["en", "In that case the option isn't needed either: `cities = []` in the settings."],
    ["de", "Nein, das bauen wir nicht ein."],
    ["fr", "Je ne suis pas convaincu, on finit toujours avec des filtres par auteur."],
    ["es", "No, no lo vamos a añadir."],
    ["pt", "A resposta continua a mesma."],
    ["ru", "Не думаю, что это наша задача."],
    ["zh", "输出有人用脚本读，不想加列。"],
    ["ja", "出力をスクリプトで読んでいる人がいるので、列は増やしたくないです。"],
  ])("%s: %j", async (language, reply) => {
    const { outcomes, decisions, markdown } = await specOf(
      `${ASKED} I think these should be considered:\n\n- [ ] names in capitals\n- [ ] cities abroad`,
      [
        ["ruth", reply],
        ["max", "Capitals are out, and abroad as well."],
      ],
      language,
    );
    expect(outcomes).toHaveLength(1);
    expect(decisions[0]).toContain(reply.replace(/[.。]$/, ""));
    expect(markdown.split("## Problem")[0]).not.toContain("--city");
  });
});

test("criteria of which nobody spoke stay required", async () => {
  const { outcomes } = await specOf(
    `${ASKED}\n\n### Acceptance criteria\n\n- [ ] An unknown city gives an empty list`,
    [["max", "Fine. Sorted by name."]],
  );
  expect(outcomes).toContain("An unknown city gives an empty list");
});

describe("a fault that was discussed", () => {
  const issue = { title: "The file is still there after the export", labels: ["bug"] };
  const BODY = "I see `out.csv` after `shop export`.";

  test.each([
    ["en", "That's by design: the file is kept for a day."],
    ["en", 'INVALID_PATH, "out.csv lies there". Same day is fine.'],
    ["de", "Das ist so gewollt: Die Datei bleibt einen Tag."],
    ["ru", "Читать как байты, тогда парсер сам разберётся."],
    ["ja", "これは仕様です。ファイルは一日残ります。"],
  ])("is mended as far as the decisions say so, also in one message (%s): %j", async (language, reply) => {
    const { outcomes, decisions } = await specOf(BODY, [["max", reply]], language, issue);
    expect(decisions).toEqual([reply.replace(/[.。]$/, "")]);
    expect(outcomes).toHaveLength(2);
    expect(outcomes[0]).toContain("Decision Log");
  });

  test("keeps a scenario for what a single message demands", async () => {
    const { outcomes, decisions } = await specOf(BODY, [["max", "It should be deleted at the end."]], "en", issue);
    expect(outcomes.at(-1)).toBe("It should be deleted at the end (message 1)");
    expect(decisions).toEqual(["It should be deleted at the end"]);
  });
});

test.each([
  ["There isn't. Use `shop list | sort`.", "Works, thanks!", true],
  ["It is sorted by name.", "Got it, thanks!", true],
  ["There isn't. `shop list | sort` gets you most of the way.", "Got it, thanks!", true],
  ["It is sorted by name.", "Ok.", true],
  ["Please use the newer version.", "Funktioniert, danke!", true],
  ["There isn't, but we should add `--sort`.", "Great!", false],
  ["No, you found a bug. Make `--city` work.", "Works now, thanks!", false],
])("a question that is only answered has nothing to build: %j %j", async (answer, reply, isNothing) => {
  const issue = { title: "Can the list be sorted by city?", labels: ["question"] };
  const thread = [
    ["max", answer],
    ["ann", reply],
  ] as const;
  const { markdown } = await specOf("I found nothing about it.", thread, "en", issue);
  expect(parseSpec(markdown).tasks.map(({ changesNothing }) => changesNothing)).toEqual([isNothing]);
  expect(await validateSpec(markdown)).toMatchObject({ errors: [] });
});

test.each(["Yes.", "No, you found a bug. Make `--city` work."])(
  "a question has its answer in the log, and the work is what that asks for: %j",
  async (answer) => {
    const issue = { title: "Can the list be sorted by city?", labels: ["question"] };
    const { decisions, outcomes, markdown } = await specOf(
      "I found nothing about it.",
      [
        ["max", answer],
        ["ann", "Got it, thanks!"],
      ],
      "en",
      issue,
    );
    expect(decisions).toEqual([expect.stringContaining(answer.replace(/\.$/, ""))]);
    expect(outcomes).toEqual([expect.stringContaining("the decisions of the discussion hold")]);
    expect(markdown).toContain("Answer the question as the Decision Log does, and change only what it asks for");
  },
);

test("a message that asks for something beside what is to stay is a decision, and no Non-goal", async () => {
  const issue = { title: "`add` twice resets everything", labels: ["bug"] };
  const thread = [
    ["ruth", `Exit 1 with "already there", and don't touch the row.`],
    ["max", "Moving is a separate thing, please no magic."],
  ] as const;
  const { decisions, nonGoals } = await specOf("It forgets the folder.", thread, "en", issue);
  expect(decisions[0]).toBe(`Exit 1 with "already there", and don't touch the row`);
  expect(nonGoals.join("\n")).not.toContain("Exit 1");
});

test("the signature of a mail is no part of a request", async () => {
  const { markdown } = await specOf(
    "We need the blobs encrypted.\n\n-- \nAnn\nIf you are not the intended recipient delete it.",
    [],
  );
  expect(markdown).not.toContain("recipient");
});

test("the summary has what one message decided, and leaves more to the log", async () => {
  const summaryOf = ({ markdown }: { markdown: string }) => markdown.split("## Problem")[0];
  const one = await specOf(ASKED, [["max", "A config key, `cities = []`, and no option."]]);
  expect(summaryOf(one)).toContain("- Decided: A config key, `cities = []`, and no option (message 1).");
  const two = await specOf(ASKED, [
    ["max", "A config key, `cities = []`, and no option."],
    ["ruth", "Sorted by name, please."],
  ]);
  expect(summaryOf(two)).not.toContain("cities");
});

describe("a row of the log", () => {
  test("shows what it quotes or answers in quotation marks, and the numbers of a list", async () => {
    const { decisions } = await specOf("A. names in capitals\n\nB. cities abroad", [
      ["ruth", "> A. names in capitals\n\nnope\n\n> B. cities abroad\n\nyes please. `<a>` too."],
      ["max", "1. lower case: accept\n2. abroad: sure"],
      ["ruth", "(2) I'd leave out."],
    ]);
    expect(decisions).toEqual([
      "“A. names in capitals” nope “B. cities abroad” yes please. `<a>` too",
      "(1) lower case: accept (2) abroad: sure",
      "(2) I'd leave out",
    ]);
  });

  test("has the question just before it, and none that was answered", async () => {
    const { decisions } = await specOf(ASKED, [
      ["max", "`exclude`, a list of words, titles alone."],
      ["kai", "And the summary?"],
      ["max", "No, titles only."],
      ["kai", "Perfect"],
      ["ruth", "Letters of any case."],
    ]);
    expect(decisions).toEqual([
      "`exclude`, a list of words, titles alone",
      "“And the summary?” No, titles only",
      "Letters of any case",
    ]);
  });
});

test("a limit of what is wanted is a decision, and no Non-goal", async () => {
  const { decisions, nonGoals } = await specOf(ASKED, [["max", "Yes. All cities except the capital."]]);
  expect(decisions).toContainEqual(expect.stringContaining("All cities except the capital"));
  expect(nonGoals.join("\n")).not.toContain("capital");
});

test("what somebody else wished, and a decision answers, is told there alone", async () => {
  const { decisions, assumptions } = await specOf(ASKED, [
    ["kai", "Abroad should be accepted too."],
    ["max", "True, accept it."],
  ]);
  expect(decisions).toContainEqual(expect.stringContaining("“Abroad should be accepted too.” True, accept it"));
  expect(assumptions.join("\n")).not.toContain("Abroad");
});

describe("a request that somebody with a say refuses in a few words, or its reporter withdraws", () => {
  test.each([
    ["max", "No.", "No"],
    ["ruth", "No, sorry.", "No, sorry"],
    ["max", "Nein.", "Nein"],
    ["max", "Won't fix.", "Won't fix"],
    ["ann", "Never mind, I withdraw this. Thanks!", "Never mind, I withdraw this"],
    ["ann", "I don't need this any more, please close it.", "I don't need this any more, please close it"],
    ["ann", "Hat sich erledigt, ich ziehe das zurück.", "Hat sich erledigt, ich ziehe das zurück"],
  ])("has that as its decision: @%s %j", async (author, content, words) => {
    const withSay = new Set([...DECIDERS, "ann"]);
    const { decisions } = await specOf(ASKED, [[author, content]], "en", undefined, withSay);
    expect(decisions.filter((text) => text.endsWith(words))).toHaveLength(1);
  });

  test.each(["No.", "No, sorry.", "Won't fix."])("has nothing to build: %j", async (content) => {
    const { markdown } = await specOf(ASKED, [["max", content]]);
    expect(markdown).toContain("Nothing is to be built");
    expect(markdown).not.toContain("First write");
  });

  test("asks for nothing of what was declined, and names no file", async () => {
    const body = "Please add:\n\n- [ ] `--city NAME`\n- [ ] `--street NAME`, and keep `--name` as it is";
    const { markdown, decisions, outcomes, nonGoals } = await specOf(body, [["max", "No."]]);
    expect(outcomes).toEqual([expect.stringContaining("the decisions of the discussion hold")]);
    expect(decisions).toEqual(["“A filter for the list” No"]);
    expect(nonGoals).toEqual([]);
    const { tasks } = parseSpec(markdown);
    expect(tasks).toMatchObject([{ touchPoints: [], changesNothing: true }]);
    expect(await validateSpec(markdown)).toMatchObject({ errors: [], warnings: [] });
  });

  test("has work to do where the refusal says what to do instead", async () => {
    const { markdown } = await specOf(ASKED, [["max", "No. Print all of them, sorted by city."]]);
    expect(markdown).not.toContain("Nothing is to be built");
  });
});

describe("what an answer refers to", () => {
  const LIST = "Before I begin:\n\n1. May the order change?\n2. Is an empty name allowed?\n3. Do we stop at the first?";

  test.each(["1 yes. 2 no, that is an error. 3 no.", "1. Yes\n2. No, that is an error\n3. No"])(
    "stands beside numbers: %j",
    async (answer) => {
      const { decisions } = await specOf(LIST, [["max", answer]]);
      expect(decisions[0]).toMatch(/^\(1\) “May the order change\?” yes\.? \(2\) “Is an empty name allowed\?” no, /i);
    },
  );

  test("stands in the spec where a request is agreed to", async () => {
    const body = "We need a filter:\n\n- `--city NAME` for one city\n- exit code 3 where nobody lives\n";
    const { markdown } = await specOf(body, [["max", "Agreed with all of it, except the name: use `--town`."]]);
    expect(markdown).toContain("exit code 3 where nobody lives");
  });

  test("is no long proposal of somebody without a say", async () => {
    const { decisions } = await specOf(ASKED, [
      ["bob", "This should be rewritten with a database. I can do a PR, about 40 files."],
      ["max", "Confirmed. The list keeps its order."],
    ]);
    expect(decisions[0]).toBe("Confirmed. The list keeps its order");
  });
});

test("a criterion of a fault of which the discussion speaks is quoted, and no scenario", async () => {
  const body = `\`shop list\` prints twice.

### Acceptance criteria

- [ ] Given two customers, when the list is printed, then each stands there once
- [ ] Given an archived shop, when it is exported, then it is in the file`;
  const issue = { title: "`shop list` prints twice", labels: ["bug"] };
  const { outcomes, markdown } = await specOf(body, [["max", "We will not export an archived shop."]], "en", issue);
  expect(outcomes.join("\n")).toContain("each stands there once");
  expect(outcomes.join("\n")).not.toContain("in the file");
  expect(markdown).toContain("> - (1) Given two customers");
  expect(markdown).toContain("> - (2) Given an archived shop");
});

test.each([
  "It comes out right for me, in London. `isInMonth` decides which invoices are in it, so that is where I would start.",
  "Works for me on 2.4.1.",
])("a hint about a fault decides nothing: %j", async (hint) => {
  const issue = { title: "The October export has the wrong invoices", labels: ["bug"] };
  const { decisions } = await specOf("Some invoices are missing.", [["max", hint]], "en", issue);
  expect(decisions).toEqual([]);
});

test("a decision keeps its first words: a yes with a limit is a yes", async () => {
  const { decisions, markdown } = await specOf(ASKED, [["max", "Yes, but only for `list`, and never for the export."]]);
  expect(decisions).toEqual(["Yes, but only for `list`, and never for the export"]);
  expect(markdown).toContain("Decided: Yes, but only");
});

describe("what an issue asks for is quoted so that an answer to it can be read", () => {
  test("items without numbers get them, and the text before them does not count", async () => {
    const body = "The report of a city needs\n\n- numbers\n- `--city`\n\n```\nx\n```\n\n- `--title`";
    const { markdown } = await specOf(body, [["max", "The first and the last one are fine."]]);
    expect(markdown).toContain(
      "> - The report of a city needs\n> - (1) numbers\n> - (2) `--city`\n> - (3) `--title`\n",
    );
  });

  test("all of a fault's list stands there, also what is a scenario of its own", async () => {
    const body = `The list is no XML.

Acceptance criteria:
- [ ] A name with \`&\` is escaped
- [ ] The address is escaped
- [ ] It can be read again`;
    const issue = { title: "The list is no XML", labels: ["bug"] };
    const { markdown, outcomes } = await specOf(body, [["max", "Yes to the address. No reading."]], "en", issue);
    expect(markdown).toContain(
      "> - (1) A name with `&` is escaped\n> - (2) The address is escaped\n> - (3) It can be read again\n",
    );
    expect(outcomes.join("\n")).toContain("A name with `&` is escaped");
  });

  test("questions to the project stand there, also behind labels, and code is as it was", async () => {
    const body = `\`[a](b.md "Title")\` fails by \`PROXY=http://proxy:3128\`.

Expected: no message.

Some questions:
1. Should links in code be skipped?
2. Should \`mailto:\` be skipped?`;
    const issue = { title: "A link fails", labels: ["bug"] };
    const { markdown } = await specOf(body, [["max", "1. yes\n2. no, only with `--strict`"]], "en", issue);
    expect(markdown).toContain("> - (1) Should links in code be skipped?\n> - (2) Should `mailto:` be skipped?\n");
    expect(markdown).toContain('`[a](b.md "Title")` fails by `PROXY=http://proxy:3128`');
  });
});
