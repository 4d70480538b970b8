import { code, codeLink, inRow, prose, within } from "../../domain/text/comment-markdown.ts";
import { type PhraseKey, type Translate, phrases } from "../../i18n/phrases.ts";
import { reasonToLook } from "../../notify/review-reason.ts";
import type { ChangedFile } from "../../domain/work.ts";
import type { RequestFacts } from "./body-facts.ts";
import type { Coverage } from "./scenario-coverage.ts";
import { tldrOf } from "./scenarios.ts";
import { significantWords } from "../../domain/text/significant-words.ts";

/** Both sets of phrases, in the issue's language. */
export interface Voice {
  say: Translate<"request">;
  plan: Translate<"plan">;
}

/** Characters of each list. */
const ROOM = {
  summary: 5_000,
  why: 2_500,
  files: 7_000,
  untouched: 1_500,
  commands: 900,
  assumptions: 2_500,
  undone: 3_000,
  flags: 500,
};

/** Limit on what is examined: more could not be shown. */
const MANY = 300;

export function voiceOf(language: string): Voice {
  return { say: phrases("request", language), plan: phrases("plan", language) };
}

export function heading(key: PhraseKey<"request">, { say }: Voice): string {
  return `## ${say(key)}`;
}

/** As many lines as there is room for, and how many are not shown. */
export function lines(made: readonly string[], room: number, total: number, { say }: Voice): string[] {
  return within(made, { most: room, total, mark: (number) => `- ${say("more", { number })}` });
}

/** The agent's own words, else the plan's steps. */
export function whatChanged(facts: RequestFacts, voice: Voice): string {
  const reported = (facts.summary ?? "")
    .slice(0, 20_000)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const planned = facts.plan.plan_steps.map(({ description }) => `- ${description}`);
  const source = reported.length > 0 ? reported : planned;
  const made = source.slice(0, 30).map((line) => {
    const point = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)/.exec(line)?.[1];
    return point === undefined ? `${prose(line.replace(/^\s*#+\s*/, ""), 600)}\n` : `- ${prose(point, 400)}`;
  });
  return [heading("what", voice), "", ...lines(made, ROOM.summary, source.length, voice)].join("\n").trimEnd();
}

/**
 * The spec's TL;DR, else the issue's title. Omits places that were not changed after all, scenarios without evidence,
 * and numbers of questions and findings, which mean nothing here.
 */
