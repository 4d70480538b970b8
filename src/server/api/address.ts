import { z } from "zod";
import { type IssueAddress, PROVIDERS } from "../../domain/issue.ts";
import { plainText } from "./texts.ts";

const BASE = "/api/v1";
/** The path of an issue, below that. */
export const ISSUE = "/issues/:provider/:project/:number";
/** What follows the number of an issue in a path. */
const PARTS = new Set([
  "messages",
  "timeline",
  "gaps",
  "findings",
  "dossier",
  "spec",
  "plan",
  "runs",
  "pull-request",
  "calls",
  "comments",
  "go-ahead",
  "stop",
  "pause",
  "resume",
  "retry",
  "review",
]);
const NUMBER = /^(?:\d+|[A-Za-z][A-Za-z0-9]*-\d+)$/;

/**
 * The path below `/api/v1` in which the project of an issue is one part: `/issues/github/acme/shop/12/plan` is
 * `/issues/github/acme%2Fshop/12/plan`. Nothing is decoded.
 */
export function plainPath(url: string): string {
  const path = new URL(url).pathname.slice(BASE.length) || "/";
  const [, first, provider, ...rest] = path.split("/");
  if (first !== "issues" || provider === undefined || /%2f/i.test(rest[0] ?? "")) return path;
  const at = rest.findIndex((part, index) => {
    const next = rest[index + 1];
    return index > 0 && NUMBER.test(part) && (next === undefined || PARTS.has(next));
  });
  if (at < 0) return path;
  return ["", first, provider, rest.slice(0, at).join("%2F"), ...rest.slice(at)].join("/");
}

/** The parts of a path that name an issue. */
export const issuePath = z.object({
  provider: z.enum(PROVIDERS),
  project: plainText(500).meta({
    description: "As the tracker names it, encoded: `acme%2Fshop`. Slashes may stay as they are.",
    example: "acme/shop",
  }),
  number: plainText(60).meta({ description: "The number that people use.", example: "12" }),
});

export function addressIn({ provider, project, number }: z.infer<typeof issuePath>): IssueAddress {
  return { provider, externalProjectId: project, externalIssueId: number };
}
