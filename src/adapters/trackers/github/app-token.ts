import githubAppJwt from "universal-github-app-jwt";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { Credential } from "./callers.ts";

/** It is valid for almost 10 minutes. */
const KEPT_MS = 5 * 60_000;
/** GitHub refuses what lasts longer than 10 minutes by its own clock, which may be behind ours. */
const EARLIER_MS = 5 * 60_000;

/**
 * The App's own credential: a short-lived token, signed with its private key. After a refusal it is made as of some
 * minutes ago, so that a clock that is a little ahead does no harm.
 *
 * @throws RelayError `config`: the key cannot be used
 */
export function appToken({ appId, privateKey }: { appId: string; privateKey: string }, clock: Clock): Credential {
  let kept: { token: string; until: number } | null = null;
  return async (refresh) => {
    const now = clock.now().getTime();
    if (kept !== null && !refresh && now < kept.until && now >= kept.until - KEPT_MS) return kept.token;
    const at = Math.floor((refresh ? now - EARLIER_MS : now) / 1_000);
    try {
      const id = /^\d{1,15}$/.test(appId) ? Number(appId) : appId;
      const { token } = await githubAppJwt({ id, privateKey, now: at });
      kept = { token, until: refresh ? now : now + KEPT_MS };
      return token;
    } catch {
      // The reason may quote what it could not read.
      throw new RelayError(
        "config",
        "the private key of the GitHub App cannot be used; set GITHUB_PRIVATE_KEY or GITHUB_PRIVATE_KEY_FILE to the PEM that GitHub made for the App, an RSA key that is not encrypted",
      );
    }
  };
}
