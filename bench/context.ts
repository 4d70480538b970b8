// What a planning cycle sends to a model, offline: `npm run bench:context`. Tokens of the prompt on threads of 10 to
// 10,000 messages, and how much of it the previous cycle had sent already, so that a provider's cache has it
// (R-PLAN-11). Threads are made up: most messages short, some with a pasted log, as in real trackers.
import type { ConversationMessage } from "../src/domain/conversation.ts";
import { loadPrompt } from "../src/adapters/models/prompt.ts";
import { countTokens } from "../src/adapters/models/tokens.ts";
import { type Briefing, briefingOf, briefingText } from "../src/planner/briefing.ts";
import { type CycleFacts, buildContext } from "../src/planner/context.ts";
import { factsOf, finding, gap, message } from "../test/support/cycle-facts.ts";
import { rounded, tell } from "./figures.ts";

const THREADS = [10, 100, 1_000, 10_000];
/** Messages that come between two cycles, and cycles over which the share is averaged. */
const NEWS = 2;
const CYCLES = 40;
const BOUNDARY = "0123456789abcdef";
const SYSTEM = loadPrompt("planner").fill({ explorations: "8" });
const WORDS =
  "the total of an empty cart should be zero when no price is given but the export shows a wrong date".split(" ");

/** Numbers from 0 to 1 that are the same in every run. */
function chance(seed: number): number {
  const x = Math.sin(seed * 12.9898) * 43_758.5453;
  return x - Math.floor(x);
}

function prose(seed: number, words: number): string {
  return Array.from({ length: words }, (_, n) => WORDS[Math.floor(chance(seed * 1_000 + n) * WORDS.length)]).join(" ");
}

/** 5 to 120 words, and every 25th with a log of 12,000 characters. */
function talk(seq: number): ConversationMessage {
  const log = seq % 25 === 7 ? `\n${"at total (src/cart.ts:2:9)\n".repeat(440)}` : "";
  return message(seq, prose(seq, 5 + Math.floor(115 * chance(seq) ** 2)) + log);
}

/** The cycle that was woken when the thread had `total` messages. */
function cycleAt(total: number, content: (seq: number) => ConversationMessage): CycleFacts {
  const facts = factsOf(total);
  const round = Math.floor(total / NEWS);
  return {
    ...facts,
    messages: facts.messages.map(({ seq }) => content(seq)),
    newMessages: Array.from({ length: Math.min(NEWS, total) }, (_, n) => total - n).toReversed(),
    learnings: Array.from({ length: 10 }, (_, n) => ({
      id: String(n),
      workspaceId: "1",
      type: "domain_learnings",
      content: prose(n, 20),
      createdAt: facts.issue.openedAt,
    })),
    // Each cycle closes a question and asks another.
    gaps: [1, 2, 3, 4, 5, 6].map((n) => gap(round + n, n < 4 ? "closed" : "open")),
    findings: Array.from({ length: 12 }, (_, n) => finding(n, prose(n, 25))),
    specStub: `Path: x\n${prose(5, 150)}`,
  };
}

function briefing(total: number, content = talk): Briefing {
  return briefingOf(buildContext(cycleAt(total, content)), { boundary: BOUNDARY });
}

function whole(parts: Briefing): string {
  return `${SYSTEM}\n\n${briefingText(parts)}`;
}

/** Tokens of the beginning that two prompts share. */
async function shared(one: string, other: string): Promise<number> {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return await countTokens(one.slice(0, length));
}

let least = Number.NaN;
for (const total of THREADS) {
  const parts = briefing(total);
  const tokens = await countTokens(whole(parts));
  least = Number.isNaN(least) ? tokens : least;
  let [sent, known] = [0, 0];
  for (let at = total; at < total + CYCLES * NEWS; at += NEWS) {
    const now = whole(briefing(at + NEWS));
    sent += await countTokens(now);
    known += await shared(whole(briefing(at)), now);
  }
  const hostile = await countTokens(whole(briefing(total, (seq) => message(seq, "🧿龘ß".repeat(20_000)))));
  const thread = `thread of ${total.toLocaleString("en")}`;
  for (const [what, count] of [
    [`prompt, ${thread}`, tokens],
    [`prompt, hostile ${thread}`, hostile],
  ] as const) {
    tell({
      what,
      value: `${count.toLocaleString("en")} tokens`,
      number: count / least,
      anchor: `the prompt of ${THREADS[0]} messages`,
    });
  }
  const share = (100 * known) / sent;
  tell({
    what: `known from the cycle before, of ${CYCLES} cycles, ${thread}`,
    value: `${rounded(share)} %`,
    number: share,
  });
}
