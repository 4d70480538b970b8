import { noCost, type ExploreAnswer } from "../code/agent/explore-answer.ts";
import type { ExploreAgent } from "../code/agent/explore-agent.ts";
import { readLocation } from "../code/agent/source-lookup.ts";
import type { Repository } from "../code/git/repository.ts";
import type { FindingSource } from "../domain/finding.ts";
import { listFindings } from "../storage/findings.ts";
import { shownText } from "../code/tools/sanitize.ts";
import { type Exploration, type Thoroughness, type VerifiedPlace, THOROUGHNESS } from "../domain/exploration.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { oneLine } from "../lib/text.ts";
import type { Db } from "../storage/db.ts";
import { addExploration, listExplorations } from "../storage/explorations.ts";

/** A question about the code of the repository of one issue. */
export interface IssueQuestion {
  issueId: string;
  question: string;
  thoroughness: Thoroughness;
  signal: AbortSignal;
}

/**
 * Explores, and keeps what was found in the issue's dossier (R-PLAN-13). A question that was answered before, at this
 * commit and at least as thoroughly, is answered from there at no cost, whoever asked it. `explorer` is for `commit`.
 */
export function keptExplorer(
  explorer: ExploreAgent,
  { commit, askedBy, ...deps }: { commit: string; askedBy: Exploration["askedBy"]; db: Db; clock: Clock; ids: Ids },
): (asked: IssueQuestion) => Promise<ExploreAnswer> {
  return async ({ issueId, ...asked }) => {
    const { question, thoroughness } = asked;
    const known = (await listExplorations(deps.db, issueId)).find(
      (one) =>
        one.commit === commit &&
        oneLine(one.question) === oneLine(question) &&
        THOROUGHNESS.indexOf(one.thoroughness) >= THOROUGHNESS.indexOf(thoroughness),
    );
    if (known !== undefined) return answerFrom(known);
    const found = await explorer.explore(asked);
    if (found.kind === "answered" && found.verified && !found.repeated) {
      const { synthesis, sources: places } = found;
      await addExploration(deps.db, { issueId, askedBy, question, thoroughness, synthesis, places, commit }, deps);
    }
    return found;
  };
}

function answerFrom({ synthesis, places, commit }: Exploration): ExploreAnswer {
  const cost = noCost("dossier");
  return { kind: "answered", synthesis, verified: true, sources: places, dropped: [], commit, cost, repeated: true };
}

/**
 * What explorations of an issue hold at this commit, oldest first: places whose lines have moved are told where they are
 * now, those whose lines have changed are left out, and so is an exploration that keeps none.
 */
export async function explorationsAt(db: Db, issueId: string, code: Repository): Promise<Exploration[]> {
  const linesOf = shownLines(code);
  const kept = await Promise.all(
    (await listExplorations(db, issueId)).map(async (exploration) => {
      if (exploration.commit === code.commit) return exploration;
      const places = await Promise.all(exploration.places.map(async (place) => await placeAt(place, linesOf)));
      return { ...exploration, places: places.filter((place) => place !== null), commit: code.commit };
    }),
  );
  return kept.filter(({ places }) => places.length > 0);
}

/** The places of an issue's findings, then of its explorations, as they hold at this commit. */
export async function placesAt(db: Db, issueId: string, code: Repository): Promise<VerifiedPlace[]> {
  const linesOf = shownLines(code);
  const cited = (await listFindings(db, issueId)).flatMap(({ sources, commit }) =>
    sources.map(async (source) => (commit === code.commit ? source : await placeAt(source, linesOf))),
  );
  const found = (await Promise.all(cited)).filter((place) => place !== null);
  return [...found, ...(await explorationsAt(db, issueId, code)).flatMap(({ places }) => places)];
}

type LinesOf = (path: string) => Promise<string[] | null>;

/** The lines of files as explorations show them, each file read once; null for one that cannot be read. */
function shownLines(code: Repository): LinesOf {
  const read = async (path: string) => {
    const text = await code.readFile(path).catch(() => null);
    return text === null ? null : text.split("\n").map((line) => shownText(line));
  };
  const known = new Map<string, Promise<string[] | null>>();
  return async (path) => {
    const lines = known.get(path) ?? read(path);
    known.set(path, lines);
    return await lines;
  };
}

async function placeAt(place: FindingSource, linesOf: LinesOf): Promise<VerifiedPlace | null> {
  const location = readLocation(place.location);
  const lines = location && (await linesOf(location.path));
  if (location === null || lines === null) return null;
  const wanted = place.snippet.split("\n");
  if (wanted.at(-1) === "…") wanted.pop();
  const isAt = (first: number) => wanted.every((line, at) => lines[first + at] === line);
  if (isAt(location.start - 1)) return place;
  const [found, another] = lines.flatMap((line, first) => (line === wanted[0] && isAt(first) ? [first] : []));
  if (found === undefined || another !== undefined) return null;
  const start = found + 1;
  return { ...place, location: `${location.path}:${start}-${start + location.end - location.start}` };
}
