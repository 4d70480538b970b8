import { mentions } from "../../domain/event.ts";
import { asks, wordsOf } from "../../approval/clauses.ts";
import { type Reply, readReply, refusalIn } from "../../approval/read-reply.ts";
import { refusalInReview } from "../../approval/refusal.ts";
import { clauseLeaves, sentenceLeavesRed, sentenceTellsRed } from "./leaves-red.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { requests } from "../../approval/wishes.ts";

const ASKS_NOTHING = new Set<Reply["kind"]>(["approve", "thanks", "stop"]);

/**
 * Whether a review comment requests something: not praise, thanks, an approval, a refusal of the whole, or a comment
 * addressed to someone else by name. If in doubt, it does. A question counts too, since it needs at least an answer.
 */
export function asksForWork(text: string, calledAs: readonly string[], path: string | null = null): boolean {
  if (text.trim() === "" || refusalInReview(text, path) !== null || leavesAsIs(text)) return false;
  const isToOthers = /^\s*@[\w-]/.test(text) && !calledAs.some((login) => mentions(text, login));
  return !isToOthers && !ASKS_NOTHING.has(readReply(text).kind);
}

/** Whether a review comment only says to leave things as they are: “Never mind.”, “Leave it, thanks.” */
export function leavesAsIs(text: string): boolean {
  const clauses = sentencesOf(text)
    .flatMap((sentence) => sentence.split(/[,;:，；：、]/u))
    .filter((clause) => /[\p{L}\p{N}]/u.test(clause));
  return clauses.some(clauseLeaves) && clauses.every((clause) => clauseLeaves(clause) || addsNothing(clause));
}

/** “Thanks” or “forget it”, next to clauses that say to leave things as they are. */
function addsNothing(clause: string): boolean {
  const isBare = clause.trim().split(/\s+/).length <= 2;
  return ASKS_NOTHING.has(readReply(clause).kind) || (isBare && refusalIn(clause) === "clear");
}

/**
 * Whether a review comment only asks and requests no change: each sentence is a question, praise or thanks. An answer
 * is enough for it, without a run.
 */
export function onlyAsks(text: string): boolean {
  const reply = readReply(text);
  if (reply.kind !== "question" || reply.stops || requests(text) || SUGGESTS.test(text)) return false;
  const sentences = sentencesOf(text).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  return sentences.every((sentence) => asks(sentence) || ASKS_NOTHING.has(readReply(sentence).kind));
}

/** Reviewers suggest by asking: “Why not a constant?”, “Shouldn’t this be const?”. */
const SUGGESTS =
  /\b(?:why not|why (?:don|didn|isn)['’]t|(?:should|could|would|isn|aren)n?['’]t|should (?:this|it|we))\b|\b(?:warum|wieso) nicht|pourquoi (?:pas|ne)\b|por qué no\b|por que não|почему (?:бы )?не|为什么不|为何不|どうして.{0,12}ない|なぜ.{0,12}ない/iu;

/** Also inside a line: “Why a map? Rename it.” is two sentences. */
const SENTENCE_END = /(?<=[?？؟])|(?<=[.!…;])\s+|(?<=[。！])|\n+/u;

/** Names of checks: those that the change made red, those that were red before it, and those that are still running. */
export interface RedChecks {
  own: readonly string[];
  before: readonly string[];
  running: readonly string[];
}

/**
 * The checks that a text says to leave red (R-WORK-15): those that it names; else all that the change made red; else,
 * if it speaks of checks, all that were red before. Empty if there are none. Pure.
 */
export function leftRedBy(text: string, { own, before, running }: RedChecks, path: string | null = null): string[] {
  const all = [...own, ...before, ...running];
  const sentences = all.length === 0 ? [] : sentencesOf(withoutNames(text, all));
  const leaves = (aboutChecks: boolean) => sentences.some((each) => sentenceLeavesRed(each, { aboutChecks }));
  if (!leaves(path !== null)) return [];
  const named = all.filter((name) => name !== "" && wholeName(name).test(text));
  if (named.length > 0) return named;
  if (own.length > 0) return [...own];
  return leaves(true) || sentences.some(sentenceTellsRed) ? [...before] : [];
}

/**
 * What a text asks for apart from leaving checks red: without the sentences that say so, or only state that a check is
 * red.
 */
export function wishBesideRed(text: string, checks: RedChecks, path: string | null = null): string {
  if (leftRedBy(text, checks, path).length === 0) return text;
  const all = [...checks.own, ...checks.before, ...checks.running];
  return sentencesOf(text)
    .filter((sentence) => {
      const words = withoutNames(sentence, all);
      return !sentenceLeavesRed(words, { aboutChecks: path !== null }) && !sentenceTellsRed(words);
    })
    .join("\n");
}

/** Replaces each name of a check by the word “check”, so that sentences about it read alike whatever its name. */
function withoutNames(text: string, names: readonly string[]): string {
  const longestFirst = names.filter((name) => name !== "").toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((words, name) => words.replaceAll(wholeName(name), "check"), text);
}

/** Matches a name that is not part of a longer Latin word: “ci” is not in “specific”. */
function wholeName(name: string): RegExp {
  return new RegExp(`(?<![a-z0-9])${escapeRegExp(name)}(?![a-z0-9])`, "giu");
}

function sentencesOf(text: string): string[] {
  return (wordsOf(text) ?? "").split(SENTENCE_END).filter((sentence) => sentence.trim() !== "");
}
