import { html } from "hono/html";
import type { TrackerLogin } from "../../app/people/logins.ts";
import { type Markup, document } from "./document.ts";

interface Login {
  /** The path to open after the login. */
  to: string;
  problem: LoginProblem | null;
  /** Whether an admin token is set. */
  hasToken: boolean;
  /** The trackers by whose accounts people log in. */
  logins: readonly Pick<TrackerLogin, "provider" | "title">[];
}

export type LoginProblem = keyof typeof PROBLEMS;

const PROBLEMS = {
  used: "This link was used already, or is of an earlier start. `relay serve` prints a new one each time it starts.",
  wrong: "This is not the admin token.",
  busy: "Too many logins. Try again in a minute.",
  begun: "This login was begun in another browser, is too old, or was used already. Begin it again.",
  refused: "The tracker did not confirm the login. Begin it again.",
  stranger: "This account may read none of the repositories that Relay works in. Have somebody give it access there.",
  unanswered: "The tracker does not answer now. Try again in a moment.",
};

export function loginPage({ to, problem, hasToken, logins }: Login): Markup {
  return document(
    "Log in",
    html`<main class="login">
      <h1>Relay</h1>
      ${problem === null ? "" : html`<p role="alert" class="problem">${PROBLEMS[problem]}</p>`}
      ${logins.map(
        ({ provider, title }) =>
          html`<p>
            <a class="button" href="/login/${provider}?to=${encodeURIComponent(to)}">Log in with ${title}</a>
          </p>`,
      )}
      ${
        hasToken
          ? html`<form method="post" action="/login">
              <input type="hidden" name="to" value="${to}" />
              <label for="token">Admin token</label>
              <input id="token" name="token" type="password" autocomplete="current-password" required autofocus />
              <p class="hint">The value of <code>RELAY_ADMIN_TOKEN</code> where Relay runs.</p>
              <button>Log in</button>
            </form>`
          : html`<p>
                On the machine where Relay runs, open the link that <code>relay serve</code> printed when it started.
              </p>
              <p class="hint">For other machines, set <code>RELAY_ADMIN_TOKEN</code> there, and start Relay again.</p>`
      }
    </main>`,
  );
}
