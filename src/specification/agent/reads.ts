import { z } from "zod";
import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";
import type { VerifiedPlace } from "../../domain/exploration.ts";
import { placesText } from "../../dossier/render.ts";
import { fenceCode } from "../../adapters/models/fence.ts";
import { type AgentTool, agentTool } from "../../adapters/models/tool.ts";

/** Explorations of the code per spec, over all its attempts and corrections (R-SPEC-3). */
export const EXPLORES = 2;

const LIMIT_REACHED = `Explore limit reached (max ${EXPLORES} calls). Please call submit_spec with your best effort based on the context provided.`;
const NOTHING = "The look at the code brought no answer. Go on with what you have.";
const GIVEN_UP = "The look was given up before its end; this is what was known by then.";
const UNVERIFIED = "No place of it was verified: rest nothing on it.";
const QUESTION_LENGTH = 2_000;
const SYNTHESIS_LENGTH = 8_000;
/** Characters of the places of one answer, with their code. */
const PLACES = 24_000;

/** The result of an exploration of the code in a context of its own (R-EXP-3). */
export interface Explored {
  kind: "answered" | "gave up";
  /** If the exploration gave up: what it knew by then. */
  synthesis: string | null;
  /** Places verified against the commit, with their code. */
  sources: readonly VerifiedPlace[];
}

/** Explores the code of the issue's repository, and of no other (R-SAFE-2). */
export type Explore = (look: {
  issueId: string;
  question: string;
  thoroughness: "quick";
  signal: AbortSignal;
}) => Promise<Explored>;

/** The explorations of one spec, shared by its attempts and corrections so that nothing is asked twice. */
export interface Looks {
  begun: number;
  answers: string[];
  /** Places that the writer was shown. */
  locations: string[];
}

/** The tool `explore`: answers twice, then reports that the limit is reached. */
export function exploreTool(
  explore: Explore,
  looks: Looks,
  { issueId, boundary }: { issueId: string; boundary: string },
): AgentTool {
  return agentTool({
    name: "explore",
    description: `Has somebody look at the code of the repository and answer one question about it, with the places. At most ${EXPLORES} times.`,
    input: z.object({
      question: z.string().trim().min(1).max(QUESTION_LENGTH).describe("One question about the code as it is."),
    }),
    execute: async ({ question }, { signal }) => {
      if (looks.begun >= EXPLORES) return LIMIT_REACHED;
      looks.begun += 1;
      const remembering: Explore = async (look) => {
        const found = await explore(look);
        looks.locations.push(...found.sources.map(({ location }) => location));
        return found;
      };
      const answer = await lookedAt({ issueId, question, thoroughness: "quick", signal }, remembering, boundary);
      if (answer === null) return { output: NOTHING, isError: true };
      looks.answers.push(answer);
      return answer;
    },
  });
}

async function lookedAt(look: Parameters<Explore>[0], explore: Explore, boundary: string): Promise<string | null> {
  const { question, signal } = look;
  let found: Explored;
  try {
    found = await explore(look);
  } catch {
    signal.throwIfAborted();
    // A spec can be written without it, and its message may reveal more than a model should see.
    return null;
  }
  if (found.synthesis === null && found.sources.length === 0) return null;
  return [
    ...(found.kind === "answered" ? [] : [GIVEN_UP]),
    ...(found.sources.length === 0 ? [UNVERIFIED] : []),
    fenceCode(`what was found for: ${question}`, shown(found.synthesis ?? "", SYNTHESIS_LENGTH), boundary),
    ...(found.sources.length === 0
      ? []
      : [fenceCode("code", removeSecrets(placesText(found.sources, PLACES)).text, boundary)]),
  ].join("\n");
}

function shown(text: string, most: number): string {
  return removeSecrets(text.slice(0, most).toWellFormed()).text;
}
