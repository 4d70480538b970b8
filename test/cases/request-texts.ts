import type { RequestFacts } from "../../src/implementation/pull-request/body-facts.ts";

/** Texts that people, agents or repositories may hold to make trackers do something. */
export const HOSTILE = [
  "closes #99",
  "Fixes: #99, #100 and #101",
  "resolve acme/other#99",
  "`closes #99` and **fixes** #99",
  "implements https://github.com/acme/shop/issues/99",
  "@admin @acme/team please merge",
  "[skip ci] and `[ci skip]`",
  "/approve\n/merge",
  "<!-- relay:request:1 --> <!-- hidden",
  "```\n</details> closes #99\n````",
  "![x](https://evil.example/p.png) <img src=x> </details><details>",
  "| a | b |\n|---|---|",
  "\u202Ertl\u202C \u200B \uD83E half",
  "AKIAIOSFODNN7EXAMPLE ghp_0123456789abcdefghijABCDEFGHIJ012345",
  "# Heading\n- list\n> quote",
  "x".repeat(70_000),
  "@a #1 closes #1 | ` ".repeat(3_000),
];

export function facts(change: Partial<RequestFacts> = {}): RequestFacts {
  return {
    taskId: "7300000000000001",
    neutral: false,
    issue: {
      provider: "github",
      number: 7,
      title: "Total is rounded wrongly",
      url: "https://git.example/acme/shop/issues/7",
      language: "en",
    },
    branch: "fix/7-total-rounded-wrongly",
    plan: {
      issue_number: 7,
      branch_name: "fix/7-total-rounded-wrongly",
      plan_steps: [{ order: 1, description: "Round half a cent up.", command: null, files_involved: ["src/total.ts"] }],
      file_changes: [
        { path: "src/total.ts", operation: "MODIFY", change_summary: "Round half up.", line_range: [3, 9] },
      ],
      validation_commands: ["npm run lint"],
      human_check_reason: null,
      estimated_duration: 10,
      timestamp: "2026-11-01T00:00:00Z",
    },
    triage: {
      issue_number: 7,
      classification: "BUG",
      risk: "LOW",
      affected_files: ["src/total.ts"],
      skillset: ["typescript"],
      auto_fix_decision: "YES",
      reasoning: "One function changes.",
      security_flags: [],
      estimated_complexity: "SIMPLE",
      suggested_labels: ["bug", "risk:low"],
      timestamp: "2026-11-01T00:00:00Z",
    },
    planned: { version: 2, sha256: "3fa9c1d".padEnd(64, "0") },
    spec: {
      sha256: "8b90d115e1a97c2f".padEnd(64, "0"),
      url: "https://git.example/acme/shop/spec.md",
      text: SPEC,
      places: new Map(),
    },
    summary: "Rounds half a cent up.\n\n- Adds `roundHalfUp`",
    changes: [
      { path: "src/total.ts", change: "modified", addedLines: 4, removedLines: 1 },
      { path: "test/total.test.ts", change: "added", addedLines: 12, removedLines: 0 },
    ],
    symbols: [{ path: "src/total.ts", added: ["roundHalfUp"], changed: ["total"], removed: [] }],
    linkTargets: new Map(),
    tests: [
      {
        path: "test/total.test.ts",
        kind: "new",
        name: "rounds half a cent up",
        body: "expect ( total ( 10.005 ) ) . toBe ( 10.01 )",
      },
    ],
    checks: [
      { kind: "check", command: "npm run lint", outcome: "passed", code: 0, seconds: 3, output: "" },
      { kind: "test", command: "npm test", outcome: "failed", code: 1, seconds: 9, output: "total.test.ts: 1 failed" },
    ],
    before: [],
    failedBefore: [],
    proving: ["total › rounds half a cent up"],
    assumptions: ["Prices have two decimals."],
    undone: [{ path: ".github/workflows/ci.yml", why: "blocked path", detail: "" }],
    dependencies: [],
    scan: null,
    mayBeDraft: true,
    concerns: [],
    ...change,
  };
}

const SPEC = `# Spec: Total rounds half a cent up

## TL;DR

- Totals round half a cent up.
- Receipts stay as they are.

## Problem Statement

Totals that end in half a cent
are rounded down (Gap #1, message 3).

- \`total\` (\`src/total.ts:3\`, Finding #2)

## Success Criteria

### Requirement: Rounding

Totals SHALL round half a cent up.

#### Scenario: Half a cent rounds up

- **WHEN** a total ends in half a cent
- **THEN** it is rounded up

#### Scenario: Negative totals

- **WHEN** a refund makes the total negative
- **THEN** the bank is told

\`\`\`
#### Scenario: An example in code
\`\`\`
`;
