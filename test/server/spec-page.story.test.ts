import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { addFinding } from "../../src/storage/findings.ts";
import { findIssue } from "../../src/storage/issues.ts";
import { addSpecVersion, latestSpec } from "../../src/storage/specs.ts";
import { openDashboard } from "../support/dashboard.ts";
import { openPlanning, planned } from "../support/planning-relay.ts";
import type { Life } from "../support/relay.ts";

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)> "quoted" 'too' </title></main> \u202Egnp`;

/** The pages of an issue whose newest spec has this text. */
async function withSpec(text: string, prepare: (life: Life, issueId: string) => Promise<void> = async () => {}) {
  const life = await openPlanning();
  const issue = await findIssue(life.db, await planned(life));
  if (issue === null) throw new Error("there is no issue");
  await prepare(life, issue.id);
  const before = await latestSpec(life.db, issue.id);
  if (before === null) throw new Error("there is no spec");
  await addSpecVersion(
    life.db,
    issue.id,
    {
      ...before,
      ref: { ...before.ref, sha256: createHash("sha256").update(text).digest("hex") },
      content: text,
      validationStatus: "partial",
      changelog: `because ${HOSTILE}`,
      metadata: {},
      commit: "c0ffee".padEnd(40, "0"),
      read: { text: "", messages: {} },
    },
    life,
  );
  const { get, logIn } = await openDashboard(life);
  const session = await logIn();
  const read = async (query: string) => await (await get(`/issues/local/shop/1${query}`, session)).text();
  return { ...life, issue, get, session, read };
}

const SPEC = `# Spec: Totals

**Status:** Proposed

## TL;DR

- Totals are rounded once (Gap #1, message 1).

## Decision Log

| Decision | Context | Consequences |
| --- | --- | --- |
| Round at the end | Finding #99 | none |

## Assumptions

- Prices have two digits (\`src/sum.ts:1\`)

## Evidence

### Gap 1

What Relay wrote down.

[\`src/sum.ts:1\`]: https://host.example/blob/c0ffee/src/sum.ts#L1
`;

describe("a spec on the page", () => {
  test("leads from each citation to its source: code at its commit, the answer, the message; also without a script", async () => {
    const { read } = await withSpec(SPEC, async (life, id) => {
      const sources = [{ location: "src/sum.ts:1-2", snippet: "export const total = 1;" }];
      await addFinding(life.db, id, { synthesis: "Totals are summed here.", sources, commit: "abc123" }, life);
    });
    const page = await read("?part=spec");
    for (const id of ["source-gap-1", "source-message-1", "source-finding-99", "source-place-1"]) {
      expect([id, page.split(`href="#${id}"`).length - 1, page.split(`id="${id}"`).length - 1]).toEqual([id, 1, 1]);
    }
    expect(page).toContain("export const total = 1;");
    expect(page).toContain("https://host.example/blob/c0ffee/src/sum.ts#L1");
    expect(page).toContain("It is not on record any more.");
    expect(page).toContain("?message=1#message-1");
    expect(page).not.toContain("What Relay wrote down.");
  });

  test("tells for which commit it is, what is not valid, and what was decided and assumed, in words and marks", async () => {
    const { read } = await withSpec(SPEC);
    const page = await read("?part=spec");
    expect(page).toContain("for commit <code>c0ffee0000</code>");
    expect(page).toContain("▲ partly valid");
    expect(page).toMatch(/line \d+: .*TL;DR|line \d+: .*problem/i);
    expect(page).toContain('<section class="decided" id="decided">');
    expect(page).toContain('<section class="assumed" id="assumed">');
    expect(page).toContain("1 decided");
    expect(page).toContain("1 assumed");
  });

  test("compares versions by what people decide on, and gives the text as it is stored", async () => {
    const { read, get, session } = await withSpec(SPEC);
    const changes = await read("?part=spec&version=2&against=1");
    expect(changes).toContain("+ decision added");
    expect(changes).toContain("Round at the end");
    expect(changes).toMatch(/[−-] requirement removed/);
    expect(await read("?part=spec&version=1")).toContain("version 2 is newer");
    const raw = await get("/issues/local/shop/1/spec.md?version=2&download=1", session);
    expect(await raw.text()).toBe(SPEC);
    expect(raw.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(raw.headers.get("content-disposition")).toBe('attachment; filename="spec-1-v2.md"');
    expect((await get("/issues/local/shop/2/spec.md", session)).status).toBe(404);
  });

  test.each([
    ["script", `# Spec\n\n## Decision Log\n\n${HOSTILE}\n\n- [x](javascript:alert(1)) (Gap #1)\n`],
    [
      "links",
      `# Spec\n\n[Gap #1](javascript:alert(1)) \`<b>:1\` ![p](https://evil.example/p.png)\n\n## "><script>alert(1)</script>\n`,
    ],
    ["a long line", `# Spec\n\n## TL;DR\n\n- ${"x".repeat(190_000)}\n`],
    ["brackets", `# Spec\n\n${"[".repeat(5_000)}Gap #1${"]".repeat(5_000)}\n`],
    ["unclosed", "# Spec\n\n<details><summary>a\n\n## Assumptions\n\n```js\n## not closed (Gap #1)\n"],
    ["numbers", "# Spec\n\nmessage 99999999999999999999, Gap #0, finding 12345678901234567890, `a/b.ts:9999999`\n"],
  ])("runs nothing of a hostile text and shows it whole: %s", async (_, text) => {
    const { get, session } = await withSpec(text);
    for (const path of ["?part=spec", "?part=spec&version=2&against=1", "?part=spec&version=1&against=2"]) {
      const answer = await get(`/issues/local/shop/1${path}`, session);
      const page = await answer.text();
      expect([path, answer.status]).toEqual([path, 200]);
      expect(page).not.toMatch(/<script>alert|<img|href="javascript|<[^>]* onerror=/);
      expect(page.match(/<\/main>/g)).toHaveLength(1);
      expect(page.match(/<aside/g)).toHaveLength(1);
    }
  });
});
