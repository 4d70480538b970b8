import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readReply, refusalIn, replyVerdict } from "./read-reply.ts";

const YES = [
  "ship it 🚢",
  "Yes, no need to wait any longer",
  "Evet, başla",
  "Ja hoor, ga maar los",
  "نعم، ابدأ",
  "हाँ, शुरू करें",
  "Ano, můžeš začít",
  "Ναι, προχώρα",
  "yes",
  "Yes!",
  "yes please",
  "@relay yes please",
  "go ahead",
  "Go ahead, thanks!",
  "LGTM 🚀",
  "looks good to me",
  "sounds good, ship it",
  "👍",
  ":+1:",
  "+1",
  "please proceed",
  "approved",
  "ok",
  "Okay, let's do it",
  "yep, go for it",
  "no problem, go ahead",
  "not bad, ship it",
  "go ahead with the spec",
  "please write the spec",
  "you can start",
  "Perfect, thanks!",
  "да",
  "Да, поехали",
  "устраивает",
  "бери в работу",
  "всё верно, делай",
  "Отлично, спасибо, можно начинать",
  "ja",
  "ja, leg los",
  "passt so, danke",
  "Sieht gut aus, mach das",
  "oui, vas-y",
  "d'accord, c'est parti",
  "sí, adelante",
  "me parece bien",
  "sim, pode seguir",
  "tudo certo, manda ver",
  "sì, procedi pure",
  "va bene",
  "可以开始",
  "没问题，开始吧",
  "好的，请继续",
  "同意",
  "はい、お願いします",
  "進めてください",
  "問題ありません、進めてください",
  "네, 진행해 주세요",
  "좋습니다",
  "tak, działaj",
  "jasne, zaczynaj",
  "так, починай",
  "згоден, роби",
  "ＬＧＴＭ",
  "On Mon, Jan 5, 2026 at 10:00 Relay wrote:\n> Shall I start?\n\nGo ahead",
  "Да, можно",
  "leg bitte los",
  "Yes, let's go ahead with this plan",
  "Я согласен с планом",
  "はい、問題ないので進めてください",
  "yesss",
  "Yes, looks right. Go ahead with the spec.",
  "> Shall I?\n\nyes",
  "LGTM! Thanks for the great work.",
  "Yes, please go ahead and implement it.",
  "I approve this plan",
  "Alright, proceed.",
  "Works for me 👍",
  "ok go",
  "Ship it!!!",
  "Выглядит хорошо, давай",
  "Согласен, приступайте",
  "Einverstanden",
  "Klar, gerne",
  "Genau so, danke!",
  "Parfait, merci beaucoup",
  "Ça me va",
  "Dale",
  "De acuerdo, gracias",
  "Beleza, pode começar",
  "Perfetto, grazie",
  "看起来不错，开始写吧",
  "承認します",
  "お願いします",
  "그렇게 해주세요",
  "Zgadzam się",
  "Все добре, дякую",
  "nie mam uwag, działaj",
  "Не заперечую, роби",
  "Non c'è problema, procedi",
  "Oui, on peut y aller",
  "bueno, adelante",
  "LGTM ![](https://example.com/cat.gif)",
];

