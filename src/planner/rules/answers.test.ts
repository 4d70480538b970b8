import { describe, expect, test } from "vitest";
import type { ConversationMessage } from "../../domain/conversation.ts";
import type { Gap, Topic } from "../../domain/gap.ts";
import { givenAnswer } from "../../domain/given-answer.ts";
import { findAnswers } from "./answers.ts";

const ASKED = new Date("2026-03-01T10:00:00Z");
const LATER = new Date("2026-03-01T11:00:00Z");

function gap(number: number, topic: Topic): Gap {
  return {
    id: `id-${number}`,
    issueId: "1",
    number,
    question: `What about ${topic}, in this very case?`,
    evidence: null,
    severity: "high",
    respondent: "reporter",
    topic,
    proposedDefault: null,
    status: "open",
    askedAt: ASKED,
    askedIn: null,
    closedAt: null,
    closedReason: null,
    closedNote: null,
    answeredIn: null,
    createdAt: ASKED,
  };
}

function says(content: string, timestamp = LATER): ConversationMessage {
  return {
    seq: 3,
    author: "ann",
    role: "reporter",
    isBot: false,
    timestamp,
    editedAt: null,
    replyToSeq: null,
    content,
    externalId: "9",
    externalThreadId: null,
  };
}

function answers(gaps: Gap[], message: ConversationMessage): Record<number, string> {
  const found = findAnswers(gaps, [message], {
    topicsOf: (text) => (text.includes("expected") ? ["expected"] : []),
    mayAnswer: (one) => one.author === "ann",
    saysNothing: (text) => text === "thanks",
  });
  return Object.fromEntries(found.map((answer) => [answer.gap.number, answer.note]));
}

const both = [gap(4, "reproduction"), gap(5, "expected")];

