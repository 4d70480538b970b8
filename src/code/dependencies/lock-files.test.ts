import { describe, expect, test } from "vitest";
import { dependencyChanges, isLockFile } from "./lock-files.ts";

/** `name: before -> after (licence)`, a line for each. */
function changed(path: string, before: string | null, after: string | null): string[] | null {
  const changes = dependencyChanges(path, { before, after });
  const shown = (versions: readonly string[]) => versions.join(", ") || "none";
  return (
    changes?.map(
      (one) =>
        `${one.name}: ${shown(one.before)} -> ${shown(one.after)}${one.licence === null ? "" : ` [${one.licence}]`}`,
    ) ?? null
  );
}

const NPM = (packages: object) =>
  JSON.stringify({ lockfileVersion: 3, packages: { "": { name: "shop" }, ...packages } });
const OF_NPM = (name: string) => `https://registry.npmjs.org/${name}/-/${name}.tgz`;
const CRATES = "registry+https://github.com/rust-lang/crates.io-index";

const TABLES = (name: string, version: string, more = "") =>
  `[[package]]\nname = "${name}"\nversion = "${version}"\n${more}\n`;

describe("what changed in a lock file", () => {
  test.each<{ path: string; before: string; after: string; shown: string[] }>([
    {
      path: "package-lock.json",
      before: NPM({
        "node_modules/a": { version: "1.0.0", resolved: OF_NPM("a"), license: "MIT" },
        "node_modules/b/node_modules/@x/c": { version: "2.0.0", license: "ISC" },
        "node_modules/gone": { version: "0.1.0" },
        "packages/own": { version: "1.0.0" },
        "node_modules/own": { resolved: "packages/own", link: true },
      }),
      after: NPM({
        "node_modules/a": { version: "1.1.0", resolved: OF_NPM("a"), license: "Apache-2.0" },
        "node_modules/b/node_modules/@x/c": { version: "2.0.0", license: "ISC" },
        "node_modules/@x/c": { version: "3.0.0", license: "ISC" },
        "node_modules/new": {
          version: "1.2.3",
          resolved: "git+ssh://git@github.com/acme/new.git#abc",
          license: "GPL-3.0",
        },
        "packages/own": { version: "2.0.0" },
        "node_modules/own": { resolved: "packages/own", link: true },
      }),
      shown: [
        "new: none -> 1.2.3 (github.com/acme/new) [GPL-3.0]",
        "@x/c: 2.0.0 -> 2.0.0, 3.0.0 [ISC]",
        "a: 1.0.0 -> 1.1.0 [Apache-2.0]",
        "gone: 0.1.0 -> none",
      ],
    },
    {
      path: "web/npm-shrinkwrap.json",
      before: JSON.stringify({ lockfileVersion: 1, dependencies: { a: { version: "1.0.0", resolved: OF_NPM("a") } } }),
      after: JSON.stringify({
        lockfileVersion: 1,
        dependencies: {
          a: { version: "1.0.0", resolved: "https://evil.example/a.tgz", dependencies: { b: { version: "2.0.0" } } },
          c: { version: "git+https://github.com/acme/c.git#0123abc" },
        },
      }),
      shown: ["b: none -> 2.0.0", "c: none -> 0123abc (github.com/acme/c)", "a: 1.0.0 -> 1.0.0 (evil.example)"],
    },
    {
      path: "pnpm-lock.yaml",
      before:
        "lockfileVersion: '9.0'\n\nimporters:\n  .:\n    dependencies: {}\n\npackages:\n\n  '@x/a@1.0.0':\n    resolution: {integrity: x}\n\n  b@2.0.0(react@18.0.0):\n    engines: {}\n\nsnapshots:\n\n  zz@1.0.0: {}\n",
      after:
        "lockfileVersion: '9.0'\n\npackages:\n\n  '@x/a@1.1.0':\n    resolution: {integrity: x}\n\n  b@2.0.0(react@19.0.0):\n    engines: {}\n\n  c@https://codeload.github.com/acme/c/tar.gz/abc123:\n    version: 1.0.0\n",
      shown: ["c: none -> abc123 (codeload.github.com)", "@x/a: 1.0.0 -> 1.1.0"],
    },
    {
      path: "pnpm-lock.yaml",
      before:
        "lockfileVersion: 5.4\npackages:\n\n  /@x/a/1.0.0:\n    dev: true\n\n  /b/2.0.0_react@17.0.2:\n    dev: true\n",
      after:
        "lockfileVersion: '6.0'\npackages:\n\n  /@x/a@1.0.0:\n    dev: true\n\n  /b@2.1.0(react@17.0.2):\n    dev: true\n",
      shown: ["b: 2.0.0 -> 2.1.0"],
    },
    {
      path: "yarn.lock",
      before:
        '# yarn lockfile v1\n\n\n"@x/a@^1.0.0", "@x/a@^1.0.1":\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/@x/a/-/a-1.0.0.tgz#abc"\n  dependencies:\n    b "^2.0.0"\n',
      after:
        '# yarn lockfile v1\n\n\n"@x/a@^1.0.0", "@x/a@^1.0.1":\n  version "1.0.2"\n  resolved "https://registry.yarnpkg.com/@x/a/-/a-1.0.2.tgz#abc"\n  dependencies:\n    version "^2.0.0"\n\nb@^2.0.0:\n  version "2.0.0"\n  resolved "https://evil.example/b.tgz#abc"\n',
      shown: ["b: none -> 2.0.0 (evil.example)", "@x/a: 1.0.0 -> 1.0.2"],
    },
    {
      path: "yarn.lock",
      before:
        '__metadata:\n  version: 8\n\n"shop@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "shop@workspace:."\n',
      after:
        '__metadata:\n  version: 9\n\n"@x/a@npm:^1.0.0, @x/a@npm:^1.1.0":\n  version: 1.1.0\n  resolution: "@x/a@npm:1.1.0"\n\n"b@https://github.com/acme/b.git":\n  version: 2.0.0\n  resolution: "b@https://github.com/acme/b.git#commit=abc"\n',
      shown: ["@x/a: none -> 1.1.0", "b: none -> 2.0.0 (github.com/acme/b)"],
    },
    {
      path: "Cargo.lock",
      before: `version = 4\n\n${TABLES("shop", "0.1.0")}${TABLES("serde", "1.0.0", `source = "${CRATES}"\ndependencies = [\n "x",\n]`)}`,
      after: `version = 4\n\n${TABLES("shop", "0.2.0")}${TABLES("serde", "1.0.1", `source = "${CRATES}"`)}${TABLES("rand", "0.9.0", 'source = "git+https://github.com/acme/rand.git?rev=1#1"')}`,
      shown: ["rand: none -> 0.9.0 (github.com/acme/rand)", "serde: 1.0.0 -> 1.0.1"],
    },
    {
      path: "poetry.lock",
      before: `${TABLES("httpx", "0.27.0")}[package.dependencies]\nname = "1"\nversion = "2"\n\n`,
      after: `${TABLES("httpx", "0.28.0")}${TABLES("own", "1.0.0", '[package.source]\ntype = "git"\nurl = "https://git.example/own.git"')}[metadata]\nversion = "2"\n`,
      shown: ["own: none -> 1.0.0 (git.example/own)", "httpx: 0.27.0 -> 0.28.0"],
    },
    {
      path: "uv.lock",
      before: TABLES("anyio", "4.0.0", 'source = { registry = "https://pypi.org/simple" }'),
      after: `${TABLES("anyio", "4.0.0", 'source = { registry = "https://pypi.corp.example/simple" }')}${TABLES("shop", "1.0.0", 'source = { editable = "." }')}`,
      shown: ["anyio: 4.0.0 -> 4.0.0 (pypi.corp.example)"],
    },
    {
      path: "Pipfile.lock",
      before: '{"_meta": {}, "default": {"requests": {"version": "==2.31.0"}}, "develop": {}}',
      after:
        '{"default": {"requests": {"version": "==2.32.0"}}, "develop": {"b": {"git": "https://git.example/b.git", "ref": "abc"}}}',
      shown: ["b: none -> abc (git.example/b)", "requests: 2.31.0 -> 2.32.0"],
    },
    {
      path: "requirements-dev.txt",
      before: "# tools\nrequests[socks]==2.31.0 ; python_version > '3'  # pinned\n-r base.txt\nflask>=2,<3\n",
      after:
        "requests[socks]==2.32.0 \\\n    --hash=sha256:abc\nflask>=2,<4\nown @ https://evil.example/own-1.0.tar.gz\ngit+https://git.example/e.git#egg=e\n--index-url https://x\n",
      shown: [
        "e: none -> (git.example/e)",
        "own: none -> own-1.0.tar.gz (evil.example)",
        "flask: >=2,<3 -> >=2,<4",
        "requests: 2.31.0 -> 2.32.0",
      ],
    },
    {
      path: "go.mod",
      before:
        "module example.org/shop\n\ngo 1.24\n\nrequire (\n\tgithub.com/a/b v1.0.0\n\tgolang.org/x/text v0.1.0 // indirect\n)\n",
      after:
        "module example.org/shop\n\ngo 1.25\n\nrequire github.com/a/b v1.0.0\n\nrequire golang.org/x/text v0.2.0 // indirect\n\nreplace (\n\tgithub.com/a/b => github.com/evil/b v1.0.1\n)\n",
      shown: ["github.com/a/b: v1.0.0 -> => github.com/evil/b v1.0.1", "golang.org/x/text: v0.1.0 -> v0.2.0"],
    },
    {
      path: "go.sum",
      before: "github.com/a/b v1.0.0 h1:x=\ngithub.com/a/b v1.0.0/go.mod h1:y=\n",
      after: "github.com/a/b v1.1.0 h1:x=\ngithub.com/a/b v1.1.0/go.mod h1:y=\ngithub.com/c/d v0.1.0/go.mod h1:z=\n",
      shown: ["github.com/a/b: v1.0.0 -> v1.1.0"],
    },
    {
      path: "Gemfile.lock",
      before:
        "GEM\n  remote: https://rubygems.org/\n  specs:\n    rake (13.0.0)\n    rspec (3.0.0)\n      rake (>= 12)\n\nDEPENDENCIES\n  rake\n",
      after:
        "GIT\n  remote: https://git.example/own.git\n  revision: abc\n  specs:\n    own (0.1.0)\n\nPATH\n  remote: .\n  specs:\n    shop (1.0.0)\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n    rake (13.1.0)\n    rspec (3.0.0)\n      rake (>= 12)\n",
      shown: ["own: none -> 0.1.0 (git.example/own)", "rake: 13.0.0 -> 13.1.0"],
    },
    {
      path: "composer.lock",
      before: '{"packages": [{"name": "monolog/monolog", "version": "3.0.0", "license": ["MIT"]}], "packages-dev": []}',
      after:
        '{"packages": [{"name": "monolog/monolog", "version": "3.1.0", "license": ["MIT"]}], "packages-dev": [{"name": "a/b", "version": "1", "license": ["GPL-2.0", "MIT"]}]}',
      shown: ["a/b: none -> 1 [GPL-2.0 OR MIT]", "monolog/monolog: 3.0.0 -> 3.1.0 [MIT]"],
    },
    {
      path: "src/Shop/packages.lock.json",
      before: '{"version": 1, "dependencies": {"net8.0": {"A": {"type": "Direct", "resolved": "1.0.0"}}}}',
      after:
        '{"version": 1, "dependencies": {"net8.0": {"A": {"type": "Direct", "resolved": "2.0.0"}, "own": {"type": "Project"}}}}',
      shown: ["A: 1.0.0 -> 2.0.0"],
    },
    {
      path: "gradle.lockfile",
      before:
        "# This is a Gradle generated file\ncom.google.code.gson:gson:2.10=runtimeClasspath\nempty=annotationProcessor\n",
      after:
        "# This is a Gradle generated file\ncom.google.code.gson:gson:2.11=compileClasspath,runtimeClasspath\nempty=annotationProcessor\n",
      shown: ["com.google.code.gson:gson: 2.10 -> 2.11"],
    },
  ])("$path", ({ path, before, after, shown }) => {
    expect(isLockFile(path)).toBe(true);
    expect(changed(path, before, after)).toEqual(shown);
    expect(changed(path, after, after)).toEqual([]);
    expect(changed(path, null, null)).toEqual([]);
  });

  test("one that is new or gone has only new packages, or only gone ones", () => {
    const text = "a==1\nb==2\n";
    expect(changed("requirements.txt", null, text)).toEqual(["a: none -> 1", "b: none -> 2"]);
    expect(changed("requirements.txt", text, null)).toEqual(["a: 1 -> none", "b: 2 -> none"]);
  });

  test("one that is not what its name says cannot be told; odd members of one that is do no harm", () => {
    expect(dependencyChanges("package-lock.json", { before: "{}", after: "<<<<<<< no JSON" })).toBeNull();
    for (const odd of [
      "null",
      "[]",
      "7",
      '{"packages": 3}',
      '{"packages": {"node_modules/a": null, "__proto__": {}}}',
    ]) {
      expect(changed("package-lock.json", "{}", odd)).toEqual([]);
    }
    expect(isLockFile("src/yarn.lock.ts")).toBe(false);
    expect(isLockFile("docs/requirements-of-people.md")).toBe(false);
  });

  test("hostile text is read in linear time: a hundred thousand signs would take a minute otherwise", () => {
    const parts = [" ", "[", "@", "/", "\\", '"', ";", "#", ":", "a@", "git+", "-e git+", "(", "=>", "\n", "_", "a/"];
    const starts = {
      "yarn.lock": "  resolved ",
      "pnpm-lock.yaml": "packages:\n  ",
      "Cargo.lock": "[[package]]\nsource = ",
    };
    const others = ["requirements.txt", "go.mod", "Gemfile.lock", "gradle.lockfile"].map((path) => [path, ""] as const);
    for (const [path, start] of [...Object.entries(starts), ...others]) {
      for (const part of parts) {
        const after = `${start}${part.repeat(100_000 / part.length)}x`;
        expect(dependencyChanges(path, { before: null, after })).not.toBeNull();
      }
    }
  });
});
