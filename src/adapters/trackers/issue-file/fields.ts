import { z } from "zod";

/** Larger numbers cannot come from a tracker. */
const LARGEST_NUMBER = 1_000_000_000;

/** The title length that every hosted tracker accepts. */
export const LONGEST_TITLE = 255;

const NOT_A_TIME = "it must be an ISO 8601 time such as 2026-03-01T10:00:00Z";

const isoTime = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);

/** A time in ISO 8601; without a zone it is UTC; null if invalid, such as the 30th of February. */
export function toTime(text: string): Date | null {
  const strict = text
    .trim()
    .replace(/^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?!:)/, "$1T$2:00")
    .replace(/^(\d{4}-\d{2}-\d{2})[t ](?=\d)/, "$1T")
    .replace(/([+-]\d{2})(\d{2})$/, "$1:$2");
  if (!isoTime.safeParse(strict).success) return null;
  const dateOnly = !strict.includes("T");
  const time = new Date(dateOnly || /(?:Z|[+-]\d{2}:\d{2})$/.test(strict) ? strict : `${strict}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Text with normalized line ends and without characters that a database rejects. */
const text = z
  .string({ error: "it must be text" })
  .refine((value) => !value.includes("\0"), { error: "it holds a NUL character" })
  .transform((value) => value.replaceAll(/\r\n?/g, "\n").toWellFormed());

const login = z
  .union([text, z.object({ login: text }).transform((account) => account.login)], {
    error: "it must be a login",
  })
  .transform((name) => name.trim().replace(/^@/, ""));

const label = z.union([text, z.object({ name: text }).transform((given) => given.name)], {
  error: "it must be the name of a label",
});

/** A list, or names separated by commas; empty ones and duplicates are dropped. */
function listOf(element: z.ZodType<string>) {
  return z
    .preprocess(
      (value) => (typeof value === "string" ? value.split(",") : value),
      z.array(element, { error: "it must be a list of names" }),
    )
    .transform((names) => [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))]);
}

const time = text.transform((value, context) => {
  const parsed = toTime(value);
  if (parsed !== null) return parsed;
  context.addIssue(NOT_A_TIME);
  return z.NEVER;
});

const number = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], { error: "it must be a whole number above 0" })
  .refine((value) => Number.isInteger(value) && value > 0 && value <= LARGEST_NUMBER, {
    error: `it must be a whole number from 1 to ${LARGEST_NUMBER}`,
  });

/** An empty value in front matter counts as absent. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? null : value), schema.nullish());
}

export const frontMatterSchema = z.strictObject({
  title: optional(text),
  number: optional(number),
  author: optional(login),
  labels: optional(listOf(label)),
  assignees: optional(listOf(login)),
  maintainers: optional(listOf(login)),
  url: optional(text),
  created_at: optional(time),
});

export type FrontMatter = z.output<typeof frontMatterSchema>;

/** What GitHub says of who belongs to a repository; others have no rights there. */
const isMaintainer = text
  .nullish()
  .transform((association) => /^(?:OWNER|MEMBER|COLLABORATOR)$/.test(association ?? ""));

/** Fields of both spellings: as `interfaces.md` promises them, and as `gh issue view --json` prints them. */
export const jsonSchema = z.object(
  {
    ...frontMatterSchema.shape,
    body: text.nullish(),
    createdAt: optional(time),
    authorAssociation: isMaintainer,
    comments: z
      .array(
        z
          .object({
            author: optional(login),
            authorAssociation: isMaintainer,
            body: text,
            created_at: optional(time),
            createdAt: optional(time),
          })
          .transform(({ created_at: snake, createdAt: camel, ...comment }, context) => {
            const at = snake ?? camel;
            if (at) return { ...comment, at };
            context.addIssue("it needs a created_at");
            return z.NEVER;
          }),
        { error: "it must be a list of comments" },
      )
      .nullish(),
  },
  { error: "it must be one JSON object" },
);

/** Describes the first error: `“number” is wrong: it must be …`. */
export function explain(error: z.ZodError): string {
  const [first] = error.issues;
  const where = first?.path.join(".") ?? "";
  const what = first?.message ?? "it cannot be understood";
  return where === "" ? what : `“${where}” is wrong: ${what}`;
}
