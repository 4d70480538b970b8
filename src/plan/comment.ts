import type { AddressOf } from "../domain/spec-document/links.ts";
import { code, inRow, link, prose, within } from "../domain/text/comment-markdown.ts";
import { neutralTitle } from "../domain/confidential.ts";
import type { Mode } from "../domain/issue.ts";
import { type PhraseKey, type Translate, phrases } from "../i18n/phrases.ts";
import type { RequestWord } from "../i18n/request-word.ts";
import type { FixPlan, Lack, TriageResult, WorkerFacts } from "../domain/plan.ts";
import { lacksText } from "../notify/lacks.ts";
import { reasonOfRisk, reasonToLook } from "../notify/review-reason.ts";
import { stepsWithFiles } from "./comment-steps.ts";
import { foldedChanges, foldedSpec } from "./folded-spec.ts";
import { type Said, type SpecFacts, type WhoSaid, specFacts } from "./spec-facts.ts";
import { specProse } from "./thread-text.ts";

/** The spec that a plan is based on. */
export interface SpecShown {
  /** Null if its text was lost. */
  text: string | null;
  /** From 1. */
  version: number;
  sha256: string;
  /** This very version in a browser; null if it has no address. */
  url: string | null;
  /** Places that it cites and whose code has changed since (R-SPEC-15). */
  stale?: readonly string[];
  /** For a revision: what it changes since that version, as lines of a diff. */
  changes: { text: string; since: number } | null;
}

export interface PlanCommentFacts {
  plan: FixPlan;
  triage: TriageResult;
  /** From 1. */
  version: number;
  sha256: string;
  spec: SpecShown | null;
  whoSaid: WhoSaid;
  /** Addresses of files and lines; a place that starts at 0 is the whole file. */
  addressOf: AddressOf;
  /** Assumptions made in place of answers, for a spec without a text. */
  assumptions: readonly string[];
  /**
   * What else runs before and after the work, by which worker, and what is missing for that; null if Relay does not
   * carry out plans.
   */
  runs: {
    setup: readonly string[];
    tests: readonly string[];
    worker: WorkerFacts | null;
    lacks: readonly Lack[];
  } | null;
  mode: Mode;
  /** Whether a 👍 on this comment approves the plan (R-CONF-2). */
  thumbsUp: boolean;
  /** Of the issue; English if Relay does not support it (R-PLAN-10). */
  language: string;
  requestWord: RequestWord;
  /** The issue is confidential and its repository is not: this says what the repository will show (R-SAFE-11). */
  neutral: boolean;
  madeByRules: boolean;
  /** Whether people first see the spec in this comment, and approve both. */
  together: boolean;
}

type Say = Translate<"plan">;

/** Character limits of each list; together with the steps, the text outside of the folds stays below 25,000. */
const ROOM = { changes: 2_500, decided: 2_500, assumptions: 1_500, out: 1_000, commands: 800, flags: 500 };
/** Of the whole: GitHub takes 65,536 characters, and the marker is one more line. */
const WHOLE = 64_000;
const DIFFERENCES = 15_000;

/** More entries are not even rendered: they could not be shown. */
const MANY = 100;

/**
 * A fix plan as people read and approve it (R-CONF-1, R-SPEC-18, R-SPEC-20): what changes for users, who decided what,
 * what is assumed and what stays out; the steps with their files; what will be run; the risk and why; how to approve.
 * The spec and, for a revision, its changes are folded. Markdown that `safeComment` leaves unchanged, whatever the plan
 * contains; cuts and omissions are marked.
 */
