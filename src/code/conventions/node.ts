import { type CodeFiles, type Commands, type Found, NOTHING, recordAt, recordIn, stringAt } from "./code-files.ts";

type Manager = "npm" | "pnpm" | "yarn" | "bun";

/** Lock files with the manager that writes them; if there are several, the first one counts. */
const LOCK_FILES: readonly (readonly [file: string, manager: Manager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** Fields for which npm installs something, and scripts that it runs when it installs. */
const INSTALLS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "workspaces"];
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];

/** The scripts of a package, run by the package manager that its lock file or `packageManager` names. */
export async function nodeCommands(code: CodeFiles): Promise<Found> {
  if (!code.paths.has("package.json")) return NOTHING;
  const text = await code.read("package.json");
  const manifest = recordIn(text, "json");
  const isValid = Object.keys(manifest).length > 0 || text.trim() === "{}";
  const tool = await toolOf(code, manifest);
  const needsNothing = isValid && tool.lock === null && !installsAnything(manifest);
  const types = typeCheckerOf(manifest, code.paths);
  return {
    setup: needsNothing ? [] : tool.setup,
    written: await scriptsOf(code, manifest, tool),
    implied: types === undefined ? {} : { types },
  };
}

interface Tool {
  manager: Manager;
  isBerry: boolean;
  /** How the package manager is called. */
  call: string;
  lock: string | null;
  setup: string[];
}

async function toolOf(code: CodeFiles, manifest: Record<string, unknown>): Promise<Tool> {
  const asked = askedManager(manifest);
  const locks = LOCK_FILES.filter(([file]) => code.paths.has(file));
  const manager = asked?.name ?? locks[0]?.[1] ?? "npm";
  const lock = locks.find(([, of]) => of === manager)?.[0] ?? null;
  const isBerry = manager === "yarn" && (await usesBerry(code, asked?.version ?? null));
  const release = isBerry ? await releaseOf(code) : null;
  const call = release === null ? manager : `node ${release}`;
  const install = `${call} ${installOf(manager, isBerry, lock)}`;
  const version = asked?.version ?? (manager === "pnpm" ? await pnpmSeries(code) : null);
  const obtain = release === null ? obtainOf(manager, isBerry, version) : [];
  return { manager, isBerry, call, lock, setup: [...obtain, install] };
}

/** The package manager that the package names, with its version; null if it names none, or an unknown one. */
function askedManager(manifest: Record<string, unknown>): { name: Manager; version: string | null } | null {
  const field = stringAt(manifest, "packageManager") ?? "";
  const development = recordAt(manifest, "devEngines", "packageManager");
  const [, name = stringAt(development, "name"), version = stringAt(development, "version")] =
    /^([a-z]+)(?:@([\w.-]+))?/.exec(field) ?? [];
  if (name !== "npm" && name !== "pnpm" && name !== "yarn" && name !== "bun") return null;
  return { name, version: version !== undefined && /^\d+\.\d+\.\d+[\w.-]*$/.test(version) ? version : null };
}

function installOf(manager: Manager, isBerry: boolean, lock: string | null): string {
  if (lock === null) return manager === "npm" ? "install --no-package-lock" : "install";
  if (manager === "npm") return "ci";
  return isBerry ? "install --immutable" : "install --frozen-lockfile";
}

/**
 * Installs a manager that the machine lacks; npm comes with Node. Yarn 1 and later versions refuse each other's
 * projects.
 */
function obtainOf(manager: Manager, isBerry: boolean, version: string | null): string[] {
  if (manager === "npm" || (isBerry && version === null)) return [];
  const name = isBerry ? "@yarnpkg/cli-dist" : manager;
  const get = `npm install --global ${name}@${version ?? (manager === "yarn" ? "1" : "latest")}`;
  return [`${isBerry ? "yarn --version | grep -q '^[2-9]'" : `command -v ${manager}`} || ${get}`];
}

/** The newest major version of pnpm that writes this lock file format. */
async function pnpmSeries(code: CodeFiles): Promise<string | null> {
  const [, format] = /^lockfileVersion: *'?(\d+)\./m.exec((await code.read("pnpm-lock.yaml")).slice(0, 2_000)) ?? [];
  return format === "5" ? "7" : format === "6" ? "8" : format === "9" ? "10" : null;
}

