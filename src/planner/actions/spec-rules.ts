import type { ActionOf } from "../../domain/action.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { readReply, refusalIn } from "../../approval/read-reply.ts";
import { canBeGoAhead } from "../../approval/go-ahead.ts";
import { type BatchState, type Complaint, newWords } from "./batch-state.ts";
import type { Projection } from "./projection.ts";

/* Direct changes of a spec by planners, and the messages that must have asked for them (R-ACT-2, R-SAFE-1). */

/** Limits in characters and in bytes of UTF-8 (decision 8). */
const SPEC_CHARACTERS = 200_000;
const SPEC_BYTES = 200 * 1024;

export function judgeSpec({ data }: ActionOf<"update_spec">, projection: Projection, state: BatchState): Complaint[] {
  const { length } = data.content_markdown;
  if (!projection.hasSpec && !someGoAhead(state)) {
    return [
      {
        rule: "spec_missing",
        detail: "there is no spec to update; the first one is written by ready_for_spec_generation, on a go-ahead",
      },
    ];
  }
  if (onlyOthersSpoke(state)) {
    return [
      {
        rule: "spec_authority",
        detail: "nobody who may decide has written anything new, so the spec stays as it is; drop this action",
      },
    ];
  }
  projection.hasSpec = true;
  projection.writesSpec = true;
  if (keptText(data.content_markdown).trim() === "") {
    return [{ rule: "spec_length", detail: "content_markdown is empty; give the whole spec" }];
  }
  if (length <= SPEC_CHARACTERS && Buffer.byteLength(data.content_markdown) <= SPEC_BYTES) return [];
  return [
    {
      rule: "spec_length",
      detail: `the spec has ${length} characters, at most 200,000 (and 200 KiB) fit; shorten it`,
    },
  ];
}

/**
 * An approval or rejection of the spec needs a new message by a permitted person that says so (R-SAFE-1), about a
 * version that people could see.
 */
export function judgeSpecStatus(
  { data }: ActionOf<"set_spec_status">,
  projection: Projection,
  state: BatchState,
): Complaint[] {
  if (!projection.hasSpec) {
    return [{ rule: "spec_missing", detail: "the issue has no spec whose status could be set; drop this action" }];
  }
  if (projection.writesSpec) {
    const detail =
      "nobody has seen the version that this batch writes; leave its status to people, and drop this action";
    return [{ rule: "spec_verdict", detail }];
  }
  if (verdictBy(data.status, state) !== null) return [];
  return [
    {
      rule: "spec_verdict",
      detail: `nobody who may decide has written anything new that says the spec is ${data.status}; drop this action`,
    },
  ];
}

/**
 * The last person with permission to decide whose new words say that the spec is right or wrong; null if nobody did.
 */
export function verdictBy(status: "approved" | "rejected", { messages }: Pick<BatchState, "messages">): string | null {
  return newWords({ messages }).findLast(({ content }) => says(status, content))?.author ?? null;
}

/** Whether somebody's words clearly agree with the spec, or reject it. */
function says(status: "approved" | "rejected", content: string): boolean {
  const { kind } = readReply(content);
  if (status === "approved") return kind === "approve";
  return kind === "reject" || kind === "stop" || refusalIn(content) === "clear";
}

function someGoAhead(state: BatchState): boolean {
  return newWords(state).some(({ content }) => canBeGoAhead(content, { asked: state.proceedAsked }));
}

/** Whether all new messages are by people without permission to decide; an edited issue has no new messages. */
function onlyOthersSpoke(state: BatchState): boolean {
  return newWords(state).length === 0 && state.messages.some((message) => message.isNew);
}
