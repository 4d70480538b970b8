import { type IssueAddress, issueName, issueNamed } from "../../domain/issue.ts";
import type { IssueState } from "../../domain/lifecycle.ts";
import { RelayError } from "../../lib/errors.ts";
import { type Control, control as carryOut, retryUnknown } from "../../app/people/control.ts";
import type { Relay } from "../../app/relay.ts";
import { listDeadLetters } from "../../storage/dead-letters.ts";
import { findIssue, findIssueById } from "../../storage/issues.ts";
import { stateFilesIn } from "../../storage/state-files.ts";
import { pickIssue } from "../issues.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";

export type Verb = Control | "forget";

/** What `relay pause`, `resume`, `retry` and `forget` print with `--json`. */
export type ControlAnswer =
  | { id: string; issue: string; state: IssueState | "forgotten" }
  /** An issue that Relay had not taken up: its deliveries are tried again. */
  | { id: null; issue: string; state: null; deliveries: number };

/** `relay pause|resume|retry|forget ISSUE`: the operator's controls, each recorded in the audit log. */
export async function control(
  verb: Verb,
  wanted: string,
  options: CommonOptions & { yes?: boolean },
  terminal: Terminal,
): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const { db } = relay;
    const stranger = verb === "retry" ? await strangerNamed(relay, wanted) : null;
    if (stranger) {
      const count = await retryUnknown(stranger, relay.operator, { ...relay, home: relay.config.home });
      if (options.json) printJson<ControlAnswer>(terminal, { id: null, issue: wanted, state: null, deliveries: count });
      else terminal.out(`${wanted}: ${count} deliveries are tried again\n`);
      return EXIT.done;
    }
    const issue = await pickIssue(db, wanted);
    const name = issueName(issue);
    if (verb !== "forget") await carryOut(issue, verb, relay.operator, { ...relay, home: relay.config.home });
    else {
      if (!options.yes) {
        throw new RelayError("usage", `this erases all that is stored about ${name}; repeat with --yes to do it`);
      }
      await relay.forget(issue);
      await stateFilesIn(relay.config.home, db).update(issue);
    }
    const state = (await findIssueById(db, issue.id))?.state ?? "forgotten";
    if (options.json) printJson<ControlAnswer>(terminal, { id: issue.id, issue: name, state });
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
