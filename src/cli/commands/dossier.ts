import type { Dossier } from "../../dossier/dossier.ts";
import type { Finding, RemovedFinding } from "../../domain/finding.ts";
import type { Gap } from "../../domain/gap.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { cut, oneLine } from "../../lib/text.ts";
import { removalOf } from "../../specification/removal.ts";
import { type DossierAnswer, shownDossier } from "../../server/api/shapes/known.ts";
import { pickIssue } from "../issues.ts";
import { withRelay } from "../session.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";

/** Characters of a text on its line; the JSON has all of it. */
const LINE = 300;

/**
 * `relay dossier ISSUE`: what is known about an issue, as planner, spec writer, plan and coding agent get it
 * (R-PLAN-13).
 */
export async function dossier(wanted: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const issue = await pickIssue(relay.db, wanted);
    const known = await relay.dossierOf(issue);
    if (options.json) printJson<DossierAnswer>(terminal, shownDossier(issue, known));
    else terminal.out(text(issue, known));
    return EXIT.done;
  });
}

function text(issue: Issue, { commit, said, gaps, findings, removed, explorations }: Dossier): string {
  const { statements: left } = said.omitted;
  return [
    `${issueName(issue)}  ${oneLine(issue.title)}`,
    `${issue.state}, code at ${commit.slice(0, 12)}`,
    ...section("What people said", [
      ...said.statements.map((one) => `  ${one.kind.padEnd(8)}  ${shown(one.text)}  (${origin(one)})`),
      ...(left > 0 ? [`  [${left} more are left out]`] : []),
    ]),
    ...section(
      "Questions",
      gaps.map((gap) => `  ${gap.number}. ${shown(gap.question)}\n     ${outcome(gap)}`),
    ),
    ...section("Findings", findings.map(findingLines)),
    ...(removed.length === 0 ? [] : section("Removed findings that the spec cites", removed.map(removedLines))),
    ...section(
      "Looked at in the code",
      explorations.map(
        ({ question, synthesis, places }) =>
          `  ${shown(question)}\n     ${shown(synthesis)}\n     ${places.map(({ location }) => location).join(", ")}`,
      ),
    ),
    "",
  ].join("\n");
}

function findingLines({ number, synthesis, sources }: Finding): string {
  return `  #${number} ${shown(synthesis)}\n     ${sources.map(({ location }) => location).join(", ")}`;
}

function removedLines(finding: RemovedFinding): string {
  return `${findingLines(finding)}\n     ${removalOf(finding, "en")}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return ["", title, ...(lines.length === 0 ? ["  nothing yet"] : lines)];
}

function origin({ author, message, decides, agreedIn, supersededBy }: Statement): string {
  return [
    `@${author}`,
    message === null ? "the issue" : `message ${message}`,
    ...(decides ? ["decides"] : []),
    ...(agreedIn === null ? [] : [`agreed to in message ${agreedIn}`]),
    ...(supersededBy === null ? [] : [`taken back in message ${supersededBy}`]),
  ].join(", ");
}

function outcome({ status, closedReason, closedNote, respondent }: Gap): string {
  if (status !== "closed") return status === "open" ? `open, for the ${respondent}` : "kept for later";
  const how = closedReason === "inferred" ? "assumed" : (closedReason ?? "closed").replace("_", " ");
  return `${how}${closedNote === null ? "" : `: ${shown(closedNote)}`}`;
}

function shown(words: string): string {
  return cut(oneLine(words), LINE);
}
