import type { SpecKey } from "../../domain/messages/spec.ts";
import { specPhrases } from "../../domain/messages/spec.ts";
import { issueName } from "../../domain/issue.ts";
import type { Translate } from "../../domain/messages/messages.ts";
import { parseSpec } from "../document/parse.ts";
import type { SpecDraft, SpecGenerator, SpecInput } from "../generator.ts";
import { atLeastLevel } from "../validate/rules.ts";
import type { SpecFacts } from "./facts.ts";
import { factsOf } from "./facts.ts";
import { cell, clause, plain } from "./plain.ts";
import { planOf } from "./plan.ts";
import { isRequest, outcomeOf, scenariosOf } from "./scenarios.ts";

type Phrases = Translate<SpecKey>;

/** Writes specs by rules (R-SPEC-4, R-SPEC-5): what the evidence says, in the depth that the issue needs, and nothing else. */
export function offlineSpecGenerator(): SpecGenerator {
  return {
    name: "offline",
    generate: async (input) => await Promise.resolve(write(input)),
  };
}

function write(input: SpecInput): SpecDraft {
  const say = specPhrases(input.issue.language);
  const facts = factsOf(input);
  const deep = (level: "L1" | "L2") => atLeastLevel(facts.level, level);
  const changelog = changesOf(input, facts, say);
  const tldr = tldrOf(facts, say);
  const sections = [
    head(input, facts, say),
    section("TL;DR", bullets(tldr)),
    section("Problem Statement", problemOf(facts, say)),
    section("Success Criteria", criteriaOf(facts, say)),
    deep("L1") ? section("Goals / Non-goals", goalsOf(facts, say)) : "",
    deep("L1") || facts.answered.length > 0 ? section("Decision Log", decisionsOf(facts, say)) : "",
    deep("L2") || facts.assumed.length > 0 ? section("Assumptions", assumptionsOf(facts, say)) : "",
    deep("L2") ? section("Design", designOf(input, facts, say)) : "",
    section("Implementation Plan", planTable(facts, say)),
    deep("L2") ? section("Test Plan", testsOf(facts, say)) : "",
    section("Changelog", previousChanges(input, changelog)),
  ];
  return {
    markdown: `${sections.filter((part) => part !== "").join("\n\n")}\n`,
    summary: summaryOf(facts, tldr, say),
    changelog,
    complexity: facts.level,
    complexityReason: reasonOf(facts, input, say),
  };
}

function head(input: SpecInput, facts: SpecFacts, say: Phrases): string {
  const { issue } = input;
  return [
    `# Spec: ${facts.title}`,
    "",
    "**Status:** Draft  ",
    `**Issue:** ${issue.url ?? issueName(issue)}  `,
    `**Last updated:** ${input.now.toISOString()}  `,
    `**Complexity:** ${facts.level} (${reasonOf(facts, input, say)})`,
    "",
    `_${say("drafted")}_`,
  ].join("\n");
}

function reasonOf(facts: SpecFacts, input: SpecInput, say: Phrases): string {
  if (input.complexityHint !== null) return say("reason_hint");
  const wide = new Set(facts.places.map((place) => place.path)).size > 1;
  switch (facts.kind) {
    case "bug":
    case "question":
      return say(wide ? "reason_bug_wide" : "reason_bug_small");
    case "docs":
      return say("reason_docs");
    case "feature":
    case "chore":
    case "performance":
      return say(wide ? "reason_feature_wide" : "reason_feature_small");
    default:
      return facts.kind satisfies never;
  }
}

