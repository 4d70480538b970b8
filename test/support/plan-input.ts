/** The inputs of the two contracts, as tests vary them. */

export const NOW = new Date("2026-11-21T12:00:00.000Z");
export const clock = { now: () => NOW };

export const CONVENTIONS = {
  branch_prefix: { BUG: "fix", DOCS: "docs", FEATURE: "feature", CHORE: "chore" },
  test_commands: ["npm test"],
  lint_command: "npm run lint",
  build_command: "npm run build",
  style_guide: "standard",
};

export interface Varied {
  issue?: Record<string, unknown>;
  triage?: Record<string, unknown>;
  repository?: Record<string, unknown>;
  conventions?: Record<string, unknown>;
}

const ISSUE = {
  number: 42,
  title: "Fix typo in README installation section",
  body: "Line 15 has 'teh' instead of 'the'",
  author: { login: "johndoe" },
  created_at: "2025-12-02T10:00:00Z",
};

const REPOSITORY = {
  languages: ["TypeScript"],
  file_tree: ["README.md", "src/app/create-app.ts"],
  codeowners: { "*.md": ["@docs-team"] },
};

/** The contract's own example, a typo in a README, with what a test changes of it. */
export function planInput({ issue, triage, repository, conventions }: Varied = {}, more: Record<string, unknown> = {}) {
  return {
    issue: { ...ISSUE, ...issue },
    triage_result: {
      issue_number: 42,
      classification: "DOCS",
      risk: "LOW",
      affected_files: ["README.md"],
      auto_fix_decision: "YES",
      ...triage,
    },
    repository_context: { ...REPOSITORY, ...repository },
    conventions: { ...CONVENTIONS, ...conventions },
    ...more,
  };
}

export function triageInput({ issue, repository }: Varied = {}) {
  return { issue: { ...ISSUE, ...issue }, repository_context: { ...REPOSITORY, ...repository } };
}
