import { z } from "zod";
import { RelayError, messageOf } from "../../lib/errors.ts";

/** An account of a tracker: its login now, and the id that it keeps. */
export interface Account {
  id: string;
  login: string;
}

/** Relay as a client of a tracker's OAuth, by which people log in to it (R-SAFE-4). */
export interface OAuthClient {
  id: string;
  secret: string;
  /** The page where people consent. */
  authorizeUrl: string;
  /** The endpoint that exchanges a code for a token. */
  tokenUrl: string;
  /** The endpoint that says whose token it is. */
  userUrl: string;
  user: z.ZodType<Account>;
  /** The smallest scope that reveals who somebody is; null if none is needed. */
  scope: string | null;
  /** The request that makes the tracker revoke a token. */
  revocation: (token: string) => { url: string; init: RequestInit };
}

const TIMEOUT_MS = 10_000;
const LONGEST_ANSWER = 256 * 1024;
const AGENT = { accept: "application/json", "user-agent": "relay" };

/** Where the browser is sent to log in. `challenge`: the S256 of the verifier that the exchange will show (PKCE). */
export function authorization(
  { authorizeUrl, id, scope }: OAuthClient,
  { redirectUri, state, challenge }: { redirectUri: string; state: string; challenge: string },
): string {
  const url = new URL(authorizeUrl);
  const query = {
    client_id: id,
    redirect_uri: redirectUri,
    response_type: "code",
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(scope === null ? {} : { scope }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * The account that a code belongs to. The token behind it is revoked at the tracker and forgotten here. Throws
 * `forbidden` for a code that the tracker does not accept, and `unavailable` or `timeout` if it does not answer.
 */
export async function accountOf(
  client: OAuthClient,
  given: { code: string; redirectUri: string; verifier: string },
): Promise<Account> {
  const token = await tokenFor(client, given);
  try {
    const headers = { ...AGENT, authorization: `Bearer ${token}` };
    return answerAs(client.user, await ask(client.userUrl, { headers }), client.userUrl);
  } finally {
    const { url, init } = client.revocation(token);
    // If this fails, the token expires by itself.
    await ask(url, init).catch(() => {});
  }
}

const tokenAnswer = z.object({ access_token: z.string().min(1) });
/** GitHub answers 200 with an error; others 400 or 401. */
const refusal = z.object({ error: z.string(), error_description: z.string().optional() });

async function tokenFor(
  { tokenUrl, id, secret }: OAuthClient,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: id,
    client_secret: secret,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const answer = await ask(tokenUrl, { method: "POST", headers: AGENT, body });
  const refused = refusal.safeParse(answer.body);
  if (refused.success) {
    const { error, error_description: why } = refused.data;
    throw new RelayError("forbidden", `${new URL(tokenUrl).host} did not take the login: ${why ?? error}`);
  }
  return answerAs(tokenAnswer, answer, tokenUrl).access_token;
}

interface OAuthAnswer {
  status: number;
  body: unknown;
}

function answerAs<T>(schema: z.ZodType<T>, { status, body }: OAuthAnswer, url: string): T {
  const parsed = schema.safeParse(body);
  if (status < 300 && parsed.success) return parsed.data;
  throw new RelayError(
    "unavailable",
    `${new URL(url).host} answered a login with ${status} and nothing that is expected`,
  );
}

/** Follows no redirect: the secret goes to the configured server only. */
async function ask(url: string, init: RequestInit): Promise<OAuthAnswer> {
  try {
    const answer = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    return { status: answer.status, body: text.length > LONGEST_ANSWER ? null : jsonIn(text) };
  } catch (cause) {
    const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
    throw new RelayError(
      isLate ? "timeout" : "unavailable",
      `${new URL(url).host} does not answer: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
