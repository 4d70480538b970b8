/** Whoever works with a change on a hosted tracker, and what they see there; the same for all trackers. */
export interface HostedPlace {
  provider: "github" | "gitlab";
  project: string;
  /** The name that Relay has there. */
  bot: string;
  /** What Relay is told of the tracker. */
  env: Record<string, string>;
  /** With what git gets in, as Relay should; undefined where that changes hourly, and git asks for nothing. */
  login: { username: string; password: string } | undefined;
  /** Where the code is, once it is served. */
  setCode(url: string): void;
  /** Has the tracker's webhooks come here. */
  setHook(address: string): void;
  /** What git has for branches. */
  setBranches(heads: ReadonlyMap<string, string>): void;
  /** Opens the issue and assigns it to Relay; its number. */
  assign(author: string, title: string, body: string): number;
  say(issue: number, author: string, body: string): void;
  issue(number: number): { labels: string[]; open: boolean; said: { author: string; body: string }[] };
  requests(): SeenRequest[];
  /** What is said on a request as a whole. */
  saidOn(request: number): { author: string; body: string }[];
  /** A thread at a line of the request's changes; its name. */
  review(request: number, author: string, at: { path: string; line: number; body: string }): string;
  thread(request: number, name: string): { author: string; body: string }[];
  /** What a check says of a commit. */
  check(request: SeenRequest, outcome: "passed" | "failed", output: string): void;
  merge(request: number, issue: number, as: string): void;
}

export interface SeenRequest {
  number: number;
  title: string;
  body: string;
  branch: string;
  head: string;
  labels: string[];
  reviewers: string[];
  state: "open" | "closed" | "merged";
}

/** Those who are there: the first reports, the second may write, the third owns the code, the last is Relay. */
export const PEOPLE = { ruthg: "read", mia: "write", otto: "write", relay: "write" } as const;

/** The owners of the code of the sample, as its tracker has them. */
export const CODE_OWNERS = "* @relay\n/src/export/ @otto\n";

/** The settings of the repository: commands that take no time. */
export const RELAY_FILE = `conventions:
  setup_commands: []
  lint_command: node --check src/export/period.js
  test_commands: [node --test test/export.test.js]
`;

export const WEBHOOK_SECRET = "a webhook secret of some length";
