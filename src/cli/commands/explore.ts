import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { loadConfig } from "../../config/config.ts";
import { type IssueText, readIssue } from "../../domain/issue-text/issue-reading.ts";
import { type Repository, openRepository } from "../../code/git/repository.ts";
import { RelayError } from "../../lib/errors.ts";
import { searchTerms } from "../../code/search/query.ts";
import { searchCode } from "../../code/search/search-code.ts";
import { renderFound } from "../found-files.ts";
import { type OpenCode, openCode } from "../open-code.ts";
import { type CommonOptions, type Terminal, EXIT } from "../terminal.ts";

export interface ExploreOptions extends CommonOptions {
  issue?: string;
  repo: string;
  ref?: string;
  limit: string;
}

const MOST_FILES = 200;
/** Characters; longer texts are passed as an issue. */
const LONGEST_QUERY = 1_000;
const SLOW_MS = 1_000;

/**
 * `relay explore QUERY… | --issue FILE`: ranked files, symbols and lines with reasons (R-EXP-2). Needs no database,
 * no model and no network. Nothing found is an answer, not a failure.
 */
export async function explore(query: string[], options: ExploreOptions, terminal: Terminal): Promise<number> {
  const started = performance.now();
  const limit = limitOf(options.limit);
  const text = await textOf(query, options.issue, terminal);
  if (options.ref?.trim() === "") throw new RelayError("usage", "--ref is empty; name a branch, tag or commit");
  const { home } = loadConfig(options.config);
  const repository = await openRepository(options.repo, options.ref === undefined ? {} : { ref: options.ref });
  const slow = setTimeout(() => {
    if (terminal.progress) terminal.err(`Reading the code in ${options.repo} …\n`);
  }, SLOW_MS);
  let code: OpenCode | undefined;
  try {
    code = await openCode(repository, home, (why) => terminal.err(`relay: ${why}\n`));
    const { files, apart, skipped } = await searchCode(code.index, searchTerms(readIssue(text)), limit);
    clearTimeout(slow);
    const repo = await rootAsGiven(options.repo, repository);
    const ms = Math.round(performance.now() - started);
    terminal.out(
      options.json
        ? `${JSON.stringify({ repo, commit: repository.commit, ms, files, apart, skipped })}\n`
        : renderFound(
            { repo, repository, ms, files: [...files, ...apart], skipped, asked: text.title },
            terminal.color,
          ),
      terminal.color && !options.json,
    );
    return EXIT.done;
  } finally {
    clearTimeout(slow);
    code?.close();
    await repository.close();
  }
}

function limitOf(given: string): number {
  const limit = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= MOST_FILES) return limit;
  throw new RelayError("usage", `--limit must be a whole number from 1 to ${MOST_FILES}, not “${given}”`);
}

/** A query is read as a title; one of several lines, such as a pasted stack trace, as the text below it too. */
async function textOf(query: string[], issue: string | undefined, terminal: Terminal): Promise<IssueText> {
  const asked = query.join(" ").trim();
  if (issue !== undefined) {
    if (query.length > 0) throw new RelayError("usage", "give either a query or --issue, not both");
    // Loaded only if needed, so that other answers are immediate.
    const { readIssueSource } = await import("../input-files.ts");
    const { title, body, labels, comments } = (await readIssueSource(issue, terminal)).issue;
    return { title, body, labels, comments };
  }
  if (asked === "") {
    throw new RelayError("usage", "nothing to look for; give some words, or an issue with --issue FILE");
  }
  if (asked.length > LONGEST_QUERY) {
    throw new RelayError(
      "usage",
      `the query has ${asked.length} characters, at most ${LONGEST_QUERY} are read; put it into a file and give that with --issue`,
    );
  }
  return { title: asked.split(/[\r\n]/)[0] ?? "", body: /[\r\n]/.test(asked) ? asked : "", labels: [] };
}

/** The repository's folder by the caller's name for it; links in it are not resolved. */
async function rootAsGiven(given: string, repository: Repository): Promise<string> {
  const same = (await realpath(given).catch(() => null)) === (await realpath(repository.root).catch(() => null));
  return same ? resolve(given) : repository.root;
}
