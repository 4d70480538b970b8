import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type Page, chromium } from "playwright-core";
import { expect, onTestFailed, onTestFinished } from "vitest";
import { z } from "zod";
import { EXAMPLES, startRelay } from "../cli-harness.ts";
import { newSetUpDesk } from "../configured-desk.ts";

/** A browser of this machine; without one the tests say that they were left out. */
export const BROWSER =
  [
    process.env["RELAY_TEST_BROWSER"] ?? "",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ].find((path) => path !== "" && existsSync(path)) ?? null;

/** How people look at pages. */
export const LOOKS = {
  light: { width: 1280, scheme: "light" },
  dark: { width: 1280, scheme: "dark" },
  phone: { width: 390, scheme: "light" },
} as const;

export interface Tab {
  page: Page;
  /** What the page did wrong: errors, refused scripts, calls to other hosts, dialogs. */
  wrongs: string[];
}

export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
  onTestFinished(async () => await browser.close());
  return browser;
}

/** A new tab of somebody who follows this link. */
export async function openTab(browser: Browser, link: string): Promise<Tab> {
  const page = await browser.newPage();
  const wrongs: string[] = [];
  const { origin } = new URL(link);
  page.on("console", (message) => void (message.type() === "error" && wrongs.push(message.text())));
  page.on("pageerror", (error) => void wrongs.push(String(error)));
  page.on("dialog", (dialog) => {
    // What decides something asks first; nothing else may open one.
    const asks =
      dialog.type() === "confirm" && /^(?:Go ahead|Agree to plan \d+|Stop|Try again)[^?]*\?$/.test(dialog.message());
    if (!asks) wrongs.push(`dialog: ${dialog.message()}`);
    void (asks ? dialog.accept() : dialog.dismiss());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:"))
      wrongs.push(`asked ${request.url()}`);
  });
  await page.goto(link);
  return { page, wrongs };
}

const found = z.array(z.object({ id: z.string(), nodes: z.array(z.string()) }));

/** What axe-core finds on the page, and whether it is wider than its window. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = found.parse(
    await page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })))`,
    ),
  );
  const faults = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).join(" ")}`);
  const over = z
    .number()
    .parse(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"));
  return over > 0 ? [...faults, `${over} px wider than the window`] : faults;
}

const announcement = z.object({ login: z.string() });
export const PATIENT = { timeout: 120_000 };

/** The sample's patch, as a coding agent would make it. */
const AGENT = `
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
execFileSync("git", ["apply", process.argv[2]]);
writeFileSync(".relay-task/done.md", "The days are exported as printed.");
console.log("Mended the export.");
`;

/** \`relay serve\` in the sample's repository without credentials, as somebody who tries it alone starts it. */
export async function serveAlone(env: Record<string, string> = {}): Promise<string> {
  const desk = await newSetUpDesk();
  const agent = join(desk.folder, "agent.mjs");
  await writeFile(agent, AGENT);
  const command = [process.execPath, agent, join(EXAMPLES, "fix.patch")];
  const config = join(desk.folder, "relay.yaml");
  await writeFile(config, JSON.stringify({ mode: "implement", work: { agent: "command", command, sandbox: "none" } }));
  const { child, said, ended } = startRelay(
    { ...desk, folder: desk.repository },
    ["serve", "--port", "0", "--json", "--config", config],
    { env: { BOT_IDLE_MINUTES: "0", ...env } },
  );
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  onTestFailed(() => console.error(said.err.slice(-4_000)));
  await expect.poll(() => said.out, { ...PATIENT, message: said.err }).toContain("\n");
  return announcement.parse(JSON.parse(said.out)).login;
}
