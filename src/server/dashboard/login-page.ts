import { html } from "hono/html";
import { type Markup, document } from "./document.ts";

interface Login {
  /** The path to open after the login. */
  to: string;
  problem: "used" | "wrong" | "busy" | null;
  /** Whether an admin token is set. */
  hasToken: boolean;
}

const PROBLEMS = {
  used: "This link was used already, or is of an earlier start. `relay serve` prints a new one each time it starts.",
  wrong: "This is not the admin token.",
  busy: "Too many logins failed. Try again in a minute.",
};

export function loginPage({ to, problem, hasToken }: Login): Markup {
  return document(
    "Log in",
    html`<main class="login">
      <h1>Relay</h1>
      ${problem === null ? "" : html`<p role="alert" class="problem">${PROBLEMS[problem]}</p>`}
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
