import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseIssueFile } from "../../../src/adapters/trackers/issue-file/parse.ts";
import { startMockModel } from "../../mock-model/server.ts";
import { STORY } from "../../support/sample-story.ts";
import { EXAMPLES } from "../cli-harness.ts";
import { BROWSER, PATIENT, faultsOf, openBrowser, openTab, serveAlone } from "./browser-fixture.ts";

test.skipIf(BROWSER === null)(
  "with a model: from a new issue to the open request, and what the calls cost",
  async () => {
    const model = await startMockModel();
    onTestFinished(async () => await model.close());
    model.script(STORY, { forever: true });
    const link = await serveAlone({
      RELAY_MODEL: "openai-compatible/m",
      RELAY_MODEL_BASE_URL: model.url("openai-compatible"),
    });
    const { title, body } = parseIssueFile(await readFile(join(EXAMPLES, "issue.md")), "issue.md");
    const { page, wrongs } = await openTab(await openBrowser(), link);
    await page.goto(new URL("/try", link).href);
    await page.getByLabel("Title").fill(title);
    await page.getByLabel("What is wrong").fill(body);
    await page.getByRole("button", { name: "Open the issue" }).click();
    await page.getByText("Nothing is open. Shall I write the spec?").waitFor(PATIENT);
    await page.getByRole("button", { name: "Go ahead", exact: true }).click(PATIENT);
    await page.getByRole("button", { name: /^Agree to plan/ }).click(PATIENT);
    await page.getByRole("link", { name: "Review request" }).waitFor(PATIENT);

    const address = page.url();
    await page.goto(`${address.replace(/[?#].*$/, "")}?part=cost`);
    await page.locator(".calls a").first().click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("openai-compatible/m");
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(new URL("/costs", link).href);
    expect(await page.locator("#times-all").count()).toBe(1);
    expect(await faultsOf(page)).toEqual([]);
    expect(wrongs).toEqual([]);
  },
);