function tldrOf(facts: SpecFacts, say: Phrases): string[] {
  const [place] = facts.places;
  const scenarios = scenariosOf(facts, say);
  const [assumption] = facts.assumed;
  const outcome = facts.known("expected") ?? facts.criteria[0] ?? facts.known("acceptance") ?? facts.gist;
  return [
    clause(plain(outcome || facts.title, 180)),
    place === undefined ? say("tldr_nowhere") : say("tldr_where", { place: at(place) }),
    ...facts.answered
      .slice(0, 3)
      .map(({ gap, note }) => say("tldr_decided", { text: clause(plain(note, 140)), number: gap.number })),
    ...(assumption ? [say("tldr_assumed", { text: clause(assumption.note), number: assumption.gap.number })] : []),
    say("tldr_check", {
      text: scenarios
        .map((scenario) => scenario.name)
        .slice(0, 3)
        .join("; "),
    }),
  ];
}

function problemOf(facts: SpecFacts, say: Phrases): string {
  const now = facts.known("actual") ?? facts.gist;
  const reproduction = facts.known("reproduction");
  const lines = [
    say(isRequest(facts) ? "problem_need" : "problem_now", { text: now || facts.title }),
    ...(facts.kind === "bug" || facts.kind === "performance"
      ? [reproduction === null ? null : say("problem_reproduce", { text: reproduction })]
      : []),
  ].filter((line): line is string => line !== null);
  const code = facts.places
    .slice(0, 3)
    .map((place) => `- ${place.synthesis} (\`${place.location}\`, Finding #${place.finding})`);
  return [...new Set(lines), ...(code.length > 0 ? [code.join("\n")] : [])].join("\n\n");
}

function criteriaOf(facts: SpecFacts, say: Phrases): string {
  const expected = outcomeOf(facts);
  const scenarios = scenariosOf(facts, say).map((scenario) =>
    [`#### Scenario: ${scenario.name}`, ...scenario.steps.map((step) => `- **${step.keyword}** ${step.text}`)].join(
      "\n",
    ),
  );
  const statement = say("shall", { text: expected || facts.title });
  return [`### Requirement: ${facts.title}`, statement, ...scenarios].join("\n\n");
}

function goalsOf(facts: SpecFacts, say: Phrases): string {
  const goals = facts.criteria.length > 0 ? facts.criteria.slice(0, 4) : [outcomeOf(facts)];
  const scope = facts.known("scope");
  return [
    "### Goals",
    bullets(goals),
    "### Non-goals",
    bullets([...(scope === null ? [] : [scope]), say(facts.places.length > 0 ? "goal_not_beyond" : "goal_not_else")]),
  ].join("\n");
}

function decisionsOf(facts: SpecFacts, say: Phrases): string {
  const [place] = facts.places;
  const rows = facts.answered.map(({ gap, note, author, seq }) => [
    clause(plain(note, 160)),
    seq === null || author === null
      ? `Gap #${gap.number}`
      : say("decision_context", { number: gap.number, login: author, seq }),
    say(gap.topic === "scope" || gap.topic === "compatibility" ? "consequence_scope" : "consequence_scenario"),
  ]);
  if (place) {
    rows.push([
      say("decision_place", { place: at(place) }),
      say("decision_place_why", { number: place.finding, text: place.synthesis }),
      say("consequence_place"),
    ]);
  }
  return table(["#", "Decision", "Context (Gap/Finding)", "Consequences"], numbered(rows));
}

function assumptionsOf(facts: SpecFacts, say: Phrases): string {
  const rows = facts.assumed.map(({ gap, note }) => [
    `${clause(note)} (Gap #${gap.number})`,
    gap.topic === null ? say("wrong_other") : say(`wrong_${gap.topic}`),
  ]);
  if (rows.length === 0) rows.push([say("goal_not_else"), say("wrong_scope")]);
  return table(["#", "Assumption", "If Wrong"], numbered(rows));
}

