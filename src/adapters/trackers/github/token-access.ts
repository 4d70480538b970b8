import type { Call } from "../pages.ts";
import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import type { Access } from "./access.ts";
import { profile, read } from "./api-schemas.ts";
import { type MakeCaller, fingerprint } from "./callers.ts";

export interface TokenAccess extends Access {
  readonly call: Call;
}

/** Access with a personal access token: Relay acts as its owner. */
export function tokenAccess(token: string, makeCaller: MakeCaller): TokenAccess {
  const call = makeCaller(`token:${fingerprint(token)}`, async (refresh) => {
    if (refresh) throw refused();
    return await Promise.resolve(token);
  });
  return {
    call,
    identity: async () => {
      const { body } = await call({ method: "GET", path: "/user" });
      const { login, ...known } = read(profile.extend({ login: z.string() }), body, "the token's owner");
      return { bot: login, calledAs: [login], profile: known };
    },
    callFor: async () => await Promise.resolve(call),
    password: async () => await Promise.resolve(token),
  };
}

/** There is no other token, so a retry would be rejected again. */
function refused(): RelayError {
  return new RelayError(
    "forbidden",
    "GitHub does not take Relay's token (401): it is wrong, has expired or was revoked; make a new one and set it as GITHUB_TOKEN",
    { status: 401 },
  );
}
