import type { Launch } from "../../lib/launch.ts";
import type { Holders } from "./limit-enforcement.ts";

/** What the programs of one run may see, change and reach (R-WORK-5). Everything else is out of their reach. */
export interface Place {
  /** Absolute paths that they may change. */
  writable: readonly string[];
  /** Absolute paths that they may read, beside the system's own programs and libraries. */
  readable: readonly string[];
  /** Hosts that they may reach over HTTP and HTTPS: `registry.npmjs.org`, `*.example.org`; none where it is empty. */
  hosts: readonly string[];
  /**
   * Model servers that they reach without knowing the key: at the address that `environment` names for `variable`,
   * each request gets `headers` and goes on to `url`.
   */
  models: readonly ModelRoute[];
  /** An own folder, made by the caller, for what the sandbox itself needs; out of reach of the programs. */
  folder: string;
  /** Mebibytes of memory for all programs together; null for no bound. */
  memoryMb: number | null;
  /** Processes at a time; null for no bound. */
  processes: number | null;
  /** Mebibytes that its programs may add to the disk together; null for no bound. */
  diskMb: number | null;
}

export interface ModelRoute {
  /** The variable that names the address to the program: `ANTHROPIC_BASE_URL`. */
  variable: string;
  /** Where the requests go: `https://api.anthropic.com`. */
  url: string;
  /** With the key; they replace those of the same names that the program sent. */
  headers: Readonly<Record<string, string>>;
}

export interface OpenPlace {
  /** Starts a program in the place. */
  launch: Launch;
  /** What every program in it gets to see as its environment; `launch` adds it by itself. */
  environment: Readonly<Record<string, string>>;
  /** Hosts that programs tried to reach and were not let to, each once. */
  refusedHosts(): readonly string[];
  /** Ends all programs that still run in it. */
  close(): Promise<void>;
}

export const SANDBOXES = ["bubblewrap", "container", "none"] as const;
export type SandboxKind = (typeof SANDBOXES)[number];

export interface Sandbox {
  readonly kind: SandboxKind;
  /** What it does not keep programs from, one short sentence each, for people; empty where it keeps all it promises. */
  readonly weaknesses: readonly string[];
  /** Who holds the bounds of a place. */
  readonly holders: Holders;
  open(place: Place): Promise<OpenPlace>;
}