const NOT_YES = [
  "ναι;",
  "evet ama önce testler",
  "ja, maar niet zo",
  "no",
  "not yet",
  "yes, but first fix X",
  "yes if tests pass",
  "looks good?",
  "should we go ahead?",
  "don't go ahead",
  "I would not ship it",
  "LGTM after you fix the naming",
  "why not",
  "1. yes 2. no",
  "yes and also add a flag",
  "let me check",
  "hold on",
  "wait",
  "> Reply with **yes**",
  "```\nyes\n```",
  "`yes`",
  "<!-- yes -->",
  "the yes button is broken",
  "Yesterday",
  "thanks!",
  "нет",
  "да, но сначала тесты",
  "не надо",
  "подожди",
  "nein",
  "noch nicht",
  "ja, aber nicht so",
  "non",
  "oui mais plus tard",
  "no, espera",
  "sí, pero con cambios",
  "não",
  "sim, mas depois",
  "no, aspetta",
  "不行",
  "先别开始",
  "可以吗？",
  "いいえ",
  "まだです",
  "待ってください",
  "아니요",
  "아직 하지 마세요",
  "nie",
  "jeszcze nie",
  "ні",
  "поки що ні",
  "ja ja ja",
  "yes? really?",
  "I'd say yes once CI is green",
  "go ahead unless CI fails",
  "yes for the first, no for the second",
  "maybe",
  "Not sure about this",
  "I like it but it's too long",
  "go ahead, except the docs",
  "sure, after the release",
  "Yes, I read it",
  "I agree that it is a bug",
  "ok, what about Windows",
  "great question",
  "almost",
  "can you go ahead and explain?",
  "on it",
  "будет сделано",
  "yes man",
  "nope, looks bad",
  "да нет",
  "👎",
  "👍👎",
  "go away",
  "proceed with caution",
  "start over",
  "ship it tomorrow",
  "do it differently",
  "fine, whatever, but no",
  "приступай после релиза",
  "no go ahead",
  "ok no",
  "sure i think not",
  "go ahead and then stop",
  "~~yes~~",
  "~yes~",
  "\u0001",
  "yes\n--\nbut rename it",
  "Yes\n\nOn Mon, Bob wrote:\n> plan\n\nbut rename it",
  "I'm good, thanks",
  "ok then",
  "Venga ya",
  "we're good",
  "Ja, das passt nicht",
  "はい、問題があります",
  '"go ahead"',
  "yes <!-- but not",
  "i guess yes",
  "yeah, right",
  "yeah right",
  "sure, whatever",
  "yes 🤔",
  "great",
  "cool",
  "да ладно",
  "ну да, конечно",
  "Bon.",
  "na ja",
  "开始了吗",
  "开始的话",
  "可以开始了吗",
  "結構です",
  "確認しました",
  "확인했습니다",
  "go ahead :thinking:",
  "no, go ahead",
  "<blockquote>go ahead</blockquote>",
  "yes/no",
  "y̶e̶s̶",
  "go ahead\nonly after Monday",
  "go ahead with option 2",
  "please proceed with the other issue",
];

const verdictOf = (text: string) => replyVerdict(text).verdict;