describe("answers to open questions", () => {
  test.each([
    "4. Run it\n5. No error",
    "Q4: Run it\nQ5: No error",
    "**4)** Run it\n**5)** No error",
    "gap 4 - Run it\ngap 5 - No error",
  ])("go by number: %j", (text) => {
    expect(answers(both, says(text))).toEqual({ 4: "Run it", 5: "No error" });
  });

  test.each([
    "@relay 4. Run it 5. No error",
    "@relay 4. Run it\n5. No error",
    "4) Run it 5) No error",
    "4: Run it; 5: No error",
    "Q4 Run it Q5 No error",
    "@relay Q4: Run it, Q5: No error",
    "Sure: 4. Run it 5. No error",
  ])("go by number on one line, too: %j", (text) => {
    expect(answers(both, says(text))).toEqual({ 4: "Run it", 5: "No error" });
  });

  test.each([
    ["Use version 5. It is newer", { 4: "Use version 5. It is newer" }],
    ["4. Use version 5. It is newer", { 4: "Use version 5. It is newer" }],
    ["Wait 5. 5 s", { 4: "Wait 5. 5 s" }],
    ["4. Wait 5. 5 s", { 4: "Wait 5. 5 s" }],
    ["4. It takes 7. Then it ends", { 4: "It takes 7. Then it ends" }],
    ["5. No error after 4. clicks", { 5: "No error after 4. clicks" }],
    ["Q4 and Q5 are the same for me", { 4: "Q4 and Q5 are the same for me" }],
    ["4. See\n```\n5. click\n```", { 4: "See\n```\n5. click\n```" }],
  ])("a number in a sentence begins no answer: %j", (text, found) => {
    expect(answers(both, says(text))).toEqual(found);
  });

  test.each([
    ...[
      "(4) Run it (5) No error",
      "(4) Run it\n(5) No error",
      "(4): Run it, (5): No error",
      "@relay (4) Run it; (5) No error",
    ],
    ...["4 - Run it, 5 - No error", "4 - Run it\n5 - No error", "4 – Run it 5 – No error", "4- Run it\n5- No error"],
    ...["4: Run it 5: No error", "4:Run it 5:No error", "4 : Run it\n5 : No error", "4: Run it and 5: No error"],
    ...["Zu 4: Run it Zu 5: No error", "Zu 4: Run it, zu 5: No error", "Zu Frage 4: Run it\nZu Frage 5: No error"],
    ...["zu 4 Run it, zu 5 No error", "ad 4: Run it, ad 5: No error", "ad 4 Run it\nad 5 No error"],
    ...[
      "re 4: Run it\nre 5: No error",
      "Re: 4. Run it\nRe: 5. No error",
      "Re question 4: Run it. Re question 5: No error",
    ],
    ...["Q4: Run it Q5: No error", "Question 4: Run it; question 5: No error", "For 4, Run it; for 5, No error"],
    ...[
      "#4 Run it\n#5 No error",
      "#4 Run it #5 No error",
      "#4: Run it, #5: No error",
      "**#4** Run it\n**#5** No error",
    ],
    ...["Pregunta 4: Run it; pregunta 5: No error", "Pour la question 4 : Run it, pour la question 5 : No error"],
    ...["Sobre a pergunta 4: Run it\nSobre a pergunta 5: No error", "По вопросу 4: Run it; по вопросу 5: No error"],
    ...[
      "４．Run it ５．No error",
      "④Run it ⑤No error",
      "④ Run it\n⑤ No error",
      "（4）Run it （5）No error",
      "（４）Run it（５）No error",
    ],
    ...[
      "问题4：Run it；问题5：No error",
      "第4题：Run it，第5题：No error",
      "質問4：Run it、質問5：No error",
      "4つ目はRun it、5つ目はNo error",
    ],
    ...[
      "- 4. Run it\n- 5. No error",
      "### Question 4\nRun it\n\n### Question 5\nNo error",
      "4/ Run it\n5/ No error",
      "4 = Run it, 5 = No error",
      "№4: Run it, №5: No error",
      "@relay 4. Run it\n@relay 5. No error",
      "4️⃣ Run it 5️⃣ No error",
      "⑷ Run it ⑸ No error",
      "4.) Run it 5.) No error",
      "4，Run it；5，No error",
    ],
  ])("go by number however it is written: %j", (text) => {
    const found = Object.entries(answers(both, says(text))).map(([number, note]) => [
      number,
      note.replace(/[.、]$/, ""),
    ]);
    expect(Object.fromEntries(found)).toEqual({ 4: "Run it", 5: "No error" });
  });

  test.each([
    ...["First: Run it Second: No error", "first: Run it, second: No error", "The first: Run it\nThe second: No error"],
    ...[
      "1st: Run it\n2nd: No error",
      "First question: Run it\nSecond question: No error",
      "First - Run it; second - No error",
    ],
    ...[
      "Erstens Run it, zweitens No error",
      "Erstens: Run it\nZweitens: No error",
      "Zur ersten: Run it, zur zweiten: No error",
    ],
    ...[
      "Firstly, Run it; secondly, No error",
      "Primero: Run it; segundo: No error",
      "En primer lugar, Run it, en segundo lugar, No error",
    ],
    ...["Premièrement, Run it, deuxièmement, No error", "Primeiro: Run it; segundo: No error"],
    ...["Во-первых, Run it, во-вторых, No error", "Первое: Run it; второе: No error"],
    ...["第一：Run it；第二：No error", "第一个问题：Run it；第二个问题：No error", "一つ目はRun it、二つ目はNo error"],
    ...["@relay First: Run it and second: No error", "- **First:** Run it\n- **Second:** No error"],
  ])("go by words for first and second, in the order of the questions: %j", (text) => {
    const tidy = (found: Record<number, string>) =>
      Object.fromEntries(Object.entries(found).map(([number, note]) => [number, note.replace(/、$/, "")]));
    expect(tidy(answers(both, says(text)))).toEqual({ 4: "Run it", 5: "No error" });
    const three = [gap(1, "actual"), gap(2, "reproduction"), gap(3, "expected")];
    expect(tidy(answers(three, says(text)))).toEqual({ 1: "Run it", 2: "No error" });
  });

  test.each([
    ...[
      "4 - 5 days",
      "4-5 times",
      "4 – 5 weeks with a review",
      "4.5 seconds",
      "4.5.1 is my version",
      "4.x is affected, 5.x is not",
    ],
    ...[
      "4:30 in the morning",
      "4-core machines, and 5-core ones",
      "4- and 5-core machines",
      "4. Mai und 5. Mai",
      "The 4. and 5. are fine",
      "4 / 5 of them",
      "The 4. and 5. are fine",
      "4 / 5 of them",
    ],
    ...[
      "It takes 4 - 5 days",
      "Use 4.5 or 5.0",
      "Versions 4 and 5",
      "Call f(4) and f(5)",
      "see (4) and (5)",
      "from 4 to 5: 1",
    ],
    ...["#4 has the same problem", "It is #4: a duplicate", "See #4 and #5", "It needs 4 and 5: both of them"],
    ...[
      "First, I open the page. Second, I click.",
      "First open the page, then click",
      "At first: nothing. One second: everything",
    ],
    ...["First: open. Second: click. Third: see it crash", "Firstly, I open the page."],
    ...[
      "Steps to reproduce:\n4. Open the page\n5. Click",
      "Schritte: 4. Öffnen 5. Klicken",
      "1. Open the page\n2. Click\n3. See",
    ],
    ...["`4. Open` and `5. Click`", "版本4．它很新"],
  ])("a version, a quantity, a step or a reference is no number of a question: %j", (text) => {
    expect(answers(both, says(text))).toEqual({ 4: text });
  });

  test.each([
    ["4. Wait 4 - 5 days\n5. No error", { 4: "Wait 4 - 5 days", 5: "No error" }],
    [
      "4. Like this:\n   1. Open it\n   2. Click\n5. No error",
      { 4: "Like this:\n   1. Open it\n   2. Click", 5: "No error" },
    ],
    [
      "4. Like this:\n   4. Open it\n   5. Click\n5. No error",
      { 4: "Like this:\n   4. Open it\n   5. Click", 5: "No error" },
    ],
    ["4. Like this:\n1. Open it\n2. Click\n5. No error", { 4: "Like this:\n1. Open it\n2. Click", 5: "No error" }],
    ["(4) Use 4.5, not (5) or 5.0", { 4: "Use 4.5, not (5) or 5.0" }],
    ["4: between 4 and 5: fine", { 4: "between 4 and 5: fine" }],
    ["4. x or\n5. x, y", { 4: "x or", 5: "x, y" }],
    ["4 - Run it\n5 - 3 retries", { 4: "Run it", 5: "3 retries" }],
    ["4: 3 retries 5: 10", { 4: "3 retries", 5: "10" }],
    ["5: No error\n4: Run it", { 4: "Run it", 5: "No error" }],
    ["gap 4 - 3 retries\ngap 5 - 2 days", { 4: "3 retries", 5: "2 days" }],
  ])("what an answer holds is no further number: %j", (text, found) => {
    expect(answers(both, says(text))).toEqual(found);
  });

  test.each([
    ...[
      "What do you mean in question 4?",
      "about 4: why do you need that?",
      "What do you mean by 4?",
      "Re 5: what is that?",
    ],
    ...[
      "What do you mean in question 4? I do not get it.",
      "Why question 5? I said that above.",
      "In Q5, what do you mean?",
    ],
    ...[
      "Was meinst du mit Frage 4? Das verstehe ich nicht.",
      "第4题是什么意思？我不懂。",
      "4: what do you mean?\n5: why?",
    ],
  ])("a question back about a number answers nothing: %j", (text) => {
    expect(answers(both, says(text))).toEqual({});
  });

  test("a question back about one number leaves the answer to another", () => {
    for (const text of ["What do you mean in question 4? 5: No error", "4: why do you ask? 5: No error"])
      expect(answers(both, says(text))).toEqual({ 5: "No error" });
  });

  // A search that goes back and forth would not end; how long it takes, `npm run bench:readers` measures.
  test("are found to their end where the text is full of numbers", () => {
    for (const piece of ["4. ", "(4) 5 ", "first: ", "to the 4 ", "****", "#4 and ", "④", "第4", " : 4 - ", "q q q "]) {
      const found = Object.keys(answers(both, says(piece.repeat(60_000 / piece.length))));
      expect(["4", "5"]).toEqual(expect.arrayContaining(found));
    }
  });

  test("keep the lines that follow their number", () => {
    expect(answers(both, says("4. Run it\n\n```\nboom\n```\n5) no error"))).toEqual({
      4: "Run it\n\n```\nboom\n```",
      5: "no error",
    });
  });

  test("below a quoted question belong to it", () => {
    expect(answers(both, says("> What about expected, in this very case?\n\nIt prints 3"))).toEqual({
      5: "It prints 3",
    });
  });

  test("in free text go to the topic they speak to", () => {
    expect(answers(both, says("I expected 3"))).toEqual({ 5: "I expected 3" });
  });

  test("in free text go to the most important question when no topic fits", () => {
    expect(answers(both, says("With the default settings."))).toEqual({ 4: "With the default settings." });
  });

  test("are not seen in politeness, in counter-questions, in what was said before asking, or from others", () => {
    expect(answers(both, says("thanks"))).toEqual({});
    expect(answers(both, says("What do you mean?"))).toEqual({});
    expect(answers(both, says("4. Run it", new Date("2026-03-01T09:00:00Z")))).toEqual({});
    expect(answers(both, { ...says("4. Run it"), author: "eve" })).toEqual({});
  });

  test("a bare yes is what the question proposed to assume, and else no answer", () => {
    const proposing = { ...gap(4, "reproduction"), proposedDefault: "default settings" };
    const found = (gaps: Gap[], content: string) =>
      findAnswers(gaps, [says(content)], { topicsOf: () => [], mayAnswer: () => true, saysNothing: () => true });
    const agreed = [{ gap: proposing, note: "default settings", seq: 3, isAgreed: true }];
    for (const yes of [
      "4. y",
      "4. Ja\n5. yes",
      "> What about reproduction, in this very case?\n\nok",
      "4. yes\n5. no",
    ]) {
      expect(found([proposing, gap(5, "expected")], yes)).toEqual(agreed);
    }
    expect(found([proposing], givenAnswer(4, { head: "_Answer 4._", text: "yes" }))).toEqual(agreed);
    // It does not say which question it means: it may be a yes to a plan, or a go-ahead.
    expect(found([proposing], "Yes!")).toEqual([]);
    expect(found([proposing, gap(5, "expected")], "Yes!")).toEqual([]);
    expect(found([proposing], "Go ahead.")).toEqual([]);
  });

  test("“same as above” is the answer above, or none", () => {
    expect(answers(both, says("4. Run it\n5. same as above"))).toEqual({ 4: "Run it", 5: "Run it" });
    expect(answers(both, says("4. no idea, ask max\n5. Same here."))).toEqual({});
    expect(answers(both, says("4. Run it\n5. no idea, ask max"))).toEqual({ 4: "Run it" });
  });

  test.each([
    ...[
      "Both assumptions are fine.",
      "I agree with all your assumptions. Thanks!",
      "All of the defaults are ok, go ahead.",
    ],
    ...["Beide Annahmen sind in Ordnung.", "Les deux hypothèses sont bonnes.", "Ambas suposiciones están bien."],
    ...[
      "As duas suposições estão certas.",
      "Оба предположения верны.",
      "两个假设都没问题。",
      "どちらの仮定も問題ありません。",
    ],
  ])("a yes to all assumptions accepts each that was made: %j", (text) => {
    const proposing = (one: Gap, proposedDefault: string) => ({ ...one, proposedDefault });
    const gaps = [proposing(gap(4, "reproduction"), "defaults"), proposing(gap(5, "expected"), "0"), gap(6, "scope")];
    expect(answers(gaps, says(text))).toEqual({ 4: "defaults", 5: "0" });
  });

  test.each([
    ...["[4] Run it [5] No error", "[4] Run it\n[5] No error", "- [4]: Run it\n- [5]: No error"],
    ...["a) Run it b) No error", "A. Run it B. No error", "(a) Run it (b) No error", "a) Run it\nb) No error"],
    ...[
      "[a] Run it; [b] No error",
      "@relay a: Run it, b: No error",
      "**a)** Run it\n**b)** No error",
      "A) Run it\n\nB) No error",
    ],
  ])("go by numbers in brackets, and by letters: %j", (text) => {
    expect(answers(both, says(text))).toEqual({ 4: "Run it", 5: "No error" });
  });

  test.each([
    ...["a) Run it\nb) No error\nc) Click", "b) Run it\na) No error", "Take a) or b) as you like", "a) Run it"],
    ...["Use A. It is newer than B. Fine", "[4](http://x.example) says so", "4 retries, 5 seconds", "e. g. a. b. c."],
  ])("letters that are not one for each question begin no answer: %j", (text) => {
    expect(answers(both, says(text))).toEqual({ 4: text });
  });

  test.each(["4 yes, 5 no", "4 - yes; 5 - no", "4 yes 5 no", "4 ja, 5 nein", "4 yes; 5 not needed", "4 да, 5 нет"])(
    "a yes and a no may follow bare numbers: %j",
    (text) => {
      const asked = [4, 5].map((number) => ({ ...gap(number, "compatibility"), topic: null }));
      expect(Object.keys(answers(asked, says(text)))).toEqual(["4", "5"]);
    },
  );

  test("in a mail stand right below the quoted questions", () => {
    const text =
      "On Mon, 2 Mar 2026, Relay <relay@example.com> wrote:\n> 4. What about reproduction, in this very case?\nRun it\n> 5. What about expected, in this very case?\nNo error\n\n> Thanks";
    expect(answers(both, says(text))).toEqual({ 4: "Run it", 5: "No error" });
    const begun = "> 4. What about repro...\nRun it\n> 5. What about exp…\nNo error";
    expect(answers(both, says(begun))).toEqual({ 4: "Run it", 5: "No error" });
    const wrapped =
      "> 4. What about reproduction, in this\nvery case? (important)\nRun it\n> 5. What about expected\nNo error";
    expect(answers(both, says(wrapped))).toEqual({ 4: "Run it", 5: "No error" });
  });

  test.each([
    ["5. It prints 3. Please leave src/export/reconcile.js alone. Thanks, Ruth", "It prints 3."],
    ["5. Hi all, it prints 3.\n\nKind regards\nRuth Miller", "it prints 3."],
    ["5. Hallo Relay, es sind 3.\nViele Grüße, Ruth", "es sind 3."],
    ["5. Bonjour, il affiche 3. Merci d'avance", "il affiche 3."],
    ["5. Hola, son 3. ¡Vale! Gracias, Ana", "son 3. ¡Vale!"],
    ["5. Olá, são 3. Obrigada, Ana", "são 3."],
    ["5. Привет, выводит 3. Спасибо!", "выводит 3."],
    ["5. 你好，显示3。谢谢！", "显示3。"],
    ["5. こんにちは、3です。よろしくお願いします。", "3です。"],
    ["5. It prints 3.\n--\nRuth Miller\nAcme", "It prints 3."],
    ["5. It prints 3.\n--\nonly for admins, though", "It prints 3.\n--\nonly for admins, though"],
  ])("are recorded without greetings, thanks, names and orders about files: %j", (text, note) => {
    expect(answers(both, says(text))).toEqual({ 5: note });
  });

  test.each([
    "5. Thanks for nothing is printed",
    "5. Print “Best regards, Ruth”",
    "5. Do not touch src/a.ts.",
    "5. It prints 3\n```\nThanks, Ruth\n```",
  ])("keep what belongs to them: %j", (text) => {
    expect(answers(both, says(text))).toEqual({ 5: text.slice(3) });
  });

  test("keep an order about files where the question is what stays", () => {
    const text = "Only the export. Leave src/a.ts alone.";
    expect(answers([gap(4, "scope")], says(`4. ${text}`))).toEqual({ 4: text });
  });

  test("are not taken from Relay's own quoted numbers", () => {
    expect(answers(both, says("> 4. What about reproduction\n> 5. What about expected"))).toEqual({});
  });

  test("what a program gave goes to the question that it names, whatever is numbered in it", () => {
    const given = givenAnswer(5, { head: "_Answer 5._", text: "Yes, go ahead:\n4. Open it\n5. Click" });
    expect(answers(both, says(given))).toEqual({ 5: "Yes, go ahead:\n4. Open it\n5. Click" });
    expect(answers(both, says(givenAnswer(9, { head: "_Answer 9._", text: "No error is expected" })))).toEqual({});
  });
});
