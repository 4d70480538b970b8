import { z } from "zod";
import { RelayError } from "../../lib/errors.ts";

/** Accounts that were deleted leave null behind; GitHub shows them by this name. */
const GHOST = { login: "ghost", isBot: false };

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

export const account = z
  .object({ login: z.string(), type: z.string().optional() })
  .nullish()
  .transform((user) =>
    user ? { login: user.login, isBot: user.type === "Bot" || user.login.endsWith("[bot]") } : GHOST,
  );

export const issue = z.object({
  number: z.number(),
  title: z.string(),
  body: text,
  user: account,
  state: z.enum(["open", "closed"]),
  labels: z.array(z.union([z.string(), z.object({ name: text }).transform(({ name }) => name)])),
  assignees: z
    .array(account)
    .nullish()
    .transform((accounts) => (accounts ?? []).map(({ login }) => login)),
  html_url: z.string().nullish(),
  repository_url: z.string(),
  comments: z.number(),
  created_at: time,
  updated_at: time,
  /** There where the issue is a pull request. */
  pull_request: z.unknown().optional().transform(Boolean),
});

export const comment = z.object({ id: z.number(), user: account, body: text, created_at: time, updated_at: time });

export const reaction = z.object({ user: account, content: z.string() });

export const repository = z.object({
  id: z.number(),
  full_name: z.string(),
  default_branch: z.string(),
  clone_url: z.string(),
  html_url: z.string().nullish(),
});

export const pullRequest = z.object({
  number: z.number(),
  node_id: z.string(),
  title: z.string(),
  body: text,
  head: z.object({ ref: z.string(), user: z.object({ login: z.string() }).nullish() }),
  base: z.object({ ref: z.string() }),
  draft: z.boolean().optional(),
  state: z.enum(["open", "closed"]),
  merged_at: z.string().nullish(),
  requested_reviewers: z
    .array(account)
    .nullish()
    .transform((accounts) => (accounts ?? []).map(({ login }) => login)),
  html_url: z.string().nullish(),
});

/**
 * Takes from an answer what Relay uses.
 *
 * @throws RelayError `unavailable`: something that is not GitHub answered, or it has changed its answers
 */
export function read<T>(schema: z.ZodType<T>, body: unknown, what: string): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const where = result.error.issues[0]?.path.join(".") ?? "";
  throw new RelayError(
    "unavailable",
    `GitHub's answer about ${what} could not be understood${where === "" ? "" : ` at ${where}`}; look at what GITHUB_API_URL points to`,
    { status: 502 },
  );
}
