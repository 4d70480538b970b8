import { mentions } from "../../domain/event.ts";
import { asks, wordsOf } from "../../approval/clauses.ts";
import { type Reply, readReply } from "../../approval/read-reply.ts";
import { refusalInReview } from "../../approval/refusal.ts";
import { sentenceLeavesRed } from "./leaves-red.ts";
import { requests } from "../../approval/wishes.ts";

const ASKS_NOTHING = new Set<Reply["kind"]>(["approve", "thanks", "stop"]);

/**
 * Whether a review comment requests something: not praise, thanks, an approval, a refusal of the whole, or a comment addressed to
 * someone else by name. When in doubt it does; a question does too, since it needs at least an answer.
 */
export function asksForWork(text: string, calledAs: readonly string[], path: string | null = null): boolean {
  if (text.trim() === "" || refusalInReview(text, path) !== null) return false;
  const isToOthers = /^\s*@[\w-]/.test(text) && !calledAs.some((login) => mentions(text, login));
  return !isToOthers && !ASKS_NOTHING.has(readReply(text).kind);
}

/**
 * Whether a review comment only asks, and requests no change: each sentence is a question, or praise or thanks beside
 * one. An answer is enough for it, without a run.
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

/** Whether somebody says to leave a red check as it is; at a line of code (`path`), only in words about tests and checks. */
export function leavesRed(text: string, path: string | null = null): boolean {
  return sentencesOf(text).some((sentence) => sentenceLeavesRed(sentence, { aboutChecks: path !== null }));
}

/** The text without its sentences that say so. */
export function withoutLeavingRed(text: string, path: string | null = null): string {
  if (!leavesRed(text, path)) return text;
  return sentencesOf(text)
    .filter((sentence) => !sentenceLeavesRed(sentence, { aboutChecks: path !== null }))
    .join("\n");
}

/** Of the red checks, those that a text names; all of them if it names none. */
export function namedAmong(names: readonly string[], text: string): string[] {
  const words = text.toLowerCase();
  const named = names.filter((name) => words.includes(name.toLowerCase()));
  return named.length > 0 ? named : [...names];
}

function sentencesOf(text: string): string[] {
  return (wordsOf(text) ?? "").split(SENTENCE_END).filter((sentence) => sentence.trim() !== "");
}
