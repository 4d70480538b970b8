import { type Action, type ActionBatch, type ActionOf, EDITED_TEXT, QUICK_WAY } from "../../domain/action.ts";
import { type BatchState, type Complaint, type JudgedMessage, quoted } from "./batch-state.ts";
import { messagesWithSignal } from "./proceed-signal.ts";
import type { Projection } from "./projection.ts";

/* Conditions for writing the spec (R-ACT-2, decision 2). */

export function judgeSignal({ data }: ActionOf<"ready_for_spec_generation">, state: BatchState): Complaint[] {
  if (data.proceed_signal.trim() === "") {
    return [{ rule: "proceed_signal", detail: "proceed_signal is empty; quote the words of the person who said go" }];
  }
  if (data.proceed_signal === QUICK_WAY && state.quickWay) return [];
  if (data.proceed_signal === EDITED_TEXT && state.textEdited) return [];
  if (messagesWithSignal(data.proceed_signal, state).length > 0) return [];
  return [
    {
      rule: "proceed_signal",
      detail: `${quoted(data.proceed_signal)} is no go-ahead in the words of anybody who may give it; quote them exactly, or ask and wait`,
    },
  ];
}

/** Decision 2: what must hold after the whole batch has run. */
export function judgeHandoff(projection: Projection): Complaint[] {
  const complaints: Complaint[] = [];
  const open = projection.gaps.filter((gap) => gap.status === "open").map((gap) => `gap ${gap.number}`);
  if (open.length > 0) {
    complaints.push({
      rule: "gaps_open",
      detail: `still open after this batch: ${open.join(", ")}; close each as answered, inferred or not_relevant`,
    });
  }
  if (projection.findings.length === 0 && !projection.gaps.some((gap) => gap.status === "closed")) {
    complaints.push({
      rule: "nothing_known",
      detail: "a spec needs at least one closed gap or finding; explore the code or ask first",
    });
  }
  return complaints;
}

/** Fast track: people were not asked, so no gap may be open or be closed by an assumption. */
export function judgeQuickWay(
  { data }: ActionOf<"ready_for_spec_generation">,
  projection: Projection,
  all: readonly Action[],
): Complaint[] {
  if (data.proceed_signal !== QUICK_WAY) return [];
  const left = projection.gaps.filter((gap) => gap.status === "pending").map((gap) => `gap ${gap.number}`);
  const assumed = all.flatMap((action) =>
    action.type === "update_gaps" ? action.data.close.filter(({ reason }) => reason === "inferred") : [],
  );
  if (left.length === 0 && assumed.length === 0) return [];
  return [
    {
      rule: "quick_way",
      detail: `the quick way is for issues without questions; ask ${left.length > 0 ? left.join(", ") : "instead of assuming"}, or ask for the go-ahead and wait`,
    },
  ];
}

/** Rejects actions that must not be combined in one batch. */
export function judgePlace(action: Action, earlier: readonly Action[], all: readonly Action[]): Complaint[] {
  if (isHandoff(action) && earlier.some(isHandoff)) {
    return [{ rule: "one_handoff", detail: "a batch holds one ready_for_spec_generation; drop this one" }];
  }
  if (action.type === "update_spec" && all.some(isHandoff)) {
    return [{ rule: "one_handoff", detail: "ready_for_spec_generation writes the spec already; drop one of the two" }];
  }
  return [];
}

/** The newest go-ahead that the batch relies on; null if there is none. */
export function newestGoAhead(batch: ActionBatch, state: BatchState): JudgedMessage | null {
  const given = batch.actions.filter(isHandoff).flatMap(({ data }) => messagesWithSignal(data.proceed_signal, state));
  const [newest] = given.toSorted((a, b) => b.timestamp.getTime() - a.timestamp.getTime() || b.seq - a.seq);
  // An edit makes no earlier message a later one.
  return newest === undefined ? null : { ...newest, editedAt: null };
}

function isHandoff(action: Action): action is ActionOf<"ready_for_spec_generation"> {
  return action.type === "ready_for_spec_generation";
}
