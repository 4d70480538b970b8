import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type Page, chromium } from "playwright-core";
import { onTestFinished } from "vitest";
import { z } from "zod";

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
