import { z } from "zod";
import { searchTerms } from "../../../code/search/query.ts";
import { type FoundFile, searchCode } from "../../../code/search/search-code.ts";
import { shownPath, shownText } from "../../../code/tools/sanitize.ts";
import { readIssue } from "../../../domain/issue-text/issue-reading.ts";
import { RelayError } from "../../../lib/errors.ts";
import { listMessages } from "../../../storage/messages.ts";
import { type StoredRepository, getRepository, repositoriesOf } from "../../../storage/repositories.ts";
import type { McpContext } from "../context.ts";
import { issueAtHand, repositoriesNamed, sightOn } from "../issue-at-hand.ts";
import { NOTICE, notice } from "../quote.ts";
import { type Call, type Tool, tool } from "../tool.ts";
import { issueArgument } from "./shown.ts";

const LONGEST_QUERY = 1_000;
/** Messages of an issue that are searched for as well; lines and symbols shown of a file. */
const MOST = { messages: 100, lines: 5, symbols: 5, reasons: 3, line: 200, text: 30_000 };
const TICK_MS = 1_000;

const input = z.strictObject({
  query: z
    .string()
    .max(LONGEST_QUERY)
    .optional()
    .describe("Words, names as the code spells them, an error message or a stack trace."),
  issue: issueArgument.describe("Search for the text of this issue instead of a query; empty for the one at hand."),
  repository: z.string().max(200).optional().describe("Such as acme/shop, where the server is in no folder of yours."),
  limit: z.int().min(1).max(50).default(10),
});

const fileSchema = z.object({
  path: z.string(),
  score: z.number().describe("Comparable only within one answer."),
  reasons: z.array(z.string()),
  symbols: z.array(z.object({ name: z.string(), kind: z.string(), start: z.int(), end: z.int() })),
  lines: z.array(z.object({ line: z.int(), text: z.string(), why: z.string() })),
  role: z.string().describe("source, test, docs, …"),
});

export const explore: Tool = tool({
  name: "explore",
  title: "Find the code",
  description:
    "Ranks the files, symbols and lines that a question or an issue is about, with reasons; reads the last commit, not unsaved changes. Without a model, in milliseconds once the code was read. Use it before grepping around.",
  effect: "reads",
  input,
  output: z.object({
    repo: z.string(),
    commit: z.string(),
    ms: z.int(),
    files: z.array(fileSchema).describe("The most likely first; code before tests and docs."),
    apart: z.array(fileSchema).describe("A few tests and docs beyond the limit."),
    notice,
  }),
  run: async (args, context, call) => {
    const started = performance.now();
    const { text, repository } = await asked(args, context);
    const tick = ticking(started, call);
    try {
      const work = context.withCode(repository, async (code) => {
        const found = await searchCode(await code.index(), searchTerms(readIssue(text)), args.limit);
        return { ...found, commit: code.repository.commit };
      });
      const { files, apart, commit } = await unlessCancelled(work, call.signal);
      const data = {
        repo: repository?.externalProjectId ?? context.folder?.path ?? "",
        commit,
        ms: Math.round(performance.now() - started),
        files: files.map(shown),
        apart: apart.map(shown),
        notice: NOTICE,
      };
      const lines = [...data.files, ...data.apart].map(textOf).join("\n");
      const none = "Nothing found. Try names as the code spells them, an error message or a stack trace.";
      return { text: lines === "" ? none : context.quote.code("files found", lines, MOST.text), data };
    } finally {
      clearInterval(tick);
    }
  },
});

async function asked(args: z.output<typeof input>, context: McpContext) {
  const query = args.query?.trim() ?? "";
  if (query !== "" && args.issue !== undefined) throw new RelayError("usage", "give either `query` or `issue`");
  if (query === "" && args.issue === undefined) {
    throw new RelayError("usage", "nothing to look for: give `query`, or an `issue` to search for its text");
  }
  if (query !== "") {
    const text = { title: query.split(/[\r\n]/)[0] ?? "", body: /[\r\n]/.test(query) ? query : "", labels: [] };
    return { text, repository: await repositoryFor(args.repository, context) };
  }
  const db = await context.db();
  const issue = await issueAtHand(args.issue, context);
  const messages = await listMessages(db, issue.id, MOST.messages);
  const comments = messages
    .filter(({ role, isBot }) => role !== "self" && !isBot)
    .map(({ author, content }) => ({ author, body: content }));
  const text = { title: issue.title, body: issue.body, labels: issue.labels, comments };
  return { text, repository: context.folder === null ? (await repositoriesOf(db, issue))[0] : null };
}

/** Null for the folder at hand. Throws `usage` where it could be several. */
async function repositoryFor(name: string | undefined, context: McpContext): Promise<StoredRepository | null> {
  if (context.folder !== null) {
    if (name === undefined) return null;
    throw new RelayError("usage", `this server looks at the code in ${context.folder.path}; leave \`repository\` out`);
  }
  const db = await context.db();
  if (name !== undefined) {
    const [first, ...others] = await repositoriesNamed(name, db, context);
    if (first !== undefined && others.length === 0) return first;
    throw new RelayError(
      "usage",
      `“${context.quote.line(name, 100)}” could be several; put the tracker first: github/…`,
    );
  }
  const { repositories } = await sightOn(undefined, context);
  const [only] = repositories ?? [];
  if (only !== undefined && repositories?.length === 1) return await getRepository(db, only);
  throw new RelayError("usage", "say which code to search: give `repository`, such as acme/shop, or an `issue`");
}

function ticking(started: number, { progress }: Call): NodeJS.Timeout {
  return setInterval(() => {
    progress(`Reading the code, ${Math.round((performance.now() - started) / 1_000)} s`);
  }, TICK_MS);
}

/** The index that is being read stays useful for the next call, so only the waiting ends. */
async function unlessCancelled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const cancelled = Promise.withResolvers<never>();
  const stop = () => cancelled.reject(new RelayError("timeout", "the call was cancelled"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, cancelled.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function shown({ path, score, reasons, symbols, lines, role }: FoundFile): z.infer<typeof fileSchema> {
  return {
    path: shownPath(path),
    score,
    reasons: reasons.slice(0, MOST.reasons).map((reason) => shownText(reason)),
    symbols: symbols.slice(0, MOST.symbols).map((symbol) => ({ ...symbol, name: shownText(symbol.name, MOST.line) })),
    lines: lines
      .slice(0, MOST.lines)
      .map(({ line, text, why }) => ({ line, text: shownText(text, MOST.line), why: shownText(why, MOST.line) })),
    role,
  };
}

function textOf({ path, score, reasons, symbols, lines }: z.infer<typeof fileSchema>): string {
  const first = lines[0]?.line ?? symbols[0]?.start;
  const head = `${path}${first === undefined ? "" : `:${first}`}  ${score.toFixed(2)}  ${reasons.join("; ")}`;
  const places = symbols.map(({ name, kind, start, end }) => `    ${kind} ${name}, lines ${start}-${end}`);
  const quoted = lines.slice(0, 2).map(({ line, text }) => `    ${line}| ${text}`);
  return [head, ...places, ...quoted].join("\n");
}
