import { describe, expect, test } from "vitest";
import { confirmationOf } from "../src/approval/consent.ts";
import { canBeGoAhead, proceedSignal } from "../src/approval/go-ahead.ts";
import { readReply } from "../src/approval/read-reply.ts";
import { asksForWork } from "../src/implementation/pull-request/asks-for-work.ts";
import { messagesWithSignal } from "../src/planner/actions/proceed-signal.ts";

/* Every gate reads the writer's own words, as people see them, and nobody else's. */

/** A go-ahead, a stop and a wish in each language. */
const PHRASES: Record<string, { go: string; stop: string; wish: string }> = {
  English: { go: "Go ahead", stop: "Stop", wish: "Please rename the flag" },
  German: { go: "Leg los", stop: "Stopp", wish: "Bitte benenne das Flag um" },
  French: { go: "Vas-y", stop: "Attends", wish: "Renomme cette option" },
  Spanish: { go: "Adelante", stop: "Espera", wish: "Cambia el nombre" },
  Portuguese: { go: "Pode seguir", stop: "Espera", wish: "Muda o nome" },
  Italian: { go: "Procedi pure", stop: "Aspetta", wish: "Cambia il nome" },
  Polish: { go: "Działaj", stop: "Poczekaj", wish: "Zmień nazwę" },
  Russian: { go: "Начинай", stop: "Подожди", wish: "Переименуй флаг" },
  Ukrainian: { go: "Починай", stop: "Зачекай", wish: "Перейменуй прапорець" },
  Chinese: { go: "开始吧", stop: "等一下", wish: "请改名" },
  Japanese: { go: "進めてください", stop: "待ってください", wish: "名前を変えてください" },
  Korean: { go: "진행해 주세요", stop: "잠깐만요", wish: "이름을 바꿔 주세요" },
};

const inTags = (text: string) =>
  Array.from(text, (c) => String.fromCodePoint(0xe_00_00 + ((c.codePointAt(0) ?? 0) % 128)));

/** What is shown as somebody else's words, as taken back, or not at all. */
const SILENT: Record<string, (words: string) => string> = {
  "a quote": (words) => `> ${words}`,
  "a quote without a blank": (words) => `>${words}`,
  "a nested quote": (words) => `> > ${words}`,
  "a quote that goes on without its mark": (words) => `> Shall I?\n${words}`,
  "a quote in a list": (words) => `- > ${words}`,
  "a quote in a numbered list": (words) => `1. > Shall I?\n   > ${words}`,
  "a list in a quote": (words) => `> 1. ${words}\n> 2. ${words}`,
  "a comment": (words) => `<!-- ${words} -->`,
  "a comment of several lines": (words) => `<!--\n\n${words}\n\n-->`,
  "a comment that is not closed": (words) => `<!--\n${words}\n`,
  "a comment that begins in another element": (words) => `<div><!--\n\n${words}\n\n-->`,
  "invisible characters": (words) => inTags(words).join(""),
  "the definition of a reference": (words) => `[docs]: https://example.com "${words}"`,
  "the mail that is answered": (words) => `On Mon, Jan 5, 2026 at 10:00 Relay <relay@example.com> wrote:\n\n${words}`,
  "a wrapped attribution": (words) => `On Mon, Jan 5, 2026 at 10:00 Relay\n<relay@example.com> wrote:\n\n${words}`,
  "a mail with marks": (words) => `Am 05.01.2026 um 10:00 schrieb Relay <relay@example.com>:\n> ${words}`,
  "a Russian mail": (words) => `пн, 5 янв. 2026 г. в 10:00, Relay <relay@example.com>:\n\n${words}`,
  "a Japanese mail": (words) => `2026年1月5日(月) 10:00 Relay <relay@example.com>:\n\n${words}`,
  "a Chinese mail": (words) => `Relay <relay@example.com> 于2026年1月5日周一 10:00写道：\n\n${words}`,
  "an original message": (words) => `-----Original Message-----\n${words}`,
  "the headers of a mail": (words) => `Von: Relay\nGesendet: Montag\nAn: Ann\nBetreff: Plan\n\n${words}`,
};

