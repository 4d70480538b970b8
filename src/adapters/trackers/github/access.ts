import type { Call } from "../pages.ts";

/** Relay's identity on GitHub. */
export interface Identity {
  /** The login that authors its comments. */
  bot: string;
  /** Logins by which people assign and mention it. */
  calledAs: string[];
  /** Of that account; null for an App, whose own credential cannot look it up. */
  profile: { id: number; name?: string | null | undefined } | null;
}

/** Credentials for GitHub: a token, or an App with its installations. */
export interface Access {
  identity(): Promise<Identity>;
  /** The caller for a repository; `not_found` if Relay has no access to it. */
  callFor(project: string): Promise<Call>;
  /** A password for git over HTTPS; `fresh` after a rejection. */
  password(project: string, fresh: boolean): Promise<string>;
}
