import { type ConversationMessage, roleOf } from "../../src/domain/conversation.ts";
import type { Exploration } from "../../src/domain/exploration.ts";
import type { Finding } from "../../src/domain/finding.ts";
import type { Gap } from "../../src/domain/gap.ts";
import { readIssue } from "../../src/domain/issue-text/issue-reading.ts";
import type { SpecInput } from "../../src/specification/generator.ts";
import { corrected, statementsOf } from "../../src/specification/input.ts";

const OPENED = new Date("2026-11-20T09:00:00Z");

function minutesLater(minutes: number): Date {
  return new Date(OPENED.getTime() + minutes * 60_000);
}

/** A message of the thread, `seq` hours after the issue. */
export function message(given: Partial<ConversationMessage> & { seq: number }): ConversationMessage {
  return {
    author: "ann",
    role: roleOf(given.author ?? "ann", { reporter: "ann", assignees: ["bob"], bot: "relay" }),
    isBot: false,
    timestamp: minutesLater(given.seq * 60),
    editedAt: null,
    replyToSeq: null,
    content: "",
    externalId: `m${given.seq}`,
    externalThreadId: null,
    ...given,
  };
}

/** A gap that was asked after the issue and is closed unless said otherwise. */
export function gap(given: Partial<Gap> & { number: number }): Gap {
  return {
    id: String(100 + given.number),
    issueId: "1",
    question: `Question ${given.number}?`,
    evidence: null,
    severity: "medium",
    respondent: "reporter",
    topic: null,
    proposedDefault: null,
    status: "closed",
    askedAt: minutesLater(30),
    askedIn: null,
    closedAt: minutesLater(600),
    closedReason: "answered",
    closedNote: "",
    answeredIn: null,
    createdAt: minutesLater(30),
    ...given,
  };
}

export function finding(number: number, given: Pick<Finding, "synthesis" | "sources">): Finding {
  return { id: String(200 + number), issueId: "1", number, commit: null, createdAt: minutesLater(20), ...given };
}

/** Everybody decides here; what they wrote since the existing spec asks for something, but for a mere “go ahead”. */
export function voicesIn(messages: ConversationMessage[], existing: SpecInput["existing"]) {
  const people = messages.filter(({ role, isBot }) => role !== "self" && !isBot);
  const since = new Date(existing?.ref.updated_at ?? 0);
  const goAheads = people.filter(({ content }) => content.toLowerCase().includes("go ahead"));
  return {
    deciders: new Set(people.map(({ seq }) => seq)),
    goAheads: new Set(goAheads.map(({ seq }) => seq)),
    requests: people.filter((one) => one.timestamp > since && !goAheads.includes(one)),
    unread: people.filter((one) => one.timestamp > since).map(({ seq }) => seq),
  };
}

/** What was stated, where everybody decides. */
export function stated(
  {
    title,
    body,
    labels,
    reporter,
  }: Pick<SpecInput["issue"], "title" | "body" | "reporter"> & { labels: readonly string[] },
  messages: ConversationMessage[],
) {
  const deciders = new Set([reporter, ...messages.map(({ author }) => author)].map((login) => login.toLowerCase()));
  return statementsOf({ title, body, labels, reporter }, messages, deciders);
}

/** What a spec is written from, for an issue of `ann` that is assigned to `bob`. */
export function specInput(given: {
  title: string;
  body: string;
  labels?: readonly string[];
  language?: string;
  number?: string;
  messages?: ConversationMessage[];
  closedGaps?: Gap[];
  findings?: Finding[];
  removed?: SpecInput["removed"];
  explorations?: Exploration[];
  documents?: SpecInput["documents"];
  existing?: SpecInput["existing"];
  complexityHint?: SpecInput["complexityHint"];
}): SpecInput {
  const { title, body, labels = [] } = given;
  return {
    issue: {
      id: "1",
      repositoryId: "1",
      provider: "local",
      externalProjectId: "demo",
      externalIssueId: given.number ?? "7",
      title,
      body,
      labels: [...labels],
      assignees: ["bob"],
      reporter: "ann",
      url: null,
      confidential: false,
      repositoryPrivate: false,
      state: "specifying",
      resumesAs: null,
      language: given.language ?? "en",
      spec: given.existing?.ref ?? null,
      failedCycles: 0,
      debounceUntil: null,
      assignedAt: OPENED,
      planPostedAt: null,
      openedAt: OPENED,
      updatedAt: OPENED,
    },
    proceedSignal: "go ahead",
    contextSummary: "",
    closedGaps: given.closedGaps ?? [],
    findings: given.findings ?? [],
    removed: given.removed ?? [],
    explorations: given.explorations ?? [],
    learnings: [],
    messages: given.messages ?? [],
    ...voicesIn(given.messages ?? [], given.existing ?? null),
    documents: given.documents ?? [],
    statements: stated({ title, body, labels, reporter: "ann" }, given.messages ?? []),
    reading: readIssue(corrected({ title, body, labels, reporter: "ann" }, given.messages ?? []).issue),
    textEdited: false,
    drifted: [],
    rejected: false,
    existing: given.existing ?? null,
    complexityHint: given.complexityHint ?? null,
    maxCharacters: 200_000,
    now: new Date("2026-11-21T08:00:00Z"),
  };
}
