import type { FileChange, FixPlan, TriageResult } from "../../src/domain/plan.ts";
import type { PlanCommentFacts } from "../../src/plan/comment.ts";

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

export function facts(over: Partial<PlanCommentFacts> = {}): PlanCommentFacts {
  return {
    plan: aPlan(),
    triage: aTriage(),
    version: 2,
    sha256: `3fa9c1d${"0".repeat(57)}`,
    spec: { path: "relay_specs/issue_7/spec.md", url: "https://git.example/o/r/spec.md" },
    assumptions: [],
    mode: "implement",
    thumbsUp: true,
    language: "en",
    neutral: false,
    madeByRules: false,
    together: null,
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