describe("a reply", () => {
  test.each(YES)("that agrees is affirmative: %j", (text) => {
    expect(replyVerdict(text)).toMatchObject({ verdict: "affirmative" });
  });

  test.each(NOT_YES)("that does not wholly agree is not affirmative: %j", (text) => {
    expect(verdictOf(text)).not.toBe("affirmative");
  });

  test("is affirmative whatever its case and the space around it", () => {
    fc.assert(
      fc.property(fc.constantFrom(...YES), fc.constantFrom("", " ", "\n", "\t "), (text, space) => {
        expect(verdictOf(`${space.trim()}${text.toUpperCase()}${space}`)).toBe(verdictOf(text.toUpperCase()));
        expect(verdictOf(`${text}${space}`)).toBe("affirmative");
      }),
    );
  });

  test("is never affirmative with a condition, a question or a wish behind it", () => {
    const more = [
      " but not yet",
      "?",
      " unless it rains",
      ", if CI is green",
      "\nand rename the flag",
      ", но не сейчас",
      ", aber nicht heute",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...YES), fc.constantFrom(...more), (text, tail) => {
        expect(verdictOf(`${text}${tail}`)).not.toBe("affirmative");
      }),
    );
  });

  test("is never affirmative because of what it quotes or shows as code", () => {
    fc.assert(
      fc.property(fc.constantFrom(...YES), (text) => {
        const quoted = text.replaceAll(/^/gm, "> ");
        for (const wrapped of [quoted, `\`\`\`\n${text}\n\`\`\``, `<!-- ${text} -->`]) {
          expect(verdictOf(wrapped)).not.toBe("affirmative");
        }
      }),
    );
  });

  test("of any kind gets a verdict", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(["affirmative", "negative", "unclear"]).toContain(verdictOf(text));
      }),
    );
    expect(verdictOf("yes ".repeat(300_000))).toBe("unclear");
  });

  test.each([
    "Go ahead.\n\nOn Mon, Jan 5, 2026 at 10:00 Relay <relay@example.com> wrote:\n\nShall I start?",
    "Yes\n\n-- \nAnna Smith\nExample Ltd",
    "yes\n\n--\nSent from my phone",
    "yes\n\n—\nRuth Miller\nHead of Sales\n+49 30 1234",
    "yes\n\n--",
  ])("by mail is read without the quoted mail and the signature: %j", (text) => {
    expect(verdictOf(text)).toBe("affirmative");
  });

  test.each([
    "yes\n--\nno",
    "yes\n\n--\nNo",
    "yes\n\n--\nNot before Monday",
    "yes\n\n—\nOnly Parser",
    "yes\n\n--\nKeep the old name",
    "yes\n\n--\nprint the total",
  ])("keeps words below dashes that are no signature: %j", (text) => {
    expect(verdictOf(text)).not.toBe("affirmative");
  });

  test("that holds a hidden letter or full-width letters is read as people see it", () => {
    expect(verdictOf("y\u200Bes")).toBe("affirmative");
    expect(verdictOf("ＧＯ ＡＨＥＡＤ")).toBe("affirmative");
  });
});

describe("a stop", () => {
  test.each([
    "stop",
    "Stop!",
    "please stop",
    "@relay stop",
    "hold on",
    "Hold on a second, please",
    "wait",
    "pause",
    "no, wait",
    "стоп",
    "Подожди, пожалуйста",
    "halt",
    "Bitte warten",
    "Moment mal",
    "espera",
    "attends",
    "Attendez, s'il vous plaît",
    "espera aí, por favor",
    "aspetta",
    "等一下",
    "ちょっと待ってください",
    "잠깐만요",
    "poczekaj",
    "зачекай",
  ])("is the whole message: %j", (text) => {
    expect(readReply(text).kind).toBe("stop");
  });

  test.each([
    "",
    "no",
    "thanks",
    "go ahead",
    "stop?",
    "The stop button does not work",
    "It does not stop",
    "> stop",
    "`stop`",
    "wait for the release of 2.0, then it crashes",
    "don't stop",
    "stop, go ahead",
    "нет",
    "не останавливайся",
  ])("is not read into anything else: %j", (text) => {
    expect(readReply(text).kind).not.toBe("stop");
  });
});

test("thanks alone are told from words with content", () => {
  for (const text of ["Thanks a lot!", "Danke dir 🙏", "спасибо большое", "Merci !", "谢谢", "ありがとうございます"]) {
    expect(readReply(text).kind).toBe("thanks");
  }
  for (const text of [
    "thanks, it also happens on Linux",
    "yes",
    "thanks?",
    "stop",
    "> thanks\n\nit fails",
    "thanks ![](https://example.com/a.png)",
  ]) {
    expect(readReply(text).kind).not.toBe("thanks");
  }
});

