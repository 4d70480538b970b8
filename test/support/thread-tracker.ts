import type { EventKind, TrackerEvent } from "../../src/domain/event.ts";
import { missing } from "../../src/adapters/trackers/missing.ts";
import type { TrackerComment, TrackerIssue } from "../../src/adapters/trackers/tracker.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const ADDRESS = { provider: "gitlab" as const, externalProjectId: "shop", externalIssueId: "1" };

/**
 * The thread of one issue on a tracker as they are: pages that move when something is deleted, times in whole seconds,
 * comments that are counted and not listed. It counts the requests, and lets a test change something before any.
 */
export function threadTracker({ threaded = false, page = 100, most = 300 } = {}) {
  let comments: TrackerComment[] = [];
  const hidden = new Set<string>();
  let assignees: string[] = [];
  let now = START;
  let lastId = 0;
  let updatedAt = new Date(START);
  let requests = 0;
  let before: ((request: number) => void) | null = null;
  let lag = { list: 0, count: 0 };
  /** What was there at each time, for answers that lag. */
  const past: { at: number; comments: TrackerComment[]; updatedAt: Date }[] = [];

  const touch = () => {
    updatedAt = seconds(now);
    past.push({ at: now, comments, updatedAt });
  };
  const behind = (ms: number) =>
    past.findLast(({ at }) => at <= now - ms) ?? { comments: [], updatedAt: new Date(START) };
  const asked = () => {
    requests += 1;
    before?.(requests);
  };
  const shown = (these: TrackerComment[]) => these.filter(({ id }) => !hidden.has(id));
  const listed = () => shown(comments);
  const event = (kind: EventKind, comment: TrackerComment | null, actor = "ann"): TrackerEvent => ({
    ...ADDRESS,
    kind,
    actor,
    actorIsBot: false,
    at: seconds(now),
    assignee: null,
    commentId: comment?.id ?? null,
    threadId: comment?.threadId ?? null,
    text: comment?.body ?? null,
    branch: null,
    outcome: null,
  });
  const pick = (choice: number) => comments[choice % comments.length];

  const issue = (): TrackerIssue => ({
    ...ADDRESS,
    title: "Wrong total",
    body: "",
    author: "ann",
    state: "open",
    labels: [],
    assignees,
    url: null,
    confidential: false,
    commentCount: comments.length,
    createdAt: new Date(START),
    updatedAt,
  });

  return {
    tracker: {
      bot: "relay",
      getIssue: async () => {
        asked();
        const counted = behind(lag.count);
        return await Promise.resolve({
          ...issue(),
          commentCount: counted.comments.length,
          updatedAt: counted.updatedAt,
        });
      },
      getComment: async (_: unknown, commentId: string) => {
        asked();
        const found = comments.find(({ id }) => id === commentId);
        return await (found ? Promise.resolve(found) : Promise.reject(missing(`there is no comment ${commentId}`)));
      },
      listComments: async (_: unknown, cursor: string | null) => {
        asked();
        const from = Number(cursor ?? 0);
        const all = shown(behind(lag.list).comments);
        const next = from + page < all.length ? String(from + page) : null;
        return await Promise.resolve({ comments: all.slice(from, from + page), next });
      },
      listChangedComments: async (_: unknown, since: Date, threads: readonly string[]) => {
        asked();
        const changed = shown(behind(lag.list).comments).filter(
          ({ createdAt, editedAt }) => (editedAt ?? createdAt) >= since,
        );
        const unknown = changed.some(
          ({ threadId, replyToId }) => replyToId !== null && !threads.includes(threadId ?? ""),
        );
        return await Promise.resolve(unknown || changed.length > most ? null : changed);
      },
    },
    add: (author: string, { late = 0, reply = null as number | null, ago = 0 } = {}): TrackerEvent => {
      const opening = threaded && reply !== null ? pick(reply) : undefined;
      lastId += 1;
      const id = String(lastId);
      const threadId = threaded ? (opening?.threadId ?? `t${id}`) : null;
      const createdAt = seconds(Math.max(START, now - late - ago));
      const comment = { id, threadId, author, isBot: false, body: `comment ${id}`, createdAt, editedAt: null };
      comments = [...comments, { ...comment, replyToId: opening?.id ?? null }].toSorted(
        (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || Number(a.id) - Number(b.id),
      );
      touch();
      return event("commented", comments.find((one) => one.id === id) ?? null, author);
    },
    edit: (choice: number, late = 0): TrackerEvent | null => {
      const old = pick(choice);
      if (!old) return null;
      const editedAt = seconds(Math.max((old.editedAt ?? old.createdAt).getTime(), now - late));
      const changed = { ...old, body: `${old.body}, edited`, editedAt };
      comments = comments.map((one) => (one.id === old.id ? changed : one));
      touch();
      return event("comment_edited", changed);
    },
    remove: (choice: number): TrackerEvent | null => {
      const gone = pick(choice);
      if (!gone) return null;
      comments = comments.filter((one) => one.id !== gone.id);
      touch();
      return { ...event("comment_deleted", gone), text: null };
    },
    hide: (choice: number) => {
      const one = pick(choice);
      if (one) hidden.add(one.id);
    },
    assign: (login: string): TrackerEvent => {
      assignees = [login];
      touch();
      return { ...event("assigned", null), assignee: login };
    },
    /** What a comparison with the tracker finds. */
    found: (): TrackerEvent => event("edited", null, ""),
    /** From now on lists, or the count and the time of the last change, are this many milliseconds behind. */
    lagBy: (change: { list: number; count: number }) => void (lag = change),
    wait: (ms: number) => void (now += ms),
    now: () => new Date(now),
    beforeRequest: (act: (request: number) => void) => {
      requests = 0;
      before = act;
    },
    requests: () => requests,
    issue,
    listed,
  };
}

function seconds(ms: number): Date {
  return new Date(Math.floor(ms / 1_000) * 1_000);
}
