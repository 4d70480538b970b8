import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isModel, withModel } from "../../config/config.ts";
import { type IssueText, readForSearch } from "../../domain/issue-text/issue-reading.ts";
import { type Repository, openRepository } from "../../code/git/repository.ts";
import { RelayError } from "../../lib/errors.ts";
import { type SearchTerms, searchTerms } from "../../code/search/query.ts";
import { type CodeSearch, type FoundFile, searchCode } from "../../code/search/search-code.ts";
import { renderFound } from "../found-files.ts";
import { type OpenCode, type OpenedCode, openCode } from "../open-code.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { configOf } from "../session.ts";

export interface ExploreOptions extends CommonOptions {
  issue?: string;
  repo: string;
  ref?: string;
  limit: string;
  /** Open the first place in the person's editor. */
  open?: boolean;
  /** True for the configured one. */
  model?: string | true;
}

/** What `relay explore --json` prints. */
export interface ExploreAnswer extends CodeSearch {
  /** The repository's folder. */
  repo: string;
  commit: string;
  ms: number;
}

const MOST_FILES = 200;
/** Characters; longer texts are passed as an issue. */
const LONGEST_QUERY = 1_000;

/**
 * `relay explore QUERY… | --issue FILE`: ranked files, symbols and lines with reasons (R-EXP-2). Needs no database and,
 * without `--model`, no model and no network. Nothing found is an answer, not a failure; so is the order of the search
 * where a model gives none.
 */
export async function explore(given: string[], options: ExploreOptions, terminal: Terminal): Promise<number> {
  const started = performance.now();
  const limit = limitOf(options.limit);
  if (options.open && options.json) throw new RelayError("usage", "give either --open or --json, not both");
  const { model, query } = modelIn(options, given);
  const text = await textOf(query, options.issue, terminal);
  if (options.ref?.trim() === "") throw new RelayError("usage", "--ref is empty; name a branch, tag or commit");
  const loaded = configOf(options, terminal);
  const config = typeof model === "string" ? withModel(loaded, model) : loaded;
  const warn = (why: string) => terminal.err(`relay: ${why}\n`);
  const repository = await openRepository(options.repo, options.ref === undefined ? {} : { ref: options.ref });
  const source = options.issue === undefined ? "words" : "issue";
  const asked = { terms: { ...searchTerms(readForSearch(text)), asked: source } as const, limit };
  let code: OpenCode | undefined;
  try {
    code = await openCode(repository, config.home, { options, terminal });
    const opened = { config, repository, index: code.index };
    const { found, by } = await search(opened, asked, model === null ? null : warn);
    const { files, apart, skipped } = found;
    const repo = await rootAsGiven(options.repo, repository);
    const ms = Math.round(performance.now() - started);
    if (options.json) printJson<ExploreAnswer>(terminal, { repo, commit: repository.commit, ms, ...found });
    else {
      const shown = { repo, repository, ms, files: [...files, ...apart], skipped, by, asked: text.title };
      terminal.out(renderFound(shown, terminal.color), terminal.color);
    }
    if (options.open) await openFirst(repo, files[0] ?? apart[0]);
    return EXIT.done;
  } finally {
    code?.close();
    await repository.close();
  }
}

/** Only what is checked out: an older commit may have files that are gone. */
async function openFirst(repo: string, found: Pick<FoundFile, "path" | "lines"> | undefined): Promise<void> {
  if (found === undefined) return;
  const file = join(repo, found.path);
  if (!existsSync(file)) throw new RelayError("not_found", `${file} is not checked out, so it cannot be opened`);
  const { openInEditor } = await import("../editor.ts");
  await openInEditor(file, found.lines[0]?.line ?? 1);
}

/** By a model only with `warn`, which gets why its order is missing. */
async function search(
  code: OpenedCode,
  asked: { terms: SearchTerms; limit: number },
  warn: ((why: string) => void) | null,
): Promise<{ found: CodeSearch; by: string | null }> {
  if (warn === null) return { found: await searchCode(code.index, asked.terms, asked.limit), by: null };
  // Loaded only for a model: without one the answer is immediate.
  const { orderByModel, orderText } = await import("../order-by-model.ts");
  const found = await orderByModel(code, asked, warn);
  if (found.notice !== undefined) warn(found.notice);
  return { found, by: found.model === undefined ? null : orderText(found.model) };
}

/** The option may stand before the query, which then looks like the name of a model. */
function modelIn({ model, issue }: ExploreOptions, query: string[]): { model: string | true | null; query: string[] } {
  if (model === undefined) return { model: null, query };
  const hasQuery = query.length > 0 || issue !== undefined;
  const isName = typeof model === "string" && (isModel(model) || (hasQuery && /^[\w-]+\/\S+$/.test(model)));
  if (model === true || isName) return { model, query };
  return { model: true, query: [model, ...query] };
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
    const { commentsWithSay, readIssueSource } = await import("../input-files.ts");
    const read = (await readIssueSource(issue, terminal)).issue;
    return { title: read.title, body: read.body, labels: read.labels, comments: commentsWithSay(read, read.comments) };
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
