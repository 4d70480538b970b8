import { z } from "zod";
import { RelayError } from "../../lib/errors.ts";
import { type Environment, readSecret } from "../../lib/secret-variable.ts";

/** A key's line in `relay.schema.json` and in the README. */
export const described = (description: string) => ({ description });

/** The URL of an HTTP server, without a trailing slash. */
export const address = (standard: string) =>
  z
    .url({ protocol: /^https?$/, error: "must be an address like https://git.example.com" })
    .transform((value) => value.replace(/\/+$/, ""))
    .default(standard);

/** The id of the OAuth client by which people log in. */
export const clientId = (variable: string, where: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta(
      described(
        `Id of ${where} by which people log in to Relay's pages (${variable}; its secret only in ${secretOf(variable)}).`,
      ),
    );

const secretOf = (variable: string) => variable.replace(/_ID$/, "_SECRET");

/** The client of this id with its secret; null without an id. Throws `config` for one without the other. */
export function oauthClient(
  id: string | undefined,
  variable: string,
  env: Environment,
): { id: string; secret: string } | null {
  const secret = readSecret(secretOf(variable), env);
  if (id === undefined && secret === null) return null;
  if (id !== undefined && secret !== null) return { id, secret };
  const [given, missing] = secret === null ? [variable, secretOf(variable)] : [secretOf(variable), variable];
  throw new RelayError("config", `${given} is set and ${missing} is not; people log in only with both`);
}

/** The number of comments and other changes allowed per minute, or `off` for no limit. */
export const writesPerMinute = (standard: number, variable: string) =>
  z
    .union([z.number().min(1).max(100_000), z.literal("off")], { error: "must be a number, or “off”" })
    .default(standard)
    .meta(described(`Comments and other changes that Relay makes in a minute at most, or \`off\` (${variable}).`));
