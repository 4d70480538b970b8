import type { Call } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import { read } from "./answers.ts";
import type { MakeCaller } from "./callers.ts";

/** A token is given to nobody for less than this. */
const LEAST_MS = 5 * 60_000;

const answer = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) });

/** One account's installation of the App. */
export interface Installation {
  readonly id: number;
  readonly call: Call;
  /** Its token, valid for 5 minutes at least by our clock; `fresh`: another than the one before. */
  token(fresh: boolean): Promise<string>;
}

/** Tokens last an hour; they are asked for when they are needed, by all callers at once only once. */
export function openInstallation(
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
    const { token, expires_at } = read(answer, body, `the token of installation ${id}`);
    minted = { token, until: Date.parse(expires_at) - LEAST_MS };
    return token;
  }

  const token = async (fresh: boolean): Promise<string> => {
    if (!fresh && minted !== null && clock.now().getTime() < minted.until) return minted.token;
    minting ??= mint().finally(() => {
      minting = null;
    });
    return await minting;
  };

  return { id, token, call: makeCaller(`installation:${id}`, token) };
}

/** Tried again, the repository's installation is looked up anew; there may be another by now. */
function gone(id: number): RelayError {
  return new RelayError(
    "not_found",
    `the App's installation ${id} was removed from its account; install the App there again, or unassign Relay`,
    { status: 404, retryable: true },
  );
}
