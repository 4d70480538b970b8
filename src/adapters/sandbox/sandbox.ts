import type { Launch } from "../../lib/launch.ts";
import type { GatewayRequest, Entry } from "../models/gateway.ts";
import type { RefusedHost } from "./egress-proxy/refusals.ts";
import type { LimitEnforcement } from "./limit-enforcement.ts";

/** What the programs of one run may see, change and reach (R-WORK-5); everything else is out of reach. */
export interface SandboxSpec {
  /** Absolute paths that they may change. */
  writable: readonly string[];
  /** Absolute paths that they may read, besides the system's programs and libraries. */
  readable: readonly string[];
  /** Hosts that they may reach over HTTP and HTTPS: `registry.npmjs.org`, `*.example.org`; none if it is empty. */
  hosts: readonly string[];
  /**
   * What they may reach of the private network: `registry.example.org:4873`, or `10.20.0.0/16` for the addresses of
   * `hosts`; nothing if it is empty (R-WORK-13).
   */
  privateNetwork: readonly string[];
  /**
   * Model servers that they reach without knowing the key: requests to the address in `variable` of `environment` are
   * forwarded to `url` with `headers`.
   */
  models: readonly ModelRoute[];
  /** A folder, made by the caller, for the sandbox itself; out of reach of the programs. */
  folder: string;
  /** Mebibytes of memory for all programs together; null for no limit. */
  memoryMb: number | null;
  /** Processes at a time; null for no limit. */
  processes: number | null;
  /** Mebibytes that its programs may add to the disk together; null for no limit. */
  diskMb: number | null;
  /** Files and folders that its programs may add together (R-WORK-14); null for no limit. */
  files: number | null;
}

/** For programs that are known, such as a probe. */
export const UNLIMITED = { memoryMb: null, processes: null, diskMb: null, files: null };

export interface ModelServer {
  /** The variable with the program's base URL: `ANTHROPIC_BASE_URL`. */
  variable: string;
  /** Where the requests go: `https://api.anthropic.com`. */
  url: string;
  /** With the key; they replace headers of the same names that the program sent. */
  headers: Readonly<Record<string, string>>;
  /** Whose protocol it speaks. */
  provider: string;
}

export interface ModelRoute extends Omit<ModelServer, "provider"> {
  /** Judges each request, and counts its answer (R-WORK-13). */
  enter: (request: GatewayRequest) => Entry;
}

export interface OpenSandbox {
  /** Starts a program in the sandbox. */
  launch: Launch;
  /** The environment of every program in it; `launch` adds it. */
  environment: Readonly<Record<string, string>>;
  /** Hosts that were refused to programs, with reasons, each once. */
  refusedHosts(): readonly RefusedHost[];
  /** Attempts of programs at allowed hosts that could not be reached, in words (R-WORK-15). */
  unreachedHosts(): readonly string[];
  /** Ends all programs that still run in it. */
  close(): Promise<void>;
}

export const SANDBOXES = ["bubblewrap", "container", "none"] as const;
export type SandboxKind = (typeof SANDBOXES)[number];

export interface Sandbox {
  readonly kind: SandboxKind;
  /** What programs may still do, one short sentence each, for people; empty if nothing weakens the sandbox. */
  readonly weaknesses: readonly string[];
  /** What enforces its limits. */
  readonly enforcement: LimitEnforcement;
  open(spec: SandboxSpec): Promise<OpenSandbox>;
}
