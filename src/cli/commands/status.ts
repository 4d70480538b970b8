import { type Issue, issueName } from "../../domain/issue.ts";
import type { IssueState } from "../../domain/lifecycle.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Relay } from "../../app/relay.ts";
import type { ShownIssue } from "../../server/api/shapes/issue.ts";
import { type ShownLetter, shownLetter } from "../../server/api/shapes/queue.ts";
import { type DeadLetter, listDeadLetters } from "../../storage/dead-letters.ts";
import { type IssueFilter, countIssues, forEachPage } from "../../storage/issue-lists.ts";
import { type NoticeFigures, noticeFigures } from "../../storage/notices.ts";
import { overviewsOf } from "../../storage/issue-overview.ts";
import { type StoredRepository, findRepositoriesNamed } from "../../storage/repositories.ts";
import { stateFilesIn } from "../../storage/state-files.ts";
import { type IssueStatus, describe, statusText } from "../issue-status.ts";
import { figuresText } from "../doctor/notifications.ts";
import { pickIssue } from "../issues.ts";
import { withRelay } from "../session.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";

export interface StatusOptions extends CommonOptions {
  all?: boolean;
  state?: readonly IssueState[];
  repo?: string;
  limit?: string;
  writeFiles?: boolean;
}

/** What `relay status --json` prints, for one issue too. */
export interface StatusAnswer {
  issues: ShownIssue[];
  /** What failed for good. */
  dead_letters: ShownLetter[];
  /** How notifications fare, by target; absent where one issue was asked for. */
  notifications?: NoticesAnswer[];
}

/** Notifications to one target: those that wait, the last error, and those that were given up. */
export interface NoticesAnswer {
  target: string;
  waiting: number;
  waiting_since: string | null;
  last_error: string | null;
  given_up: number;
}

/** Issues that are shown unless another number is asked for. */
const MOST_SHOWN = 50;
/** Issues beyond those are counted up to here. */
const MOST_COUNTED = 10_000;

/**
 * `relay status [ISSUE]`: where one issue stands, or those that are open, most recently changed first. As JSON all
 * issues, unless options say which. Whatever is listed is read in pages (R-SCALE-1).
 */
export async function status(wanted: string | undefined, options: StatusOptions, terminal: Terminal): Promise<number> {
  const limit = limitOf(options);
  if (wanted !== undefined && (options.all || options.state || options.repo !== undefined || limit !== null)) {
    throw new RelayError("usage", "--all, --state, --repo and --limit choose among all issues; leave them out for one");
  }
  return await withRelay(options, terminal, async (relay) => {
    if (options.writeFiles) {
      const count = await stateFilesIn(relay.config.home, relay.db).rebuild();
      terminal.err(`${count} state file(s) written below ${relay.config.home}\n`);
    }
    if (wanted !== undefined) await showOne(relay, await pickIssue(relay.db, wanted), options, terminal);
    else if (options.json) await listAsJson(relay, await filterOf(relay, options, "all"), limit, terminal);
    else await list(relay, await filterOf(relay, options, "open"), limit ?? MOST_SHOWN, terminal);
    return EXIT.done;
  });
}

