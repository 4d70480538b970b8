import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CodingAgent } from "../adapters/agents/agent.ts";
import { CERTIFICATE_VARIABLES, certificateBundle } from "../adapters/sandbox/certificates.ts";
import { installationOf } from "../adapters/sandbox/installation.ts";
import type { Launch } from "../lib/launch.ts";
import type { ModelRoute, OpenSandbox, Sandbox } from "../adapters/sandbox/sandbox.ts";
import type { NetworkSeen } from "./run/context.ts";
import type { Workspace } from "./run/workspace/workspace.ts";
import type { WorkSettings, WorkerDeps } from "./worker.ts";

/** A name that never resolves (RFC 6761). */
const NOWHERE = ["nowhere.invalid"];

interface Equipment {
  sandbox: Sandbox;
  agent: CodingAgent | null;
  models: readonly ModelRoute[];
  /** Certificates that its programs trust in addition to the public ones, in PEM. */
  certificates: readonly string[];
}

/** Opens a sandbox around a run's tree: for its agent, or for the repository's own commands (R-WORK-5). */
export async function openSandboxFor(
  who: "agent" | "commands",
  tree: Pick<Workspace, "directory" | "home" | "cache" | "outside" | "objects">,
  hosts: readonly string[],
  { sandbox, agent, models, certificates }: Equipment,
  { settings }: Pick<WorkerDeps, "settings">,
): Promise<OpenSandbox> {
  const folder = join(tree.outside, who);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A container's agent is installed in its image.
  const program = sandbox.kind === "container" ? null : (agent?.program ?? null);
  const bundle = certificates.length === 0 ? null : join(folder, "certificates.pem");
  if (bundle !== null) await writeFile(bundle, await certificateBundle(certificates), { mode: 0o644 });
  const opened = await sandbox.open({
    writable: [tree.directory, tree.home, tree.cache],
    readable: [
      ...tree.objects,
      ...settings.readable,
      ...(program === null ? [] : await installationOf(program)),
      ...(bundle === null ? [] : [bundle]),
    ],
    // An empty list would disable the proxy, and with it the record of refused hosts.
    hosts: hosts.length === 0 && sandbox.kind !== "none" ? NOWHERE : hosts,
    privateNetwork: settings.privateNetwork,
    models,
    folder,
    memoryMb: settings.memoryMb,
    processes: settings.processes,
    diskMb: settings.diskMb,
    files: settings.files,
  });
  let closing: Promise<void> | null = null;
  // It may be closed both when it is no longer needed and at the end of the run.
  const close = async () => await (closing ??= opened.close());
  const trusted = bundle === null ? {} : Object.fromEntries(CERTIFICATE_VARIABLES.map((name) => [name, bundle]));
  return { ...opened, launch: withInstalled(withVariables(opened.launch, trusted), tree), close };
}

function withVariables(launch: Launch, environment: Readonly<Record<string, string>>): Launch {
  return async (request) => await launch({ ...request, environment: { ...environment, ...request.environment } });
}

/** What the repository's commands may reach from this sandbox, and what was refused or unreachable. */
export function networkOf(opened: OpenSandbox, { kind }: Pick<Sandbox, "kind">, hosts: readonly string[]): NetworkSeen {
  return {
    isOpen: hosts.length > 0 || kind === "none",
    wasRefused: () => opened.refusedHosts().some(({ unlisted }) => unlisted),
    unreached: () => opened.unreachedHosts(),
  };
}

/**
 * Lets programs find what set-up installs outside the system folders: npm's global programs, and those of a Python
 * virtual environment, which is active as soon as it exists (R-WORK-16). Commands that install such a program, or name
 * VIRTUAL_ENV, get a path outside the tree, so that nothing there is checked or committed. An environment that a
 * command created as `.venv` in the tree works too.
 */
export function withInstalled(launch: Launch, { directory, home }: Pick<Workspace, "directory" | "home">): Launch {
  const own = join(home, "venv");
  return async (request) => {
    const made = await firstEnvironment([own, join(directory, ".venv")]);
    const words = request.args.join(" ");
    const python = made ?? (words.includes("VIRTUAL_ENV") ? own : null);
    // Only for such commands: npm also looks for its global settings below the prefix.
    const isGlobal = /\bnpm (?:install|i|add)\b[^;&|]* (?:--global|-g)\b/.test(words);
    const variables = {
      ...(python === null ? {} : { VIRTUAL_ENV: python, UV_PROJECT_ENVIRONMENT: python }),
      ...(isGlobal ? { npm_config_prefix: home } : {}),
    };
    return await launch({
      ...request,
      environment: { ...variables, ...request.environment },
      pathFirst: [...(made === null ? [] : [join(made, "bin")]), join(home, "bin"), ...(request.pathFirst ?? [])],
    });
  };
}

async function firstEnvironment(folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const settings = await stat(join(folder, "pyvenv.cfg")).catch(() => null);
    if (settings !== null) return folder;
  }
  return null;
}

/** Variables by which package managers find their caches, and folders that they may write to. */
export function packageFolders(cache: string): Record<string, string> {
  return {
    // For pnpm up to version 10, and for later versions.
    npm_config_store_dir: join(cache, "pnpm"),
    pnpm_config_store_dir: join(cache, "pnpm"),
    BUNDLE_PATH: join(cache, "gems"),
    COREPACK_HOME: join(cache, "corepack"),
    COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
    NUGET_PACKAGES: join(cache, "nuget"),
    DOTNET_CLI_TELEMETRY_OPTOUT: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    npm_config_cache: join(cache, "npm"),
    XDG_CACHE_HOME: join(cache, "xdg"),
    YARN_CACHE_FOLDER: join(cache, "yarn"),
    PIP_CACHE_DIR: join(cache, "pip"),
    UV_CACHE_DIR: join(cache, "uv"),
    GOMODCACHE: join(cache, "go"),
    GOCACHE: join(cache, "go-build"),
    CARGO_HOME: join(cache, "cargo"),
    GRADLE_USER_HOME: join(cache, "gradle"),
    BUNDLE_USER_CACHE: join(cache, "bundle"),
    COMPOSER_CACHE_DIR: join(cache, "composer"),
  };
}

/** The addresses of the agent's model servers inside the sandbox. */
export function addressesIn(
  { environment }: OpenSandbox,
  { models }: Pick<WorkSettings, "models">,
): Record<string, string> {
  const names = new Set(models.map(({ variable }) => variable));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => names.has(name)));
}
