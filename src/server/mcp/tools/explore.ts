import { z } from "zod";
import type { OrderedSearch } from "../../../code/rerank/search-by-model.ts";
import { type SearchTerms, searchTerms } from "../../../code/search/query.ts";
import { type FoundFile, aroundOf, placesShown, searchCode } from "../../../code/search/search-code.ts";
import { shownPath, shownText } from "../../../code/tools/sanitize.ts";
import { readForSearch } from "../../../domain/issue-text/issue-reading.ts";
import { RelayError } from "../../../lib/errors.ts";
import { listMessages } from "../../../storage/messages.ts";
import { type StoredRepository, getRepository, repositoriesOf } from "../../../storage/repositories.ts";
import type { McpContext, OpenCode } from "../context.ts";
import { issueAtHand, repositoriesNamed, sightOn } from "../issue-at-hand.ts";
import { NOTICE, notice } from "../quote.ts";
import { type Call, type Tool, tool } from "../tool.ts";
import { issueArgument } from "./shapes.ts";

const LONGEST_QUERY = 1_000;
/** Messages of an issue that are searched for as well; lines and symbols shown of a file. */
const MOST = { messages: 100, lines: 5, symbols: 10, reasons: 3, line: 200, text: 30_000 };
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
  model: z
    .boolean()
    .default(false)
    .describe("Also let the configured model order the files, by one call, which takes seconds and costs money."),
});

const fileSchema = z.object({
  path: z.string(),
  score: z.number().describe("Comparable only within one answer."),
  reasons: z.array(z.string()),
  symbols: z.array(z.object({ name: z.string(), kind: z.string(), start: z.int(), end: z.int() })),
  lines: z.array(
    z.object({
      line: z.int(),
      text: z.string(),
      why: z.string(),
      symbol: z.string().nullable(),
      part: z.object({ start: z.int(), end: z.int() }).optional(),
    }),
  ),
  role: z.string().describe("source, test, docs, …"),
  offline_rank: z.int().nullish().describe("With `model`: the place in its group without it."),
});

const modelSchema = z.object({
  id: z.string(),
  tokens: z.object({ input: z.number(), output: z.number() }),
  cost: z.number().nullable().describe("US dollars; null without a known price."),
  cached: z.boolean(),
});

export const explore: Tool = tool({
  name: "explore",
  title: "Find the code",
  description:
    "Ranks the files, symbols and lines that a question or an issue is about, with reasons; reads the last commit, not unsaved changes. Without a model unless you ask for it, in milliseconds once the code was read. Use it before grepping around.",
  effect: "reads",
  input,
  output: z.object({
    repo: z.string(),
    commit: z.string(),
    ms: z.int(),
    files: z.array(fileSchema).describe("The most likely first; code before tests and docs."),
    apart: z.array(fileSchema).describe("A few tests and docs beyond the limit."),
    model: modelSchema.optional().describe("The model that was asked for the order."),
    order_notice: z.string().optional().describe("Why the order is the search's, although a model was to give it."),
    notice,
  }),
  run: async (args, context, call) => {
    const started = performance.now();
    const { text, repository } = await asked(args, context);
    const by = args.issue === undefined ? "words" : "issue";
    const tick = ticking(started, call);
    try {
      const work = context.withCode(repository, async (code) => {
        const terms: SearchTerms = { ...searchTerms(readForSearch(text)), asked: by };
        const found = args.model
          ? await searchByModel(code, { terms, limit: args.limit }, context, call)
          : { ...(await searchCode(await code.index(), terms, args.limit)), model: null, notice: null };
        return { ...found, commit: code.repository.commit };
      });
      const { files, apart, commit, model, notice: why } = await unlessCancelled(work, call.signal);
      const data = {
        repo: repository?.externalProjectId ?? context.folder?.path ?? "",
        commit,
        ms: Math.round(performance.now() - started),
        files: files.map(shown),
        apart: apart.map(shown),
        ...(model === null ? {} : { model }),
        ...(why === null ? {} : { order_notice: why }),
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

const NO_MODEL = "this server asks models about issues that it works on only; relay mcp on your own machine asks yours";

async function searchByModel(
  code: OpenCode,
  { terms, limit }: { terms: SearchTerms; limit: number },
  { ordererFor }: McpContext,
  { signal }: Call,
): Promise<OrderedSearch> {
  const [{ searchCodeByModel }, { noticeOf }] = await Promise.all([
    import("../../../code/rerank/search-by-model.ts"),
    import("../../../code/rerank/rerank.ts"),
  ]);
  const index = await code.index();
  const orderer = (await ordererFor?.(code.repository)) ?? NO_MODEL;
  if (typeof orderer !== "string") return await searchCodeByModel(index, terms, limit, orderer, signal);
  return { ...(await searchCode(index, terms, limit)), model: null, notice: noticeOf(orderer) };
}

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

function shown({ path, score, reasons, symbols, lines, role, offline_rank }: FoundFile): z.infer<typeof fileSchema> {
  return {
    path: shownPath(path),
    score,
    reasons: reasons.slice(0, MOST.reasons).map((reason) => shownText(reason)),
    symbols: symbols.slice(0, MOST.symbols).map((symbol) => ({ ...symbol, name: shownText(symbol.name, MOST.line) })),
    lines: lines.slice(0, MOST.lines).map(({ line, text, why, symbol, ...part }) => ({
      ...part,
      line,
      text: shownText(text, MOST.line),
      why: shownText(why, MOST.line),
      symbol: symbol === null ? null : shownText(symbol, MOST.line),
    })),
    role,
    ...(offline_rank === undefined ? {} : { offline_rank }),
  };
}

function textOf({ path, score, reasons, symbols, lines }: z.infer<typeof fileSchema>): string {
  const first = lines[0]?.line;
  const head = `${path}${first === undefined ? "" : `:${first}`}  ${score.toFixed(2)}  ${reasons.join("; ")}`;
  const places = placesShown({ lines, symbols }).flatMap(({ line, text, ...place }) => {
    const around = aroundOf(place);
    return [...(around === null ? [] : [`    ${around}`]), `    ${line}| ${text}`];
  });
  return [head, ...places].join("\n");
}
