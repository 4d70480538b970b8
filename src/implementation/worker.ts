import type { CodingAgent } from "../adapters/agents/agent.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Issue } from "../domain/issue.ts";
import type { Lack } from "../domain/plan.ts";
import type { CredentialSource } from "../code/mirror/credential.ts";
import type { SettingsOf } from "../config/repository-file.ts";
import type { GatewaySettings } from "../adapters/models/gateway.ts";
import type { NamedCertificates } from "../adapters/sandbox/certificates.ts";
import type { ModelServer, Sandbox } from "../adapters/sandbox/sandbox.ts";
import type { Budgets } from "../budget/budget.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import type { Context } from "../storage/context.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import type { WorkLimits } from "./run/work-order.ts";

/** The code of a repository, for the duration of a run. */
export interface CodeSource {
  /** The code at the head of its default branch, or as checked out in a local folder. */
  code: Repository;
  /** Name of the default branch. */
  defaultBranch: string;
  /** The push target; null for a local folder, which gets branches without a push. */
  remote: { url: string; credential: CredentialSource | null } | null;
  /** Fetches what has changed there; without a remote, the code is up to date. */
  refresh: () => Promise<void>;
}

export interface WorkSettings {
  limits: WorkLimits;
  /** Scans a finished change on a clean checkout, for `sh -c`; null without one. */
  scanCommand: string | null;
  /** Hosts that may be reached beside those of the agent and its model. */
  hosts: readonly string[];
  /** What may be reached of the private network. */
  privateNetwork: readonly string[];
  readable: readonly string[];
  /** Certificates of authorities that its programs trust besides the public ones. */
  certificates: readonly NamedCertificates[];
  /** Globs of paths that no commit touches, and of those of Relay's own list that it may. */
  blocked: readonly string[];
  allowed: readonly string[];
  /** Globs of files that a person must look at if they change; `!` takes some off Relay's own list. */
  reviewed: readonly string[];
  memoryMb: number | null;
  processes: number;
  diskMb: number | null;
  files: number | null;
  /** Variables that programs in the sandbox get as they are. */
  environment: Readonly<Record<string, string>>;
  /** Of the agent: its model, and the ways to model servers without their keys. */
  model: { provider: string; name: string } | null;
  models: readonly ModelServer[];
  gateway: Omit<GatewaySettings, "models"> & {
    /** `provider/name`, beside the agent's; none of either for every model with a known price. */
    models: readonly string[];
  };
}

/** What a worker needs (R-WORK-1). */
export interface WorkerDeps extends Context {
  /** In [0, 1), from a cryptographic source: the fences of a task must not be guessable. */
  random: () => number;
  /** The data directory, absolute. */
  home: string;
  specStore: SpecStore;
  trackerFor: (repository: StoredRepository) => Promise<Tracker>;
  codeHostFor: (repository: StoredRepository) => Promise<CodeHost>;
  /** The settings of a repository as its operator and its own file define them now. */
  settingsOf: SettingsOf;
  withSource: <T>(repository: StoredRepository, work: (source: CodeSource) => Promise<T>) => Promise<T>;
  /** Runs `work` while nothing else works on the same issue, in any process. */
  withIssueLock: <T>(issue: string, work: () => Promise<T>) => Promise<T>;
  /** Processes what the tracker shows of the issue by now, unless that was done just now (R-LIFE-10). */
  catchUp: (issueId: string) => Promise<void>;
  syncLabels: (issueId: string) => Promise<void>;
  jobs: {
    /** Wakes the issue at this time. */
    setWake: (issueId: string, at: Date | number) => Promise<void>;
    /** Has the issue's status comment brought up to date. */
    sendStatus: (issue: Issue) => Promise<void>;
  };
  budgets: Budgets;
  /** Logins that may confirm a plan beside those with write access. */
  confirmers: readonly string[];
  /** Name of the coding agent. */
  agentName: string;
  /** This machine's sandbox, and the agent to run in it. Throws `config` without one. */
  equip: () => Promise<{ sandbox: Sandbox; agent: CodingAgent }>;
  /** What this machine lacks of sandbox, agent and key; absent where nobody looks (R-WORK-16). */
  machineLacks?: () => Promise<Lack[]>;
  settings: WorkSettings;
  /** Aborted when the process shuts down: it then releases the run, and another process resumes it. */
  signal?: AbortSignal;
}
