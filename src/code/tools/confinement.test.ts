import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexedRepository, type IndexedRepository } from "../../../test/support/indexed-repository.ts";
import { RelayError } from "../../lib/errors.ts";
import { explorerTools } from "./explorer-tools.ts";
import type { FileAccessOptions } from "./file-access.ts";

/** Stands in every file that no tool may show. */
const TREASURE = "hunter2treasure";

const SECRET_FILES = [
  ".env",
  ".env.production",
  "deploy/.ENV",
  ".envrc",
  "prod.env",
  "tls/server.pem",
  "tls/server.key",
  "id_rsa",
  "home/id_rsa.bak",
  "id_ed25519",
  "a.p12",
  "a.pfx",
  "a.keystore",
  "a.jks",
  ".npmrc",
  "web/.npmrc",
  ".netrc",
  ".pypirc",
  ".git-credentials",
  "credentials",
  "credentials.json",
  "config/Credentials.yml",
  "secrets.yml",
  "config/secrets.json",
  "config/secrets.ts",
  "infra/terraform.tfstate",
  "infra/terraform.tfstate.backup",
  ".aws/config",
  "home/.aws/x/y",
  ".ssh/known_hosts",
  ".kube/config",
  "kubeconfig",
  "kubeconfig.yaml",
  ".docker/config.json",
  ".env\u200c",
  ".npmrc.",
  "own/vault.txt",
];
const OPEN_FILES = [".env.example", "web/.env.sample", ".env.local.template", "src/environment.ts", "src/keys.ts"];
const SPOOFED = [".GIT/config", ".git\u200c/x", "git~1/config", "src/.git /x"];

const options: FileAccessOptions = { protect: ["own/**", "!own/open.txt"] };
let made: IndexedRepository;

beforeAll(async () => {
  const hidden = [...SECRET_FILES, ...SPOOFED].map((path) => ({
    path,
    content: `const ${TREASURE} = 1;\nimport x from "../src/keys.ts"\n`,
  }));
  made = await indexedRepository([
    {
      files: [
        ...hidden,
        ...OPEN_FILES.map((path) => ({ path, content: `shown in ${path}\n` })),
        { path: "own/open.txt", content: "shown in own/open.txt\n" },
        { path: "link", content: "/etc/passwd", mode: "120000" },
        { path: "linked-folder", content: "/etc", mode: "120000" },
        { path: "link-to-env", content: ".env", mode: "120000" },
        { path: "module", content: "1".repeat(40), mode: "160000" },
        { path: "logo.bin", content: Buffer.from([1, 0, 2, 0]) },
      ],
    },
  ]);
});

afterAll(async () => await made.remove());

async function run(name: string, input: unknown): Promise<string> {
  const tool = explorerTools(made.index, options).find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return JSON.stringify(await tool.run(input));
}

/** Every way to name a path to a tool. */
function attempts(path: string): [string, unknown][] {
  return [
    ["read_lines", { path }],
    ["imports_of", { path }],
    ["history", { path }],
    ["find_files", { pattern: path }],
    ["search_text", { text: "[a-z]", regex: true, paths: [path] }],
    ["list_symbols", { paths: [path] }],
    ["list_symbols", { paths: [path], name: TREASURE }],
    ["find_references", { name: TREASURE, paths: [path] }],
  ];
}

describe("paths that lead elsewhere", () => {
  test.each([
    "../etc/passwd",
    "src/../../x",
    "..",
    "/etc/passwd",
    "\\\\server\\share",
    "C:\\Windows\\win.ini",
    ".git/config",
    ".GIT/config",
    ".git\u200c/x",
    ".git./config",
    "git~1/config",
    ".git::$INDEX_ALLOCATION/config",
    "src/.git /x",
    "link",
    "link/x",
    "linked-folder/passwd",
    "link-to-env",
    "module",
    "module/x",
    "src\0/keys.ts",
    "src\n/keys.ts",
    "{.git,.}/**",
    "{..,.}/**",
    ".gi[t]/**",
    "linked-folder/**",
    "**/config",
    "~/.ssh/id_rsa",
    "file:///etc/passwd",
    ":(top)src",
    "--output=/tmp/x",
    "-O/bin/sh",
  ])("%j shows nothing of what is there", async (path) => {
    for (const [name, input] of attempts(path)) {
      const said = await run(name, input);
      expect(said).not.toContain(`${TREASURE} =`);
      expect(said).not.toMatch(/root:x?:|daemon:|\[core\]/);
    }
    expect(await run("read_lines", { path })).toContain('"kind":"refused"');
    expect(await run("imports_of", { path })).toContain('"kind":"refused"');
  });

  test("links and submodules are listed as what they are", async () => {
    expect(await run("find_files", { pattern: "link*" })).toContain("linked-folder [link]");
    expect(await run("find_files", { pattern: "module" })).toContain("module [submodule]");
    expect(await run("read_lines", { path: "linked-folder/passwd" })).toContain("is a symbolic link");
    expect(await run("read_lines", { path: "logo.bin" })).toContain("is a binary file");
  });

  test("paths that a file system takes for .git are not even listed", async () => {
    const listed = await run("find_files", { pattern: "**", limit: 1_000, max_characters: 30_000 });
    expect(listed).toContain(".git-credentials");
    expect(listed).not.toMatch(/git~1|\.git[^-]/i);
    const importers = await run("imports_of", { path: "src/keys.ts" });
    expect(importers).toContain("config/secrets.ts");
    expect(importers).not.toMatch(/git~1|\.git[^-]/i);
  });
});

describe("files that may hold credentials", () => {
  test.each(SECRET_FILES)("%j is listed by name and never opened", async (path) => {
    for (const [name, input] of attempts(path)) expect(await run(name, input)).not.toContain(`${TREASURE} =`);
    const said = await run("read_lines", { path });
    expect(said).toContain('"kind":"refused"');
    expect(said).toContain("may hold credentials");
    expect(await run("find_files", { pattern: "**", limit: 1_000, max_characters: 30_000 })).toContain("[protected]");
  });

  test.each([...OPEN_FILES, "own/open.txt"])("%j is open", async (path) => {
    expect(await run("read_lines", { path })).toContain(`shown in ${path}`);
  });

  test("no search over everything brings out their text", async () => {
    for (const [name, input] of [
      ["search_text", { text: TREASURE, ignore_case: true }],
      ["search_text", { text: "hunter.*", regex: true, context: 5 }],
      ["search_text", { text: TREASURE, paths: ["**/.*", "**"] }],
      ["search_text", { text: "shown", context: 5 }],
      ["find_references", { name: TREASURE }],
      ["list_symbols", { name: TREASURE }],
      ["list_symbols", { prefix: "hunter" }],
      ["list_symbols", { kinds: ["constant", "variable", "property"] }],
    ] as const) {
      expect(await run(name, input)).not.toContain(`${TREASURE} =`);
      expect(await run(name, input)).not.toContain(`"name":"${TREASURE}"`);
    }
  });

  test("what is said about them is the same whether or not they hold what was looked for", async () => {
    const note = /\((\d+) protected files/;
    const found = note.exec(await run("search_text", { text: TREASURE }))?.[1];
    expect(found).toBe(note.exec(await run("search_text", { text: "nowhere in any file" }))?.[1]);
    expect(Number(found)).toBe(SECRET_FILES.length + 4);
  });

  test("a glob of protected files that cannot be read is an error of configuration", () => {
    expect(() => explorerTools(made.index, { protect: ["../x"] })).toThrow(RelayError);
  });
});
