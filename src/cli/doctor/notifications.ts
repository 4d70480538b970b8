import type { Config } from "../../config/config.ts";
import { nearest } from "../../config/yaml-text.ts";
import { noticeAddress } from "../../config/notification-access.ts";
import { systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { snowflakes } from "../../lib/ids.ts";
import type { Environment } from "../../lib/secret-variable.ts";
import { testNotice } from "../../notify/notices/compose.ts";
import { lookAt, sendNotice } from "../../notify/notices/send.ts";
import type { Db } from "../../storage/db.ts";
import { type NoticeFigures, noticeFigures } from "../../storage/notices.ts";
import { type Report, attempt } from "./check.ts";

type Target = Config["notifications"][number];

const MEND = "see docs/notifications.md; `relay doctor --notify NAME` sends a test";

/** Whether each target of notifications can be reached, by a look that sends none, and takes what it is sent. */
export async function examineNotifications(
  { config, env, db }: { config: Pick<Config, "notifications">; env: Environment; db: Db | null },
  report: Report,
): Promise<void> {
  const figures = db === null || config.notifications.length === 0 ? [] : await noticeFigures(db);
  for (const target of config.notifications) {
    const of = figures.find((one) => one.target === target.name) ?? null;
    await attempt(report, { name: nameOf(target), mend: MEND }, async () => {
      const { status, error } = await lookAt(noticeAddress(target, env), { clock: systemClock });
      if (error !== null) throw new RelayError("unavailable", error);
      if (of !== null && of.waiting > 0 && of.error !== null) throw new RelayError("unavailable", figuresText(of));
      const past = of === null ? "" : `; ${figuresText(of)}`;
      return { value: true, detail: `${target.kind}, answers (${status} to a HEAD)${past}` };
    });
  }
}

/** Sends one notice that is marked as a test, once. Throws `usage` where there is no such target. */
export async function notifyOnce(
  name: string,
  { config, env }: { config: Pick<Config, "notifications">; env: Environment },
  report: Report,
): Promise<void> {
  const names = config.notifications.map((one) => one.name);
  const target = config.notifications.find((one) => one.name === name);
  if (target === undefined) {
    const near = nearest(name, names);
    const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
    const meant = near === null ? known : `did you mean “${near}”?`;
    throw new RelayError("usage", `there is no target “${name}” in notifications; ${meant}`);
  }
  await attempt(report, { name: nameOf(target), mend: "see docs/notifications.md" }, async () => {
    const notice = { ...testNotice(systemClock.now()), id: `msg_test_${snowflakes().next()}` };
    const { status, error } = await sendNotice(notice, noticeAddress(target, env), { clock: systemClock });
    if (error !== null) throw new RelayError("unavailable", `the test was not taken: ${error}`);
    return { value: true, detail: `the test was taken (${status})` };
  });
}

function nameOf({ name }: Target): string {
  return `notifications to ${name}`;
}

/** The state of a target: `3 wait since 2026-11-23T10:00Z, last: answered with 500; 1 given up within a week`. */
export function figuresText({ waiting, waitingSince, error, givenUp }: NoticeFigures): string {
  const since = waitingSince === null ? "" : ` since ${waitingSince.toISOString().slice(0, 16)}Z`;
  const why = error === null ? "" : `, last: ${error}`;
  return [
    ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? "waits" : "wait"}${since}${why}`]),
    ...(givenUp === 0 ? [] : [`${givenUp} given up within a week`]),
  ].join("; ");
}
