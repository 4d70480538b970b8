import type { Block } from "./markdown.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";
import { isTraceLine } from "./stack-traces.ts";
import { addressesTool } from "./tool-orders.ts";

/** Sentences that people wrote, without quotes of others, code blocks, and orders to the tool that reads them. */
export function proseSentences(blocks: readonly Block[]): Sentence[] {
  return blocks.flatMap((block) =>
    block.kind === "paragraph" && !block.quoted
      ? sentencesOf(withoutTraces(block.text), block.start).filter(({ text }) => !addressesTool(text))
      : [],
  );
}

/** Pasted traces are often not marked as code; their lines become empty ones of the same length. */
function withoutTraces(text: string): string {
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .map((line) => (isTraceLine(line) || /^\s*\^+\s*$|[;{]\s*$/.test(line) ? " ".repeat(line.length) : line))
    .join("\n");
}
