import { TRACKERS } from "../adapters/trackers/registry.ts";
import type { Issue, Mode } from "../domain/issue.ts";
import { codeSpan } from "../lib/text.ts";
import { keyOf } from "../domain/marker.ts";
import { type PostDeps, postOnce } from "../notify/post-once.ts";
import { type Translate, phrases } from "../i18n/phrases.ts";
import type { RequestWord } from "../i18n/request-word.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { PlanErrorCode, PostedPlan, Stop } from "../domain/plan.ts";

/**
 * Relay's notices about a plan, each posted once. `started`, `waits` and `agreed`: the plan was approved, and Relay
 * does the work, does it after other work, or a person takes it (R-CONF-4). `refused`: an approval that does not count
 * (R-CONF-3). `not_lifted`: a “go on” of people who cannot lift a refusal (R-CONF-7). `spec_only`: one that names only the spec, while the plan waits (R-CONF-2). `beside`: a yes to somebody else's question. `stale`: the request has
 * changed since plan `version` was made (R-CONF-5). `nothing`: the spec says that nothing is to be built. `stopped`: a person refused it, which halted something (R-CONF-7).
 * `restored`: somebody edited the plan's comment. `rewrite`: an approval that somebody else may have written
 * (R-CONF-8). `narrowed`: Relay no longer goes as far here as the approval asks (R-LIFE-12).
 */
export type PlanNotice =
  | { kind: "started" }
  | { kind: "waits" }
  | { kind: "agreed" }
  | { kind: "refused"; people: readonly string[]; needs: "write" | "maintain" | "reporter" }
  | { kind: "not_lifted"; people: readonly string[]; by: string }
  | { kind: "spec_only"; people: readonly string[]; version: number }
  | { kind: "beside"; people: readonly string[]; version: number }
  | { kind: "nothing" }
  | { kind: "failed"; code: PlanErrorCode; hasSpec: boolean }
  | { kind: "stale"; version: number }
  | { kind: "narrowed"; mode: Mode }
  | { kind: "restored"; version: number }
  | { kind: "rewrite"; by: string }
  | { kind: "stopped"; halt?: Halt };

/** What a refusal halted; unknown for plans that an earlier version of Relay stopped. */
type Halt = Pick<Stop, "by" | "how" | "halted"> & {
  /** Of the plan. */
  version: number;
  /** The open pull request; null without one. */
  request: string | null;
};

/** Number of people mentioned by name for an approval that does not count; one comment needs no more. */
const NAMED = 5;

/** Posts a notice once for each plan or task that the key names, also after a crash (R-ACT-5). */
export async function announce(
  issue: Issue,
  notice: PlanNotice,
  { key, why }: { key: string; why: string },
  deps: PostDeps,
): Promise<void> {
  const words = planNotice(notice, issue.language, TRACKERS[issue.provider].requestWord);
  await postOnce(issue, { key, words, why, people: named(notice) }, deps);
}

/** Answers to people whose words do not count, for each thing that they say yes to. */
export const MOST_ANSWERS = 3;

/** Answers people whose words do not count, each person once for each key. */
export async function answerPeople(
  { issue, messages }: { issue: Issue; messages: readonly ThreadMessage[] },
  notice: Extract<PlanNotice, { kind: "refused" | "not_lifted" }>,
  { key, why }: { key: string; why: string },
  deps: PostDeps,
): Promise<void> {
  const said = messages.filter(({ role, content }) => role === "self" && isOfSeries(keyOf(content), key));
  const people = notMentionedIn(said, notice.people);
  if (people.length === 0 || said.length >= MOST_ANSWERS) return;
  const about = { key: said.length === 0 ? key : `${key}.${said.length + 1}`, why };
  await announce(issue, { ...notice, people }, about, deps);
}

function isOfSeries(key: string | null, first: string): boolean {
  return key !== null && (key === first || (key.startsWith(`${first}.`) && /^\d$/.test(key.slice(first.length + 1))));
}

/** Those whom none of these comments mentions. */
export function notMentionedIn(comments: readonly { content: string }[], people: readonly string[]): string[] {
  const mentioned = new Set(comments.flatMap(({ content }) => content.toLowerCase().match(MENTION) ?? []));
  return [...new Set(people)].filter((login) => !mentioned.has(mentions([login]).toLowerCase()));
}

const MENTION = /@[\w.-]*[\w-]/g;

/** Tells once that what was approved does not start, because the mode in force ends before it (R-LIFE-12). */
export async function announceNarrowed(issue: Issue, planId: string, mode: Mode, deps: PostDeps): Promise<void> {
  const about = { key: `narrowed:${planId}`, why: `the mode is ${mode} now` };
  await announce(issue, { kind: "narrowed", mode }, about, deps);
}

/** Asks once for an approval in words of one's own, where somebody else may have written these (R-CONF-8). */
export async function askToRewrite(
  issue: Issue,
  plan: Pick<PostedPlan, "id">,
  { externalId, author }: Pick<ThreadMessage, "externalId" | "author">,
  deps: PostDeps,
): Promise<void> {
  const about = { key: `rewrite:${plan.id}.${externalId}`, why: "the approval was edited by somebody else" };
  await announce(issue, { kind: "rewrite", by: author }, about, deps);
}

/** The notice as a comment, in the issue's language. It mentions the people who approved, and no team (R-SAFE-2). */
export function planNotice(notice: PlanNotice, language: string, requestWord: RequestWord = "pull request"): string {
  const say = phrases("plan", language, requestWord);
  switch (notice.kind) {
    case "refused":
      return say(`refused_${notice.needs}`, { people: mentions(notice.people) });
    case "not_lifted":
      return say("not_lifted", { people: mentions(notice.people), who: notice.by });
    case "spec_only":
    case "beside":
      return say(notice.kind, { people: mentions(notice.people), number: notice.version });
    case "failed":
      return say(notice.hasSpec ? "failed_spec" : "failed", { reason: say(`why_${notice.code}`) });
    case "rewrite":
      return say("rewrite", { people: mentions([notice.by]) });
    case "restored":
    case "stale":
      return say(notice.kind, { number: notice.version });
    case "narrowed":
      return say("narrowed", { mode: codeSpan(notice.mode) });
    case "stopped":
      return stopped(notice, say);
    default:
      return say(notice.kind);
  }
}

function stopped({ halt }: Extract<PlanNotice, { kind: "stopped" }>, say: Translate<"plan">): string {
  if (halt === undefined) return `${say("stopped")} ${say("until_lifted")}`;
  const { version, by, how, halted, request } = halt;
  return [
    say(`stopped_${how}`, { people: mentions([by]) }),
    say(`halted_${halted}`, { number: version }),
    ...(request === null ? [] : [say("request_stays", { request })]),
    say(how === "doubtful" ? "go_on_or_change" : "until_lifted"),
  ].join(" ");
}

/** People whom a notice mentions, so that they are told. */
function named(notice: PlanNotice): readonly string[] {
  if ("people" in notice) return notice.people;
  if (notice.kind === "rewrite") return [notice.by];
  return notice.kind === "stopped" && notice.halt !== undefined ? [notice.halt.by] : [];
}

/** A login has no character with a meaning in Markdown or a tracker, and no slash: that would be a team. */
export function mentions(people: readonly string[]): string {
  const logins = people.map((login) => login.replaceAll(/\[bot\]$|[^\w.-]/g, "")).filter((login) => login !== "");
  return [...new Set(logins)]
    .slice(0, NAMED)
    .map((login) => `@${login}`)
    .join(", ");
}
