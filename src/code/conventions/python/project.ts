import { type CodeFiles, recordAt, recordIn, stringAt, stringsAt, valueAt } from "../code-files.ts";
import { type Ini, iniLines, parseIni } from "../ini.ts";
import { isRecord } from "../../../lib/text.ts";
import { isRequirement } from "./needs.ts";

/** The metadata of a Python project. */
export interface PythonProject {
  pyproject: Record<string, unknown>;
  setupCfg: Ini;
  /** Whether pip can install it. */
  isPackage: boolean;
  /** Whether its code can only be imported once it is installed with its dependencies. */
  mustInstall: boolean;
  /** Names of its extras, and the requirements of its dependency groups. */
  extras: ReadonlyMap<string, readonly string[]>;
  groups: ReadonlyMap<string, readonly string[]>;
}

export async function pythonProject(code: CodeFiles): Promise<PythonProject> {
  const pyproject = recordIn(await code.read("pyproject.toml"), "toml");
  const setupCfg = parseIni(await code.read("setup.cfg"));
  const setupPy = await code.read("setup.py");
  const isPackage =
    code.paths.has("setup.py") ||
    ["project", "build-system"].some((key) => isRecord(pyproject[key])) ||
    stringAt(pyproject, "tool", "poetry", "name") !== undefined;
  return {
    pyproject,
    setupCfg,
    isPackage,
    mustInstall: isPackage && (hasMore(pyproject, setupCfg, setupPy) || !isImportable(code)),
    extras: extrasOf(pyproject, setupCfg, setupPy),
    groups: groupsOf(pyproject),
  };
}

/** Whether the project has dependencies, builds something, or registers programs or plugins. */
function hasMore(pyproject: Record<string, unknown>, setupCfg: Ini, setupPy: string): boolean {
  const project = recordAt(pyproject, "project");
  const poetry = recordAt(pyproject, "tool", "poetry");
  const options = setupCfg.get("options");
  return (
    stringsAt(project, "dependencies").length > 0 ||
    stringsAt(project, "dynamic").some((key) =>
      /^(?:dependencies|optional-dependencies|scripts|entry-points)$/.test(key),
    ) ||
    ["scripts", "gui-scripts", "entry-points"].some((key) => Object.keys(recordAt(project, key)).length > 0) ||
    Object.keys(recordAt(poetry, "dependencies")).some((name) => name !== "python") ||
    ["scripts", "plugins"].some((key) => Object.keys(recordAt(poetry, key)).length > 0) ||
    /maturin|scikit-build|meson|setuptools-rust|cython|cffi|pybind11/i.test(
      stringsAt(pyproject, "build-system", "requires").join(" "),
    ) ||
    iniLines(options?.get("install_requires")).length > 0 ||
    setupCfg.has("options.entry_points") ||
    /\b(?:install_requires\s*=(?!\s*\[\s*\])|ext_modules|cffi_modules|entry_points|scripts\s*=|cmdclass|package_dir)/.test(
      setupPy,
    )
  );
}

/** Whether a package or module is at the top, where Python finds it. */
function isImportable({ paths }: CodeFiles): boolean {
  return [...paths].some((path) => {
    const [, name] = /^([a-z]\w*)(?:\/__init__)?\.py$/i.exec(path) ?? [];
    return (
      name !== undefined && !/^(?:setup|conftest|noxfile|tasks|fabfile|docs?|tests?|examples?|benchmarks?)$/i.test(name)
    );
  });
}

function extrasOf(pyproject: Record<string, unknown>, setupCfg: Ini, setupPy: string): Map<string, readonly string[]> {
  const extras = new Map<string, readonly string[]>();
  for (const [name, list] of Object.entries(recordAt(pyproject, "project", "optional-dependencies"))) {
    extras.set(name, stringsAt(list));
  }
  for (const [name, list] of Object.entries(recordAt(pyproject, "tool", "poetry", "extras"))) {
    extras.set(name, stringsAt(list));
  }
  for (const [name, list] of setupCfg.get("options.extras_require") ?? []) extras.set(name, iniLines(list));
  const [, given = ""] = /extras_require\s*=\s*\{([\s\S]{0,5000}?)\}/.exec(setupPy) ?? [];
  for (const [, name = "", list = ""] of given.matchAll(/["']([\w.-]+)["']\s*:\s*\[([^\]]*)\]/g)) {
    extras.set(
      name,
      [...list.matchAll(/["']([^"']+)["']/g)].map(([, one = ""]) => one),
    );
  }
  return extras;
}

const MOST_NESTED = 5;

/** Dependency groups (PEP 735) with the groups that they include, and the older ones of uv and PDM. */
function groupsOf(pyproject: Record<string, unknown>): Map<string, readonly string[]> {
  const groups = recordAt(pyproject, "dependency-groups");
  const listOf = (name: string, depth: number): string[] => {
    const list = valueAt(groups, name);
    if (!Array.isArray(list) || depth > MOST_NESTED) return [];
    return list.flatMap((each: unknown) => {
      if (typeof each === "string") return isRequirement(each) ? [each] : [];
      const inner = stringAt(each, "include-group");
      return inner === undefined ? [] : listOf(inner, depth + 1);
    });
  };
  const found = new Map<string, readonly string[]>(Object.keys(groups).map((name) => [name, listOf(name, 0)]));
  const uv = stringsAt(pyproject, "tool", "uv", "dev-dependencies");
  if (uv.length > 0) found.set("dev", [...(found.get("dev") ?? []), ...uv]);
  for (const [name, list] of Object.entries(recordAt(pyproject, "tool", "pdm", "dev-dependencies"))) {
    found.set(name, [...(found.get(name) ?? []), ...stringsAt(list)]);
  }
  for (const [name, group] of Object.entries(recordAt(pyproject, "tool", "poetry", "group"))) {
    found.set(name, Object.keys(recordAt(group, "dependencies")));
  }
  const poetry = Object.keys(recordAt(pyproject, "tool", "poetry", "dev-dependencies"));
  if (poetry.length > 0) found.set("dev", [...(found.get("dev") ?? []), ...poetry]);
  return found;
}