/** The code as it stands where the work begins. */
function designOf(input: SpecInput, facts: SpecFacts, say: Phrases): string {
  const parts = facts.places.slice(0, 3).map((place) => {
    const snippet = input.findings[place.finding - 1]?.sources[0]?.snippet ?? "";
    const fence = "`".repeat(Math.max(3, ...[...snippet.matchAll(/`+/g)].map((run) => run[0].length + 1)));
    return `- ${at(place)}${snippet === "" ? "" : `\n\n  ${fence}\n${snippet.replaceAll(/^/gm, "  ")}\n  ${fence}`}`;
  });
  return `### ${say("design_places")}\n\n${parts.length > 0 ? parts.join("\n") : `- ${say("tldr_nowhere")}`}`;
}

function planTable(facts: SpecFacts, say: Phrases): string {
  const rows = planOf(facts, say).map((task) => [
    task.text,
    task.touchPoints.length === 0 ? "-" : task.touchPoints.map((path) => `\`${path}\``).join(", "),
    task.doneWhen,
    task.blockedBy,
  ]);
  return table(["#", "Task", "Touch Points", "Done When", "Blocked By"], numbered(rows));
}

function testsOf(facts: SpecFacts, say: Phrases): string {
  const [message] = facts.messages;
  const near = facts.tests.map((test) => `\`${test.path}\``).join(", ");
  return [
    "### Unit Tests",
    ...scenariosOf(facts, say).map((scenario) => `- [ ] ${say("test_scenario", { text: scenario.name })}`),
    ...(near === "" ? [] : ["", "### Integration Tests", `- [ ] ${say("test_neighbour", { text: near })}`]),
    ...(message === undefined ? [] : ["", "### Failure-mode Tests", `- [ ] ${say("test_failure", { text: message })}`]),
  ].join("\n");
}

/** What this version changes over the one before, and who asked for it (R-SPEC-12). */
function changesOf(input: SpecInput, facts: SpecFacts, say: Phrases): string {
  if (input.existing === null) return "";
  const since = new Date(input.existing.ref.updated_at);
  const news = facts.answered.filter(({ gap }) => gap.closedAt !== null && gap.closedAt > since);
  const request = input.messages.findLast(
    (message) => message.role !== "self" && !message.isBot && message.timestamp > since,
  );
  const asked = input.messages.findLast(
    (message) =>
      message.role !== "self" &&
      !message.isBot &&
      message.timestamp > since &&
      plain(message.content) !== plain(input.proceedSignal),
  );
  const by = asked ?? request;
  if (by) return say("change_revised", { login: by.author, text: clause(plain(by.content, 160)) });
  return news.length > 0
    ? say("change_new_answers", { text: news.map(({ gap }) => `Gap #${gap.number}`).join(", ") })
    : "";
}

function previousChanges(input: SpecInput, changelog: string): string {
  if (input.existing === null) return "";
  const earlier = parseSpec(input.existing.content).changelog.map((entry) => entry.text);
  const day = input.now.toISOString().slice(0, 10);
  return bullets([...earlier, ...(changelog === "" ? [] : [`${day}: ${changelog}`])]);
}

/** 5 to 10 bullets (R-SPEC-8). */
function summaryOf(facts: SpecFacts, tldr: string[], say: Phrases): string[] {
  const tasks = planOf(facts, say);
  const more = [
    ...tasks.map((task) => task.text),
    say("tldr_plan", { count: tasks.length }),
    ...scenariosOf(facts, say).map((s) => s.name),
  ];
  const summary = [...new Set([...tldr, ...more])].slice(0, Math.max(5, Math.min(10, tldr.length + 2)));
  while (summary.length < 5) summary.push(facts.title);
  return summary;
}

function at(place: SpecFacts["places"][number]): string {
  return place.symbol === null ? `\`${place.location}\`` : `\`${place.location}\` (\`${place.symbol}\`)`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n\n${body}`;
}

function bullets(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

function numbered(rows: string[][]): string[][] {
  return rows.map((row, index) => [String(index + 1), ...row]);
}

function table(header: string[], rows: string[][]): string {
  return [tableLine(header), `|${header.map(() => "---").join("|")}|`, ...rows.map(tableLine)].join("\n");
}

function tableLine(cells: string[]): string {
  return `| ${cells.map(cell).join(" | ")} |`;
}
