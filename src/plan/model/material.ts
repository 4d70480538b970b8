import { keptCode, seenText } from "../../domain/text/clean-text.ts";
import { fenceCode } from "../../adapters/models/fence.ts";
import { type Ranking, firstLook } from "../../code/agent/first-look.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import { createFileAccess } from "../../code/tools/file-access.ts";
import type { PlanIssue } from "../input.ts";

const BODY = 24_000;
const LISTED = 400;
/** Source files; half as many tests, and half as many docs. */
const FOUND = 10;

/** An issue as a model reads it: bounded, fenced, without secrets. */
export function issueMaterial(issue: PlanIssue, boundary: string): string {
  const body = seenText(issue.body, BODY * 2);
  const cut = body.length > BODY ? `${body.slice(0, BODY).toWellFormed()}\n[the rest is left out]` : body;
  const labels = issue.labels.slice(0, 30).join(", ").slice(0, 600);
  const head = `Title: ${keptCode(issue.title.slice(0, 1_000))}\nLabels: ${labels}`;
  return `# The issue\n\n${fenceCode("issue", `${head}\n\n${cut}`, boundary)}`;
}

/**
 * The places in the code that the search, or `rank`, finds for an issue, with their lines; empty without code or a
 * place.
 */
export async function codeMaterial(
  { title, body }: PlanIssue,
  index: OpenIndex | null,
  rank?: Ranking,
): Promise<(boundary: string) => string[]> {
  const asked = { question: title, context: body };
  const ranking = rank === undefined ? {} : { rank };
  const look = index === null ? "" : await firstLook(index, createFileAccess(index), asked, FOUND, ranking);
  return (boundary) =>
    look === "" ? [] : [`# What the search finds in the code\n\n${fenceCode("search", look, boundary)}`];
}

/** Some of the repository's paths: those given first, then those that come first in the tree. */
export function treeMaterial(first: readonly string[], tree: readonly string[], boundary: string): string {
  const shown = new Set(first);
  for (const path of tree) {
    if (shown.size >= LISTED) break;
    shown.add(path);
  }
  const rest = tree.length - shown.size;
  const list = [...shown].map((path) => path.replaceAll(/\s/g, " "));
  const more = rest > 0 ? `\n[${rest} more files]` : "";
  return `# Files of the repository\n\n${fenceCode("files", `${list.join("\n")}${more}`, boundary)}`;
}
