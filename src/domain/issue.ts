import type { IssueState } from "./lifecycle.ts";
import type { SpecRef } from "./spec.ts";

export const PROVIDERS = ["local", "github", "gitlab"] as const;
export type Provider = (typeof PROVIDERS)[number];
/** Those behind a network; `adapters/trackers/registry.ts` describes each. */
export const HOSTED_NAMES = PROVIDERS.filter((name) => name !== "local");
export type HostedName = (typeof HOSTED_NAMES)[number];

/** How far Relay goes in a repository (R-LIFE-7). */
export const MODES = ["spec", "plan", "implement"] as const;
export type Mode = (typeof MODES)[number];

/** The address of an issue in its tracker; the two external ids are stored apart (decision 13). */
export interface IssueAddress {
  provider: Provider;
  /** `owner/name`, or the project id of GitLab. */
  externalProjectId: string;
  /** The number that people use. */
  externalIssueId: string;
}

/** An issue that Relay is engaged in. */
export interface Issue extends IssueAddress {
  id: string;
  repositoryId: string;
  title: string;
  body: string;
  labels: string[];
  assignees: string[];
  reporter: string;
  url: string | null;
  /** Hidden from most people who can see the repository's other issues. */
  confidential: boolean;
  /** Whether only members can read the repository and its requests. */
  repositoryPrivate: boolean;
  state: IssueState;
  /** The state to continue in, while `paused` or `closed`. */
  resumesAs: IssueState | null;
  /** Two-letter code of the language that people write in (R-PLAN-10). */
  language: string;
  spec: SpecRef | null;
  /** Cycles in a row that ended with failures (R-ACT-4). */
  failedCycles: number;
  /** The end of the debounce, if one is running (R-LIFE-3). */
  debounceUntil: Date | null;
  assignedAt: Date;
  planPostedAt: Date | null;
  openedAt: Date;
  updatedAt: Date;
}

/** How an issue is named to people: `local/demo#7`, `github/acme/shop#12`. */
export function issueName(address: IssueAddress): string {
  return `${address.provider}/${address.externalProjectId}#${address.externalIssueId}`;
}

/** Parses the name of an issue; null if it is none. */
export function issueNamed(name: string): IssueAddress | null {
  const slash = name.indexOf("/");
  const hash = name.lastIndexOf("#");
  const provider = PROVIDERS.find((known) => known === name.slice(0, slash));
  if (provider === undefined || hash < slash) return null;
  return { provider, externalProjectId: name.slice(slash + 1, hash), externalIssueId: name.slice(hash + 1) };
}

/** The address alone of what has one. */
export function addressOf({ provider, externalProjectId, externalIssueId }: IssueAddress): IssueAddress {
  return { provider, externalProjectId, externalIssueId };
}

/** The path of an issue's page on the dashboard: `/issues/github/acme/shop/12`. */
export function pathOf({ provider, externalProjectId, externalIssueId }: IssueAddress): string {
  const parts = [provider, ...externalProjectId.split("/"), externalIssueId];
  return `/issues/${parts.map(encodeURIComponent).join("/")}`;
}
