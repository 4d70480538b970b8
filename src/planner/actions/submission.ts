import type { z } from "zod";
import { type Action, type ActionBatch, type ActionProblem, actionSchema } from "../../domain/action.ts";
import type { Judged } from "../planner.ts";
import { cut, isRecord } from "../../lib/text.ts";
import { gapReference } from "./gap-reference.ts";
import type { BatchState } from "./batch-state.ts";
import { validateBatch } from "./validate.ts";

/** Actions that one batch may hold. */
const BATCH_LIMIT = 50;
/** Problems reported per action: the first ones are enough to fix it. */
const PROBLEMS_PER_ACTION = 8;

const ACTION_TYPES = [
  "post_comment",
  "update_findings",
  "update_gaps",
  "update_learnings",
  "ready_for_spec_generation",
  "update_spec",
  "set_spec_status",
] as const satisfies Action["type"][];

export type Submission = { kind: "batch"; batch: ActionBatch } | { kind: "refused"; problems: ActionProblem[] };

/**
 * Parses a planner's submission (R-ACT-1): `{actions, reasoning}` or a list of actions, each as `{type, data: {…}}` or
 * flat as `{type, …fields}`. Optional fields may be null, unknown ones are dropped. Errors become problems of the rule
 * `schema`, one line each, that say how to fix them.
 */
export function parseSubmission(submitted: unknown): Submission {
  const envelope = Array.isArray(submitted) ? { actions: submitted } : submitted;
  const listed = isRecord(envelope) ? envelope["actions"] : undefined;
  if (!isRecord(envelope) || !Array.isArray(listed)) {
    return refused(0, "the submission must be an object with a list `actions`");
  }
  if (listed.length > BATCH_LIMIT) {
    return refused(BATCH_LIMIT, `a batch holds at most ${BATCH_LIMIT} actions, this one has ${listed.length}`);
  }
  const problems: ActionProblem[] = [];
  const actions: Action[] = [];
  for (const [index, item] of listed.entries()) {
    const parsed = parseAction(item);
    if (parsed.kind === "action") actions.push(parsed.action);
    else problems.push(...parsed.details.map((detail) => ({ index, rule: "schema", detail })));
  }
  if (problems.length > 0) return { kind: "refused", problems };
  const reasoning = envelope["reasoning"];
  return { kind: "batch", batch: { actions, reasoning: typeof reasoning === "string" ? reasoning : "" } };
}

function refused(index: number, detail: string): Submission {
  return { kind: "refused", problems: [{ index, rule: "schema", detail }] };
}

function parseAction(item: unknown): { kind: "action"; action: Action } | { kind: "details"; details: string[] } {
  if (!isRecord(item)) return { kind: "details", details: ["an action must be an object with a `type`"] };
  const { type: named, data, ...fields } = item;
  const type = ACTION_TYPES.find(
    (known) => known === (named === "ready_for_plan" ? "ready_for_spec_generation" : named),
  );
  if (type === undefined) {
    return { kind: "details", details: [`type must be one of ${ACTION_TYPES.join(", ")} (got ${shown(named)})`] };
  }
  const action = { type, data: withoutNulls(isRecord(data) ? data : fields) };
  const parsed = actionSchema.safeParse(action);
  if (parsed.success) return { kind: "action", action: withGapReferences(parsed.data) };
  return {
    kind: "details",
    details: parsed.error.issues.slice(0, PROBLEMS_PER_ACTION).map((issue) => explain(issue, action)),
  };
}

function withGapReferences(action: Action): Action {
  if (action.type !== "update_gaps") return action;
  return {
    ...action,
    data: {
      ...action.data,
      close: action.data.close.map((closing) => ({ ...closing, gap_id: gapReference(closing.gap_id) })),
      ask: action.data.ask.map(gapReference),
    },
  };
}

/** One line: the field, the expected value, the actual one. */
function explain(issue: z.core.$ZodIssue, action: unknown): string {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const value = path.reduce<unknown>(step, action);
  return `${fieldName(path)} ${demand(issue, value)}`;
}

function demand(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return `is required (${expected(issue)})`;
  return `must be ${expected(issue)} (got ${shown(value)})`;
}

function expected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "array" ? "a list" : `of type ${issue.expected}`;
    case "invalid_value":
      return issue.values.length === 1 ? shown(issue.values[0]) : `one of ${issue.values.map(shown).join(", ")}`;
    case "too_small":
      return issue.origin === "string" ? "a non-empty string" : `at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string" ? `a string of at most ${issue.maximum} characters` : `at most ${issue.maximum}`;
    case "invalid_union":
      // The only union of the schema is the id of a gap.
      return 'a gap, as its number (12) or its id in quotes ("123…")';
    default:
      return issue.message.replaceAll(/\s+/g, " ");
  }
}

/** `close[0].reason`, without `data`, which the flat form does not have. */
function fieldName(path: (string | number)[]): string {
  const fields = path[0] === "data" ? path.slice(1) : path;
  const name = fields.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  return name === "" ? "data" : name.replace(/^\./, "");
}

function step(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined;
  return isRecord(value) ? value[key] : undefined;
}

function shown(value: unknown): string {
  return cut(JSON.stringify(value) ?? "nothing", 60);
}

/** Models write null for omitted fields. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([key, field]) => [key, withoutNulls(field)]),
  );
}

/** Parses and validates a planner's submission (R-ACT-1, R-ACT-2). Pure. */
export function judgeSubmission(submitted: unknown, state: BatchState): Judged {
  const submission = parseSubmission(submitted);
  if (submission.kind === "refused") return { ...submission, batch: null };
  const { batch } = submission;
  const problems = validateBatch(batch, state);
  return problems.length === 0 ? { kind: "accepted", batch } : { kind: "refused", problems, batch };
}
