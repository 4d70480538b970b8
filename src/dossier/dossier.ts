import type { Repository } from "../code/git/repository.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { Exploration } from "../domain/exploration.ts";
import type { Finding, RemovedFinding } from "../domain/finding.ts";
import type { Gap } from "../domain/gap.ts";
import type { Issue } from "../domain/issue.ts";
import { type Statements, statementsIn } from "../domain/statements/statements.ts";
import { citationsIn } from "../domain/spec-document/citations.ts";
import type { Db } from "../storage/db.ts";
import { listFindings, listRemovedFindings } from "../storage/findings.ts";
import { listGaps } from "../storage/gaps.ts";
import { listMessages } from "../storage/messages.ts";
import { keptSpecText } from "../storage/specs.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { explorationsAt } from "./explorations.ts";
import { type Participant, participantsOf } from "./participants.ts";

/** All that is known about an issue at a commit; every stage reads it, and none has to look again (R-PLAN-13). */
export interface Dossier {
  /** The commit of all places. */
  commit: string;
  messages: ThreadMessage[];
  participants: Participant[];
  /** What people said that the spec must follow, and how much was left out. */
  said: Statements;
  /** By number; a closed one has its answer or assumption, and where it was given. */
  gaps: Gap[];
  findings: Finding[];
  /** Removed findings that the newest spec cites. */
  removed: RemovedFinding[];
  explorations: Exploration[];
}

export async function loadDossier(
  db: Db,
  issue: Issue,
  { code, tracker }: { code: Repository; tracker: Tracker },
): Promise<Dossier> {
  const messages = await listMessages(db, issue.id);
  const participants = await participantsOf(issue, messages, { tracker, approves: null });
  const deciders = participants.filter(({ mayProceed }) => mayProceed).map(({ login }) => login.toLowerCase());
  return {
    commit: code.commit,
    messages,
    participants,
    said: statementsIn(issue, messages, new Set(deciders)),
    gaps: await listGaps(db, issue.id),
    findings: (await listFindings(db, issue.id)).toSorted((one, other) => one.number - other.number),
    removed: await removedButCited(db, issue),
    explorations: await explorationsAt(db, issue.id, code),
  };
}

async function removedButCited(db: Db, { id, spec }: Issue): Promise<RemovedFinding[]> {
  const text = spec === null ? null : await keptSpecText(db, id, spec.sha256);
  const cited = new Set(citationsIn(text ?? "", 1).flatMap((one) => (one.kind === "finding" ? [Number(one.id)] : [])));
  return (await listRemovedFindings(db, id)).filter(({ number }) => cited.has(number));
}