const REFUSALS: Record<string, string> = {
  English:
    "Please stop, the plan is wrong. | Stop! This deletes customer data. | do not continue | please don't continue | stop the run | Please put it on hold | kill it | never mind | nevermind, we don't need it | I changed my mind | We no longer need this | not needed any more | stand down | wait a bit, I need to check | hold your horses | whoa, stop | Hang on, that is the wrong file | can you stop? | Could you stop this run, please? | Cancel this please, wrong issue | I take it back | I withdraw my approval | no | 👎 | 🛑 | rejected | this is wrong | on second thought, no | actually, wait | STOP STOP STOP | wait until Monday | Stop - the spec is outdated | @relay stop, please | you should stop | Stop! Why does it touch the database? | Hold on, is this right?",
  Russian:
    "стоп, план неправильный | Остановись, это удалит данные | не продолжай | я передумала | отмените задачу | больше не нужно | не надо этого делать | можешь остановить?",
  German:
    "Stopp, der Plan ist falsch | bitte nicht weitermachen | hör auf damit | brich das ab | wir brauchen das nicht mehr | doch nicht | kannst du bitte warten?",
  French: "Arrête, ce plan est faux | arrêtez tout | ne continue pas | j'ai changé d'avis | on n'en a plus besoin",
  Spanish: "Para, el plan está mal | detente | no sigas | he cambiado de opinión | ya no hace falta | cancélalo",
  Portuguese: "Pare, o plano está errado | não continue | mudei de ideia | não precisamos mais",
  Italian: "ferma tutto | fermati, il piano è sbagliato | non continuare | ho cambiato idea | non serve più",
  Polish: "zatrzymaj się, plan jest zły | nie kontynuuj | zmieniłem zdanie | już niepotrzebne",
  Ukrainian: "зупинись, план неправильний | не продовжуй | я передумав | вже не потрібно",
  Chinese: "停止，计划不对 | 别继续 | 我改主意了 | 不需要了 | 取消任务",
  Japanese: "止めて、計画が間違っています | 続けないでください | 気が変わりました | もう必要ありません",
  Korean: "멈춰 주세요, 계획이 잘못됐어요 | 계속하지 마세요 | 마음이 바뀌었어요 | 취소해 주세요",
};

describe.each(Object.entries(REFUSALS))("in %s", (_, refusals) => {
  test.each(refusals.split(" | "))("words that take back a yes or call for a stop are recognised: %j", (text) => {
    expect(refuses(text)).toBe(true);
    expect(verdictOf(text)).not.toBe("affirmative");
  });
});

test.each([
  "Also handle orders that stop halfway.",
  "The list does not need to be sorted, does it?",
  "Please rename the flag to `--stop`.",
  "Wait, yes, go ahead.",
  "No need to wait, go ahead",
  "thanks!",
  "> stop",
  "timeout is 30 seconds",
  "Use stop-words from the list",
])("other words are no refusal: %j", (text) => {
  expect(refuses(text)).toBe(false);
});

test("a text that is too long to be a reply may still begin with a stop, or perhaps end with one", () => {
  const log = "it fails again\n".repeat(1_000);
  expect(refusalIn(`Stop! This is the log:\n${log}`)).toBe("clear");
  expect(refusalIn(`This is the log:\n${log}Stop!`)).toBe("doubtful");
  expect(refusalIn(`This is the log:\n${log}`)).toBe(null);
});

function refuses(text: string): boolean {
  return refusalIn(text) !== null;
}

test.each([
  ["OK, changed my mind, please go ahead.", "approve"],
  ["On second thought, go on.", "approve"],
  ["Actually I was wrong about that. Please continue as planned.", "approve"],
  ["Sorry, false alarm. Go ahead.", "approve"],
  ["OK, go on after all.", "approve"],
  ["Réflexion faite, vas-y.", "approve"],
  ["想了想，继续吧。", "approve"],
  ["On second thought, yes", "more"],
  ["Go on. On second thought, no.", "more"],
  ["My mistake.", "more"],
  ["Changed my mind: yes, go ahead", "approve"],
  ["Ich habe es mir anders überlegt, leg los.", "approve"],
  ["J'ai changé d'avis, vas-y.", "approve"],
  ["Я передумал, давай.", "approve"],
  ["Go ahead. Wait, I changed my mind.", "more"],
  ["I changed my mind about the plan, go ahead", "more"],
  ["I changed my mind", "reject"],
])("%j, of whoever changed their mind, is read as %s", (words, kind) => {
  expect(readReply(words).kind).toBe(kind);
});
