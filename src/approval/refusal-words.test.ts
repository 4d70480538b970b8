import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PRODUCT_REFUSES, REFUSALS, WORK_REFUSED } from "../../test/cases/refusals.ts";
import { some } from "../../test/support/tries.ts";
import { readReply, refusalIn } from "./read-reply.ts";

describe.each(Object.entries(REFUSALS))("in %s", (_, { refused, harmless }) => {
  test("a refusal is heard, also in capitals, after thanks, and below a quote", () => {
    for (const text of refused) {
      for (const written of [
        text,
        text.toUpperCase(),
        `@relay ${text}`,
        `Thanks!\n\n${text}`,
        `> Shall I?\n\n${text}`,
      ]) {
        expect([written, refusalIn(written)]).toEqual([written, "clear"]);
      }
    }
  });

  test("reminders, thanks and remarks are none", () => {
    expect(harmless.filter((text) => refusalIn(text) !== null)).toEqual([]);
  });
});

test("what the product must refuse is a wish; in the same words the work is refused", () => {
  expect(PRODUCT_REFUSES.filter((text) => refusalIn(text) !== null)).toEqual([]);
  expect(PRODUCT_REFUSES.filter((text) => readReply(text).kind !== "more")).toEqual([]);
  expect(WORK_REFUSED.filter((text) => refusalIn(text) !== "clear")).toEqual([]);
});

describe("a refusal", () => {
  test.each([
    "nooo",
    "STOPPPP",
    "👎",
    "🛑",
    "dont do it",
    "pls stop",
    "Hi Relay, please stop.",
    "I like it. But hold on.",
  ])("is clear: %j", (text) => {
    expect(refusalIn(text)).toBe("clear");
  });

  test.each([
    "hmm, maybe we should ask Dana first",
    "are we sure this is safe?",
    "I'm a bit worried about the migration",
    "What about the old clients?",
    "🤔",
  ])("may be one: %j", (text) => {
    expect(refusalIn(text)).toBe("doubtful");
  });

  test("is none when quoted, struck out, or shown as code", () => {
    for (const text of ["> stop", "~~stop~~ thanks", "`stop`", "```\nstop\n```", "<!-- stop -->"]) {
      expect([text, refusalIn(text)]).toEqual([text, null]);
    }
  });

  test("takes linear time to hear", () => {
    const words = "please do not be very much of a hurry ".repeat(100);
    expect(refusalIn(words)).toBe("doubtful");
    expect(refusalIn("no ".repeat(1_300))).not.toBe(undefined);
  });

  test("is a mere stop in no message that Relay writes itself", () => {
    const folder = new URL("../i18n/locales/", import.meta.url);
    const texts = readdirSync(folder).flatMap((file) =>
      textsOf(JSON.parse(readFileSync(new URL(file, folder), "utf8"))),
    );
    const sentences = texts.filter((text) => text.includes(" "));
    expect(sentences.length).toBeGreaterThan(500);
    expect(readReply("Stop. <!-- relay:plan:12 -->").kind).toBe("stop");
    expect(some(sentences).filter((text) => readReply(text).kind === "stop")).toEqual([]);
  });
});

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsOf) : [];
}

test("short words in a script that no language here has, and signs to pause, may mean no", () => {
  const doubtful = ["หยุด", "หยุดก่อน", "থামো", "გაჩერდი", "நிறுத்து", "կանգնիր"];
  expect(doubtful.filter((text) => refusalIn(text) !== "doubtful")).toEqual([]);
  const signs = ["⏸️", "⏹", ":stop_sign:", ":no_entry:", ":pause_button:", "Relay :octagonal_sign:"];
  expect(signs.filter((text) => refusalIn(text) !== "clear")).toEqual([]);
  expect([...doubtful, ...signs].filter((text) => readReply(text).kind === "approve")).toEqual([]);
});

