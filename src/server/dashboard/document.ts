import { html } from "hono/html";
import { ASSETS } from "./assets.ts";

/** Text that is escaped already; every hole of a `html` template escapes what it is given. */
export type Markup = ReturnType<typeof html>;

/** The content security policy of all pages: scripts, styles and pictures of this server alone (R-SAFE-4). */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A whole page without navigation. */
export function document(title: string, body: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Relay</title>
        <link rel="icon" href="${ASSETS.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${ASSETS.style}" />
        <script src="${ASSETS.script}" defer></script>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

const PLACES = [
  { path: "/", name: "Waiting", keys: "g w" },
  { path: "/issues", name: "Issues", keys: "g i" },
  { path: "/queue", name: "Queue", keys: "g q" },
  { path: "/learnings", name: "Learnings", keys: "g l" },
  { path: "/costs", name: "Costs", keys: "g c" },
  { path: "/health", name: "Health", keys: "g h" },
  { path: "/try", name: "New issue", keys: "g n" },
] as const;

export interface PageOf {
  title: string;
  /** The path of the place in the navigation that is marked; null for none. */
  at: (typeof PLACES)[number]["path"] | "/tokens" | null;
  /** Who is logged in. */
  login: string;
  /** What the search field shows. */
  query?: string;
}

/** A page of the dashboard. What changes is in `main`, which the script keeps up to date. */
export function page({ title, at, login, query = "" }: PageOf, main: Markup): Markup {
  return document(
    title,
    html`<a class="skip" href="#main">Skip to content</a>
      <header class="top">
        <a class="brand" href="/">Relay</a>
        <nav aria-label="Pages">
          ${PLACES.map(
            ({ path, name, keys }) =>
              html`<a
                href="${path}"
                data-keys="${keys}"
                ${path === "/try" ? html`class="new"` : ""}
                ${path === at ? html`aria-current="page"` : ""}
                >${name}</a
              >`,
          )}
        </nav>
        <form class="search" role="search" action="/issues">
          <label class="unseen" for="search">Search issues</label>
          <input id="search" name="q" type="search" value="${query}" placeholder="Search  /" autocomplete="off" />
        </form>
        <form class="who" method="post" action="/logout">
          <a href="/tokens" title="Your tokens" ${at === "/tokens" ? html`aria-current="page"` : ""}>${login}</a>
          <button class="quiet">Log out</button>
        </form>
      </header>
      <main id="main" tabindex="-1">${main}</main>
      <dialog id="keys" aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl class="keys">
          <dt><kbd>/</kbd></dt>
          <dd>search</dd>
          <dt><kbd>j</kbd> <kbd>k</kbd></dt>
          <dd>next, previous</dd>
          <dt><kbd>Enter</kbd></dt>
          <dd>open</dd>
          <dt><kbd>a</kbd></dt>
          <dd>agree, go ahead: asks first</dd>
          <dt><kbd>s</kbd></dt>
          <dd>stop the work: asks first</dd>
          <dt><kbd>Esc</kbd></dt>
          <dd>close a source</dd>
          <dt><kbd>?</kbd></dt>
          <dd>these keys</dd>
          ${PLACES.map(
            ({ name, keys }) =>
              html`<dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt>
                <dd>${name}</dd>`,
          )}
        </dl>
        <form method="dialog"><button>Close</button></form>
      </dialog>`,
  );
}

/**
 * When something was or will be, in words that the script keeps up to date, with the exact time on hover and for
 * machines.
 */
export function ago(at: Date, now: Date): Markup {
  return html`<time datetime="${at.toISOString()}" title="${exact(at)}" data-ago>${agoText(at, now)}</time>`;
}

/** The same for how long something lasts. */
export function lasting(at: Date, now: Date): Markup {
  return html`<time datetime="${at.toISOString()}" title="since ${exact(at)}" data-for
    >${spanText(now.getTime() - at.getTime())}</time
  >`;
}

/** How long something has been running, as a clock that the script keeps going: `3:12`. */
export function clockSince(at: Date, now: Date): Markup {
  const seconds = Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1_000));
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = (parts[0] === 0 ? parts.slice(1) : parts).map((part, index) =>
    index === 0 ? String(part) : String(part).padStart(2, "0"),
  );
  return html`<time datetime="${at.toISOString()}" title="since ${exact(at)}" data-clock>${shown.join(":")}</time>`;
}

function exact(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function agoText(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (ms < 0) return `in ${spanText(-ms)}`;
  return ms < 60_000 ? "just now" : `${spanText(ms)} ago`;
}

const UNITS = [
  { ms: 86_400_000, name: "d" },
  { ms: 3_600_000, name: "h" },
  { ms: 60_000, name: "min" },
] as const;

/** A span in its largest unit: `3 h`. */
export function spanText(ms: number): string {
  for (const { ms: one, name } of UNITS) if (ms >= one) return `${Math.floor(ms / one)} ${name}`;
  return `${Math.max(0, Math.floor(ms / 1_000))} s`;
}

/** US dollars: cents, or more digits below one. */
export function dollars(usd: number): string {
  return usd === 0 || usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2)}`;
}

/** The beginning of a text, and how much of it was left out. */
export function excerpt(text: string, most: { lines: number; characters: number }): string {
  const lines = text.split("\n", most.lines + 1);
  const beginning = lines.slice(0, most.lines).join("\n");
  if (beginning.length > most.characters) {
    return `${beginning.slice(0, most.characters).toWellFormed()}… (${text.length} characters in all)`;
  }
  return lines.length > most.lines ? `${beginning}\n…` : beginning;
}