/** What is shown beside the writer's words without being one of them; it may say more than they do. */
const APART: Record<string, (words: string) => string> = {
  "struck words": (words) => `~~${words}~~`,
  "words struck once": (words) => `~${words}~`,
  "struck words with emphasis": (words) => `~~**${words}**~~`,
  "a deletion": (words) => `<del>${words}</del>`,
  "a struck element": (words) => `<S>${words}</S>`,
  "an element of a quote": (words) => `<blockquote>\n\n${words}\n\n</blockquote>`,
  "folded words": (words) => `<details>\n<summary>Log</summary>\n\n${words}\n\n</details>`,
  "folded words that are not closed": (words) => `<details><summary>Log</summary>\n\n${words}`,
  "a folded quote in a folded element": (words) => `<details>\n\n<details>\n\n</details>\n\n${words}\n\n</details>`,
  "a code span": (words) => `\`${words}\``,
  "a longer code span": (words) => `\`\` ${words} \`\``,
  "a code span of two lines": (words) => `\`relay\n${words}\``,
  "a fence": (words) => `\`\`\`\n${words}\n\`\`\``,
  "a fence of tildes": (words) => `~~~text\n${words}\n~~~`,
  "a fence within a fence": (words) => `\`\`\`\`\n\`\`\`\n${words}\n\`\`\`\n\`\`\`\``,
  "a fence that is not closed": (words) => `\`\`\`\n${words}`,
  "a fence in a list": (words) => `- \`\`\`\n  ${words}\n  \`\`\``,
  "indented code": (words) => `    ${words}`,
  "code by tags": (words) => `<pre>\n${words}\n</pre>`,
  "the text of a picture": (words) => `![${words}](https://example.com/a.png)`,
  "the title of a picture": (words) => `![a](https://example.com/a.png "${words}")`,
  "the text of a link": (words) => `[${words}](https://example.com)`,
  "the title of a link": (words) => `[docs](https://example.com "${words}")`,
  "the text of a reference": (words) => `[${words}][docs]\n\n[docs]: https://example.com`,
  "a tag's attribute": (words) => `<img alt="${words}" src="a.png" title="> ${words}">`,
  "a quotation": (words) => `“${words}”`,
  "a quotation of two lines": (words) => `"\n${words}."\n`,
};

const FORMS = { ...SILENT, ...APART };
const OWN = "I want the total in euros first.";

function specGate(content: string, signal: string): boolean {
  const at = new Date(0);
  const message = {
    seq: 1,
    author: "mia",
    isBot: false,
    timestamp: at,
    editedAt: null,
    externalId: "c1",
    externalThreadId: null,
  };
  const messages = [{ ...message, role: "reporter" as const, content, permitted: true, isNew: true }];
  return messagesWithSignal(signal, { messages, proceedAsked: true, wishes: [] }).length > 0;
}

function planGate(content: string): boolean {
  const person = { author: "mia", isBot: false, isReporter: true, permission: "admin" as const };
  const facts = { mode: "implement" as const, risk: "LOW" as const, earlier: [], reactions: [], confirmers: [] };
  return confirmationOf({ ...facts, replies: [{ ...person, messageId: "c1", content }] }).kind === "confirmed";
}

describe.each(Object.entries(PHRASES))("in %s", (_, { go, stop, wish }) => {
  test("the words themselves count at each gate", () => {
    expect([specGate(go, go), planGate(go), proceedSignal(go, { asked: true }).proceed]).toEqual([true, true, true]);
    expect(specGate(`**${go}**`, go)).toBe(true);
    expect(readReply(stop).kind).toBe("stop");
    expect(asksForWork(wish, [])).toBe(true);
  });

  test.each(Object.entries(FORMS))("a go-ahead in %s lets nothing be written or started", (_name, form) => {
    for (const text of [form(go), `${OWN}\n\n${form(go)}`]) {
      for (const signal of [go, form(go), text]) {
        const isQuotable = signal !== text || text === form(go);
        expect([text, isQuotable && specGate(text, signal)]).toEqual([text, false]);
      }
      expect([text, planGate(text)]).toEqual([text, false]);
      expect([text, proceedSignal(text, { asked: true }).proceed]).toEqual([text, false]);
      expect([text, canBeGoAhead(text, { asked: false })]).toEqual([text, false]);
    }
  });

  test.each(Object.entries(FORMS))("a stop in %s stops nothing", (_name, form) => {
    const reply = readReply(form(stop));
    expect([reply.kind, "stops" in reply && reply.stops]).not.toEqual(["stop", false]);
    expect("stops" in reply && reply.stops).toBe(false);
    expect(readReply(`Thanks!\n\n${form(stop)}`).kind).not.toBe("stop");
  });

  test.each(Object.entries(SILENT))("a wish in %s asks for no work", (_name, form) => {
    expect(asksForWork(form(wish), [])).toBe(false);
    expect(asksForWork(`Thanks!\n\n${form(wish)}`, [])).toBe(false);
  });
});

test("what stands beside a quote, a comment or a mail still counts", () => {
  for (const [name, form] of Object.entries(SILENT)) {
    expect([name, planGate(`Go ahead\n\n${form("Stop")}`)]).toEqual([name, true]);
    expect([name, readReply(`Stop\n\n${form("Go ahead")}`).kind]).toEqual([name, "stop"]);
  }
});

test("signatures say nothing", () => {
  for (const end of [
    "Sent from my iPhone",
    "Von meinem iPhone gesendet",
    "-- \nAnn Smith\nStop Ltd",
    "发自我的iPhone",
  ]) {
    expect(planGate(`Go ahead\n\n${end}`)).toBe(true);
  }
});
