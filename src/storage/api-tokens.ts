import { randomBytes } from "node:crypto";
import { z } from "zod";
import { HOSTED_NAMES } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { StoredAccount } from "./account-permissions.ts";
import { record } from "./audit.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";
import { sha256Of } from "../lib/sha256.ts";

const tokenRow = camelRow({
  id: z.string(),
  provider: z.enum(HOSTED_NAMES),
  accountId: z.string(),
  login: z.string(),
  name: z.string(),
  acts: z.boolean(),
  createdAt: z.date(),
  expiresAt: z.date(),
  usedAt: z.date().nullable(),
});

/**
 * A person's token for the API and MCP. With `acts` it may do whatever the person may do; otherwise it may only read,
 * and answer questions through MCP. `usedAt` is exact to ten minutes, null if it was never used (R-SAFE-4).
 */
export type ApiToken = z.infer<typeof tokenRow>;

/** The format of Relay's tokens; secret scanners recognize them by their prefix. */
export const API_TOKEN = /^relay_pat_[\w-]{43}$/;

/** The longest name, in characters; how many tokens an account may have; how long a token is valid at most, in days. */
export const LONGEST_TOKEN_NAME = 60;
const MOST_TOKENS = 20;
export const MOST_TOKEN_DAYS = 365;

const DAY_MS = 86_400_000;
const USED_MS = 10 * 60_000;

const COLUMNS = "id, provider, account_id, login, name, acts, created_at, expires_at, used_at";

/**
 * Creates a token and returns it; nobody can see it again later. Throws `conflict` if the account has one of this name,
 * or too many.
 */
export async function makeToken(
  db: Db,
  { provider, accountId, login, name, acts, days }: Owned & { days: number },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string> {
  const secret = `relay_pat_${randomBytes(32).toString("base64url")}`;
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + days * DAY_MS);
  await db.transaction(async (tx) => {
    await tx.execute(`delete from api_tokens where provider = $1 and account_id = $2 and expires_at <= $3`, [
      provider,
      accountId,
      now,
    ]);
    const had = (await listTokens(tx, { provider, accountId })).length;
    if (had >= MOST_TOKENS) {
      throw new RelayError("conflict", `${login} has ${had} tokens, which is the most; revoke one first`);
    }
    const id = ids.next();
    const added = await tx.execute(
      `insert into api_tokens (id, token_sha256, provider, account_id, login, name, acts, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
      [id, sha256Of(secret), provider, accountId, login, name, acts, now, expiresAt],
    );
    if (added === 0)
      throw new RelayError("conflict", `${login} has a token “${name}”; revoke it, or name this one else`);
    const after = { id, token: name, login, provider, acts, expires_at: expiresAt.toISOString() };
    await record(tx, { issueId: null, actor: login, what: "token.made", after }, { clock, ids });
  });
  return secret;
}

type Owned = Pick<ApiToken, "provider" | "accountId" | "login" | "name" | "acts">;

/** The token if it is valid now; records that it was used. */
export async function findToken(db: Db, secret: string, clock: Clock): Promise<ApiToken | null> {
  const now = clock.now();
  const found = await db.maybeOne(
    tokenRow,
    `select ${COLUMNS} from api_tokens where token_sha256 = $1 and expires_at > $2`,
    [sha256Of(secret), now],
  );
  if (found === null) return null;
  await db.execute(`update api_tokens set used_at = $2 where id = $1 and (used_at is null or used_at < $3)`, [
    found.id,
    now,
    new Date(now.getTime() - USED_MS),
  ]);
  return found;
}

/** The tokens of an account, or of all, newest first; includes expired ones until the account creates another. */
export async function listTokens(db: Db, account: StoredAccount | null): Promise<ApiToken[]> {
  return await db.query(
    tokenRow,
    `select ${COLUMNS} from api_tokens where $1::text is null or (provider = $1 and account_id = $2)
     order by id desc limit 1000`,
    [account?.provider ?? null, account?.accountId ?? null],
  );
}

/**
 * Revokes a token of this account, or of any. It takes effect at once in all processes, since each call looks its token
 * up. Throws `not_found` if there is none.
 */
export async function revokeToken(
  db: Db,
  id: string,
  { of, by }: { of: StoredAccount | null; by: string },
  now: { clock: Clock; ids: Ids },
): Promise<void> {
  await db.transaction(async (tx) => {
    const gone = await tx.maybeOne(
      tokenRow,
      `delete from api_tokens where id = $1 and ($2::text is null or (provider = $2 and account_id = $3))
       returning ${COLUMNS}`,
      [id, of?.provider ?? null, of?.accountId ?? null],
    );
    if (gone === null) throw new RelayError("not_found", "there is no such token any more");
    const before = { id, token: gone.name, login: gone.login, provider: gone.provider };
    await record(tx, { issueId: null, actor: by, what: "token.revoked", before }, now);
  });
}

/** Revokes all tokens of an account that may not see anything any more. */
export async function revokeTokensOf(db: Db, { provider, accountId }: StoredAccount): Promise<void> {
  await db.execute(`delete from api_tokens where provider = $1 and account_id = $2`, [provider, accountId]);
}
