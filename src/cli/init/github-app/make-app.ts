import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import { RelayError, messageOf } from "../../../lib/errors.ts";
import { type MadeApp, appManifest, manifestAddress } from "../../../adapters/trackers/github/app-manifest.ts";
import { WEB_LIMITS } from "../../../server/limits.ts";
import { listen } from "../../../server/listen.ts";
import type { Web } from "../../../server/intake/routes.ts";
import { html } from "hono/html";

export interface AppWish {
  /** GitHub's web address. */
  web: string;
  /** The organisation that will own the App; null for the person at the browser. */
  org: string | null;
  name: string;
  /** The address at which GitHub reaches `relay serve`. */
  publicUrl: string;
}

interface Deps {
  /** Exchanges the code that GitHub sends back. */
  exchange: (code: string) => Promise<MadeApp>;
  /** Stores its secrets before success is reported: GitHub shows them only once. */
  keep: (app: MadeApp) => Promise<void>;
  /** Called with the address to open in a browser. */
  announce: (address: string) => void;
  /** Called with errors that can be retried in the browser. */
  warn: (why: string) => void;
  /** The timeout. */
  signal: AbortSignal;
}

/** Milliseconds for the last page to reach the browser. */
const GRACE_MS = 2_000;

/**
 * Lets a person create a GitHub App in a browser. A page on this machine posts the App's manifest to GitHub; after
 * confirmation there, GitHub redirects the browser back with a code. The page's address contains a secret, and the
 * redirect must carry the state that was sent: no other site or account of this machine can inject its own App.
 *
 * @throws RelayError `timeout`: the signal came first; and what `keep` throws
 */
export async function makeApp(wanted: AppWish, deps: Deps): Promise<MadeApp> {
  const place = `/${randomBytes(16).toString("hex")}`;
  const state = randomBytes(32).toString("hex");
  const over = Promise.withResolvers<MadeApp>();
  over.promise.catch(() => {});
  let making: Promise<MadeApp> | null = null;
  let origin = "";

  const web: Web = new Hono();
  web.use(async (c, next) => {
    // Reject foreign host names that resolve to this machine (DNS rebinding).
    if (c.req.header("host") === URL.parse(origin)?.host) await next();
    else c.res = c.text("", 404);
    c.header(
      "content-security-policy",
      `default-src 'none'; style-src 'unsafe-inline'; form-action ${new URL(wanted.web).origin}; frame-ancestors 'none'`,
    );
  });
  web.get(place, (c) => {
    const manifest = appManifest({ ...wanted, redirectUrl: `${origin}${place}/made` });
    return c.html(offerPage({ address: manifestAddress(wanted.web, { org: wanted.org, state }), manifest }));
  });
  web.get(`${place}/made`, async (c) => {
    const { code = "", state: given = "" } = c.req.query();
    if (!same(given, state) || !/^[\w-]{1,200}$/.test(code)) {
      return c.html(failedPage("This address did not come from the App that was asked for here."), 400);
    }
    try {
      // Browsers may request twice; a code works once.
      making ??= deps.exchange(code);
      const app = await making;
      await deps.keep(app).catch((error: unknown) => {
        over.reject(error);
        throw error;
      });
      over.resolve(app);
      return c.html(madePage(app));
    } catch (error) {
      making = null;
      deps.warn(messageOf(error));
      return c.html(failedPage("GitHub did not return the App. Reload this page, or start again."), 502);
    }
  });

  const { address, stop } = await listen(web, { at: { host: "127.0.0.1", port: 0 }, limits: WEB_LIMITS });
  origin = address;
  const giveUp = () =>
    over.reject(
      new RelayError("timeout", "nobody confirmed the App in time; run the command again when you are ready"),
    );
  deps.signal.addEventListener("abort", giveUp);
  if (deps.signal.aborted) giveUp();
  else deps.announce(`${address}${place}`);
  try {
    return await over.promise;
  } finally {
    deps.signal.removeEventListener("abort", giveUp);
    await stop(GRACE_MS);
  }
}

function same(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

type Page = ReturnType<typeof html>;

function page(title: string, content: Page): Page {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <meta name="color-scheme" content="light dark" />
      <title>${title}</title>
      <style>
        body {
          font:
            1rem/1.5 system-ui,
            sans-serif;
          max-width: 40rem;
          margin: 3rem auto;
          padding: 0 1rem;
        }
        button {
          font: inherit;
          padding: 0.5rem 1rem;
        }
      </style>
      <main>
        <h1>${title}</h1>
        ${content}
      </main>
    </html> `;
}

/** The page that describes the App, with the button that sends it to GitHub. */
function offerPage({ address, manifest }: { address: string; manifest: Manifest }): Page {
  const permissions = Object.entries(manifest.default_permissions);
  return page(
    "A GitHub App for Relay",
    html`<p>GitHub will show you this App, and make it when you say so. You can change its name there.</p>
      <ul>
        <li>Webhooks go to <code>${manifest.hook_attributes.url}</code>.</li>
        <li>It may: ${permissions.map(([name, level]) => `${name.replaceAll("_", " ")} (${level})`).join(", ")}.</li>
        <li>It is told of: ${manifest.default_events.map((name) => name.replaceAll("_", " ")).join(", ")}.</li>
      </ul>
      <form method="post" action="${address}">
        <input type="hidden" name="manifest" value="${JSON.stringify(manifest)}" />
        <button>Create the App on GitHub</button>
      </form>`,
  );
}

interface Manifest {
  hook_attributes: { url: string };
  default_permissions: Readonly<Record<string, string>>;
  default_events: readonly string[];
}

function madePage(app: MadeApp): Page {
  return page(
    "The App is made",
    html`<p>Relay has its key. One step is left: choose the repositories that it may work in.</p>
      <p><a href="${app.page}/installations/new">Install ${app.slug}</a></p>`,
  );
}

function failedPage(why: string): Page {
  return page(
    "That did not work",
    html`<p>${why}</p>
      <p>The terminal says more.</p>`,
  );
}
