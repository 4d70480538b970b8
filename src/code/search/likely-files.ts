import { type Located, isPinpointed } from "./rank-files.ts";

/** Files to change that a spec or plan begins with; more of them are seldom right. */
const MOST = 3;
/** Places that the issue names itself are kept from this share of the best score on, others must be nearly as strong. */
const NAMED = 0.5;
const NEAR_BEST = 0.75;

/**
 * The files that an issue is probably about, in the order in which the search ranks them (R-SPEC-19), but first the one
 * where the stack trace failed. Spec and plan both begin with these, so that they agree. A file that defines what the
 * reporter proposes to change is one of them.
 */
export function likelyFiles(
  located: readonly Located[],
  issue: { aboutDocs: boolean; proposal: string | null },
): Located[] {
  const code = located
    .filter(({ role }) => role === "source" || role === "config")
    .toSorted((a, b) => Number(failed(b)) - Number(failed(a)));
  // Declarations follow the code that they describe, unless the issue names them.
  const declares = (one: Located) => /\.d\.[cm]?ts$|\.pyi$/.test(one.path) && !isNamed(one);
  const declarations = code.filter(declares);
  const work = [...code.filter((one) => !declares(one)), ...declarations];
  const docs = located.filter(({ role }) => role === "docs");
  if (issue.aboutDocs) {
    const pinpointed = docs.filter(isPinpointed);
    const chosen = pinpointed.length > 0 ? pinpointed : [...work.filter(isNamed), ...docs.slice(0, 1)];
    if (chosen.length > 0) return chosen.slice(0, MOST);
  }
  const best = Math.max(0, ...work.map(({ score }) => score));
  const near = work.filter(
    (one) => failed(one) || one.score >= best * (isNamed(one) || isProposed(one, issue.proposal) ? NAMED : NEAR_BEST),
  );
  const proposed = near.slice(MOST).filter((one) => isProposed(one, issue.proposal));
  const leading = work.slice(0, near.length > 0 && near.every(declares) ? 1 : 0).filter((one) => !near.includes(one));
  const likely = [...leading, ...near].filter((one, at, all) => !declares(one) || all.findIndex(declares) === at);
  return [...likely.slice(0, MOST), ...proposed.slice(0, 1), ...docs.filter(isNamed).slice(0, 1)];
}

/** Holds the repository's innermost line of the stack trace. */
function failed({ reasons }: Located): boolean {
  return reasons.some((reason) => reason.kind === "frame" && reason.depth === 0);
}

/** The issue writes its path, or shows it in a stack trace. */
function isNamed({ reasons }: Located): boolean {
  return reasons.some(({ kind }) => kind === "named" || kind === "frame");
}

function isProposed({ reasons }: Located, proposal: string | null): boolean {
  return reasons.some((reason) => reason.kind === "defines" && proposal?.includes(reason.symbol) === true);
}