export function planComment(facts: PlanCommentFacts): string {
  const say = phrases("plan", facts.language, facts.requestWord);
  const { plan, spec, language, addressOf } = facts;
  const first = joined([
    ...whatIsAgreed(facts, say),
    stepsWithFiles(plan, { hasSpec: spec !== null, language, addressOf }),
    summary(facts, say),
    facts.neutral ? whatIsPublic(plan, say) : "",
    howToConfirm(facts, say),
  ]);
  const last = footer(facts, say);
  const changes = spec?.changes ? foldedChanges(spec.changes, DIFFERENCES, say) : "";
  const room = WHOLE - first.length - changes.length - last.length;
  const whole = spec === null || spec.text === null ? "" : foldedSpec({ ...spec, text: spec.text }, room, say);
  return joined([first, changes, whole, last]);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** What somebody approves in the spec, each thing once. */
function whatIsAgreed({ spec, whoSaid, assumptions, addressOf }: PlanCommentFacts, say: Say): string[] {
  const none: SpecFacts = { changes: [], decided: [], assumed: [...assumptions], out: [] };
  const { changes, decided, assumed, out } = spec?.text == null ? none : specFacts(spec.text, whoSaid);
  const said = (text: string) => specProse(text, 300, addressOf);
  const withPeople = (from: string) => (one: { text: string; by: Said[] }) => {
    const who = one.by.length === 0 ? from : one.by.map(nameOf).join(", ");
    return who === "" ? said(one.text) : `${said(one.text).replace(/[.。]$/, "")} — ${who}`;
  };
  return [
    list("changes", changes.map(withPeople("")), ROOM.changes, say),
    list("decided", decided.map(withPeople(say("decided_code"))), ROOM.decided, say),
    list("assumptions", assumed.slice(0, MANY).map(said), ROOM.assumptions, say, assumed.length),
    list("out", out.slice(0, MANY).map(said), ROOM.out, say, out.length),
  ];
}

/** A name that notifies nobody, and where they said it. */
function nameOf({ login, seq, url }: Said): string {
  return `${prose(login, 60)}, ${link(`message ${seq}`, url)}`;
}

function list(
  key: PhraseKey<"plan">,
  entries: readonly string[],
  most: number,
  say: Say,
  total = entries.length,
): string {
  const [only] = entries;
  if (only === undefined) return "";
  if (total === 1) return `${title(key, say)} ${only}`;
  const lines = entries.slice(0, MANY).map((text) => `- ${text}`);
  return [title(key, say), "", ...within(lines, { most, total, mark: bullet(say) })].join("\n");
}

/** What a reviewer checks first, one line each. */
function summary({ plan, triage, spec, mode, runs, language }: PlanCommentFacts, say: Say): string {
  const flags = triage.security_flags.slice(0, MANY).map((flag) => prose(flag, 150));
  const stale = (spec?.stale ?? []).slice(0, MANY).map((location) => code(location, 200));
  return [
    whatRuns(plan, runs, say),
    runs !== null && lacksText(runs.lacks, language),
    riskLine(plan, triage, mode, say),
    flags.length > 0 && `${title("flags", say)} ${inRow(flags, ROOM.flags, triage.security_flags.length)}`,
    spec &&
      `${title("spec", say)} ${link(say("spec_version", { number: spec.version }), spec.url)} · ${code(spec.sha256.slice(0, 7), 20)}`,
    stale.length > 0 && phrases("status", language)("stale", { places: inRow(stale, ROOM.flags) }),
  ]
    .filter((line) => typeof line === "string" && line !== "")
    .join("  \n");
}

/** All that Relay runs for the plan, in its order; where people carry it out, the checks. */
function whatRuns({ validation_commands: checks }: FixPlan, runs: PlanCommentFacts["runs"], say: Say): string {
  const row = (key: PhraseKey<"plan">, commands: readonly string[]) => {
    const shown = commands.slice(0, MANY).map((command) => code(command, 150));
    return shown.length === 0 ? [] : [`${say(key)} ${inRow(shown, ROOM.commands, commands.length)}`];
  };
  if (runs === null) {
    const shown = checks.slice(0, MANY).map((command) => code(command, 150));
    return shown.length === 0 ? "" : `${title("checks", say)} ${inRow(shown, ROOM.commands, checks.length)}`;
  }
  const parts = [
    ...row("run_setup", runs.setup),
    ...(runs.worker === null ? [] : [agentAndBounds(runs.worker, say)]),
    ...row("run_checks", checks),
    ...row("run_tests", runs.tests),
  ];
  return parts.length === 0 ? "" : `${title("runs", say)} ${parts.join("; ")}`;
}

/** The coding agent with its model and bounds (R-WORK-16). A patch has neither. */
function agentAndBounds({ agent, model, usd, hosts, sandbox }: WorkerFacts, say: Say): string {
  const name = say("run_agent", { name: code(agent, 60) });
  const shown = hosts.slice(0, MANY).map((host) => code(host, 100));
  const isFree = agent === "script";
  const bounds = [
    ...(model === null || isFree ? [] : [code(model, 100)]),
    ...(isFree ? [] : [usd === null ? say("run_unbounded") : say("run_usd", { usd: usd.toFixed(2) })]),
    sandbox === null ? say("run_unconfined") : say("run_sandbox", { name: code(sandbox, 40) }),
    ...(sandbox === null && hosts.length === 0
      ? []
      : [
          hosts.length === 0 ? say("run_offline") : say("run_hosts", { hosts: inRow(shown, ROOM.flags, hosts.length) }),
        ]),
  ];
  return `${name} (${bounds.join(", ")})`;
}

/** The risk with the rule behind it, and who has to review the result because of it. */
function riskLine(plan: FixPlan, triage: TriageResult, mode: Mode, say: Say): string {
  const { risk } = triage;
  const look = reasonToLook(plan, triage, say);
  const draft = mode === "implement" ? say("draft") : "";
  const reason = prose(reasonOfRisk(triage, say), 400);
  const level = `${title("risk", say)} ${say(`risk_${risk}`)}${reason === "" ? "" : ` — ${reason}`}`;
  if (look === null) return level;
  // What the level means is said once.
  const review = risk === "HIGH" ? say("review_high") : risk === "MEDIUM" ? say("review_medium") : null;
  if (review !== null) return [endOf(level), review, draft].filter((part) => part !== "").join(" ");
  return `${level}  \n${title("look", say)} ${look}${draft === "" ? "" : ` ${draft}`}`;
}

function endOf(sentence: string): string {
  return /[.!?。！？…]$/.test(sentence) ? sentence : `${sentence}.`;
}

function whatIsPublic({ branch_name: branch, issue_number: number }: FixPlan, say: Say): string {
  return `**${say("confidential")}** ${say("public", { branch: code(branch, 100), title: code(neutralTitle(number), 100) })}`;
}

/** One line: how to answer, whose answer counts, and what happens next (R-CONF-2, R-CONF-3). */
function howToConfirm({ triage, mode, thumbsUp, together }: PlanCommentFacts, say: Say): string {
  const who = triage.risk === "HIGH" ? "who_maintain" : mode === "plan" ? "who_reporter" : "who_write";
  return [
    title("confirm", say),
    say(thumbsUp ? "confirm_reaction" : "confirm_reply"),
    say(who),
    ...(together ? [say("together")] : []),
    say(mode === "implement" ? "then_implement" : "then_plan"),
    say("otherwise"),
  ].join(" ");
}

function footer({ plan, version, sha256, language, madeByRules }: PlanCommentFacts, say: Say): string {
  const parts = [
    say("version", { number: version, hash: sha256.slice(0, 7) }),
    code(plan.branch_name, 100),
    say("minutes", { number: plan.estimated_duration }),
    ...(madeByRules ? [phrases("thread", language)("draftedWithoutModel")] : []),
  ];
  return `_${parts.join(" · ")}_`;
}

function title(key: PhraseKey<"plan">, say: Say): string {
  return `**${say(key)}:**`;
}

function bullet(say: Say): (missing: number) => string {
  return (number) => `- ${say("left_out", { number })}`;
}
