import type { ChangedFile, IterationFacts } from "../../../domain/work.ts";
import type { WorkOrder } from "../work-order.ts";
import type { ChangeRules, Workspace } from "../workspace/workspace.ts";

/** A finished change, as it is examined before delivery. */
export interface FinishedChange {
  order: WorkOrder;
  /** All iterations, from the baseline (number 0) to the last, whose `checks` are those of the clean checkout. */
  facts: readonly IterationFacts[];
  /** All changes on the branch, including those of earlier runs. */
  changes: readonly ChangedFile[];
  rules: ChangeRules;
  /** Reads a file before or after the change, as text. */
  read: Workspace["read"];
}
