import type { Call } from "../pages.ts";

/** Who Relay is on GitHub. */
export interface Identity {
  /** Login that its comments carry. */
  bot: string;
  /** Logins by which people assign and mention it. */
  calledAs: string[];
}

/** One way into GitHub: a token, or an App with its installations. */
export interface Access {
  identity(): Promise<Identity>;
  /** Who calls for a repository; `not_found` where nobody of Relay's has access to it. */
  callFor(project: string): Promise<Call>;
  /** A password for git over HTTPS; `fresh` after a refusal. */
  password(project: string, fresh: boolean): Promise<string>;
}