function limitOf({ limit }: StatusOptions): number | null {
  if (limit === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new RelayError("usage", `--limit must be a whole number from 1, not “${limit}”`);
}

type Listed = IssueFilter & { inRepositories: readonly StoredRepository[] | null };

async function filterOf({ db }: Relay, options: StatusOptions, otherwise: "open" | "all"): Promise<Listed> {
  const states = options.state ?? (options.all ? "all" : otherwise);
  if (options.repo === undefined) return { states, repositories: null, inRepositories: null };
  const found = await findRepositoriesNamed(db, options.repo);
  if (found.length > 0) return { states, repositories: found.map(({ id }) => id), inRepositories: found };
  throw new RelayError(
    "not_found",
    `no repository “${options.repo}” is known here; name it like the tracker does, for example acme/shop`,
  );
}

async function showOne(relay: Relay, issue: Issue, options: StatusOptions, terminal: Terminal): Promise<void> {
  const [row] = await describeAll(relay, [issue]);
  const letters = await listDeadLetters(relay.db, { issue });
  if (options.json) {
    printJson<StatusAnswer>(terminal, { issues: row ? [row.shown] : [], dead_letters: letters.map(shownLetter) });
    return;
  }
  if (row) terminal.out(statusText(issue, row, { withGaps: true, now: relay.clock.now() }));
  for (const letter of letters) terminal.out(letterText(letter));
}

async function describeAll({ db, specStore, tracker }: Relay, issues: readonly Issue[]): Promise<IssueStatus[]> {
  const overviewOf = await overviewsOf(
    db,
    issues.map(({ id }) => id),
  );
  return await Promise.all(
    issues.map(async (issue) => await describe(issue, overviewOf(issue.id), specStore, tracker.bot)),
  );
}

/** One document, of which only a page is in memory at a time. */
async function listAsJson(relay: Relay, listed: Listed, limit: number | null, terminal: Terminal): Promise<void> {
  terminal.out(`{"issues":[`);
  let separator = "";
  await forEachPage(relay.db, listed, limit, async (issues) => {
    for (const { shown } of await describeAll(relay, issues)) {
      terminal.out(`${separator}${JSON.stringify(shown satisfies StatusAnswer["issues"][number])}`);
      separator = ",";
    }
  });
  const letters = await listDeadLetters(relay.db, { repositories: listed.inRepositories });
  const notices = (await noticeFigures(relay.db)).map(shownFigures);
  const rest: Omit<StatusAnswer, "issues"> = { dead_letters: letters.map(shownLetter), notifications: notices };
  terminal.out(`],${JSON.stringify(rest).slice(1)}\n`);
}

async function list(relay: Relay, listed: Listed, limit: number, terminal: Terminal): Promise<void> {
  let shown = 0;
  await forEachPage(relay.db, listed, limit, async (issues) => {
    const rows = await describeAll(relay, issues);
    for (const [index, issue] of issues.entries()) {
      const row = rows[index];
      if (row) terminal.out(statusText(issue, row, { withGaps: false, now: relay.clock.now() }));
    }
    shown += issues.length;
  });
  const letters = await listDeadLetters(relay.db, { repositories: listed.inRepositories });
  for (const letter of letters.slice(0, limit)) terminal.out(letterText(letter));
  if (letters.length > limit) terminal.out(`${letters.length - limit} more were given up: --limit ${letters.length}\n`);
  for (const one of await noticeFigures(relay.db)) {
    if (one.error !== null || one.givenUp > 0) terminal.out(`notifications to ${one.target}: ${figuresText(one)}\n`);
  }
  if (shown === limit) {
    const count = (await countIssues(relay.db, listed, limit + MOST_COUNTED)) - limit;
    const more = count === MOST_COUNTED ? `At least ${count}` : String(count);
    if (count > 0) terminal.out(`${more} more: --limit ${limit + count} lists them, --state and --repo only some.\n`);
  }
  if (listed.states === "open") await tellOfEnded(relay, { ...listed, shown }, terminal);
  else if (shown === 0) terminal.out("No such issues.\n");
}

/** Says how to see what is done or closed, and how to begin where there is nothing at all. */
async function tellOfEnded({ db }: Relay, listed: Listed & { shown: number }, terminal: Terminal): Promise<void> {
  const ended = (await countIssues(db, { ...listed, states: ["done", "closed"] }, 1)) > 0;
  const none = listed.shown === 0 ? "No issue is open. " : "";
  if (ended) terminal.out(`${none}Done and closed issues: \`relay status --all\`.\n`);
  else if (listed.shown === 0) terminal.out("No issues yet. Try `relay spec ISSUE.md`, or `relay demo`.\n");
}

function shownFigures({ target, waiting, waitingSince, error, givenUp }: NoticeFigures): NoticesAnswer {
  const since = waitingSince?.toISOString() ?? null;
  return { target, waiting, waiting_since: since, last_error: error, given_up: givenUp };
}

function letterText(letter: DeadLetter): string {
  const what = letter.what === "delivery" ? `delivery ${letter.deliveryId}` : "work";
  return `${issueName(letter.issue)}  ${what} given up: ${letter.error}; \`relay retry\` tries it again\n`;
}
