import { matchesGlob } from "node:path";
import type { Config } from "../config/config.ts";
import { environment } from "../config/environment.ts";
import { noticeAddress } from "../config/notification-access.ts";
import type { NoticeTarget } from "../domain/notice.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { deliverNotices } from "../notify/notices/deliver.ts";
import { type Notices, createNotices } from "../notify/notices/tell.ts";
import type { Database } from "../storage/db.ts";
import { giveUpOthers, listNotifying } from "../storage/notices.ts";
import type { Queue } from "../storage/queue/queue.ts";

interface NoticeDeps {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  queue: () => Promise<Queue>;
  /** Whether this process takes jobs: other processes send no notices about local issues. */
  works: () => boolean;
  env?: Record<string, string | undefined> | undefined;
}

/** Targets that one process sends to at a time. */
const SENDING = 4;

/** The notices to the configured teams; absent where none is configured. */
export function noticesOf(config: Pick<Config, "notifications" | "server">, deps: NoticeDeps): { notices?: Notices } {
  if (config.notifications.length === 0) return {};
  const notices = createNotices({
    targets: config.notifications.map(targetOf),
    tells: ({ provider }) => provider !== "local" || deps.works(),
    send: async (targets, within) => {
      const queue = await deps.queue();
      // A job that waits to retry a refused notice runs now: new notices go first.
      for (const target of targets) await queue.debounce("notice", { key: target, subject: target }, 0, within);
    },
    publicUrl: config.server.public_url?.replace(/\/+$/, "") ?? null,
    clock: deps.clock,
    ids: deps.ids,
  });
  return { notices };
}

function targetOf({ repositories, ...target }: Config["notifications"][number]): NoticeTarget {
  const globs = repositories.map((glob) => glob.toLowerCase());
  const serves = (project: string) => globs.some((glob) => matchesGlob(project.toLowerCase(), glob));
  return { ...target, serves };
}

/**
 * Sends notices, old ones first, until the queue is stopped. Throws `config` with the name of a missing
 * variable.
 */
export async function takeNotices(
  queue: Queue,
  { notifications }: Pick<Config, "notifications">,
  deps: Pick<NoticeDeps, "db" | "clock" | "log" | "env"> & { signal?: AbortSignal },
): Promise<void> {
  const env = environment(deps.env);
  const receivers = new Map(
    notifications.map((target) => [
      target.name,
      { address: noticeAddress(target, env), confidential: target.confidential },
    ]),
  );
  if (receivers.size === 0) return;
  await queue.work("notice", SENDING, async ({ subject }) => {
    await deliverNotices(subject, {
      ...deps,
      receiverOf: (target) => receivers.get(target) ?? null,
      sendAgain: async (target, at) => await queue.ensure("notice", [{ key: target, subject: target, at }]),
    });
  });
  await sendWaiting(queue, { notifications }, deps);
}

/** Ensures a job for each target with waiting notices; gives up those of targets that are no longer configured. */
export async function sendWaiting(
  queue: Pick<Queue, "ensure">,
  { notifications }: Pick<Config, "notifications">,
  { db, log }: Pick<NoticeDeps, "db" | "log">,
): Promise<void> {
  const names = notifications.map(({ name }) => name);
  const waiting = (await listNotifying(db)).filter((target) => names.includes(target));
  await queue.ensure(
    "notice",
    waiting.map((target) => ({ key: target, subject: target, at: "now" })),
  );
  const others = await giveUpOthers(db, names);
  if (others > 0) log.error({ notices: others }, "notices are given up: their targets are not configured any more");
}
