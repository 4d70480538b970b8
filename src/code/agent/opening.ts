import { fence, fenceCode } from "../../adapters/models/fence.ts";
import type { Turn } from "../../adapters/models/model.ts";
import type { Thoroughness } from "./explore-answer.ts";

const QUESTION_CHARACTERS = 4_000;
const CONTEXT_CHARACTERS = 12_000;

/** A question as far as a model gets to see it. */
export interface Asked {
  question: string;
  /** Why it is asked; may be empty. */
  context: string;
  thoroughness: Thoroughness;
}

/** Bounded, whatever was asked; who asks is a model, too (R-SAFE-5). */
export function bounded({ question, context, thoroughness }: Asked): Asked {
  return {
    question: cut(question.trim(), QUESTION_CHARACTERS),
    context: cut(context.trim(), CONTEXT_CHARACTERS),
    thoroughness,
  };
}

/** What the model is told first. Everything that others wrote is fenced (R-SAFE-1). */
export function openingTurn(asked: Asked, look: string, steps: number, boundary: string): Turn {
  const parts = [
    `Thoroughness: ${asked.thoroughness}. You have ${steps} turns in all, the one with submit_findings included.`,
    fence("question", asked.question, boundary),
    ...(asked.context === "" ? [] : [fence("context", asked.context, boundary)]),
    look === ""
      ? "The first look found no file that has to do with the question."
      : fenceCode("first look", look, boundary),
    `Answer the question, in its language. The boundary of all fences here is ${boundary}.`,
  ];
  return { role: "user", content: parts.join("\n\n") };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (cut)`;
}
