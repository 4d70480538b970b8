import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { stopSignal, thanksOnly } from "../domain/reply/signals.ts";
import type { Run } from "../domain/work.ts";
import type { Db } from "../store/db.ts";
import { listMessages } from "../store/messages.ts";
import type { Tracker } from "../trackers/tracker.ts";
import { atLeast } from "../trackers/tracker.ts";

/** The key of the comment that a stuck run ended with: what comes after it in the thread may answer it. */
export function stuckKey(run: Pick<Run, "id">): string {
  return `stuck:${run.id}`;
}

interface Answer {
  /** Empty where nobody had asked. */
  question: string;
  answer: string;
}

/** More people than this are not asked about for one answer. */
const MOST_PEOPLE = 20;

/**
 * What people said after a run got stuck, with what the run had said: from the issue's reporter and assignees, and from
 * people with write access at this moment (R-WORK-4). Thanks and stop words answer nothing.
 */
export async function answersTo(
  run: Pick<Run, "id">,
  issue: Issue,
  { db, tracker }: { db: Db; tracker: Tracker },
): Promise<Answer[]> {
  const messages = await listMessages(db, issue.id);
  const marker = `<!-- relay:${stuckKey(run)} -->`;
  const asked = messages.find(({ role, content }) => role === "self" && content.includes(marker));
  if (asked === undefined) return [];
  // Another comment of the kind began another question.
  const end = messages.find(
    ({ role, seq, content }) => role === "self" && seq > asked.seq && content.includes("<!-- relay:stuck:"),
  );
  const later = messages.filter(({ seq }) => seq > asked.seq && (end === undefined || seq < end.seq));
  const heard = await heardOf(later, issue, tracker);
  const question = asked.content.replaceAll(/<!--[\s\S]*?-->/g, "").trim();
  return heard.map(({ content }) => ({ question, answer: content }));
}

/** What they said while a run was under way, which nobody has heeded yet. */
export async function saidDuring(
  run: Pick<Run, "startedAt" | "endedAt">,
  issue: Issue,
  { db, tracker }: { db: Db; tracker: Tracker },
): Promise<Answer[]> {
  const until = run.endedAt ?? run.startedAt;
  const during = (await listMessages(db, issue.id)).filter(
    ({ timestamp }) => timestamp > run.startedAt && timestamp < until,
  );
  return (await heardOf(during, issue, tracker)).map(({ content }) => ({ question: "", answer: content }));
}

async function heardOf(messages: readonly ThreadMessage[], issue: Issue, tracker: Tracker): Promise<ThreadMessage[]> {
  const permitted = new Map<string, boolean>();
  const heard: ThreadMessage[] = [];
  for (const message of messages) {
    const { author, role, isBot, content } = message;
    if (role === "self" || isBot || thanksOnly(content) || stopSignal(content)) continue;
    const known = permitted.get(author);
    if (known === undefined && permitted.size >= MOST_PEOPLE) continue;
    const may =
      known ?? (role !== "other" || atLeast(await tracker.permissionOf(issue.externalProjectId, author), "write"));
    permitted.set(author, may);
    if (may) heard.push(message);
  }
  return heard;
}
