import { type Issue, type IssueAddress, issueName } from "../../domain/issue.ts";
import { RelayError } from "../../lib/errors.ts";
import { record } from "../../storage/audit.ts";
import { setFailedCycles } from "../../storage/issues.ts";
import { endBudgetStop } from "../../storage/spending.ts";
import { stateFilesIn } from "../../storage/state-files.ts";
import type { Relay } from "../relay.ts";

/** What people can do to an issue besides commenting: `relay pause ISSUE` and so on. */
export const CONTROLS = ["pause", "resume", "retry"] as const;
export type Control = (typeof CONTROLS)[number];

export interface ControlDeps extends Pick<Relay, "db" | "clock" | "ids" | "transition"> {
  orchestrator: Pick<Relay["orchestrator"], "retryDeadLetters" | "retryTask" | "wakeNow">;
  /** Relay's data directory. */
  home: string;
}

/** Pauses, resumes or retries an issue in the name of `by`, and records it in the audit log (R-SAFE-4). */
export async function control(issue: Issue, verb: Control, by: string, deps: ControlDeps): Promise<void> {
  const { db, clock, ids, orchestrator, transition, home } = deps;
  const why = `${verb} asked by ${by}`;
  switch (verb) {
    case "pause":
      // Unlike a budget's pause, the operator's does not end by itself.
      await endBudgetStop(db, issue.id, "held", clock);
      await transition(db, issue.id, "pause_requested", { why: `asked by ${by}`, actor: by });
      break;
    case "resume":
    case "retry": {
      const { state } = issue;
      if (verb === "resume" && state !== "paused" && state !== "closed" && state !== "failed") {
        throw new RelayError("usage", `${issueName(issue)} is ${state}: there is nothing to resume`);
      }
      await setFailedCycles(db, issue.id, 0);
      await endBudgetStop(db, issue.id, "operator", clock);
      if (state === "paused" || state === "closed") {
        await transition(db, issue.id, "resume_requested", { why, actor: by });
      } else {
        await record(db, { issueId: issue.id, actor: by, what: `${verb}.asked`, why }, { clock, ids });
      }
      if (verb === "retry") {
        await orchestrator.retryDeadLetters(issue);
        await orchestrator.retryTask(issue.id);
      }
      await orchestrator.wakeNow(issue.id);
      break;
    }
    default:
      verb satisfies never;
  }
  await stateFilesIn(home, db).update(issue);
}

/** Retries the deliveries of an issue that Relay does not work on: the dead letter may be the call for it. */
export async function retryUnknown(
  address: IssueAddress,
  by: string,
  { db, clock, ids, orchestrator }: ControlDeps,
): Promise<number> {
  const count = await orchestrator.retryDeadLetters(address);
  const after = { issue: issueName(address), deliveries: count };
  const asked = { what: "retry.asked", why: `retry asked by ${by}`, after };
  await record(db, { issueId: null, actor: by, ...asked }, { clock, ids });
  return count;
}
