import { issueName } from "../../domain/issue.ts";
import { RelayError } from "../../lib/errors.ts";
import { rateOutcome } from "../../storage/ratings.ts";
import { cycleNumber, pickIssue } from "../issues.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";

const LONGEST_NOTE = 2_000;

/** What `relay rate --json` prints. */
export interface RateAnswer {
  issue: string;
  cycle: number;
  stars: number;
  note: string | null;
}

/** `relay rate ISSUE STARS [--cycle N] [--note TEXT]`: rates an outcome (R-OBS-1). */
export async function rate(
  wanted: string,
  stars: string,
  options: CommonOptions & { cycle?: string; note?: string },
  terminal: Terminal,
): Promise<number> {
  if (!/^[1-5]$/.test(stars)) throw new RelayError("usage", `a rating is a whole number from 1 to 5, not “${stars}”`);
  const note = options.note?.trim() || null;
  if (note !== null && note.length > LONGEST_NOTE) {
    throw new RelayError("usage", `the note has ${note.length} characters; at most ${LONGEST_NOTE} are kept`);
  }
  const only = options.cycle === undefined ? null : cycleNumber(options.cycle);
  return await withRelay(options, terminal, async ({ db, clock, ids, operator }) => {
    const issue = await pickIssue(db, wanted);
    const rating = { stars: Number(stars), note, by: operator };
    const cycle = await rateOutcome(db, issue.id, only, rating, { clock, ids });
    if (cycle === null) {
      throw new RelayError(
        "not_found",
        `${issueName(issue)} has no ${only === null ? "cycle" : `cycle ${only}`} to rate`,
      );
    }
    if (options.json) printJson<RateAnswer>(terminal, { issue: issueName(issue), cycle, stars: rating.stars, note });
    else terminal.out(`${issueName(issue)}, cycle ${cycle}: ${stars} of 5\n`);
    return EXIT.done;
  });
}
