import { type IssueAddress, issueName, issueNamed } from "../../domain/issue.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Relay } from "../../app/create-app.ts";
import { listDeadLetters } from "../../storage/dead-letters.ts";
import { findIssue, findIssueById, setFailedCycles } from "../../storage/issues.ts";
import { endBudgetStop } from "../../storage/spending.ts";
import { stateFilesIn } from "../../storage/state-files.ts";
import { pickIssue } from "../issues.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";

export type Verb = "pause" | "resume" | "retry" | "forget";

/** `relay pause|resume|retry|forget ISSUE`: the operator's controls, each recorded in the audit log. */
export async function control(
  verb: Verb,
  wanted: string,
  options: CommonOptions & { yes?: boolean },
  terminal: Terminal,
): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const { db, clock, operator, transition } = relay;
    const stranger = verb === "retry" ? await strangerNamed(relay, wanted) : null;
    if (stranger) {
      const count = await relay.flow.retryDeadLetters(stranger);
      if (options.json) printJson(terminal, { id: null, issue: wanted, state: null, deliveries: count });
      else terminal.out(`${wanted}: ${count} deliveries are tried again\n`);
      return EXIT.done;
    }
    const issue = await pickIssue(db, wanted);
    const name = issueName(issue);
    switch (verb) {
      case "pause":
        // Unlike a budget's pause, the operator's does not end by itself.
        await endBudgetStop(db, issue.id, "held", clock);
        await transition(db, issue.id, "pause_requested", { why: "asked by the operator", actor: operator });
        break;
      case "resume":
      case "retry": {
        if (issue.state !== "paused" && issue.state !== "closed" && issue.state !== "failed" && verb === "resume") {
          throw new RelayError("usage", `${name} is ${issue.state}: there is nothing to resume`);
        }
        await setFailedCycles(db, issue.id, 0);
        await endBudgetStop(db, issue.id, "operator", clock);
        if (issue.state === "paused" || issue.state === "closed") {
          await transition(db, issue.id, "resume_requested", { why: `${verb} asked by the operator`, actor: operator });
        }
        if (verb === "retry") {
          await relay.flow.retryDeadLetters(issue);
          await relay.flow.retryTask(issue.id);
        }
        await relay.flow.wakeNow(issue.id);
        break;
      }
      case "forget":
        if (!options.yes) {
          throw new RelayError("usage", `this erases all that is stored about ${name}; repeat with --yes to do it`);
        }
        await relay.forget(issue);
        break;
      default:
        verb satisfies never;
    }
    await stateFilesIn(relay.config.home, db).update(issue);
    const state = (await findIssueById(db, issue.id))?.state ?? "forgotten";
    if (options.json) printJson(terminal, { id: issue.id, issue: name, state });
    else terminal.out(`${name}: ${state}\n`);
    return EXIT.done;
  });
}

/** An issue that Relay is not engaged in, by its full name: the dead letter may be the call for it. */
async function strangerNamed({ db }: Relay, wanted: string): Promise<IssueAddress | null> {
  const address = issueNamed(wanted);
  if (address === null || (await findIssue(db, address)) !== null) return null;
  return (await listDeadLetters(db, { issue: address })).length > 0 ? address : null;
}