export function why({ spec, issue, changes }: RequestFacts, coverage: readonly Coverage[], voice: Voice): string {
  const changed = new Set(changes.map(({ path }) => path));
  const bare = coverage.flatMap(({ scenario, by }) => (by === null ? [scenario] : []));
  const points = (spec ? tldrOf(spec.text) : [])
    .map((point) => point.slice(0, 2_000).replaceAll(/\s*\((?:(?:Gap|Finding) #\d+(?:[,;]\s*)?)+\)/g, ""))
    .filter((point) => significantWords(point).size >= FEWEST_WORDS && !isOnlyOf(point, (path) => !changed.has(path)))
    .filter((point) => !bare.some((scenario) => isQuotedIn(point, scenario)));
  const made = points.slice(0, 10).map((point) => `- ${prose(point, 300)}`);
  const text = made.length > 0 ? lines(made, ROOM.why, points.length, voice) : [prose(issue.title, 300)];
  return [heading("why", voice), "", ...text].join("\n");
}

/** In the quotation marks of any language. */
function isQuotedIn(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at > 0 && /[“„«「『"]\s?$/.test(text.slice(0, at));
}

/** A point with fewer significant words says too little by itself. */
const FEWEST_WORDS = 3;

/** Whether a text names files, and all of them are such. */
function isOnlyOf(text: string, isSuch: (path: string) => boolean): boolean {
  const paths = [...text.matchAll(/`([\w@.-]+(?:\/[\w@.-]+)+\.\w{1,10})(?::[\d-]+)?`/g)].flatMap(
    ([, path]) => path ?? [],
  );
  return paths.length > 0 && paths.every(isSuch);
}

const CHANGE = { added: "file_added", modified: "file_modified", deleted: "file_deleted" } as const;

/** Deletions come first: they must not hide at the end of many. */
export function changedFiles({ changes, plan }: RequestFacts, voice: Voice): string {
  const reasons = new Map(plan.file_changes.map(({ path, change_summary }) => [path, change_summary]));
  const ordered = [...changes.filter(isDeletion), ...changes.filter((file) => !isDeletion(file))];
  const made = ordered.slice(0, MANY).map(({ path, change, addedLines, removedLines }) => {
    const reason = withoutPlace(reasons.get(path) ?? "", path);
    const numbers = `${voice.say(CHANGE[change])}, +${addedLines} −${removedLines}`;
    return `- ${code(path, 200)} (${numbers})${reason === "" ? "" : `: ${prose(reason, 200)}`}`;
  });
  const left = plan.file_changes.filter(({ path }) => !changes.some((file) => file.path === path));
  const shown = left.slice(0, MANY).map(({ path }) => code(path, 200));
  const untouched =
    left.length === 0 ? [] : ["", `**${voice.say("untouched")}:** ${inRow(shown, ROOM.untouched, left.length)}`];
  if (made.length === 0) return "";
  const listed = lines(made, ROOM.files, changes.length, voice);
  return [`## ${voice.plan("files")}`, "", ...listed, ...untouched].join("\n");
}

/** Removes the location that is already shown: of “In `src/cart.ts` (line 3): Mend it”, keeps “Mend it”. */
function withoutPlace(reason: string, path: string): string {
  const at = reason.slice(0, 20 + path.length).indexOf(`\`${path}\``);
  const end = at === -1 ? -1 : reason.indexOf(": ", at);
  return end === -1 ? reason : reason.slice(end + 2);
}

export function howToVerify({ checks, branch }: RequestFacts, voice: Voice): string {
  const commands = [...new Set(checks.filter(({ kind }) => kind !== "setup").map(({ command }) => command))];
  const shown = commands.slice(0, MANY).map((command) => code(command, 200));
  const slots = { branch: code(branch, 150), commands: inRow(shown, ROOM.commands, commands.length) };
  return [heading("verify", voice), "", voice.say(shown.length > 0 ? "verify_run" : "verify_none", slots)].join("\n");
}

/** The risks for a reviewer to check first; a low risk needs no explanation. */
export function riskLines({ plan, triage }: RequestFacts, draft: boolean, voice: Voice): string {
  const look = reasonToLook(plan, triage, voice.plan);
  const reasoning = triage.risk === "LOW" ? "" : prose(triage.reasoning, 400);
  const flags = triage.security_flags.slice(0, MANY).map((flag) => prose(flag, 150));
  const name = (key: PhraseKey<"plan">) => `**${voice.plan(key)}:**`;
  return [
    `${name("risk")} ${voice.plan(`risk_${triage.risk}`)}${reasoning === "" ? "" : ` — ${reasoning}`}`,
    flags.length > 0 && `${name("flags")} ${inRow(flags, ROOM.flags, triage.security_flags.length)}`,
    look !== null && `${name("look")} ${look}`,
    draft && voice.say("draft"),
  ]
    .filter((line) => typeof line === "string")
    .join("  \n");
}

export function assumed({ assumptions }: RequestFacts, voice: Voice): string {
  if (assumptions.length === 0) return "";
  const made = assumptions.slice(0, MANY).map((text) => `- ${prose(text, 300)}`);
  const title = `**${voice.plan("assumptions")}:**`;
  return [title, "", ...lines(made, ROOM.assumptions, assumptions.length, voice)].join("\n");
}

const WHY = {
  "blocked path": "why_blocked",
  secret: "why_secret",
  "test removed": "why_test_removed",
  "too large": "why_too_large",
  "not a plain file": "why_not_plain",
} as const;

/** The agent's changes that Relay reverted; each path once per reason. */
export function keptOut({ undone }: RequestFacts, voice: Voice): string {
  const once = new Map(undone.map((each) => [`${each.path}\n${each.why}`, each]));
  if (once.size === 0) return "";
  const made = [...once.values()].slice(0, MANY).map(({ path, why: reason, detail }) => {
    const more = prose(detail, 150);
    return `- ${code(path, 200)}: ${voice.say(WHY[reason])}${more === "" ? "" : ` (${more})`}`;
  });
  return [`**${voice.say("undone")}:**`, "", ...lines(made, ROOM.undone, once.size, voice)].join("\n");
}

export function links({ issue, spec, planned }: RequestFacts, voice: Voice): string {
  const version = voice.plan("version", { number: planned.version, hash: planned.sha256.slice(0, 7) });
  return [
    `**${voice.say("issue")}:** ${issue.url === null ? `#${issue.number}` : codeLink(`#${issue.number}`, issue.url, 300)}`,
    spec && `**${voice.plan("spec")}:** ${codeLink(spec.path, spec.url, 200)}`,
    `_${version}_`,
  ]
    .filter((part) => typeof part === "string")
    .join(" · ");
}

function isDeletion({ change }: ChangedFile): boolean {
  return change === "deleted";
}
