const PREFIXES = {
  user: "U",
  repository: "R",
  issue: "I",
  pull: "PR",
  comment: "IC",
  reviewComment: "PRRC",
  review: "PRR",
  reaction: "REA",
  label: "LA",
  app: "A",
  installation: "MDIz",
  ref: "REF",
  check: "CR",
  status: "SC",
} as const;

/** The id that GraphQL knows a thing by. */
export function nodeId(kind: keyof typeof PREFIXES, id: number | string): string {
  return `${PREFIXES[kind]}_${Buffer.from(`${kind}:${id}`).toString("base64url")}`;
}

/** GitHub writes whole seconds. */
export function time(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

export function timeOrNull(date: Date | null): string | null {
  return date === null ? null : time(date);
}
