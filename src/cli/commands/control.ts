import { issueName } from "../../domain/issue.ts";
import { resumeState } from "../../domain/lifecycle.ts";
import { RelayError } from "../../lib/errors.ts";
import { listIssues, moveIssue, setFailedCycles } from "../../store/issues.ts";
import { endBudgetStop } from "../../store/spending.ts";
import { writeStateFiles } from "../../store/state-files.ts";
import { pickIssue } from "../issues.ts";
import { printJson, withRelay } from "../session.ts";
import type { CommonOptions, Terminal } from "../terminal.ts";
import { EXIT } from "../terminal.ts";

export type Verb = "pause" | "resume" | "retry" | "forget";

/** `relay pause|resume|retry|forget ISSUE`: the operator's controls. Each is in the record with the operator's name. */
export async function control(
  verb: Verb,
  wanted: string,
  options: CommonOptions & { yes?: boolean },
  terminal: Terminal,
): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const { db, clock, ids, operator } = relay;
    const issue = pickIssue(await listIssues(db), wanted);
    const name = issueName(issue);
    switch (verb) {
      case "pause":
        // The operator's pause does not end by itself, as that of a budget may.
        await endBudgetStop(db, issue.id, "held", clock);
        await moveIssue(
          db,
          issue.id,
          "paused",
          { why: "asked by the operator", actor: operator, resumesAs: resumeState(issue.state) },
          { clock, ids },
        );
        break;
      case "resume":
      case "retry": {
        if (issue.state !== "paused" && issue.state !== "closed" && issue.state !== "failed" && verb === "resume") {
          throw new RelayError("usage", `${name} is ${issue.state}: there is nothing to resume`);
        }
        await setFailedCycles(db, issue.id, 0);
        await endBudgetStop(db, issue.id, "operator", clock);
        if (issue.state === "paused" || issue.state === "closed") {
          await moveIssue(
            db,
            issue.id,
            issue.resumesAs ?? "pending_plan",
            { why: `${verb} asked by the operator`, actor: operator },
            { clock, ids },
          );
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
    const after = await listIssues(db);
    await writeStateFiles(relay.config.home, after);
    const state = after.find((other) => other.id === issue.id)?.state ?? "forgotten";
    if (options.json) printJson(terminal, { id: issue.id, issue: name, state });
    else terminal.out(`${name}: ${state}\n`);
    return EXIT.done;
  });
}
