import { type AgentTool, agentTool } from "../../adapters/models/tool.ts";
import { countTokens } from "../../adapters/models/tokens.ts";
import type { ExplorerTool, ToolAnswer } from "../tools/answer.ts";
import type { ExplorerData } from "../tools/explorer-tools.ts";
import type { Seen } from "./seen-lines.ts";

export interface ReadBudget {
  /** Steps that the run allows. */
  steps: number;
  /** Characters of one tool result. */
  characters: number;
  /** Tokens of all tool results together. */
  tokens: number;
  /** Fences text of the repository; escaping may lengthen it. */
  fenced: (text: string) => string;
  seen: Seen;
}

/** Room for the notice after a page. */
const NOTICE_CHARACTERS = 300;
const NO_ROOM = "Not shown: you have read as much as you can keep. Call submit_findings with what you have.";

/**
 * Adapts the explorer's tools to a model's run. Repeated calls are not run again, since the conversation has their
 * result. The last results say how many steps are left; results that exceed the token budget are withheld.
 */
export function readingTools(
  tools: readonly ExplorerTool<ExplorerData>[],
  { steps, characters, tokens, fenced, seen }: ReadBudget,
): AgentTool[] {
  const asked = new Map<string, number>();
  let room = tokens;

  /** Cuts inside the fence, so that its end is never lost. */
  const page = (text: string): string => {
    for (let length = text.length; ; length = Math.floor(length / 2)) {
      const whole = fenced(text.slice(0, length));
      if (length === 0 || whole.length <= characters - NOTICE_CHARACTERS) {
        return length === text.length ? whole : `${whole}\nThe rest does not fit; ask for less.`;
      }
    }
  };

  async function read(
    tool: ExplorerTool<ExplorerData>,
    input: unknown,
    { signal, step }: { signal: AbortSignal; step: number },
  ) {
    const call = JSON.stringify([tool.name, input]);
    const before = asked.get(call);
    if (before !== undefined) return { output: `You made this very call in turn ${before}; nothing has changed.` };
    asked.set(call, step);
    let answer: ToolAnswer<ExplorerData> | null = null;
    try {
      answer = await tool.run(input, signal);
    } finally {
      // A failed call may succeed the next time.
      if (answer?.kind !== "answer") asked.delete(call);
    }
    const output = page(answer.kind === "answer" ? answer.text : answer.reason);
    const taken = await countTokens(output);
    if (taken > room) return { output: NO_ROOM, isError: true };
    room -= taken;
    if (answer.kind === "answer") {
      seen.data(answer.data);
      seen.searched(input);
    }
    return { output, isError: answer.kind === "refused" };
  }

  return tools.map((tool) =>
    agentTool({
      name: tool.name,
      description: tool.description,
      input: tool.input,
      execute: async (input, context) => {
        const { output, isError = false } = await read(tool, input, context);
        return { output: `${output}${leftAfter(context.step, steps)}`, isError };
      },
    }),
  );
}

function leftAfter(step: number, steps: number): string {
  const left = steps - step;
  if (left > 2) return "";
  if (left <= 1) return "\n\nYour next turn is the last one: call submit_findings with what you have.";
  return `\n\nYou have ${left} turns left, the one with submit_findings included.`;
}
