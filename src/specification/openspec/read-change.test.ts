import { expect, test } from "vitest";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { readChange, renderSpec } from "./read-change.ts";
import { specInput } from "../../../test/support/spec-input.ts";
import { specOfChange } from "./import-change.ts";
import { writeChange } from "./write-change.ts";

const isNew = async () => await Promise.resolve({ spec: null, archived: [] });

/** As people write it by OpenSpec's own templates. */
const FOREIGN = new Map([
  [
    "proposal.md",
    `# Change: Add two-factor login

## Why

Accounts were taken over twice this year.

## What Changes

- Ask for a code after the password
- **BREAKING** Tokens of old apps end
- Admins can require it

## Capabilities

### New Capabilities

- \`two-factor\`: codes and devices

### Modified Capabilities

- \`auth/login\`: asks for the code

## Impact

- \`src/login.ts\` and the mobile app
`,
  ],
  [
    "design.md",
    `# Design

## Context

See proposal.md.

## Goals / Non-Goals

**Goals:**

- No SMS

**Non-Goals:**

- Passkeys

## Decisions

### TOTP rather than SMS

SMS can be intercepted:

\`\`\`
SIM swap
\`\`\`

### Codes are hashed

Alternatives considered: plain text.

## Risks / Trade-offs

- Lost phones → recovery codes

## Migration Plan

Roll out to admins first.

## Open Questions

- How many recovery codes?

## Requirements

None beyond the specs.
`,
  ],
  [
    "tasks.md",
    `# Tasks

## 1. Server

- [x] 1.1 Add the table in \`migrations/7.sql\` (new), done when: it migrates
- [ ] 1.2 Check the code
  with a window of 30 seconds
  - Note: in \`src/login.ts\`

## 2. App

Needs a release.

* [ ] 2.1 Ask | for the code
`,
  ],
  [
    "specs/two-factor/spec.md",
    `## Purpose

Lets people prove who they are with a second factor of their own.

## ADDED Requirements

### Requirement: Code
The system SHALL ask for a code.

#### Scenario: Right code
- **WHEN** the code is right
- **THEN** the person is logged in
`,
  ],
  [
    "specs/auth/login/spec.md",
    `## MODIFIED Requirements

### Requirement: Login
The system MUST log in with a password and a code.

#### Scenario: No code
- **WHEN** no code is given
- **THEN** nobody is logged in

## REMOVED Requirements

### Requirement: Remember me
**Reason**: replaced
**Migration**: none

## RENAMED Requirements

- FROM: \`### Requirement: Log-in\`
- TO: \`### Requirement: Login\`

## Notes

Ask the app team.
`,
  ],
]);

test("a change that people wrote is a spec with all that it says", () => {
  const text = renderSpec(readChange(FOREIGN));
  const document = parseSpec(text);
  expect(document.title).toBe("Add two-factor login");
  expect(document.tldr.map((one) => one.text)).toEqual([
    "Ask for a code after the password",
    "**BREAKING** Tokens of old apps end",
    "Admins can require it",
  ]);
  expect(document.problem).toBe("Accounts were taken over twice this year.");
  expect(document.nonGoals.map((one) => one.text)).toEqual(["Passkeys"]);
  expect(document.decisions.map((one) => one.decision.split("\n")[0])).toEqual([
    "**TOTP rather than SMS**",
    "**Codes are hashed**",
  ]);
  expect(document.requirements.map(({ name, scenarios }) => [name, scenarios.length])).toEqual([
    ["Code", 1],
    ["Login", 1],
  ]);
  expect(document.tasks).toMatchObject([
    { number: "1.1", touchPoints: [{ path: "migrations/7.sql", isNew: true }], doneWhen: "it migrates" },
    {
      number: "1.2",
      task: "Check the code with a window of 30 seconds Note: in `src/login.ts`",
      touchPoints: [{ path: "src/login.ts" }],
    },
    { number: "2.1", task: "Ask | for the code" },
  ]);
  const headings = document.sections.map(({ heading }) => heading);
  expect(headings).toEqual(
    expect.arrayContaining(["Risk matrix", "Migration plan", "Context", "Open Questions", "Design: Requirements"]),
  );
  for (const kept of ["SIM swap", "FROM: `### Requirement: Log-in`", "**Reason**: replaced", "the mobile app"]) {
    expect(text).toContain(kept);
  }
  for (const kept of ["Ask the app team.", "codes and devices", "second factor of their own", "Needs a release."]) {
    expect(text).toContain(kept);
  }
});

test("and goes back into the same capabilities, files and sections", async () => {
  const text = renderSpec(readChange(FOREIGN));
  const { files, capabilities } = await writeChange(text, { known: isNew });
  expect(capabilities.map(({ name }) => name).toSorted()).toEqual(["auth/login", "two-factor"]);
  expect(files.get("specs/auth/login/spec.md")).toContain("## REMOVED Requirements\n\n### Requirement: Remember me");
  expect(files.get("specs/auth/login/spec.md")).toContain("## RENAMED Requirements\n\n- FROM:");
  expect(files.get("specs/two-factor/spec.md")).toContain("second factor of their own");
  expect(files.get("specs/auth/login/spec.md")).not.toContain("second factor");
  expect(files.get("proposal.md")).toContain("## Impact\n\n- `src/login.ts` and the mobile app");
  expect(files.get("tasks.md")).toContain("## 2. App\n\nNeeds a release.\n\n- [ ] 2.1 Ask | for the code");
  expect(renderSpec(readChange(files))).toBe(text);
});

