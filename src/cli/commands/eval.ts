import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Relay } from "../../app/relay.ts";
import { type EvalCase, readCases } from "../eval/cases.ts";
import {
  type CaseOutcome,
  type EvalSummary,
  type PlayedCase,
  countWords,
  isAbout,
  measureCase,
  renderCase,
  renderSummary,
  summarise,
} from "../eval/measure.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";
import type { Gap } from "../../domain/gap.ts";
import type { Issue } from "../../domain/issue.ts";
import { openRepository } from "../../code/git/repository.ts";
import { exec } from "../../lib/exec.ts";
import { groundingIn } from "../../specification/code.ts";
import type { Grounding } from "../../specification/validate/grounding.ts";
import { uncovered } from "../../specification/validate/people.ts";
import { findingsOnRecord } from "../../specification/removal.ts";
import { validateSpec } from "../../specification/validate/validate.ts";
import { usageOf } from "../../storage/model-calls.ts";
import { listFindings } from "../../storage/findings.ts";
import { listGaps } from "../../storage/gaps.ts";
import { getIssue } from "../../storage/issues.ts";
import { countMessages } from "../../storage/messages.ts";
import { latestSpec } from "../../storage/specs.ts";
import { parseIssueFile } from "../../adapters/trackers/issue-file/parse.ts";
import { importIssue, say, takeUp } from "../local-issue.ts";

/** What `relay eval --json` prints. */
export interface EvalAnswer {
  model: string;
  summary: EvalSummary;
  cases: PlayedCase[];
}

/**
 * `relay eval CASES --model M`: plays the cases of a set and prints the quality measures (R-OBS-4). Uses a temporary
 * database and spec store and does not touch the user's. Exit code 1 if a case could not be played.
 */
