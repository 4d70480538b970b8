import type { Issue } from "../../domain/issue.ts";
import type { IssueState, LifecycleEvent } from "../../domain/lifecycle.ts";
import type { NoticeTarget } from "../../domain/notice.ts";
import { standingOf } from "../../domain/standing.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Db } from "../../storage/db.ts";
import { overviewsOf } from "../../storage/issue-overview.ts";
import { addNotice } from "../../storage/notices.ts";
import { botOf, getRepository } from "../../storage/repositories.ts";
import { deadLetterNotice, monthNotice, noticeOf } from "./compose.ts";
import { type Occasion, type OccasionFacts, mayTell, occasionOf, stuckAtRequest } from "./occasion.ts";

/** The share of the month's budget at which people are told. */
const NEARLY = 0.8;

/** Stores what people are told, in the transaction of what happened; a job sends it (docs/notifications.md). */
export interface Notices {
  /** An event has moved the issue, which was in `from` before. */
  moved(tx: Db, issue: Issue, event: LifecycleEvent, from: IssueState): Promise<void>;
  /** The issue may have got stuck at its request. */
  mayBeStuck(tx: Db, issue: Issue): Promise<void>;
  /** A delivery or a wake-up of an issue became a dead letter; the issue is null where Relay does not know it. */
  deadLettered(tx: Db, letter: Parameters<typeof deadLetterNotice>[0]): Promise<void>;
  /** Spending may have reached the share of the month's budget at which people are told. */
  spent(db: Db, month: Month): Promise<void>;
}

export interface Month {
  /** `2026-11`. */
  key: string;
  spentUsd: number;
  limitUsd: number;
  ends: Date | null;
}

export interface TellDeps {
  targets: readonly NoticeTarget[];
  /** Whether this process sends notices about an issue at all. */
  tells: (issue: Pick<Issue, "provider">) => boolean;
  /** Sends the jobs for the notices to these targets, when the transaction commits. */
  send: (targets: readonly string[], within: Db) => Promise<void>;
  /** Address of the dashboard, without a slash at its end. */
  publicUrl: string | null;
  clock: Clock;
  ids: Ids;
}

/** What the repository of an issue is called, and was called before: targets may name it by either. */
async function namesOf(tx: Db, issue: Pick<Issue, "repositoryId">): Promise<string[]> {
  const { externalProjectId, formerNames } = await getRepository(tx, issue.repositoryId);
  return [externalProjectId, ...formerNames];
}

export function createNotices(deps: TellDeps): Notices {
  const { targets, clock, ids, publicUrl } = deps;

  const store = async (
    tx: Db,
    told: readonly NoticeTarget[],
    notice: Omit<Parameters<typeof addNotice>[1], "target">,
  ) => {
    const added = [];
    for (const { name } of told) if (await addNotice(tx, { ...notice, target: name }, ids)) added.push(name);
    if (added.length > 0) await deps.send(added, tx);
  };

  const told = async (tx: Db, issue: Issue, from: IssueState, read: (facts: OccasionFacts) => Occasion | null) => {
    if (targets.length === 0 || !deps.tells(issue)) return;
    const names = await namesOf(tx, issue);
    const listening = targets.filter(
      ({ serves, confidential }) => names.some(serves) && (confidential || !issue.confidential),
    );
    if (listening.length === 0) return;
    const overview = (await overviewsOf(tx, [issue.id]))(issue.id);
    const standing = standingOf(issue, overview, await botOf(tx, issue.repositoryId));
    const occasion = read({ issue, from, standing, overview, unique: ids.next() });
    for (const type of occasion?.types ?? []) {
      const wanted = listening.filter(({ events }) => occasion?.types.find((one) => events.includes(one)) === type);
      if (occasion === null || wanted.length === 0) continue;
      const body = noticeOf({ ...occasion, type, issue, standing, overview, at: clock.now(), publicUrl });
      await store(tx, wanted, { issueId: issue.id, key: occasion.key, body });
    }
  };

  return {
    moved: async (tx, issue, event, from) => {
      if (mayTell(event)) await told(tx, issue, from, (facts) => occasionOf(event, facts));
    },
    mayBeStuck: async (tx, issue) => await told(tx, issue, issue.state, stuckAtRequest),
    deadLettered: async (tx, letter) => {
      const { address, issue } = letter;
      if (targets.length === 0 || !deps.tells(address)) return;
      const names = issue === null ? [address.externalProjectId] : await namesOf(tx, issue);
      const listening = targets.filter(
        ({ events, serves, confidential }) =>
          events.includes("stuck") && names.some(serves) && (confidential || issue?.confidential !== true),
      );
      if (listening.length === 0) return;
      const body = deadLetterNotice(letter, { at: clock.now(), publicUrl });
      await store(tx, listening, { issueId: issue?.id ?? null, key: `dead-letter:${ids.next()}`, body });
    },
    spent: async (db, month) => {
      if (month.spentUsd < month.limitUsd * NEARLY) return;
      const listening = targets.filter(({ events }) => events.includes("budget"));
      const body = monthNotice({ ...month, window: month.key }, { at: clock.now(), publicUrl });
      const notice = { issueId: null, key: `month:${month.key}`, body };
      await db.transaction(async (tx) => await store(tx, listening, notice));
    },
  };
}
