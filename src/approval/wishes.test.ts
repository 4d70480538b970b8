import { describe, expect, test } from "vitest";
import { approvesPlan } from "./read-reply.ts";
import { asksForChange, asksForNothing, firstOwnLine, isWish, wishesAmong, withoutAsides } from "./wishes.ts";

test.each([
  "Looks good, but the same happens in b.ts. Please fix that here as well, with a test.",
  "Use a Map instead",
  "Also handle undefined.",
  "No. Use a Map instead.",
  "Could you also add a test?",
  "Можешь ещё добавить тест?",
  "Könntest du auch undefined behandeln?",
  "¿Podrías añadir una prueba?",
  "テストも追加してもらえますか？",
  "yes, if you also handle undefined",
  "go ahead when the input is empty too",
  "We have the same problem in b.ts.",
])("%j asks for a change", (words) => {
  expect(asksForChange(words)).toBe(true);
});

test.each([
  "yes",
  "no",
  "👍",
  "thanks!",
  "stop",
  "How is it going with this?",
  "Nice, I have the same problem on my machine.",
  "same here",
  "Ich habe das gleiche Problem.",
  "j'ai le même problème",
  "yo también",
  "comigo também",
  "у меня то же самое",
  "我也有同样的问题",
  "私も同じ問題です",
  "Why do you change a.ts?",
  "Could you explain step 2?",
  "> use a Map",
])("%j asks for none", (words) => {
  expect(asksForChange(words)).toBe(false);
});

const OPEN = [
  "I have not read the plan.",
  "The spec is right, yes. I haven't looked at the plan yet.",
  "yes provided Anna agrees",
  "yes\u200b\u2060 <!-- no, stop --> provided Anna agrees",
  "Yes, if Bob Miller is fine with it.",
  "Ja. Ich habe den Plan noch nicht gelesen.",
  "Ja, wenn Anna zustimmt.",
  "Je n'ai pas encore lu le plan.",
  "Oui, si Anna est d'accord.",
  "Todavía no he leído el plan.",
  "Sí, si Anna está de acuerdo.",
  "Ainda não li o plano.",
  "Sim, se a Anna concordar.",
  "Я ещё не читал план.",
  "Да, если Анна согласна.",
  "まだプランを読んでいません。",
  "はい、アンナさんが同意すれば。",
  "我还没看计划。",
  "可以，如果安娜同意的话。",
  "yes once #8 is merged",
  "fine, if the tests stay green",
  "go ahead when the release is out",
  "Ja, sobald #8 gemergt ist.",
  "ok, wenn die Tests grün sind",
  "oui, dès que la PR #8 est fusionnée",
  "vale, si los tests pasan",
  "pode seguir se os testes passarem",
  "да, когда #8 вольют",
  "等 #8 合并后再开始",
  "テストが通ればお願いします",
];

test.each(OPEN)("%j leaves the plan open: no yes, and no change", (words) => {
  expect(asksForChange(words)).toBe(false);
  expect(isWish(words)).toBe(true);
  expect(approvesPlan(words)).toBe(false);
  expect(approvesPlan(`${words}\nGo ahead.`)).toBe(false);
});

test.each([
  "I have seen it, thanks.",
  "I've read the plan.",
  "Ich habe den Plan gelesen.",
  "J'ai lu le plan.",
  "He leído el plan.",
  "Li o plano.",
  "Я прочитал план.",
  "プランを読みました。",
  "我看过计划了。",
])("%j decides nothing, and makes a yes beside it none", (words) => {
  expect(asksForChange(words)).toBe(false);
  expect(approvesPlan(`Yes. ${words}`)).toBe(false);
});

test.each(["yeah, right", "```\nyes\n```", "> yes, go ahead\n\nsays who?", "yes?", "sure, if you say so"])(
  "%j is neither a yes nor a change",
  (words) => {
    expect(asksForChange(words)).toBe(false);
    expect(approvesPlan(words)).toBe(false);
  },
);

const LATER = [
  "go ahead tomorrow",
  "Yes, next week.",
  "yes but not before Monday",
  "Go ahead after the release.",
  "Later.",
  "Yes, when Ruth is back",
  "Yes. One note: Ruth is on holiday until Monday.",
  "+1 from me, although I have not read it",
  "Yes, I only skimmed it.",
  "Yes please. PS: ignore the step numbers",
  "Yes. That was fast!",
  "Mach das morgen.",
  "Ja, wenn Ruth wieder da ist.",
  "Ja. Ruth ist bis Montag im Urlaub.",
  "Ja, obwohl ich ihn nicht gelesen habe.",
  "Sí, pero mañana.",
  "Sí, cuando vuelva Ana.",
  "Sí. Ana está de vacaciones hasta el lunes.",
  "Oui, mais demain.",
  "Oui, quand Anne sera de retour.",
  "Oui. Anne est en vacances jusqu'à lundi.",
  "Sim, mas só amanhã.",
  "Sim, quando a Ana voltar.",
  "Sim. A Ana está de férias até segunda.",
  "Да, но завтра.",
  "Да, когда Аня вернётся.",
  "Да. Аня в отпуске до понедельника.",
  "可以，明天再开始",
  "好的，等小王回来再说",
  "好的。小王休假了。",
  "はい、明日お願いします",
  "はい、田中さんが戻ったら",
  "はい。田中さんは休暇中です。",
];

