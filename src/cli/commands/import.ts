import { issueName } from "../../domain/issue.ts";
import { openChange } from "../../specification/openspec/change-folder.ts";
import { specOfChange } from "../../specification/openspec/import-change.ts";
import { pickIssue } from "../issues.ts";
import { withRelay } from "../session.ts";
import type { Complexity, SpecRef } from "../../domain/spec.ts";
import type { SpecProblem } from "../../specification/validate/rules.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";

/** What `relay import --json` prints. */
export interface ImportAnswer {
  spec_ref: SpecRef;
  outcome: "written" | "unchanged";
  complexity: Complexity;
  /** `partial`: it was stored with errors. */
  validation_status: "valid" | "partial";
  errors: SpecProblem[];
  warnings: SpecProblem[];
  /** Files of the change that a spec has no place for. */
  left_aside: string[];
}

/**
 * `relay import CHANGE --issue ISSUE`: an OpenSpec change as the next version of an issue's spec (R-SPEC-14). Exit code
 * 1 if it was stored with errors.
 */
export async function importSpec(
  change: string,
  options: CommonOptions & { issue: string },
  terminal: Terminal,
): Promise<number> {
  const found = await openChange(change);
  return await withRelay(options, terminal, async (relay) => {
    const issue = await pickIssue(relay.db, options.issue);
    const { ref, outcome, validation } = await relay.orchestrator.importSpec(issue.id, {
      text: async (now, at) => await specOfChange(found, now, at),
      why: `imported from the OpenSpec change ${found.id}`,
      actor: relay.operator,
    });
    const path = relay.specStore.where(ref);
    const { valid, complexity, errors, warnings } = validation;
    if (options.json) {
      const left_aside = found.leftAside;
      const spec_ref = { ...ref, path };
      const validation_status = valid ? "valid" : "partial";
      printJson<ImportAnswer>(terminal, {
        spec_ref,
        outcome,
        complexity,
        validation_status,
        errors,
        warnings,
        left_aside,
      });
    } else {
      terminal.out(`${path}\n`);
      for (const { line, rule, detail } of errors) terminal.err(`${path}:${line}: ${rule}: ${detail}\n`);
      if (!valid)
        terminal.err(`relay: stored as partial for ${issueName(issue)}; fix the change and import it again\n`);
      if (found.leftAside.length > 0) terminal.err(`relay: left aside: ${found.leftAside.join(", ")}\n`);
    }
    return valid ? EXIT.done : EXIT.negative;
  });
}
