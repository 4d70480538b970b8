import { NO_USAGE } from "../../adapters/models/usage.ts";
import { abandoned } from "./conclusion.ts";
import type { ExploreAnswer, ExploreCost } from "./explore-answer.ts";
import type { Asked } from "./opening.ts";

const MOST = 32;
const NO_COST: Omit<ExploreCost, "model"> = {
  fellBackFrom: [],
  calls: 0,
  usage: NO_USAGE,
  costUsd: 0,
  ms: 0,
  steps: 0,
};

type Remembered = (
  asked: Asked,
  signal: AbortSignal | undefined,
  ask: () => Promise<ExploreAnswer>,
) => Promise<ExploreAnswer>;

/**
 * Lets an equal question of one commit, also one still under way, be asked once: the others get the same answer and
 * take nothing. What was given up is asked anew when the question comes again; an abort is its caller's alone.
 */
export function rememberAnswers({ model, commit }: { model: string; commit: string }): Remembered {
  const known = new Map<string, Promise<ExploreAnswer>>();

  return async function answer(asked, signal, ask) {
    if (signal?.aborted === true) return abandoned(model, commit, NO_COST);
    const key = keyOf(asked);
    for (let earlier = known.get(key); earlier !== undefined; earlier = known.get(key)) {
      const found = await unlessAborted(earlier, signal);
      if (found === null) return abandoned(model, commit, NO_COST);
      const { cost } = found;
      // Whoever asked first does not wait any more; this one does.
      if (found.kind === "gave up" && found.cause.kind === "aborted") {
        if (known.get(key) === earlier) known.delete(key);
        continue;
      }
      return { ...found, cost: { ...NO_COST, model: cost.model }, repeated: true };
    }
    const own = ask();
    known.set(key, own);
    const oldest = known.keys().next();
    if (known.size > MOST && oldest.done !== true) known.delete(oldest.value);
    const forget = () => {
      if (known.get(key) === own) known.delete(key);
    };
    try {
      const found = await own;
      if (found.kind === "gave up") forget();
      return found;
    } catch (error) {
      forget();
      throw error;
    }
  };
}

/** Spaces and a final mark make no other question; case does, as names of code differ by it. */
function keyOf({ question, context, thoroughness }: Asked): string {
  return JSON.stringify([plain(question).replace(/[ ?.!？。]{1,20}$/, ""), thoroughness, plain(context)]);
}

function plain(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/g, " ");
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
  if (signal === undefined) return await work;
  if (signal.aborted) return null;
  const { promise, resolve } = Promise.withResolvers<null>();
  const stop = () => resolve(null);
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
