import { realpath } from "node:fs/promises";
import { REPOSITORY_FILE } from "../../config/repository-file.ts";
import type { Answer, FixPlan, TriageResult } from "../../domain/plan.ts";
import { systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { SHOWN, type WithWarnings, failure } from "../../plan/answer.ts";
import { fixPlan } from "../../plan/fix-plan.ts";
import { planMaker } from "../../plan/make-plan.ts";
import { repositoryContext } from "../../plan/repository-context.ts";
import { triage } from "../../plan/triage/triage.ts";
import { type OwnConventions, conventionsOf } from "../../code/conventions/conventions.ts";
import { placesAt } from "../../dossier/explorations.ts";
import { silentLog } from "../../lib/log.ts";
import { storedSpec } from "../../adapters/spec-stores/stored-spec.ts";
import type { IssueFile } from "../../adapters/trackers/issue-file/parse.ts";
import { hasDatabase } from "../../app/data-directory.ts";
import { settingsFrom } from "../../app/code/repository-settings.ts";
import { findIssue } from "../../storage/issues.ts";
import { listMessages } from "../../storage/messages.ts";
import { findRepositoryAt } from "../../storage/repositories.ts";
import { commentsWithSay, readContractInput, readIssueSource } from "../input-files.ts";
import { planText } from "../plan-text.ts";
import { type OpenedCode, withCode } from "../open-code.ts";
import { planModel, triageModel } from "../planning-models.ts";
import { withRelay } from "../session.ts";
import { type CommonOptions, type Terminal, EXIT } from "../terminal.ts";

export interface PlanOptions extends CommonOptions {
  input?: string;
  repo?: string;
  model?: string;
}

/** What `relay plan --json` prints. */
export type PlanAnswer = Answer<FixPlan>;

/**
 * `relay plan --input FILE`: the fix plan contract (R-FIX-1 to 8), JSON in and JSON out. `relay plan SOURCE --repo DIR`
 * builds the input itself: the issue from a file, its spec and thread from what `relay spec` has stored, triage and
 * conventions from the repository. Exit code 1 means that the answer has `success: false`. Needs no database; without a
 * model also no network.
 */
export async function plan(source: string | undefined, options: PlanOptions, terminal: Terminal): Promise<number> {
  if (options.input !== undefined) {
    if (source !== undefined) throw new RelayError("usage", "give either an issue or --input, not both");
    return await planOfInput(options.input, options, terminal);
  }
  if (source === undefined)
    throw new RelayError("usage", "give an issue file, or the contract's input with --input FILE");
  const file = await readIssueSource(source, terminal);
  return await withCode(options.repo ?? ".", { options, terminal }, async (code) => {
    const read = async () => await code.repository.readFile(REPOSITORY_FILE);
    const settings = await settingsFrom(read, { mode: code.config.mode, fastTrack: code.config.approval.fast_track });
    if (settings.problem !== null) terminal.err(`relay: ${settings.problem}\n`);
    const { conventions } = settings;
    const known = await knownIssue(file, code, conventions, { options, terminal });
    if (known.planned !== null) return print({ answer: known.planned, warnings: [] }, { options, terminal });
    terminal.err("relay: there is no spec of this issue yet; planning from its text and thread\n");
    const issue = wireFile(file.issue, known.said);
    const repository_context = await repositoryContext("local", code.repository, code.index);
    const deps = { clock: systemClock, index: code.index };
    const warn = (why: string) => terminal.err(`relay: ${why}\n`);
    const triaged = await triage({ issue, repository_context }, { ...deps, ...(await triageModel(options, warn)) });
    const { answer } = triaged;
    if (!answer.success) return print({ ...triaged, answer }, { options, terminal });
    const planned = await fixPlan(
      {
        issue,
        triage_result: answer.data,
        repository_context,
        conventions: await conventionsOf(code.repository, conventions),
      },
      { ...deps, ...(await planModel(options)) },
    );
    const plans: Planned = planned.answer.success
      ? { success: true, data: { triage: answer.data, plan: planned.answer.data } }
      : planned.answer;
    return print({ ...planned, answer: plans }, { options, terminal });
  });
}

/** An issue file in the form of the contracts; what people with a say said in its thread counts like its text. */
function wireFile(file: IssueFile, said: readonly { author: string; body: string }[]) {
  const heard = commentsWithSay(file, file.comments);
  // Whoever answers in the terminal has a say, and stands in no file.
  const others = new Set(
    file.comments.filter((comment) => !heard.includes(comment)).map(({ author }) => author.toLowerCase()),
  );
  const answers = said.filter(({ author }) => !others.has(author.toLowerCase()));
  const thread = new Set([...heard, ...answers].map(({ body }) => body));
  return {
    number: file.number ?? 1,
    title: file.title,
    body: [file.body, ...thread].join("\n\n"),
    author: { login: file.author },
    labels: file.labels,
    created_at: (file.createdAt ?? systemClock.now()).toISOString(),
  };
}

type Planned = Answer<{ triage: TriageResult; plan: FixPlan }>;

/**
 * What `relay spec` has stored of an issue file in this repository: the plan of its spec, or else what people have
 * said, answers in a terminal included. Makes no database.
 */
async function knownIssue(
  { issue: file, url }: Awaited<ReturnType<typeof readIssueSource>>,
  { config, repository, index }: OpenedCode,
  conventions: OwnConventions,
  { options, terminal }: { options: PlanOptions; terminal: Terminal },
): Promise<{ planned: Planned | null; said: { author: string; body: string }[] }> {
  const nothing = { planned: null, said: [] };
  if (!(await hasDatabase(config))) return nothing;
  return await withRelay(options, terminal, async ({ db, people, specStore, clock }) => {
    const project = await findRepositoryAt(db, await realpath(repository.root));
    const by = { number: file.number, url, title: file.title };
    const address = project && (await people.findIssue(project.externalProjectId, by));
    const issue = address && (await findIssue(db, address));
    if (!issue) return nothing;
    const spec = await storedSpec(issue.spec, specStore);
    if (spec === null) {
      const messages = await listMessages(db, issue.id);
      const own = messages.filter(({ isBot, role }) => !isBot && role !== "self");
      return { planned: null, said: own.map(({ author, content }) => ({ author, body: content })) };
    }
    const { path, sha256 } = spec.ref;
    terminal.err(`relay: planning from the spec ${specStore.where(spec.ref)}, by rules\n`);
    const warn = ({ warning }: Record<string, unknown>) => terminal.err(`relay: ${String(warning)}\n`);
    const makePlan = planMaker({
      clock,
      log: { ...silentLog, warn },
      conventions,
      indexOf: async () => await Promise.resolve(index),
      branchExists: async () => await Promise.resolve(false),
      placesOf: async (issueId, code) => await placesAt(db, issueId, code),
    });
    const planned = await makePlan(issue, {
      code: repository,
      spec: { markdown: spec.content, path, sha256 },
      thread: await listMessages(db, issue.id),
    });
    return { planned, said: [] };
  });
}

async function planOfInput(source: string, options: PlanOptions, terminal: Terminal): Promise<number> {
  const input = await readContractInput(source, terminal);
  if (input.kind === "not json") {
    const answer = failure("INVALID_INPUT", `The input is not JSON: ${input.why}. ${SHOWN}`);
    return contract({ answer, warnings: [] }, terminal);
  }
  const deps = { clock: systemClock, ...(await planModel(options)) };
  const result =
    options.repo === undefined
      ? await fixPlan(input.value, deps)
      : await withCode(
          options.repo,
          { options, terminal },
          async ({ index }) => await fixPlan(input.value, { ...deps, index }),
        );
  return contract(result, terminal);
}

/** Readable text, unless JSON was requested. */
function print(
  { answer, warnings }: { answer: Planned; warnings: string[] },
  { options, terminal }: { options: PlanOptions; terminal: Terminal },
): number {
  const wire = answer.success ? { success: true as const, data: answer.data.plan } : answer;
  if (options.json) return contract({ answer: wire, warnings }, terminal);
  for (const warning of warnings) terminal.err(`relay: ${warning}\n`);
  if (answer.success) terminal.out(planText(answer.data));
  else terminal.err(`relay: ${answer.error.message}\n`);
  return answer.success ? EXIT.done : EXIT.negative;
}

function contract({ answer, warnings }: WithWarnings<FixPlan>, terminal: Terminal): number {
  for (const warning of warnings) terminal.err(`relay: ${warning}\n`);
  terminal.out(`${JSON.stringify(answer satisfies PlanAnswer, null, 2)}\n`);
  return answer.success ? EXIT.done : EXIT.negative;
}
