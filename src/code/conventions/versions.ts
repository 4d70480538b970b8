import type { Repository } from "../git/repository.ts";
import { codeFiles, recordIn, stringAt } from "./code-files.ts";

/** Files that contain only a version. */
const FILES: readonly (readonly [path: string, language: string])[] = [
  [".nvmrc", "Node"],
  [".node-version", "Node"],
  [".python-version", "Python"],
  [".ruby-version", "Ruby"],
  [".java-version", "Java"],
  ["rust-toolchain", "Rust"],
];

/**
 * The language versions that a repository asks for, each with its file: `Node 18 (.nvmrc)`. People see them, but
 * nothing enforces them: commands run with what the machine has.
 */
export async function versionsOf(repository: Pick<Repository, "files" | "readFile">): Promise<string[]> {
  const code = await codeFiles(repository);
  const found = await Promise.all(
    FILES.map(async ([path, language]) => ({ path, language, version: (await code.read(path)).trim().split("\n")[0] })),
  );
  const toml = async (path: string) => recordIn(await code.read(path), "toml");
  const json = async (path: string) => recordIn(await code.read(path), "json");
  const manifest = await json("package.json");
  const more = [
    { path: "package.json", language: "Node", version: stringAt(manifest, "engines", "node") },
    {
      path: "pyproject.toml",
      language: "Python",
      version: stringAt(await toml("pyproject.toml"), "project", "requires-python"),
    },
    {
      path: "rust-toolchain.toml",
      language: "Rust",
      version: stringAt(await toml("rust-toolchain.toml"), "toolchain", "channel"),
    },
    { path: "Cargo.toml", language: "Rust", version: stringAt(await toml("Cargo.toml"), "package", "rust-version") },
    { path: "composer.json", language: "PHP", version: stringAt(await json("composer.json"), "require", "php") },
    { path: "global.json", language: ".NET", version: stringAt(await json("global.json"), "sdk", "version") },
    { path: "go.mod", language: "Go", version: /^go +(\S+)/m.exec(await code.read("go.mod"))?.[1] },
  ];
  const told = [...found, ...more].filter(({ version }) => /^[\w.^~<>=|&*, /-]{1,60}$/.test(version ?? ""));
  return [...Map.groupBy(told, ({ language }) => language).values()].flatMap(([first]) =>
    first === undefined ? [] : [`${first.language} ${(first.version ?? "").replace(/^v(?=\d)/, "")} (${first.path})`],
  );
}
