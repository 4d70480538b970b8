import type { Call } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import QuickLRU from "quick-lru";
import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { withPriority } from "../../../lib/priority.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { Access } from "./access.ts";
import { read } from "./api-schemas.ts";
import type { Credential, MakeCaller } from "./callers.ts";
import { pathOf } from "./repository.ts";
import githubAppJwt from "universal-github-app-jwt";

/** A token that expires sooner than this is renewed before use. */
const LEAST_MS = 5 * 60_000;

const installationToken = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) });

/** One account's installation of the App. */
interface Installation {
  readonly id: number;
  readonly call: Call;
  /** Its token, valid for at least 5 minutes by our clock; `fresh` forces a new one. */
  token(fresh: boolean): Promise<string>;
}

/** Tokens last an hour and are fetched on demand; concurrent callers share one request. */
function openInstallation(
  id: number,
  { app, makeCaller, clock }: { app: Call; makeCaller: MakeCaller; clock: Clock },
): Installation {
  let minted: { token: string; until: number } | null = null;
  let minting: Promise<string> | null = null;

  async function mint(): Promise<string> {
    minted = null;
    const path = `/app/installations/${id}/access_tokens`;
    const made = await unlessMissing(app({ method: "POST", path, kind: "read", body: {} }));
    if (made === null) throw gone(id);
    const { body } = made;
    const { token, expires_at } = read(installationToken, body, `the token of installation ${id}`);
    minted = { token, until: Date.parse(expires_at) - LEAST_MS };
    return token;
  }

  const token = async (fresh: boolean): Promise<string> => {
    if (!fresh && minted !== null && clock.now().getTime() < minted.until) return minted.token;
    minting ??= withPriority("direct", mint).finally(() => {
      minting = null;
    });
    return await minting;
  };

  const call = makeCaller(`installation:${id}`, token);
  return {
    id,
    token,
    call: async (request) => {
      try {
        return await call(request);
      } catch (error) {
        // A token keeps the permissions that it was made with: newer ones come with the next token.
        if (error instanceof RelayError && error.status === 403) minted = null;
        throw error;
      }
    },
  };
}

/** A retry looks the repository's installation up again; it may have a different one by now. */
function gone(id: number): RelayError {
  return new RelayError(
    "not_found",
    `the App's installation ${id} was removed from its account; install the App there again, or unassign Relay`,
    { status: 404, retryable: true, accessLost: true },
  );
}

/** How long a repository's installation is cached. */
const PLACE_MS = 10 * 60_000;

export interface AppOptions {
  appId: string;
  privateKey: string;
}

export interface AppAccess extends Access {
  /** Calls as the App itself, which sees no repository. */
  readonly call: Call;
  readonly slug: () => Promise<string>;
  installation(id: number): Installation;
}

/**
 * Access as a GitHub App, which has a separate token for each account that installed it. A repository's installation is
 * looked up on first use, and again if it was removed.
 */
export function appAccess(
  options: AppOptions,
  { makeCaller, clock }: { makeCaller: MakeCaller; clock: Clock },
): AppAccess {
  const call = makeCaller(`app:${options.appId}`, appToken(options, clock));
  const installations = new Map<number, Installation>();
  const places = new QuickLRU<string, { id: number; until: number }>({ maxSize: 10_000 });

  const installation = (id: number): Installation => {
    const known = installations.get(id) ?? openInstallation(id, { app: call, makeCaller, clock });
    installations.set(id, known);
    return known;
  };

  async function placeOf(project: string): Promise<Installation> {
    const root = pathOf(project);
    const key = project.toLowerCase();
    const known = places.get(key);
    if (known !== undefined && known.until > clock.now().getTime()) return installation(known.id);
    const answer = await unlessMissing(call({ method: "GET", path: `${root}/installation` }));
    if (answer === null) {
      throw new RelayError(
        "not_found",
        `there is no GitHub repository ${project}, or the App is not installed there; install it for that repository`,
        { status: 404, retryable: true, accessLost: true },
      );
    }
    const { id } = read(z.object({ id: z.number() }), answer.body, `the installation for ${project}`);
    places.set(key, { id, until: clock.now().getTime() + PLACE_MS });
    return installation(id);
  }

  /** The installation with a token; if it was removed and recreated, the new one. */
  async function opened(project: string): Promise<Installation> {
    const first = await placeOf(project);
    try {
      await first.token(false);
      return first;
    } catch (cause) {
      if (!(cause instanceof RelayError && cause.code === "not_found")) throw cause;
      installations.delete(first.id);
      places.delete(project.toLowerCase());
      const second = await placeOf(project);
      if (second.id === first.id) throw cause;
      return second;
    }
  }

  const slug = async () => {
    const { body } = await call({ method: "GET", path: "/app" });
    return read(z.object({ slug: z.string() }), body, "the App").slug;
  };

  return {
    call,
    slug,
    installation,
    identity: async () => {
      const name = await slug();
      return { bot: `${name}[bot]`, calledAs: [name, `${name}[bot]`], profile: null };
    },
    callFor: async (project) => (await opened(project)).call,
    password: async (project, fresh) => await (await opened(project)).token(fresh),
  };
}

/** Its lifetime is just under 10 minutes. */
const KEPT_MS = 5 * 60_000;
/** GitHub rejects lifetimes over 10 minutes by its own clock, which may be behind ours. */
const EARLIER_MS = 5 * 60_000;

/**
 * The App's own credential: a short-lived JWT, signed with its private key. After a rejection it is backdated by some
 * minutes, to tolerate a local clock that is a little ahead.
 *
 * @throws RelayError `config`: the key cannot be used
 */
function appToken({ appId, privateKey }: { appId: string; privateKey: string }, clock: Clock): Credential {
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
      // The cause may quote the unreadable input.
      throw new RelayError(
        "config",
        "the private key of the GitHub App cannot be used; set GITHUB_PRIVATE_KEY or GITHUB_PRIVATE_KEY_FILE to the PEM that GitHub made for the App, an RSA key that is not encrypted",
      );
    }
  };
}
