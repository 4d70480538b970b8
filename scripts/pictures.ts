// Takes the pictures of the docs anew: `npm run pictures`. It plays the sample, serves it, and looks at it in a browser.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Page, chromium } from "playwright-core";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const RELAY = join(ROOT, "bin/relay.js");
const FOLDER = join(ROOT, "docs/pictures");
const BROWSER = process.env["RELAY_TEST_BROWSER"] ?? "/usr/bin/chromium";
const WINDOW = { width: 1160, height: 800 };

const folder = mkdtempSync(join(tmpdir(), "relay-pictures-"));
const home = { RELAY_HOME: join(folder, "demo/.relay"), RELAY_SPEC_ROOT: join(folder, "demo/relay_specs") };
try {
  const { status } = spawnSync(process.execPath, [RELAY, "demo", "--dir", join(folder, "demo")], { stdio: "inherit" });
  if (status !== 0) throw new Error("the sample's story did not end well");
  mkdirSync(FOLDER, { recursive: true });
  await takeAll();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}

async function takeAll(): Promise<void> {
  const server = spawn(process.execPath, [RELAY, "serve", "--port", "0", "--json"], {
    cwd: folder,
    env: { ...process.env, ...home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.on("close", resolve));
  const browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  try {
    const said = await new Promise<Buffer>((resolve) => server.stdout.once("data", resolve));
    const { login } = z.object({ login: z.string() }).parse(JSON.parse(said.toString("utf8")));
    const page = await browser.newPage({ viewport: WINDOW, colorScheme: "light" });
    await page.goto(login);
    await page.goto(new URL("/issues", login).href);
    await page
      .getByRole("link", { name: /October export/ })
      .first()
      .click();
    const issue = page.url().replace(/[?#].*$/, "");
    await take(page, `${issue}?part=story`, { name: "thread", from: "Before I write the spec" });
    await take(page, `${issue}?part=changes`, { name: "changes" });
  } finally {
    await browser.close();
    server.kill("SIGTERM");
    await ended;
  }
}

/** WebP, which the browser itself writes, is a third of PNG. `from`: words of the message with which it begins; nothing stands beside it then. */
async function take(page: Page, address: string, { name, from }: { name: string; from?: string }): Promise<void> {
  await page.goto(address);
  const first = from === undefined ? null : page.locator("article.said").filter({ hasText: from }).first();
  const box = await first?.boundingBox();
  const part = box ? { y: box.y, width: box.x + box.width + box.x } : { y: 0, width: WINDOW.width };
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp",
    quality: 80,
    captureBeyondViewport: true,
    clip: { x: 0, ...part, height: WINDOW.height, scale: 1 },
  });
  writeFileSync(join(FOLDER, `${name}.webp`), Buffer.from(data, "base64"));
}
