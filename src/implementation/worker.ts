import type { CodingAgent } from "../adapters/agents/agent.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Issue } from "../domain/issue.ts";
import type { Lack } from "../domain/plan.ts";
import type { MirrorSource } from "../code/mirror/remote.ts";
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
  defaultBranch: string;
  /** The push target; null for a local folder, which gets branches without a push. */
  remote: MirrorSource | null;
  /** Fetches changes from the remote; without a remote, the code is always up to date. */
  refresh: () => Promise<void>;
}

export interface WorkSettings {
  limits: WorkLimits;
  /** The operator's scanner of finished changes on a clean checkout, run by `sh -c`; null without one. */
  scanCommand: string | null;
  /** Hosts that may be reached in addition to those of the agent and its model. */
  hosts: readonly string[];
  /** The parts of the private network that may be reached. */
  privateNetwork: readonly string[];
  readable: readonly string[];
  /** Certificates of authorities that its programs trust in addition to the public ones. */
  certificates: readonly NamedCertificates[];
  /** Globs of paths that no commit may touch, and of exceptions from Relay's own list. */
  blocked: readonly string[];
  allowed: readonly string[];
  /** Globs of files that a person must look at if they change; `!` exempts files from Relay's own list. */
  reviewed: readonly string[];
  memoryMb: number | null;
  processes: number;
  diskMb: number | null;
  files: number | null;
  /** Environment variables that programs in the sandbox get unchanged. */
  environment: Readonly<Record<string, string>>;
  /** For the agent: its model, and how to reach model servers, without their keys. */
  model: { provider: string; name: string } | null;
  models: readonly ModelServer[];
  gateway: Omit<GatewaySettings, "models"> & {
    /**
     * Allowed models as `provider/name`, in addition to the agent's. Without either, every model with a known price is
     * allowed.
     */
    models: readonly string[];
  };
}

/** What a worker needs (R-WORK-1). */
export interface WorkerDeps extends Context {
  /** Returns a number in [0, 1), from a cryptographic source: the fences of a task must not be guessable. */
  random: () => number;
  /** The data directory, absolute. */
  home: string;
  specStore: SpecStore;
  trackerFor: (repository: StoredRepository) => Promise<Tracker>;
  codeHostFor: (repository: StoredRepository) => Promise<CodeHost>;
  /** The current settings of a repository, from its operator and its own file. */
  settingsOf: SettingsOf;
  withSource: <T>(repository: StoredRepository, work: (source: CodeSource) => Promise<T>) => Promise<T>;
  /** Runs `work` while nothing else works on the same issue, in any process. */
  withIssueLock: <T>(issue: string, work: () => Promise<T>) => Promise<T>;
  /** Processes the issue's current state in the tracker, unless that was done just now (R-LIFE-10). */
  catchUp: (issueId: string) => Promise<void>;
  syncLabels: (issueId: string) => Promise<void>;
  jobs: {
    /** Wakes the issue at this time. */
    setWake: (issueId: string, at: Date | number) => Promise<void>;
    /** Queues an update of the issue's status comment. */
    sendStatus: (issue: Issue) => Promise<void>;
  };
  budgets: Budgets;
  /** Logins that may confirm a plan, in addition to people with write access. */
  confirmers: readonly string[];
  agentName: string;
  /** This machine's sandbox, and the agent to run in it. Throws `config` without one. */
  equip: () => Promise<{ sandbox: Sandbox; agent: CodingAgent }>;
  /** What this machine is missing (sandbox, agent, key); absent if nothing checks that (R-WORK-16). */
  machineLacks?: () => Promise<Lack[]>;
  settings: WorkSettings;
  /** Aborted when the process shuts down: it then releases the run, and another process resumes it. */
  signal?: AbortSignal;
}
