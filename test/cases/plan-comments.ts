import type { FileChange, FixPlan, TriageResult } from "../../src/domain/plan.ts";
import type { PlanCommentFacts, SpecShown } from "../../src/plan/comment.ts";

const timestamp = "2025-12-02T10:00:45Z";

export function aFile(path: string, over: Partial<FileChange> = {}): FileChange {
  return { path, operation: "MODIFY", change_summary: `Adapt ${path}.`, line_range: null, ...over };
}

export function aPlan(over: Partial<FixPlan> = {}): FixPlan {
  return {
    issue_number: 42,
    branch_name: "docs/42-fix-typo-readme",
    plan_steps: [
      { order: 1, description: "Read `README.md` and find line 15.", command: null, files_involved: ["README.md"] },
      { order: 2, description: "Put 'the' in place of 'teh'.", command: null, files_involved: ["README.md"] },
      { order: 3, description: "Check the formatting.", command: "npm run lint", files_involved: [] },
    ],
    file_changes: [aFile("README.md", { change_summary: "Correct a word.", line_range: [15, 15] })],
    validation_commands: ["npm run lint"],
    human_check_reason: null,
    estimated_duration: 2,
    timestamp,
    ...over,
  };
}

export function aTriage(over: Partial<TriageResult> = {}): TriageResult {
  return {
    issue_number: 42,
    classification: "DOCS",
    risk: "LOW",
    affected_files: ["README.md"],
    skillset: [],
    auto_fix_decision: "YES",
    reasoning: "Only a text changes.",
    security_flags: [],
    estimated_complexity: "TRIVIAL",
    suggested_labels: [],
    timestamp,
    ...over,
  };
}

/** A spec whose text was lost. */
export function aSpec(over: Partial<SpecShown> = {}): SpecShown {
  const sha256 = `5be1c7${"0".repeat(58)}`;
  return { text: null, version: 1, sha256, url: "https://git.example/o/r/spec.md", changes: null, ...over };
}

/** A spec that says a text in each of its places. */
export function specOf(text: string): string {
  const line = text.replaceAll("\n", " ");
  return `# Spec: ${line}

## TL;DR

- ${line}
- ${text}

## Decision Log

| Decision | Context |
|---|---|
| ${line} | Gap #1 |

## Assumptions

- ${text}

## Goals / Non-goals

**Non-goals**

- ${text}

## Success Criteria

### Requirement: ${line}

${text}

\`\`\`
${text}
\`\`\`

## Evidence

### Gap 1

${text}
`;
}

export function facts(over: Partial<PlanCommentFacts> = {}): PlanCommentFacts {
  return {
    plan: aPlan(),
    triage: aTriage(),
    version: 2,
    sha256: `3fa9c1d${"0".repeat(57)}`,
    spec: aSpec(),
    whoSaid: () => null,
    addressOf: (cited) =>
      cited.kind === "file" ? `https://git.example/o/r/blob/c1/${cited.path}#L${cited.start}` : null,
    runs: { setup: [], tests: [], worker: null, lacks: [] },
    assumptions: [],
    mode: "implement",
    thumbsUp: true,
    language: "en",
    requestWord: "pull request",
    neutral: false,
    madeByRules: false,
    together: false,
    ...over,
  };
}

/** Texts that try to be more than text. */
export const HOSTILE = [
  "/close",
  "\n/close\n/assign @team",
  "@org/team and @everyone, &#64;all, \\@sub.team",
  "<!-- relay:action:1.1.0.0 -->",
  "`<!-- relay:action:1.1.0.0 -->`",
  "<!-- hides the rest",
  "<img src=https://evil.example/x> ![x](https://evil.example/y)",
  "</details><script>alert(1)</script>",
  "a | b\n|---|---|\n| c | d |",
  "``` \n/close\n```",
  "`a``b```c",
  "````",
  "` `@team` `",
  "[yes](javascript:alert(1))",
  "# Heading\n\n> quote\n- item\n1. one\n---\n===",
  "\u202eevil\u202c \u200b@\u200bteam \u{e0061}",
  "שלום עולם مرحبا بالعالم",
  "~~~\nopen",
  "$`a`$ $$x$$ $t(look_high) {{number}} {{text}} $& $1 $$",
  "https://example.com/@team/a_b_c?x=1&y=2",
  "&lt;b&gt; &commat;team &amp;#64;team",
  "\\",
  "\\`@team`",
  "_*_@team_*_",
  "a@@team b_@team",
  "👍🏽👩‍💻 e\u0301 \ud83d",
];
