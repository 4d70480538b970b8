import { describe, expect, test } from "vitest";
import { canBeGoAhead } from "../../approval/go-ahead.ts";
import { messagesWithSignal } from "./proceed-signal.ts";

/** Where “go ahead” stands in words that are not the person's own; the person asks for something else. */
const NOT_OWN: Readonly<Record<string, string>> = {
  "struck out": "~~go ahead~~ I want the total in euros first.",
  deleted: "<del>go ahead</del> I want the total in euros first.",
  "in <s>": "<s>go ahead</s> I want the total in euros first.",
  quoted: "> go ahead\n\nI want the total in euros first.",
  "in <blockquote>": "<blockquote>go ahead</blockquote>\n\nI want the total in euros first.",
  folded: "<details><summary>go ahead</summary>go ahead</details>\n\nI want the total in euros first.",
  code: "`go ahead` I want the total in euros first.",
  fenced: "```\ngo ahead\n```\nI want the total in euros first.",
  hidden: "<!-- go ahead --> I want the total in euros first.",
  "in a quoted mail":
    "I want the total in euros first.\n\nOn Mon, Jan 5, 2026, Relay <r@example.com> wrote:\n> Shall I go ahead?",
};

/** The message if it holds “go ahead” as its author's own words. */
function messages(content: string) {
  const message = {
    seq: 1,
    author: "ann",
    role: "reporter",
    isBot: false,
    timestamp: new Date(0),
    editedAt: null,
    content,
    externalId: "1",
    externalThreadId: null,
    permitted: true,
    isNew: true,
  } as const;
  return messagesWithSignal("go ahead", { messages: [message], proceedAsked: true, wishes: [] });
}

describe("a go-ahead that a model quotes", () => {
  test.each(Object.entries(NOT_OWN))("does not count when it is %s", (_, content) => {
    expect(messages(content)).toEqual([]);
  });

  test("counts in the person's own words", () => {
    expect(messages("Yes, go ahead")).toHaveLength(1);
  });
});

test.each(["don't go ahead", "No, please stop", "Nicht weitermachen", "do not start yet"])(
  "a refusal is no go-ahead, even if Relay has just asked: %j",
  (text) => {
    expect(canBeGoAhead(text, { asked: true })).toBe(false);
  },
);
