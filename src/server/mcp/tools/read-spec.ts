import { z } from "zod";
import { type Issue, issueName } from "../../../domain/issue.ts";
import { parseSpec } from "../../../domain/spec-document/parse.ts";
import { RelayError } from "../../../lib/errors.ts";
import { partOfSpec } from "../../../specification/read.ts";
import type { Db } from "../../../storage/db.ts";
import { type SpecVersion, keptSpecText, latestSpec } from "../../../storage/specs.ts";
import { shownSpecVersion, specVersionSchema } from "../../api/shapes/spec.ts";
import { issueAtHand } from "../issue-at-hand.ts";
import { NOTICE, notice } from "../quote.ts";
import { type Tool, tool } from "../tool.ts";
import { issueArgument, issueNamed } from "./shapes.ts";

/** Characters of one answer, by default and at most. */
const USUAL = 20_000;
const MOST = 60_000;

export const readSpecTool: Tool = tool({
  name: "read_spec",
  title: "Read a spec",
  description:
    "The newest spec of an issue: `summary` (contents and the TL;DR), one `section`, or the `full` text. A long text comes in parts: `next_from` says where to go on.",
  effect: "reads",
  input: z.strictObject({
    issue: issueArgument,
    mode: z.enum(["summary", "section", "full"]).default("summary"),
    section: z.string().max(200).optional().describe("With mode `section`: a part of its heading."),
    max_chars: z.int().min(200).max(MOST).default(USUAL),
    from: z.int().min(0).default(0).describe("The character to begin with: `next_from` of the answer before."),
  }),
  output: specVersionSchema
    .pick({ version: true, sha256: true, complexity: true, validation_status: true, status: true, created_at: true })
    .extend({
      issue: issueNamed,
      sections: z.array(z.string()).describe("The headings, for `section`."),
      text: z.string().describe("The part of the spec, fenced."),
      characters: z.int().describe("Of the whole summary, section or text."),
      next_from: z.int().nullable().describe("Null: this was the end."),
      notice,
    }),
  run: async (args, context) => {
    const db = await context.db();
    const issue = await issueAtHand(args.issue, context);
    const { spec, content } = await specOf(issue, db);
    const mode = args.section === undefined ? args.mode : "section";
    if (mode === "section" && args.section === undefined) {
      throw new RelayError(
        "usage",
        "mode section needs `section`, a part of the heading; mode summary lists the headings",
      );
    }
    const part = partOfSpec(content, mode === "section" ? { section: args.section ?? "" } : { mode });
    if (part.kind === "unknown") {
      const names = part.sections.map((name) => context.quote.line(name, 80)).join("; ");
      throw new RelayError(
        "not_found",
        `the spec has no section “${context.quote.line(args.section ?? "", 80)}”; its sections are: ${names}`,
      );
    }
    const shown = part.text.slice(args.from, args.from + args.max_chars).toWellFormed();
    const end = args.from + shown.length;
    const next = end < part.text.length ? end : null;
    const text = context.quote.text(`spec of ${issueName(issue)}, version ${spec.version}, ${mode}`, shown, MOST);
    const head = shownSpecVersion(spec);
    const rest =
      next === null ? "" : `\nCharacters ${args.from} to ${end} of ${part.text.length}; go on with from ${next}.`;
    return {
      text: `Version ${head.version}, ${head.status}, ${head.validation_status}.\n${text}${rest}`,
      data: {
        ...head,
        issue: issueName(issue),
        sections: parseSpec(content).sections.map(({ heading }) => context.quote.line(heading, 120)),
        text,
        characters: part.text.length,
        next_from: next,
        notice: NOTICE,
      },
    };
  },
});

/** The newest spec with its text. Throws `not_found`. */
export async function specOf(issue: Issue, db: Db): Promise<{ spec: SpecVersion; content: string }> {
  const spec = await latestSpec(db, issue.id);
  if (spec === null) {
    throw new RelayError("not_found", `${issueName(issue)} has no spec yet; it is ${issue.state.replaceAll("_", " ")}`);
  }
  const content = await keptSpecText(db, issue.id, spec.ref.sha256);
  if (content !== null) return { spec, content };
  throw new RelayError(
    "not_found",
    `the database does not have the text of this spec of ${issueName(issue)} yet; it is at ${spec.ref.path}`,
  );
}
