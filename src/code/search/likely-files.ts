import { type Located, isPinpointed } from "./rank-files.ts";

/** How many files to change a spec or plan starts with; if there are more, they are seldom right. */
const MOST = 3;
/**
 * Files that the issue names itself must have this share of the best score; others must be nearly as strong as the
 * best.
 */
const NAMED = 0.5;
const NEAR_BEST = 0.75;

/**
 * The files that an issue is probably about, in the search's order (R-SPEC-19), but starting with the file where the
 * stack trace failed, then with those that use a setting that the issue names. Spec and plan both start with these, so that they agree. A file that defines what the reporter
 * proposes to change is included. One that only shares words with the issue that many files have is no place at all.
 */
export function likelyFiles(
  located: readonly Located[],
  issue: { aboutDocs: boolean; proposal: string | null },
): Located[] {
  const code = located
    .filter((one) => (one.role === "source" || one.role === "config") && !isVague(one))
    .toSorted((a, b) => Number(failed(b)) - Number(failed(a)) || Number(decidesBy(b)) - Number(decidesBy(a)));
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
    (one) =>
      failed(one) ||
      decidesBy(one) ||
      one.score >= best * (isNamed(one) || isProposed(one, issue.proposal) ? NAMED : NEAR_BEST),
  );
  const proposed = near.slice(MOST).filter((one) => isProposed(one, issue.proposal));
  const leading = work.slice(0, near.length > 0 && near.every(declares) ? 1 : 0).filter((one) => !near.includes(one));
  const likely = [...leading, ...near].filter((one, at, all) => !declares(one) || all.findIndex(declares) === at);
  return [...likely.slice(0, MOST), ...proposed.slice(0, 1), ...docs.filter(isNamed).slice(0, 1)];
}

/** Whether it has the innermost line of the stack trace that is in the repository. */
function failed({ reasons }: Located): boolean {
  return reasons.some((reason) => reason.kind === "frame" && reason.depth === 0);
}

function isVague({ reasons }: Located): boolean {
  const leads = reasons.filter(({ kind }) => kind !== "imports" && kind !== "imported" && kind !== "history");
  return leads.every((reason) => reason.kind === "words" && reason.isVague === true);
}

/** Whether it uses the value of a setting that the issue names: where that is declared, less often goes wrong. */
function decidesBy({ reasons }: Located): boolean {
  return reasons.some(({ kind }) => kind === "uses");
}

/** Whether the issue contains its path or shows it in a stack trace, or names what it handles from outside. */
function isNamed({ reasons }: Located): boolean {
  return reasons.some(({ kind }) => NAMING.has(kind));
}

const NAMING: ReadonlySet<string> = new Set(["named", "frame", "handles", "uses", "beside"]);

function isProposed({ reasons }: Located, proposal: string | null): boolean {
  return reasons.some((reason) => reason.kind === "defines" && proposal?.includes(reason.symbol) === true);
}
