import type { RepositorySettings } from "../config/repository-file.ts";
import type { Repository } from "../code/git/repository.ts";
import { staysNeutral } from "../domain/confidential.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import { conventionsOf } from "../code/conventions/conventions.ts";
import { versionsOf } from "../code/conventions/versions.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import type { Db } from "../storage/db.ts";
import { listLearnings } from "../storage/learnings.ts";
import { type Dossier, loadDossier } from "../dossier/dossier.ts";
import type { KnownOfIssue, WorkOrder } from "./run/work-order.ts";
import { isAgentGap } from "../domain/gap.ts";
import { answersTo, messagesDuring } from "./stuck-answers.ts";
import type { Moved } from "./base-branch.ts";
import type { Claim } from "./claim.ts";

/** How many learnings a task gets, the newest ones. */
const MOST_LEARNINGS = 50;

const LONGEST_FILE = 20_000;

/** The repository's own file of learnings, if configured; an unreadable one is ignored. */
async function learningsFile({ learnings }: RepositorySettings, code: Repository): Promise<string[]> {
  const text = learnings === null ? null : await code.readFile(learnings).catch(() => null);
  return text === null ? [] : [text.slice(0, LONGEST_FILE)];
}

/** Collects everything that a run needs to know, from the database and the current code. */
export async function assembleOrder(
  found: Claim,
  code: Repository,
  moved: Moved | null,
  { db, specStore }: { db: Db; specStore: SpecStore },
): Promise<WorkOrder> {
  const { issue, plan, run, repository, settings } = found;
  const conventions = await conventionsOf(code, settings.conventions);
  const spec = await storedSpec(issue.spec, specStore);
  const learnings = await listLearnings(db, repository.id);
  return {
    reason: run.reason,
    neutral: staysNeutral(issue),
    issue: {
      name: issueName(issue),
      number: plan.plan.issue_number,
      title: issue.title,
      url: issue.url,
      language: issue.language,
    },
    known: knownOf(issue, await loadDossier(db, issue, { code, tracker: found.tracker })),
    spec: spec && spec.content,
    plan: plan.plan,
    isFix: plan.triage.classification === "BUG",
    commands: {
      setup: conventions.setup_commands ?? [],
      checks: plan.plan.validation_commands,
      tests: conventions.test_commands,
      versions: await versionsOf(code),
    },
    styleGuide: conventions.style_guide,
    learnings: [
      ...learnings.slice(-MOST_LEARNINGS).map(({ content }) => content),
      ...(await learningsFile(settings, code)),
    ],
    merge: moved === null || moved.kind === "unmergeable" ? null : { base: moved.base },
    changeRequests: found.changeRequests,
    answers: await answersFor(found, db),
  };
}

function knownOf({ body }: Issue, { said, gaps, findings, explorations }: Dossier): KnownOfIssue {
  return {
    body,
    said: said.statements.filter(({ supersededBy }) => supersededBy === null),
    // The answers to earlier runs are given in full elsewhere.
    settled: gaps
      .filter((gap) => !isAgentGap(gap))
      .flatMap(({ number, question, closedReason, closedNote }) =>
        closedNote === null || closedReason === null || closedReason === "not_relevant"
          ? []
          : [{ number, question, outcome: closedNote, assumed: closedReason === "inferred" }],
      ),
    findings: findings.map(({ number, synthesis, sources }) => ({
      number,
      synthesis,
      locations: sources.map(({ location }) => location),
    })),
    explorations,
  };
}

/** Answers and hints to earlier stuck or failed runs, each message once, in the order of the thread. */
async function answersFor({ earlier, issue, tracker }: Claim, db: Db): Promise<WorkOrder["answers"]> {
  const all = new Map<number, Awaited<ReturnType<typeof answersTo>>[number]>();
  for (const run of earlier.filter(({ status }) => status === "stuck" || status === "failed")) {
    const during = await messagesDuring(run, issue, { db, tracker });
    for (const added of during) if (!all.has(added.seq)) all.set(added.seq, added);
    for (const answer of await answersTo(run, issue, { db, tracker })) all.set(answer.seq, answer);
  }
  return [...all.values()].toSorted((one, other) => one.seq - other.seq);
}