/** Yarn 2 and later take other options. */
async function usesBerry(code: CodeFiles, version: string | null): Promise<boolean> {
  if (version !== null) return !/^[01]\./.test(version);
  return code.paths.has(".yarnrc.yml") || /^__metadata:/m.test((await code.read("yarn.lock")).slice(0, 2_000));
}

/** The path of the Yarn release that the repository includes; null for none. */
async function releaseOf(code: CodeFiles): Promise<string | null> {
  const path = stringAt(recordIn(await code.read(".yarnrc.yml"), "yaml"), "yarnPath") ?? "";
  return code.paths.has(path) && /^[\w./-]+$/.test(path) ? path : null;
}

function installsAnything(manifest: Record<string, unknown>): boolean {
  const scripts = scriptNames(manifest);
  return (
    INSTALLS.some((key) => Object.keys(Object(manifest[key])).length > 0) ||
    INSTALL_SCRIPTS.some((script) => scripts.has(script))
  );
}

/** The names of scripts that do something, unlike npm's placeholder for missing tests. */
function scriptNames(manifest: Record<string, unknown>): ReadonlySet<string> {
  const scripts = Object.entries(recordAt(manifest, "scripts"));
  const real = scripts.filter(
    ([, text]) => typeof text === "string" && text.trim() !== "" && !/^echo\b.*no test specified/i.test(text.trim()),
  );
  return new Set(real.map(([name]) => name));
}

async function scriptsOf(code: CodeFiles, manifest: Record<string, unknown>, tool: Tool): Promise<Commands> {
  const scripts = scriptNames(manifest);
  const named = (...names: string[]) => {
    const name = names.find((each) => scripts.has(each));
    return name === undefined ? undefined : `${tool.call} run ${name}`;
  };
  const tests = scripts.has("test")
    ? // Without `run`, this would start Bun's own test runner.
      `${tool.call} ${tool.manager === "bun" ? "run test" : "test"}`
    : (named("test:unit", "test:ci", "tests", "unit") ?? (await workspaceTests(code, manifest, tool)));
  return {
    lint: named("lint", "eslint", "lint:js", "lint:check", "check:lint", "check"),
    types: named("type-check", "typecheck", "check-types", "check:types", "types", "tsc", "lint:types"),
    build: named("build", "compile", "bundle"),
    ...(tests === undefined ? {} : { tests: [tests] }),
  };
}

const MOST_PACKAGES = 40;

/** Runs the tests of a workspace's packages if its root has none. */
async function workspaceTests(
  code: CodeFiles,
  manifest: Record<string, unknown>,
  { manager, isBerry, call }: Tool,
): Promise<string | undefined> {
  const isWorkspace = manager === "pnpm" ? code.paths.has("pnpm-workspace.yaml") : manifest["workspaces"] !== undefined;
  if (!isWorkspace || manager === "bun") return undefined;
  const packages = [...code.paths].filter((path) => /^(?!.*\bnode_modules\/).+\/package\.json$/.test(path));
  for (const path of packages.slice(0, MOST_PACKAGES)) {
    if (!scriptNames(recordIn(await code.read(path), "json")).has("test")) continue;
    if (manager === "npm") return "npm test --workspaces --if-present";
    if (manager === "pnpm") return "pnpm --recursive test";
    return isBerry ? `${call} workspaces foreach --all run test` : undefined;
  }
  return undefined;
}

/** The type checker that a package installs and configures. */
function typeCheckerOf(manifest: Record<string, unknown>, paths: ReadonlySet<string>): string | undefined {
  if (!paths.has("tsconfig.json")) return undefined;
  const installs = (tool: string) =>
    stringAt(manifest, "dependencies", tool) !== undefined || stringAt(manifest, "devDependencies", tool) !== undefined;
  return installs("vue-tsc") ? "npx vue-tsc --noEmit" : installs("typescript") ? "npx tsc --noEmit" : undefined;
}
