import type { IssueState } from "../../src/domain/lifecycle.ts";
import { MACHINE, returnState } from "../../src/engine/state-machine.ts";

/** Whether any event leads from one state to the other. */
export function canReach(from: IssueState, to: IssueState, returnTo: IssueState | null = null): boolean {
  return Object.values(MACHINE[from]).some(
    ({ next }) => (next === "return" ? returnState(from, returnTo) : next) === to,
  );
}