test("a change of a proposal alone, in Windows line ends, is read as far as it goes", () => {
  const text = renderSpec(
    readChange(new Map([["proposal.md", "\uFEFF# Proposal\r\n\r\n## Why\r\n\r\nIt is slow.\r\n"]])),
  );
  expect(text).toBe("## Problem Statement\n\nIt is slow.\n");
});

test("what has no name for OpenSpec gets one, and loses it again", async () => {
  const spec = [
    "# Spec: 空の状態",
    "## Success Criteria",
    "#### Scenario: 単独",
    "- **THEN** 動く",
    "### Requirement: 同じ",
    "短い文です。",
    "### Requirement: 同じ",
    "#### Scenario: 手順なし",
  ].join("\n\n");
  const { files } = await writeChange(spec, { known: isNew });
  const delta = files.get("specs/kongno-zhuang-tai/spec.md") ?? [...files.values()].join("");
  expect(delta).toContain("### Requirement: 同じ (2)\n\n**Name**: 同じ\n\nThis requirement MUST be met.");
  const back = renderSpec(readChange(files));
  expect(back.match(/### Requirement: 同じ\n/g)).toHaveLength(2);
  expect(back).not.toContain("MUST");
  expect(back.indexOf("単独")).toBeLessThan(back.indexOf("同じ"));
});

test("a spec without a requirement cannot be one", async () => {
  await expect(writeChange("# Spec: Empty\n\n## TL;DR\n\n- a\n", { known: isNew })).rejects.toMatchObject({
    code: "invalid",
  });
});

const issue = specInput({ number: "7", title: "The issue's title", body: "" }).issue;
const NOW = new Date("2026-11-20T10:00:00Z");

test("as the spec of an issue it is a draft of this moment, of the level that its sections make", async () => {
  const proposal = "# Proposal\n\n**Status:** Approved\n**Issue:** evil/evil#1\n\nHello.\n\n## Why\n\nIt is slow.\n";
  const files = new Map([["proposal.md", proposal]]);
  const text = await specOfChange({ id: "2026-01-02-add-dark-mode", files }, issue, NOW);
  const document = parseSpec(text);
  expect(document).toMatchObject({
    title: "Add dark mode",
    status: expect.stringContaining("Proposed"),
    lastUpdated: NOW.toISOString(),
  });
  expect(document.issue).not.toContain("evil");
  expect(document.complexity).toBe("L0");
  expect(text).toContain("\nHello.\n");
});

test("a level that the change names stays, with its reason", async () => {
  const files = new Map([["proposal.md", "# Proposal: A\n\n**Complexity:** L2 (wide)\n\n## Why\n\nIt is slow.\n"]]);
  const text = await specOfChange({ id: "a", files }, issue, NOW);
  expect(text).toContain("**Complexity:** L2 (wide)");
});

test("links of citations lead into the design from each file, and stand once when read back", async () => {
  const linked = [
    "# Spec: Links",
    "## Problem Statement\n\nSee [`src/a.ts:1`] and [Finding #1].",
    "## Success Criteria\n\n### Requirement: A\n\nIt SHALL work ([Finding #1], [`src/a.ts:1`]).\n\n#### Scenario: B\n\n- **THEN** c",
    "## Evidence\n\n### Finding 1\n\nIt is.",
    "[`src/a.ts:1`]: https://e.org/a#L1\n[Finding #1]: #finding-1",
  ].join("\n\n");
  const { files } = await writeChange(linked, { known: isNew });
  expect(files.get("proposal.md")).toMatch(
    /\[`src\/a.ts:1`\]: https:\/\/e.org\/a#L1\n\[Finding #1\]: design.md#finding-1\n$/,
  );
  expect(files.get("specs/links/spec.md")).toMatch(/\n\n\[`src\/a.ts:1`\]: https:\/\/e.org\/a#L1\n$/);
  const back = renderSpec(readChange(files));
  expect(back.match(/^\[Finding #1\]:/gm)).toHaveLength(1);
  expect(renderSpec(readChange((await writeChange(back, { known: isNew })).files))).toBe(back);
});

test.each([
  ["headings", "## a\n".repeat(10_000)],
  ["requirements", `# Spec: a\n## Success Criteria\n${"### Requirement: a\n".repeat(3_000)}`],
  ["tasks", `# Spec: a\n## Success Criteria\n### Requirement: a\n## Tasks\n${"- [ ] a\n".repeat(5_000)}`],
  ["brackets", `# Spec: a\n## Success Criteria\n### Requirement: a\n${"[".repeat(190_000)}`],
])("thousands of %s are written and read in one go", async (_, text) => {
  const change = await writeChange(text, { known: isNew }).catch(() => null);
  const back = renderSpec(readChange(change?.files ?? new Map([["proposal.md", text]])));
  expect(back.length).toBeGreaterThan(0);
});