export async function evaluate(
  file: string,
  options: CommonOptions & { model?: string },
  terminal: Terminal,
): Promise<number> {
  const cases = await readCases(file);
  const folder = await mkdtemp(join(tmpdir(), "relay-eval-"));
  // As root, the database is kept outside of its home.
  let database: string | null = null;
  let model = "";
  try {
    return await withRelay(
      options,
      terminal,
      async (relay) => {
        database = relay.databaseLocation;
        const played: PlayedCase[] = [];
        for (const [index, one] of cases.entries()) {
          if (terminal.progress) terminal.err(`${index + 1} of ${cases.length}: ${one.id} …\n`);
          const result = await play(relay, one, join(folder, "repositories"));
          played.push(result);
          if (!options.json) terminal.out(renderCase(result));
        }
        const summary = summarise(played);
        if (options.json) printJson<EvalAnswer>(terminal, { model, summary, cases: played });
        else terminal.out(`\n${renderSummary(model, summary)}`);
        return summary.failed === 0 ? EXIT.done : EXIT.negative;
      },
      (config) => {
        const own = ownConfig(config, folder, options.model);
        model = own.model;
        return own;
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
    if (database !== null) await rm(database, { recursive: true, force: true });
  }
}

/** The user's settings on temporary stores; `--model` applies to every role. */
function ownConfig(config: Config, folder: string, model: string | undefined): Config {
  const { fallback, base_url, prices, timeouts } = config.models;
  const shared = {
    timeouts,
    ...(fallback === undefined ? {} : { fallback }),
    ...(base_url === undefined ? {} : { base_url }),
    ...(prices === undefined ? {} : { prices }),
  };
  const own = {
    ...config,
    home: join(folder, "home"),
    spec_root: join(folder, "specs"),
    spec_store: "local" as const,
    ...(model === undefined ? {} : { model, models: shared }),
  };
  delete own.database_url;
  return own;
}

/** A case that cannot be played is reported, and the others continue. */
async function play(relay: Relay, one: EvalCase, folder: string): Promise<PlayedCase> {
  try {
    const outcome = await playCase(relay, one, folder);
    return { id: one.id, kind: "measured", outcome, measures: measureCase(one, outcome) };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { id: one.id, kind: "failed", error: messageOf(error) };
  }
}

/** Rounds of questions before giving up. */
const ROUNDS = 6;
const GO_AHEAD = "Go ahead with the spec.";

/**
 * Plays one case through the whole flow, as `relay spec` would, on a copy of its repository in `folder`. The key
 * questions are answered as they are asked, then the go-ahead is given. Throws if the case cannot be played.
 */
async function playCase(relay: Relay, one: EvalCase, folder: string): Promise<CaseOutcome> {
  const started = performance.now();
  const repository = join(folder, one.id);
  await copyRepository(one, repository);
  const file = parseIssueFile(await readIssue(one.issue), one.issue);
  const project = await relay.connectLocal(repository);
  const issue = await importIssue(relay, project, file, null);
  await converse(relay, issue, one);
  return { ...(await outcomeOf(relay, issue.id, repository)), ms: performance.now() - started };
}

async function converse(relay: Relay, issue: Issue, one: EvalCase): Promise<void> {
  const answered = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    await takeUp(relay, issue);
    const { state } = await getIssue(relay.db, issue.id);
    if (state !== "clarifying" && state !== "awaiting_proceed") return;
    const open = (await listGaps(relay.db, issue.id)).filter((gap) => gap.status === "open");
    await say(relay, issue, answersTo(open, one, answered) || GO_AHEAD);
  }
}

/** The answers to the open questions; each key question is answered once. */
function answersTo(open: readonly Gap[], one: EvalCase, answered: Set<string>): string {
  return open
    .flatMap((gap) => {
      const key = one.key_questions.find((question) => !answered.has(question.id) && isAbout(gap, question));
      if (key?.answer === undefined) return [];
      answered.add(key.id);
      return [`${gap.number}. ${key.answer.trim()}`];
    })
    .join("\n\n");
}

async function outcomeOf(relay: Relay, issueId: string, repository: string): Promise<Omit<CaseOutcome, "ms">> {
  const gaps = await listGaps(relay.db, issueId);
  const findings = await listFindings(relay.db, issueId);
  return {
    asked: gaps
      .filter((gap) => gap.askedAt !== null)
      .map(({ number, question, evidence, topic }) => ({ number, question, evidence, topic })),
    foundFiles: [...new Set(findings.flatMap(({ sources }) => sources.map(({ location }) => fileOf(location))))],
    spec: await specOutcome(relay, issueId, repository, gaps, await findingsOnRecord(relay.db, issueId)),
    usage: await usageOf(relay.db, issueId),
  };
}

async function specOutcome(
  relay: Relay,
  issueId: string,
  repository: string,
  gaps: readonly Gap[],
  findings: NonNullable<Grounding["findings"]>,
): Promise<CaseOutcome["spec"]> {
  const version = await latestSpec(relay.db, issueId);
  if (version === null) return null;
  const text = await relay.specStore.read(version.ref);
  const code = await openRepository(repository);
  try {
    const { document, errors } = await validateSpec(text, {
      complexity: version.complexity,
      grounding: {
        gapNumbers: new Set(gaps.map((gap) => gap.number)),
        findings,
        messageCount: await countMessages(relay.db, issueId),
        code: groundingIn(code),
      },
    });
    const { said } = await relay.dossierOf(await getIssue(relay.db, issueId));
    const stated = said.statements.filter(({ supersededBy }) => supersededBy === null);
    const points = document.tasks.flatMap((task) => task.touchPoints);
    return {
      complexity: version.complexity,
      valid: version.validationStatus === "valid",
      words: countWords(text),
      plannedFiles: [...new Set(points.filter((point) => !point.isNew).map((point) => point.path))],
      statements: stated.length,
      coveredStatements: stated.length - uncovered(document, stated).length,
      citations: document.citations.length,
      wrongCitations: errors.filter((problem) => problem.rule === "citations_exist").length,
    };
  } finally {
    await code.close();
  }
}

function fileOf(location: string): string {
  return location.replace(/:\d{1,7}(?:-\d{1,7})?$/, "");
}

async function readIssue(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new RelayError("usage", `cannot read the issue ${file}: ${messageOf(cause)}`, { cause });
  }
}

/** Never works in the original repository. */
async function copyRepository({ repo, ref }: EvalCase, target: string): Promise<void> {
  const cloned = await exec("git", ["clone", "--quiet", "--", repo, target]);
  if (cloned.code !== 0) {
    throw new RelayError("usage", `cannot copy the repository ${repo}: ${cloned.stderr.trim()}`);
  }
  if (ref === undefined) return;
  const checked = await exec("git", ["-C", target, "checkout", "--quiet", "--detach", ref]);
  if (checked.code !== 0) throw new RelayError("usage", `${repo} has no ${ref}: ${checked.stderr.trim()}`);
}
