import { describe, expect, test } from "vitest";
import { proceedSignal } from "./go-ahead.ts";
import { planNotice } from "./plan-notices.ts";
import { approvesPlan, approvesSpecOnly, readReply } from "./read-reply.ts";

const SPEC_ONLY = {
  en: [
    "Go ahead with the spec.",
    "Proceed with the specification, please.",
    "Yes, write the spec.",
    "Spec: yes",
    "Yes to the spec",
    "As for the spec: yes, go ahead.",
    "👍 for the spec",
    "You can draft the specification now.",
    "The spec looks good to me.",
    "Yes. I approve the spec.",
  ],
  de: [
    "Spezifikation schreiben: ja",
    "Leg mit der Spec los.",
    "Bitte schreib die Spezifikation.",
    "Ja zur Spezifikation",
    "Ja, mach mit der Spec weiter.",
    "Du kannst die Spezifikation erstellen.",
    "Die Spec passt.",
  ],
  fr: [
    "Vas-y pour la spécification.",
    "Oui pour la spec",
    "Rédige la spécification, s'il te plaît.",
    "Tu peux écrire la spec.",
    "La spec est bonne.",
  ],
  es: [
    "Adelante con la especificación",
    "Sí a la especificación",
    "Escribe la especificación, por favor.",
    "Puedes redactar la especificación",
    "La especificación está bien.",
  ],
  pt: ["Sim, pode escrever a especificação.", "Pode seguir com a especificação.", "Pode fazer a spec"],
  ru: ["Давай, пиши спецификацию.", "По спеке да", "Напиши спецификацию, пожалуйста.", "Спецификация ок"],
  zh: ["可以写规格说明了", "请编写规格", "同意，写规格吧", "规格没问题"],
  ja: ["仕様書を作成してください。", "はい、仕様書をお願いします。", "仕様書の作成を進めてください", "仕様はOKです"],
  others: ["Procedi con la specifica", "Sí, dale con la spec", "Tak, pisz specyfikację"],
};

const TO_THE_PLAN = [
  "Yes, go ahead.",
  "Go ahead with the plan.",
  "Go ahead with the fix",
  "Go ahead with it",
  "Yes to the plan",
  "Plan: yes",
  "The spec is fine, go ahead with the plan.",
  "The spec looks good, go ahead!",
  "Thanks for the spec, go ahead",
  "Go ahead with the spec and the plan",
  "Implement the spec",
  "Ja zum Plan.",
  "Die Spec passt, leg mit dem Plan los.",
  "La spec est bien, vas-y avec le plan.",
  "La especificación está bien, adelante con el plan.",
  "A especificação está boa, pode seguir com o plano.",
  "Спецификация хорошая, начинай по плану.",
  "规格没问题，按计划执行吧",
  "仕様は問題ありません。計画を進めてください。",
];

describe("a yes that names only the spec (R-CONF-2)", () => {
  test.each(Object.entries(SPEC_ONLY))("approves no plan, in %s", (_, texts) => {
    expect(texts.filter((text) => approvesPlan(text))).toEqual([]);
    expect(texts.filter((text) => readReply(text).kind === "approve" && !approvesSpecOnly(text))).toEqual([]);
  });

  test.each(Object.entries(SPEC_ONLY).filter(([language]) => language !== "others"))(
    "is a go-ahead for the spec where Relay asks for one, in %s",
    (_, texts) => {
      expect(texts.filter((text) => !proceedSignal(text, { asked: true }).proceed)).toEqual([]);
    },
  );

  test("is none where the plan is named, or nothing", () => {
    expect(TO_THE_PLAN.filter((text) => !approvesPlan(text))).toEqual([]);
  });

  test.each(["The spec.", "Yes to the spec?", "Go ahead with the spec review", "Go ahead, but only with the spec"])(
    "is none where it is more than a yes: %s",
    (text) => {
      expect(readReply(text).kind).not.toBe("approve");
    },
  );

  test.each(Object.keys(SPEC_ONLY).filter((language) => language !== "others"))(
    "is answered with words that would count, in %s",
    (language) => {
      const notice = planNotice({ kind: "spec_only", people: ["mia"], version: 2 }, language);
      const suggested = [...notice.matchAll(/[“„«「]\s?([^”“»」]+?)\s?[”“»」]/gu)].map(([, words = ""]) => words);
      expect(suggested).toHaveLength(2);
      expect(suggested.filter((words) => !approvesPlan(words))).toEqual([]);
    },
  );
});

// Whoever says so before there is a plan has the words of the question in mind, or wants the work to go on; the plan that
// follows still needs a yes of its own, which comes after it.
test.each(["Go ahead with the plan.", "Leg los mit dem Plan", "Vas-y avec le plan", "按计划执行吧"])(
  "“go ahead with the plan” is a go-ahead for the spec while only that is asked for: %s",
  (text) => {
    expect(proceedSignal(text, { asked: true }).proceed).toBe(true);
  },
);
