import type { Call } from "../pages.ts";
import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import type { Access, Identity } from "./access.ts";
import { profile, read } from "./api-schemas.ts";
import { type MakeCaller, fingerprint } from "./callers.ts";

export interface TokenAccess extends Access {
  readonly call: Call;
}

const viewer = z.object({
  data: z.object({ viewer: z.object({ login: z.string(), databaseId: z.number() }) }),
});

/**
 * Access with a token: Relay acts as its owner. The token of a workflow's job belongs to an App, which only GraphQL
 * reveals.
 *
 *
 * @param graphql its address
 */
export function tokenAccess(token: string, makeCaller: MakeCaller, graphql: string): TokenAccess {
  const call = makeCaller(`token:${fingerprint(token)}`, async (refresh) => {
    if (refresh) throw refused();
    return await Promise.resolve(token);
  });
  return {
    call,
    identity: async () => {
      const answer = await call({ method: "GET", path: "/user" }).catch(unlessOfAnApp);
      if (answer === null) return await appIdentity(call, graphql);
      const { login, ...known } = read(profile.extend({ login: z.string() }), answer.body, "the token's owner");
      return { bot: login, calledAs: [login], profile: known };
    },
    callFor: async () => await Promise.resolve(call),
    password: async () => await Promise.resolve(token),
  };
}

/** What GitHub says to the token of an App's installation. */
function unlessOfAnApp(error: unknown): null {
  if (error instanceof RelayError && error.status === 403) return null;
  throw error;
}

async function appIdentity(call: Call, graphql: string): Promise<Identity> {
  const query = "query { viewer { login databaseId } }";
  const { body } = await call({ method: "POST", path: graphql, kind: "read", body: { query } });
  const { login, databaseId: id } = read(viewer, body, "the token's owner").data.viewer;
  return { bot: login, calledAs: [login.replace(/\[bot\]$/, ""), login], profile: { id } };
}

/** There is no other token, so a retry would be rejected again. */
function refused(): RelayError {
  return new RelayError(
    "forbidden",
    "GitHub does not take Relay's token (401): it is wrong, has expired or was revoked; make a new one and set it as GITHUB_TOKEN",
    { status: 401, accessLost: true },
  );
}
