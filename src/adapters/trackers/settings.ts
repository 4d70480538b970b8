import { z } from "zod";

/** A key's line in `relay.schema.json` and in the README. */
export const described = (description: string) => ({ description });

/** The address of an HTTP server, without a slash at its end. */
export const address = (standard: string) =>
  z
    .url({ protocol: /^https?$/, error: "must be an address like https://git.example.com" })
    .transform((value) => value.replace(/\/+$/, ""))
    .default(standard);

/** How many comments and other changes a minute may have, or `off` for no limit. */
export const writesPerMinute = (standard: number, variable: string) =>
  z
    .union([z.number().min(1).max(100_000), z.literal("off")], { error: "must be a number, or “off”" })
    .default(standard)
    .meta(described(`Comments and other changes that Relay makes in a minute at most, or \`off\` (${variable}).`));
