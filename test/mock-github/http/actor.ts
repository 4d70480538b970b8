import { createVerify } from "node:crypto";
import { z } from "zod";
import type { App } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { refuse } from "./answer.ts";
import type { Actor } from "./call.ts";

const undecodable = () => refuse(401, "A JSON web token could not be decoded");
const badCredentials = () => refuse(401, "Bad credentials");

/** Who a request is from, by its Authorization header. */
export function actorOf(world: World, authorization: string | undefined): Actor {
  if (authorization === undefined) return { kind: "anonymous" };
  const match = /^(bearer|token)\s+(\S+)$/i.exec(authorization);
  const token = match?.[2];
  if (token === undefined) throw badCredentials();
  if (token.split(".").length === 3) return { kind: "app", app: appOf(world, token) };
  const grant = world.tokens.get(token);
  if (grant === undefined) throw badCredentials();
  if (grant.kind === "user") return grant;
  const installation = world.installations.get(grant.installationId);
  const app = installation && world.apps.get(installation.appId);
  if (installation === undefined || app === undefined) throw badCredentials();
  if (grant.expiresAt.getTime() <= world.clock.now().getTime()) throw badCredentials();
  if (installation.suspendedAt !== null) throw refuse(403, "This installation has been suspended");
  const { permissions, repositories } = grant;
  return { kind: "installation", app, installation, permissions, only: repositories };
}

const Header = z.object({ alg: z.string() });
const Claims = z.object({ iss: z.union([z.string(), z.number()]), iat: z.number(), exp: z.number() });

/** The App that signed a token: RS256, at most ten minutes to live, made in the past by GitHub's clock. */
function appOf(world: World, token: string): App {
  const [head = "", payload = "", signature = ""] = token.split(".");
  const header = Header.safeParse(read(head));
  const claims = Claims.safeParse(read(payload));
  if (!header.success || !claims.success || header.data.alg !== "RS256") throw undecodable();
  const issuer = String(claims.data.iss);
  const app = [...world.apps.values()].find((each) => String(each.id) === issuer || each.clientId === issuer);
  if (app === undefined) throw refuse(404, "Integration not found");
  const verify = createVerify("RSA-SHA256").update(`${head}.${payload}`);
  if (!verify.verify(app.publicKey, Buffer.from(signature, "base64url"))) throw undecodable();
  const now = Math.floor(world.clock.now().getTime() / 1_000);
  const { iat, exp } = claims.data;
  if (exp <= now)
    throw refuse(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (iat > now)
    throw refuse(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  if (exp > now + 600) throw refuse(401, "'Expiration time' claim ('exp') is too far in the future");
  return app;
}

function read(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}
