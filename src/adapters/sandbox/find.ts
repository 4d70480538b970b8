import { text } from "node:stream/consumers";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { bubblewrap } from "./bubblewrap/bubblewrap.ts";
import { container } from "./container/container.ts";
import { removeOrphans } from "./container/orphans.ts";
import { enforcementText } from "./limit-enforcement.ts";
import { none } from "./none.ts";
import type { Sandbox, SandboxKind } from "./sandbox.ts";

/** The configured sandbox. */
export interface SandboxChoice {
  /** `auto` is bubblewrap: anything weaker must be chosen explicitly. */
  wanted: "auto" | SandboxKind;
  /** Needed for `container`. */
  container: { command: string; image: string } | null;
  /** Name or path of bubblewrap; `bwrap` by default. */
  bubblewrapProgram?: string;
}

/** Whether a sandbox works on this machine, for people. */
export type Probe = { ok: true; detail: string; sandbox: Sandbox } | { ok: false; detail: string; mend: string };

const LONGEST_MS = 30_000;
const MOST_BYTES = 10_000;
/** An exit code that no program uses by accident. */
const CODE = 47;

/** Limits of the probe, in numbers that nothing else uses. */
const PROBE = { memoryMb: 509, processes: 251, diskMb: null, files: null };
/** Where a container sees its limits, in both versions of control groups. */
const LIMIT_FILES = ["memory.max", "memory/memory.limit_in_bytes", "pids.max", "pids/pids.max"].map(
  (name) => `/sys/fs/cgroup/${name}`,
);

const GET_BUBBLEWRAP =
  "install bubblewrap (apt install bubblewrap, dnf install bubblewrap) and let it make user namespaces (docs/sandbox.md says how), " +
  "or set work.sandbox: container with work.container.image, or, where nothing worth keeping is on this machine, work.sandbox: none";

/** Tries the configured sandbox with a small program: it may be installed, but not permitted. */
export async function probeSandbox(wish: SandboxChoice): Promise<Probe> {
  if (wish.wanted === "none") {
    return { ok: true, detail: "none: agents may do all that Relay's account may", sandbox: none() };
  }
  if (wish.wanted === "container") return await triedContainer(wish.container);
  if (process.platform !== "linux") {
    return { ok: false, detail: `bubblewrap needs Linux, and this is ${process.platform}`, mend: GET_BUBBLEWRAP };
  }
  return await triedBubblewrap(wish.bubblewrapProgram ?? "bwrap");
}

/**
 * The configured sandbox. Throws `RelayError` `config`, with the fix, where it does not work on this machine: Relay
 * never continues without a sandbox unless configured to (R-WORK-5).
 */
export async function findSandbox(wish: SandboxChoice): Promise<Sandbox> {
  const probe = await probeSandbox(wish);
  if (probe.ok) return probe.sandbox;
  const name = wish.wanted === "auto" ? "bubblewrap" : wish.wanted;
  throw new RelayError("config", `agents cannot be kept in a sandbox (${name}): ${probe.detail}; ${probe.mend}`);
}

async function triedContainer(options: SandboxChoice["container"]): Promise<Probe> {
  if (options === null) {
    return {
      ok: false,
      detail: "no image is named",
      mend: "set work.container.image to an image with Node, git and the agent",
    };
  }
  const { command, image } = options;
  const mend = `see that \`${command} run ${image} node --version\` works for Relay's account; \`${command} pull ${image}\` gets the image, and podman needs catatonit (apt install catatonit)`;
  const name = `${command} with ${image}`;
  await removeOrphans(command);
  let bounds = true;
  const probe = await tried(container(options), name, mend, (shown) => {
    bounds = [PROBE.memoryMb * 1024 * 1024, PROBE.processes].every((most) => shown.includes(String(most)));
  });
  // An engine without the permission to set limits does not report it.
  return probe.ok && !bounds ? works(container({ ...options, bounds }), name) : probe;
}

/** Older versions cannot forbid nested namespaces. */
async function triedBubblewrap(program: string): Promise<Probe> {
  const best = await tried(bubblewrap({ program }), "bubblewrap", GET_BUBBLEWRAP);
  if (best.ok) return best;
  const older = await tried(bubblewrap({ program, nests: true }), "bubblewrap, of an older version", GET_BUBBLEWRAP);
  return older.ok ? older : best;
}

async function tried(
  sandbox: Sandbox,
  name: string,
  mend: string,
  onLimits?: (shown: readonly string[]) => void,
): Promise<Probe> {
  const folder = await mkdtemp(join(tmpdir(), "relay-probe-"));
  try {
    const failure = await failureOf(sandbox, folder, onLimits);
    return failure === null ? works(sandbox, name) : { ok: false, detail: failure, mend };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { ok: false, detail: messageOf(error), mend };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function works(sandbox: Sandbox, name: string): Probe {
  return { ok: true, detail: `${name}: ${enforcementText(sandbox.enforcement)}`, sandbox };
}

/** Null where a program ran to its end in it; `onLimits` gets the limits that the program saw. */
async function failureOf(
  sandbox: Sandbox,
  folder: string,
  onLimits?: (shown: readonly string[]) => void,
): Promise<string | null> {
  const spec = await sandbox.open({
    writable: [],
    readable: [],
    hosts: ["probe.invalid"],
    privateNetwork: [],
    models: [],
    folder,
    ...PROBE,
  });
  try {
    const program = await spec.launch({
      command: "/bin/sh",
      args: ["-c", `cat ${LIMIT_FILES.join(" ")} 2>/dev/null; exit ${CODE}`],
      cwd: "/tmp",
      environment: {},
      stdin: "closed",
      timeoutMs: LONGEST_MS,
      mostOutputBytes: MOST_BYTES,
    });
    const [shown, said, exit] = await Promise.all([text(program.stdout), text(program.stderr), program.exit]);
    onLimits?.(shown.split("\n"));
    if (exit.ending === "exit" && exit.code === CODE) return null;
    // Docker ends with where to read about its options.
    const last =
      said
        .trim()
        .split("\n")
        .findLast((line) => line !== "" && !line.includes("--help")) ?? "";
    return exit.ending === "exit" && last !== "" ? last : `a small program came to no good end in it (${exit.ending})`;
  } finally {
    await spec.close();
  }
}
