import type { ChangedFile, IterationFacts } from "../../../domain/work.ts";
import type { WorkOrder } from "../work-order.ts";
import type { ChangeRules, Workspace } from "../workspace/workspace.ts";

/** A finished change, as it is looked at before it is delivered. */
export interface FinishedChange {
  order: WorkOrder;
  /** All iterations, from the baseline (number 0) to the last, whose `checks` are those of the clean checkout. */
  facts: readonly IterationFacts[];
  /** What the branch changes, earlier runs included. */
  changes: readonly ChangedFile[];
  rules: ChangeRules;
  /** A file before and after the change, as text. */
  read: Workspace["read"];
}