test.each(LATER)("%j is about people and time: no yes, no change, and nothing for the spec", (words) => {
  expect(approvesPlan(words)).toBe(false);
  expect(asksForChange(words)).toBe(false);
  expect(asksForNothing(words)).toBe(true);
  // It is answered in the thread.
  expect(isWish(words)).toBe(true);
});

test.each([
  "Yes, and tomorrow’s date must be shown",
  "Yes, but the button should be off",
  "yes, but only for admins",
  "Yes, after the upload show a note",
  "Ja, aber nur die Summe",
  "Yes, tomorrow. Also print the total.",
  "It should really be `--town`.",
])("%j is still a change", (words) => {
  expect(asksForChange(words)).toBe(true);
  expect(asksForNothing(words)).toBe(false);
});

test("a yes for later takes back no earlier wish", () => {
  const said = ["Use a Map.", "Yes, next week."].map((content, at) => ({ seq: at + 1, content, decides: true }));
  expect(wishesAmong(said)).toEqual([1, 2]);
});

test.each([
  ["Yes, tomorrow. Also print the total. Thanks!", "Also print the total."],
  ["+1 from me, but print the total, please", "but print the total"],
  ["Ruth is on holiday until Monday.\nUse `a`, yes.\n```\nyes\n```", "Use `a`\n```\nyes\n```"],
  ["可以。请同时打印总数。", "请同时打印总数。"],
])("of %j the wish is left", (words, wish) => {
  expect(withoutAsides(words)).toBe(wish);
});

test.each(["Yes, provided you use a Map.", "yes, but don't touch the README", "Yes, if it covers undefined too."])(
  "%j still asks for a change",
  (words) => {
    expect(asksForChange(words)).toBe(true);
  },
);

test("a question may be a wish, and is left to who can read it", () => {
  expect(isWish("Why not a Map?")).toBe(true);
  expect(isWish("yes")).toBe(false);
});

describe("the wishes in force", () => {
  const said = (...all: [content: string, decides: boolean][]) =>
    wishesAmong(all.map(([content, decides], at) => ({ seq: at + 1, content, decides })));

  test("are those of people who decide", () => {
    expect(said(["Use a Map.", true], ["Drop the README.", false], ["ok, thanks", true])).toEqual([1]);
  });

  test("end with a refusal, which only who decides can give", () => {
    expect(said(["Use a Map.", true], ["stop", true])).toEqual([]);
    expect(said(["Use a Map.", true], ["no", false])).toEqual([1]);
    expect(said(["Use a Map.", true], ["no", true], ["Use a Set.", true])).toEqual([3]);
  });
});

test("the first line in somebody's own words is found as written", () => {
  expect(firstOwnLine("> Shall I?\n\n`x`\n  Use *a* `Map` here.\nAnd test it.")).toBe("Use *a* `Map` here.");
  expect(firstOwnLine("> quoted\n\n```\ncode\n```")).toBeNull();
});

test.each(["Cool, I will try it on Monday.", "I'll test it next week", "Great, curious to see the diff."])(
  "%j only says who will look at it: no change",
  (words) => {
    expect(asksForChange(words)).toBe(false);
    expect(approvesPlan(words)).toBe(false);
  },
);

test.each([
  "I will try it with a bigger file and it must not crash",
  "We will use it in production, so please also log it",
  "Please try it on Windows too",
  "I'd like to use it with tabs",
])("%j asks for a change", (words) => {
  expect(asksForChange(words)).toBe(true);
});

const TALK = [
  "mm",
  "k",
  "maybe",
  "Hmm, on reflection: no, not like this.",
  "On second thought, go on.",
  "Go on, I talked to Walt.",
  "Stop, please. I found the cause elsewhere.",
  "Actually I was wrong about that. Please continue as planned.",
  "yes to plan 1",
  "Not sure about this one.",
  "yes, once CI is green on trunk",
  "forget what I said, go ahead",
  "what do you think?",
  "fine I suppose?",
  "no thanks",
  "Ich habe mit Walt gesprochen, weiter.",
  "Je ne suis pas sûr.",
  "No estoy seguro, déjame pensar.",
  "Ainda não sei, vou pensar.",
  "Подумал ещё, давайте дальше",
  "go ahead, unless Max objects",
  "Max is fine with it. Go ahead.",
  "Go ahead, but only if Ruth has no objection",
  "Ruth said yes, ship it",
  "Approved by Max",
  "Los, wenn Max zustimmt",
];

test.each(TALK)("%j is talk about the work: no change is asked for, and no spec says it", (words) => {
  expect(asksForChange(words)).toBe(false);
  expect(asksForNothing(words)).toBe(true);
});

test.each([
  "Tabs, please.",
  "JSON",
  "Use the other one.",
  "only for admins",
  "drop the second one",
  "no, not like this: rename it",
  "The branch should be main",
  "please read the file first",
  "Round to cents once the sum is known",
  "Celsius is fine",
  "Objects, please",
])("%j is a wish, however short", (words) => {
  expect(asksForChange(words)).toBe(true);
  expect(asksForNothing(words)).toBe(false);
});

test.each(["Here is the log:", "Here’s the full output", "Hier ist das Protokoll:"])(
  "%j presents something and asks for nothing",
  (words) => {
    expect(asksForNothing(words)).toBe(true);
    expect(withoutAsides(`${words}\n\n\`\`\`\nINFO total 0\n\`\`\`\n\nPrint the sum.`)).not.toContain(words);
  },
);

test.each(["Here is the log format that I want:", "Here is the rule: round up"])("%j does not", (words) => {
  expect(asksForNothing(words)).toBe(false);
});
