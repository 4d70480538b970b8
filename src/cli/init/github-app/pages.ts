import { html } from "hono/html";
import type { MadeApp } from "../../../adapters/trackers/github/app-manifest.ts";

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

/** What is to be made, and the button that asks GitHub for it. */
export function offerPage({ address, manifest }: { address: string; manifest: Manifest }): Page {
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

export function madePage(app: MadeApp): Page {
  return page(
    "The App is made",
    html`<p>Relay has its key. One step is left: choose the repositories that it may work in.</p>
      <p><a href="${app.page}/installations/new">Install ${app.slug}</a></p>`,
  );
}

export function failedPage(why: string): Page {
  return page(
    "That did not work",
    html`<p>${why}</p>
      <p>The terminal says more.</p>`,
  );
}
