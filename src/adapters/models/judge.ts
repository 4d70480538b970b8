import type { Finish } from "./answer.ts";
import type { AnswerPart } from "./conversation.ts";
import type { ToolCall } from "./tool.ts";

export type AskedCall = Extract<AnswerPart, { type: "call" }>;

/** What an answer means for the run. */
export type Verdict =
  | { kind: "refused" }
  | { kind: "calls"; calls: AskedCall[] }
  /** Nothing can be done with it; `hint` is told to the model. */
  | { kind: "stumble"; why: "length" | "empty"; hint: string; calls: AskedCall[] }
  /** Cut off, in a run without tools, where what there is may be of use. */
  | { kind: "cut" }
  | { kind: "words" };

const CUT_OFF =
  "Your answer was cut off, as it was too long; nothing of it was carried out. Answer again, much shorter.";
const EMPTY = "Your answer was empty. Go on with the task, and call a tool where one is meant for it.";

/** Decides what to do with an answer that came in whole, as far as the provider says. */
export function judge(parts: readonly AnswerPart[], finish: Exclude<Finish, "broken">, hasTools: boolean): Verdict {
  const calls = parts.filter((part) => part.type === "call");
  if (finish === "refused") return { kind: "refused" };
  if (finish === "length" && !hasTools) return { kind: "cut" };
  // The last call may lack its end, and those before it may rely on it.
  if (finish === "length") return { kind: "stumble", why: "length", hint: CUT_OFF, calls };
  if (calls.length > 0) return { kind: "calls", calls };
  const wordless = parts.every((part) => part.type !== "text" || part.text.trim() === "");
  return wordless ? { kind: "stumble", why: "empty", hint: EMPTY, calls: [] } : { kind: "words" };
}

/** Whether a model got not one of its calls right. */
export function allWrong(calls: readonly ToolCall[]): boolean {
  return calls.every((call) => ["malformed", "off_schema", "unknown_tool"].includes(call.outcome));
}