test.each([
  [
    "I cannot sign off on this",
    "The board said no",
    "The customer backed out",
    "Later please",
    "Legal vetoed this",
    "Maybe later",
    "Two thumbs down",
    "Paul said we shouldn’t",
  ],
  ["Der Vorstand hat nein gesagt", "Ich kann das nicht freigeben", "Der Kunde ist abgesprungen", "Später bitte"],
  ["Le client s’est retiré", "La direction a dit non", "Je ne peux pas valider ça", "Plus tard s’il te plaît"],
  ["El cliente se echó atrás", "La junta dijo que no", "No puedo aprobar esto", "Más tarde por favor"],
  ["A diretoria disse não", "O cliente desistiu", "Não posso aprovar isso", "Mais tarde por favor"],
  ["Il cliente si è tirato indietro", "La direzione ha detto no", "Non posso approvare", "Più tardi per favore"],
  ["De klant is afgehaakt", "Het bestuur heeft nee gezegd", "Ik kan dit niet goedkeuren", "Later graag"],
  ["Klient się wycofał", "Zarząd powiedział nie", "Nie mogę tego zatwierdzić", "Później proszę"],
  ["Заказчик передумал", "Руководство против", "Не могу это одобрить", "Позже пожалуйста"],
  ["Клієнт передумав", "Керівництво проти", "Не можу це схвалити"],
  ["Müşteri vazgeçti", "Yönetim reddetti", "Bunu onaylayamam", "Daha sonra lütfen"],
  ["Kunden har dragit sig ur", "Styrelsen sa nej", "Jag kan inte godkänna det här"],
  ["客户退出了", "董事会拒绝了", "我不能批准", "以后再说"],
  ["お客様がキャンセルしました", "上司が反対しています", "承認できません", "また今度"],
  ["고객이 취소했어요", "이사회가 거부했습니다", "승인할 수 없어요", "나중에요"],
])("who may not agree, for whom others refused, or who puts it off refuses: %j", (...refusals) => {
  expect(refusals.filter((text) => refusalIn(text) !== "clear")).toEqual([]);
});

test("remarks beside the work are no refusals", () => {
  const remarks = [
    "CI is slow today",
    "nice",
    "I am on holiday till Monday, Bob covers",
    "interesting",
    "bump",
    "FYI @bob",
    "see also #12",
    "same here",
    "works on my machine",
    "I have the same problem",
    "cc @bob",
    "The customer said no problem",
    "The board meets on Friday",
    "tomorrow I am in the office",
    "The team is happy with it",
    "The customer is on version 3",
    "Our manager says hi",
    "Legal has signed the contract with the vendor",
    "I approve of this approach",
    "Sorry for the late reply",
    "I am in a meeting",
    "Docs are at https://example.org",
    "We use Node 20",
    "Logs attached",
    "Fixed a typo above",
    "Great find",
    "Looks promising",
    "The nightly build is green again",
    "Back from lunch",
    "I tested it on Windows too",
    "+1 from the support team",
    "Thanks, great work",
    "It happens in Firefox too",
    "Ticket 4711 in our system",
    "Here is a screenshot",
    "Good morning",
    "Ich bin bis Montag im Urlaub, Bob vertritt mich",
    "Merci beaucoup",
    "Das Build ist heute langsam",
    "La CI est lente aujourd'hui",
    "Заказчик доволен",
    "客户很满意",
  ];
  expect(remarks.filter((text) => refusalIn(text) !== null)).toEqual([]);
});

test.each(["I will look at it tomorrow", "I’ll read the plan on Monday.", "vou ver amanhã", "明天再看"])(
  "%j refuses nothing: its author only says when they read it",
  (words) => expect(refusalIn(words)).toBeNull(),
);

test.each(["I’ll read it tomorrow, wait please", "I will review it, but do not start", "明天再看吧，先别动"])(
  "%j still does",
  (words) => expect(refusalIn(words)).toBe("clear"),
);
