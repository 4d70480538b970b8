import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canBeGoAhead, proceedSignal } from "./go-ahead.ts";

const unasked = (text: string) => proceedSignal(text, { asked: false });

const SENTENCES = [
  "Go ahead with the spec.",
  "Please write the spec.",
  "Please go ahead!",
  "Давай, пиши спецификацию.",
  "Leg los!",
  "Vas-y, merci.",
  "Adelante, por favor.",
  "Pode seguir.",
  "Procedi pure.",
  "Działaj.",
  "Починай.",
];

describe("the go-ahead for a spec", () => {
  test.each([
    ["1. It prints 3.\n2. No.\n\nGo ahead with the spec.", "Go ahead with the spec."],
    ["1. It prints 3\n2. No\nGo ahead with the spec", "Go ahead with the spec"],
    ["Looks right, go ahead with the spec.", "Looks right, go ahead with the spec."],
    ["It is on Windows. Давай, пиши спецификацию.", "Давай, пиши спецификацию."],
    ["> shall I?\n\nLeg los!", "Leg los!"],
    ["On Windows only. Go ahead. Thanks, no problem!", "Go ahead."],
    ["```\nGo ahead now.\n```\nIt prints that. **Go ahead.**", "**Go ahead.**"],
    ["它打印三。\n开始写吧。", "开始写吧。"],
    ["Linux です。\n進めてください。", "進めてください。"],
  ])("is a sentence of its own, given word for word: %j", (text, excerpt) => {
    expect(unasked(text)).toEqual({ proceed: true, excerpt });
  });

  test.each([
    "yes",
    "1. yes\n2. no",
    "It is Linux. Yes. It crashes.",
    "1. Yes.\n2. Go ahead.",
    "Go ahead. But not the docs.",
    "Go ahead. Unless Bob objects.",
    "It prints 3. Please start. Sobald Bob da ist.",
    "It prints 3.\nGo ahead.\nIt also fails on Windows.\nWait for Bob.",
    "Go ahead.\n\nActually, hold on.",
    "It fails. Go ahead? I do not know",
    "Once the tests pass\ngo ahead",
    "If CI is green:\n\nGo ahead.",
    "I would not\ngo ahead with it",
    "1. Only if Bob agrees\ngo ahead",
    "You can reply e.g. go ahead.",
    "The docs say:\n\nGo ahead.",
    "> go ahead",
    "<blockquote>\ngo ahead\n</blockquote>\nthat was you",
    "<details>\nGo ahead.\n</details>\nno idea",
    "~~Go ahead.~~\nIt prints 3",
    "````\n```\nGo ahead.\n```\n````\nit fails",
    "It prints 3. Don't go ahead.",
    "Это на Windows. Начинай. Но сначала тесты.",
  ])("is not taken from an answer, a condition, a question or a quote: %j", (text) => {
    expect(unasked(text).proceed).toBe(false);
  });

  test("is a mere yes where it was asked for", () => {
    expect(proceedSignal("yes please", { asked: true })).toEqual({ proceed: true, excerpt: "yes please" });
    expect(proceedSignal("yes, but later", { asked: true }).proceed).toBe(false);
    expect(proceedSignal("It prints 3. Yes.", { asked: true }).proceed).toBe(false);
  });

  test("is found after an answer, and nowhere behind a question, a reservation, or in a quote", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SENTENCES),
        fc.constantFrom("It prints 3.", "Linux.", "1. It prints 3."),
        (said, answer) => {
          expect(unasked(`${answer}\n\n${said}`)).toEqual({ proceed: true, excerpt: said });
          for (const text of [`${said} Or not?`, `${said} But not yet.`, `> ${said}`, `\`\`\`\n${said}\n\`\`\``]) {
            expect(unasked(`${answer}\n\n${text}`).proceed).toBe(false);
          }
        },
      ),
    );
  });

  test("is part of the text whenever there is one", () => {
    const pieces = [
      ...SENTENCES,
      "It prints 3.",
      "> ",
      "\n",
      "\n\n",
      "```",
      "<!--",
      "-->",
      " ",
      "1. ",
      "\u200B",
      "no",
      "?",
      "ﬁ",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), fc.boolean(), (parts, asked) => {
        const text = parts.join("");
        const signal = proceedSignal(text, { asked });
        expect(!signal.proceed || text.includes(signal.excerpt)).toBe(true);
      }),
    );
  });
});

describe("unasked, a message can be a go-ahead", () => {
  test.each([
    "Go ahead.",
    "It prints 3. Go ahead.",
    "yes, all of the above is right, so please go ahead and write it",
    "Yes, use the default for 2, and go ahead.",
    "Use B and go ahead with the spec please",
    "Leg los!",
  ])("when it says so: %j", (text) => {
    expect(canBeGoAhead(text, { asked: false })).toBe(true);
  });

  test.each([
    "It prints 3",
    "yes",
    "1. yes\n2. no",
    "Don't go ahead",
    "Did it go ahead?",
    "Wait, go ahead? No.",
    "> go ahead\n\nwho says so",
    "`go ahead` is what it prints",
    "ndiyo, endelea",
  ])("but not when it does not: %j", (text) => {
    expect(canBeGoAhead(text, { asked: false })).toBe(false);
  });
});

describe("after Relay asked, a message can be a go-ahead", () => {
  test.each(["yes", "ok but use option B", "ndiyo, endelea", "Sounds good. Go with option B."])(
    "when it says %j",
    (text) => {
      expect(canBeGoAhead(text, { asked: true })).toBe(true);
    },
  );

  test.each(["no", "Not yet", "what would it change?", "hold on, please", "stop", "x ".repeat(20_000)])(
    "but not when it says %j",
    (text) => {
      expect(canBeGoAhead(text, { asked: true })).toBe(false);
    },
  );
});

test("any text may hold a go-ahead or not, however long", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(typeof unasked(text).proceed).toBe("boolean");
    }),
  );
  for (const piece of ["yes ", "`", "```\n", "<!--", "> ", "~~", "[", "(", '"', "On wrote", "go ahead. ", "<q>"]) {
    for (const length of [4_000, 20_000, 1_000_000]) {
      expect(typeof unasked(piece.repeat(length / piece.length)).proceed).toBe("boolean");
    }
  }
});
