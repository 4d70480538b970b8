import { z } from "zod";

/** A key's line in `relay.schema.json` and in the README. */
export const described = (description: string) => ({ description });

/** The URL of an HTTP server, without a trailing slash. */
export const address = (standard: string) =>
  z
    .url({ protocol: /^https?$/, error: "must be an address like https://git.example.com" })
    .transform((value) => value.replace(/\/+$/, ""))
    .default(standard);

/** The number of comments and other changes allowed per minute, or `off` for no limit. */
export const writesPerMinute = (standard: number, variable: string) =>
  z
    .union([z.number().min(1).max(100_000), z.literal("off")], { error: "must be a number, or “off”" })
    .default(standard)
    .meta(described(`Comments and other changes that Relay makes in a minute at most, or \`off\` (${variable}).`));
