import type { Lack } from "../domain/plan.ts";
import { code, inRow } from "../domain/text/comment-markdown.ts";
import { phrases } from "../i18n/phrases.ts";

/** Whether doctor finds it too: it does not try the set-up of a repository, which names its own remedy. */
export function isDoctors({ what }: Lack): boolean {
  return what !== "setup";
}

/**
 * What is missing for the work of a plan, who can fix it, and what happens until then, on one line; empty if nothing is
 * missing (R-WORK-16).
 */
export function lacksText(
  lacks: readonly Lack[],
  language: string,
  next: "lack_mend" | "lack_waits" = "lack_mend",
): string {
  if (lacks.length === 0) return "";
  const say = phrases("plan", language);
  // Those that doctor finds come last, next to the closing words, which are about them.
  const each = [...lacks].toSorted(doctorsLast).map((lack) => lackText(lack, language, code));
  const end = lacks.some(isDoctors) ? next : (`${next}_setup` as const);
  return `**${say("lacks")}:** ${each.join(" ")} ${say(end)}`;
}

function doctorsLast(one: Lack, other: Lack): number {
  return Number(isDoctors(one)) - Number(isDoctors(other));
}

/** Characters of a name, and of a line of output. */
const LONGEST_NAME = 150;
const LONGEST_LINE = 300;
const MOST_HOSTS = 600;

/** One missing thing; for a set-up that fails also why, and how to fix it. `show` formats quotes as code. */
export function lackText(
  { what, name, why, cause }: Lack,
  language: string,
  show: (text: string, most: number) => string,
): string {
  const say = phrases("plan", language);
  const slots = { name: show(name, LONGEST_NAME) };
  if (what !== "setup") return say(`lack_${what}`, slots);
  const failed =
    why === undefined ? say("lack_setup", slots) : say("lack_setup_why", { ...slots, why: show(why, LONGEST_LINE) });
  return `${failed} ${remedy(cause, language, show)}`;
}

function remedy(cause: Lack["cause"], language: string, show: (text: string, most: number) => string): string {
  const say = phrases("plan", language);
  if (cause === undefined) return say("lack_setup_mend");
  if (cause.kind === "hosts") {
    const hosts = cause.hosts.map((host) => show(host, LONGEST_NAME));
    return say("lack_hosts", { hosts: inRow(hosts, MOST_HOSTS) });
  }
  const program = "program" in cause ? show(cause.program, LONGEST_NAME) : "";
  return phrases("work", language)(`setup_${cause.kind}`, { program });
}
