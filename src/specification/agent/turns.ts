import { fence } from "../../adapters/models/fence.ts";
import type { Turn } from "../../adapters/models/model.ts";
import { linesOf } from "../../domain/spec-document/blocks.ts";
import type { SpecDraft } from "../generator.ts";
import type { SpecProblem } from "../validate/rules.ts";

const PROBLEMS = 60;
const QUOTED = 200;

export interface Correction {
  previous: SpecDraft;
  problems: SpecProblem[];
}

/**
 * The conversation that a run begins with. The material comes first and stays as it is, so that it is cached; what an
 * earlier run wrote is the assistant's turn, and what is wrong with it, rule by rule (R-SPEC-7), the answer to it.
 */
export function turnsOf(
  material: string,
  { correction, looks, boundary }: { correction: Correction | null; looks: readonly string[]; boundary: string },
): Turn[] {
  const first: Turn = { role: "user", content: `${material}\n\n${ASK}`, cacheBreakpoint: true };
  const seen =
    looks.length === 0 ? "" : `This was found already when the code was looked at:\n\n${looks.join("\n")}\n\n`;
  if (correction !== null) {
    return [
      first,
      { role: "assistant", content: correction.previous.markdown },
      { role: "user", content: `${seen}${told(correction, boundary)}` },
    ];
  }
  if (seen === "") return [first];
  return [
    first,
    { role: "assistant", content: "I look at the code first." },
    { role: "user", content: `${seen}${ASK}` },
  ];
}

const ASK = "Write the spec of this issue now, and hand it in with `submit_spec`.";

const MEND = `Mend what the list names, and leave the rest as it is, word for word. Errors have to go. A warning goes too, unless
that would make the spec worse. A citation that does not hold is replaced by evidence that the material shows; where there
is none, what rests on it goes as well, or becomes an assumption. A text that is too long gets shorter by what nobody
builds, checks or decides by. Then hand in the whole document with \`submit_spec\`, with summary, changelog and level.`;

function told({ previous, problems }: Correction, boundary: string): string {
  const lines = linesOf(previous.markdown);
  const list = problems.slice(0, PROBLEMS).flatMap(({ severity, rule, line, detail }) => {
    const quoted = (lines[line - 1] ?? "").trim().slice(0, QUOTED).toWellFormed();
    return [`- ${severity} ${rule}, line ${line}: ${detail}`, ...(quoted === "" ? [] : [`    ${quoted}`])];
  });
  const more = problems.length > PROBLEMS ? [`- and ${problems.length - PROBLEMS} more`] : [];
  return `The spec was checked and is not right yet:\n\n${fence("problems", [...list, ...more].join("\n"), boundary)}\n\n${MEND}`;
}
