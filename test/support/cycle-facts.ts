import type { ConversationMessage } from "../../src/domain/conversation.ts";
import type { Finding } from "../../src/domain/finding.ts";
import type { Gap } from "../../src/domain/gap.ts";
import { type CycleFacts, MESSAGES_TO_LOAD } from "../../src/planner/context.ts";

/* An issue in the stores: Ann's report of a wrong total, assigned to Mia, with a thread of any length. */

const START = Date.parse("2026-01-01T00:00:00Z");

export function message(seq: number, content = `message ${seq}: ${"words ".repeat(30)}`): ConversationMessage {
  return {
    seq,
    author: seq % 2 === 0 ? "ann" : "mia",
    role: seq % 2 === 0 ? "reporter" : "assignee",
    isBot: false,
    timestamp: new Date(START + seq * 60_000),
    editedAt: null,
    replyToSeq: null,
    content,
    externalId: String(seq),
    externalThreadId: null,
  };
}

export function gap(number: number, status: Gap["status"]): Gap {
  const closed = status === "closed";
  return {
    id: String(number),
    issueId: "1",
    number,
    question: `question ${number}`,
    evidence: null,
    severity: "high",
    respondent: "reporter",
    topic: null,
    proposedDefault: null,
    status,
    askedAt: status === "pending" ? null : new Date(START + number * 1_000),
    askedIn: null,
    closedAt: closed ? new Date(START + number * 2_000) : null,
    closedReason: closed ? "answered" : null,
    closedNote: closed ? "so it is" : null,
    answeredIn: null,
    createdAt: new Date(START),
  };
}

/** What the stores give for a thread of `total` messages. */
export function factsOf(total: number, change: Partial<CycleFacts> = {}): CycleFacts {
  const first = Math.max(1, total - MESSAGES_TO_LOAD + 1);
  return {
    issue: {
      id: "1",
      repositoryId: "1",
      provider: "local",
      externalProjectId: "shop",
      externalIssueId: "7",
      title: "Wrong total",
      body: "The total is wrong. ".repeat(50),
      labels: ["bug"],
      assignees: ["mia"],
      reporter: "ann",
      url: null,
      confidential: false,
      repositoryPrivate: false,
      state: "planning",
      resumesAs: "clarifying",
      language: "en",
      spec: null,
      failedCycles: 0,
      debounceUntil: null,
      assignedAt: new Date(START),
      planPostedAt: null,
      openedAt: new Date(START),
      updatedAt: new Date(START + total * 60_000),
    },
    participants: [
      { login: "ann", role: "reporter", mayProceed: true },
      { login: "mia", role: "assignee", mayProceed: true },
    ],
    learnings: [],
    gaps: [],
    nextGapNumber: 1,
    findings: [],
    explorations: [],
    specStub: null,
    specUrl: null,
    failures: [],
    messages: Array.from({ length: total - first + 1 }, (_, index) => message(first + index)),
    totalMessages: total,
    newMessages: total === 0 ? [] : [total],
    proceedAsked: false,
    planned: false,
    planStands: true,
    wishes: [],
    quickWay: false,
    textEdited: false,
    ...change,
  };
}

/** The same for an issue in which nobody has written yet. */
export function cycleFacts(change: Partial<CycleFacts> = {}): CycleFacts {
  const messages = change.messages ?? [];
  return factsOf(messages.length, { messages, newMessages: messages.map((one) => one.seq), ...change });
}

export function finding(number: number, synthesis = `finding ${number}`): Finding {
  return {
    id: String(9_000 + number),
    issueId: "1",
    number,
    synthesis,
    sources: [{ location: `src/cart.ts:${number + 1}-${number + 3}`, snippet: "" }],
    commit: null,
    createdAt: new Date(START),
  };
}
