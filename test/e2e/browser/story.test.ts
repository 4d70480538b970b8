import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { parseIssueFile } from "../../../src/adapters/trackers/issue-file/parse.ts";
import { readAnswers } from "../../../src/cli/answers-file.ts";
import { EXAMPLES } from "../cli-harness.ts";
import { BROWSER, LOOKS, PATIENT, faultsOf, openBrowser, openTab, serveAlone } from "./browser-fixture.ts";

test.skipIf(BROWSER === null)("from a new issue to the merged request, by clicks alone (R-SAFE-4)", async () => {
  const link = await serveAlone();
  const { title, body } = parseIssueFile(await readFile(join(EXAMPLES, "issue.md")), "issue.md");
  const { page, wrongs } = await openTab(await openBrowser(), link);

  await page.goto(new URL("/try", link).href);
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("What is wrong").fill(body);
  await page.getByRole("button", { name: "Open the issue" }).click();
  const { byKey } = await readAnswers(join(EXAMPLES, "answers.yaml"));
  await page.getByRole("button", { name: /^Go ahead without/ }).waitFor(PATIENT);
  await page
    .getByLabel("Comment", { exact: true })
    .fill([...byKey.values()].map((text, n) => `${n + 1}. ${text}`).join("\n\n"));
  await page.getByRole("button", { name: "Comment" }).click();
  await page.getByRole("button", { name: "Go ahead", exact: true }).click(PATIENT);
  await page.getByRole("button", { name: /^Agree to plan/ }).click(PATIENT);
  await page.getByRole("link", { name: "Review request" }).click(PATIENT);
  await page.getByRole("button", { name: "Mark as merged" }).click(PATIENT);
  await page
    .locator("aside")
    .getByText(/merged/)
    .first()
    .waitFor(PATIENT);

  expect(await faultsInAllLooks(page, [...PAGES, ...partsOf(page)])).toEqual([]);
  expect(wrongs).toEqual([]);
});

/** Texts of strangers that would do something where a page took them for its own. */
const HOSTILE = [
  "<script>document.title='hit'</script>",
  "<img src=x onerror=document.title='hit'>",
  "<svg onload=document.title='hit'>",
  "</title></textarea></style></noscript><script>document.title='hit'</script>",
  "\"><img src=x onerror=document.title='hit'>",
  "<style>body{display:none}</style>",
  "[click](javascript:document.title='hit') <javascript:document.title='hit'>",
  "![pixel](https://tracker.invalid/pixel.png) <iframe src=https://tracker.invalid></iframe>",
  "<form action=https://tracker.invalid><button>Agree to the plan</button></form>",
  "{{constructor.constructor('document.title=1')()}} ${document.title='hit'}",
  "\u202Eevil\u2066 \u0007\u001B[2J",
  "x".repeat(20_000),
  "| a | b |\n|---|---|\n" + "| y | z |\n".repeat(300),
  `${"> ".repeat(200)}deep`,
  Array.from({ length: 60 }, (_, depth) => `${"  ".repeat(depth)}- level ${depth}`).join("\n"),
];

test.skipIf(BROWSER === null)("what strangers write neither runs nor breaks a page (R-SAFE-4)", async () => {
  const link = await serveAlone();
  const { page, wrongs } = await openTab(await openBrowser(), link);
  await page.goto(new URL("/try", link).href);
  await page.getByLabel("Title").fill(HOSTILE.slice(0, 3).join(" ").slice(0, 240));
  await page.getByLabel("What is wrong").fill(`${HOSTILE.join("\n\n")}\n\n\`src/export/period.js\``);
  await page.getByRole("button", { name: "Open the issue" }).click();
  await page
    .getByRole("button", { name: /^Go ahead/ })
    .first()
    .waitFor(PATIENT);
  for (const text of HOSTILE) {
    await page.getByLabel("Comment", { exact: true }).fill(text);
    await page.getByRole("button", { name: "Comment" }).click();
  }
  await page
    .getByRole("button", { name: /^Go ahead/ })
    .first()
    .click(PATIENT);
  await page.getByRole("button", { name: /^Agree to plan/ }).waitFor(PATIENT);

  expect(await faultsInAllLooks(page, ["/", "/issues", "/issues?q=%3Cscript%3E", ...partsOf(page)])).toEqual([]);
  expect(await page.title()).not.toBe("hit");
  expect(wrongs).toEqual([]);
});

const PAGES = ["/", "/issues", "/queue", "/costs", "/learnings", "/health", "/tokens", "/try"];

function partsOf(page: Page): string[] {
  const address = new URL(page.url()).pathname;
  return ["story", "spec", "plan", "run", "changes", "evidence", "cost"].map((part) => `${address}?part=${part}`);
}

/** What is wrong with these pages in light, dark and on a phone. */
async function faultsInAllLooks(page: Page, paths: string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [look, { width, scheme }] of Object.entries(LOOKS)) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    for (const path of paths) {
      await page.goto(new URL(path, page.url()).href);
      faults.push(...(await faultsOf(page)).map((fault) => `${path}, ${look}: ${fault}`));
    }
  }
  return faults;
}
