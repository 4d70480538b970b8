import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  BOT,
  makePipe,
  NO_RULES,
  runGit,
  workspaceStage,
  type WorkspaceStage,
} from "../../../../test/support/workspace-fixture.ts";
import type { Workspace } from "./workspace.ts";

const CART = "export const total = 0;\n";
const TEST = 'test("adds", () => {\n  expect(1 + 1).toBe(2);\n  expect(2 + 2).toBe(4);\n});\n';
const KEY = ["AKIA", "ABCDEFGHIJKLMNOP"].join("");
let stage: WorkspaceStage;
let workspace: Workspace;

beforeEach(async () => {
  stage = workspaceStage({
    "src/cart.ts": CART,
    "src/cart.test.ts": TEST,
    "src/deep/one.ts": "one\n",
    "src/known.ts": `const key = "${KEY}";\n`,
    ".github/workflows/ci.yml": "on: push\n",
    ".env.example": "TOKEN=\n",
    ".gitignore": "build/\n",
  });
  workspace = await stage.open();
});

afterEach(() => stage.close());

function at(path: string): string {
  return join(workspace.directory, path);
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

async function validated(rules = {}) {
  const { changed, reverted } = await workspace.validate({ ...NO_RULES, ...rules });
  return {
    changed: changed.map(({ path }) => path).toSorted(),
    reverted: Object.fromEntries(reverted.map(({ path, why }) => [path, why])),
  };
}

describe("what an agent may not change is reverted", () => {
  test("blocked paths, in whatever spelling, unless they are opened", async () => {
    const paths = [".env", ".ENV.local", "certs/server.PEM", "id_rsa", ".GitHub/workflows/x.yml", "sub/Jenkinsfile"];
    const more = [".gitmodules", ".husky/pre-commit", "relay.yaml", ".gitlab-ci.yml", "vendor/lib/a.c"];
    for (const path of [...paths, ...more]) write(path, "x\n");
    write(".github/workflows/ci.yml", "on: [push, pull_request]\n");
    write(".env.example", "TOKEN=\nURL=\n");
    write("src/secrets.ts", "export const none = 1;\n");
    const first = await validated({ blocked: ["vendor/**"] });
    expect(Object.keys(first.reverted).toSorted()).toEqual([...paths, ...more, ".github/workflows/ci.yml"].toSorted());
    expect(new Set(Object.values(first.reverted))).toEqual(new Set(["blocked path"]));
    expect(first.changed).toEqual([".env.example", "src/secrets.ts"]);
    expect(readFileSync(at(".github/workflows/ci.yml"), "utf8")).toBe("on: push\n");
    expect(existsSync(at("certs"))).toBe(false);
    rmSync(at(".github"), { recursive: true });
    expect((await validated()).reverted).toEqual({ ".github/workflows/ci.yml": "blocked path" });
    write(".github/workflows/ci.yml", "on: []\n");
    expect((await validated({ allowed: [".github/**"] })).reverted).toEqual({});
  });

  test.each([
    [".vscode/tasks.json", "web/.vscode/settings.json", ".idea/runConfigurations/x.xml", "shop.code-workspace"],
    [
      ".claude/settings.json",
      ".claude/hooks/x.sh",
      ".mcp.json",
      ".cursor/mcp.json",
      ".codex/config.toml",
      "opencode.json",
    ],
    [".gemini/settings.json", ".opencode/plugin/x.ts", ".github/hooks/x.json", ".agents/skills/x/SKILL.md"],
    [
      ".devcontainer/devcontainer.json",
      ".devcontainer.json",
      ".envrc",
      "mise.toml",
      "sub/.mise.local.toml",
      ".gitpod.yml",
    ],
    [".gitattributes", "docs/.gitattributes", ".gitconfig", ".gitmodules", "lefthook.yml", ".husky/_/x", ".githooks/x"],
    ["sitecustomize.py", "src/usercustomize.py", "lib/evil.pth", ".bashrc", ".zshenv", ".gdbinit", ".ripgreprc"],
    [".npmrc", "web/.yarnrc.yml", ".yarn/plugins/x.cjs", "pip.conf", ".cargo/config.toml", ".pnpmfile.cjs"],
    [".circleci/config.yml", ".woodpecker.yml", "sub/Jenkinsfile", ".gitlab/ci/x.yml", "azure-pipelines-2.yml"],
  ])("files that run elsewhere or steer tools, by class: %s", async (...paths) => {
    for (const path of paths) write(path, "x\n");
    const { changed, reverted } = await validated();
    expect(changed).toEqual([]);
    expect(new Set(Object.keys(reverted))).toEqual(new Set(paths));
    for (const path of paths) expect(existsSync(at(path))).toBe(false);
  });

  test("a link in the place of a folder with such files", async () => {
    for (const path of [".claude", ".github", ".vscode", "sub/.idea", ".config", "plain"]) {
      mkdirSync(dirname(at(path)), { recursive: true });
      rmSync(at(path), { recursive: true, force: true });
      symlinkSync(path.includes("/") ? "../src" : "src", at(path));
    }
    const { changed, reverted } = await validated();
    expect(changed).toEqual(["plain"]);
    expect(Object.keys(reverted).toSorted()).toEqual(
      [".claude", ".config", ".github", ".github/workflows/ci.yml", ".vscode", "sub/.idea"].toSorted(),
    );
    expect(readFileSync(at(".github/workflows/ci.yml"), "utf8")).toBe("on: push\n");
  });

  test("secrets in lines that it adds, and only those", async () => {
    write("src/cart.ts", `${CART}const key = "${KEY}";\n`);
    write("src/known.ts", `// the same as before\nconst key = "${KEY}";\n`);
    write("notes/key.txt", ["-----BEGIN RSA ", "PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"].join(""));
    const result = await validated();
    expect(result).toEqual({
      changed: ["src/known.ts"],
      reverted: { "src/cart.ts": "secret", "notes/key.txt": "secret" },
    });
    expect(readFileSync(at("src/cart.ts"), "utf8")).toBe(CART);
    const { reverted } = await workspace.validate(NO_RULES);
    expect(JSON.stringify(reverted)).not.toContain(KEY);
  });

  test("secrets in disguise, passwords in settings, and what protected files hold", async () => {
    stage.commit({ ".env": "PORT=8080\nDB_HOST=db.example.org\nDB_PASSWORD=Wint3r2024x\nSALT=q8s7f6gh5j4k3l2m\n" });
    workspace = await stage.open();
    write("src/encoded.ts", `const key = atob("${Buffer.from(KEY).toString("base64")}");\n`);
    write("src/split.py", `key = "${KEY.slice(0, 6)}" \\\n  "${KEY.slice(6)}"\n`);
    write("config/app.ini", "[db]\npassword = tr0ub4dor\n");
    write("src/copy.ts", 'connect("db.example.org", "q8s7f6gh5j4k3l2m");\n');
    write("docs/set-up.md", "The port is 8080 at db.example.org; the password is Wint3r2024x.\n");
    write(`docs/${KEY}.md`, "x\n");
    write("src/login.test.ts", 'login({ user: "ann", password: "tr0ub4dor" });\n');
    write("src/fine.ts", 'connect("db.example.org", 8080, process.env.DB_PASSWORD);\n');
    const result = await validated();
    expect(result.changed).toEqual(["src/fine.ts", "src/login.test.ts"]);
    expect(new Set(Object.values(result.reverted))).toEqual(new Set(["secret"]));
    expect(Object.keys(result.reverted)).toHaveLength(6);
  });

  test("what its programs are given as secrets, also as a file's name, which is not told", async () => {
    const secrets = ["canary-5f3a9c1e77b24d08"];
    write("src/canary.ts", `export const key = "${secrets[0]}";\n`);
    write("src/encoded.ts", `export const key = "${Buffer.from(secrets[0] ?? "").toString("hex")}";\n`);
    write(`src/${secrets[0]}.ts`, "export {};\n");
    const { changed, reverted } = await workspace.validate({ ...NO_RULES, secrets });
    expect(changed).toEqual([]);
    expect(Object.fromEntries(reverted.map(({ path, why }) => [path, why]))).toEqual({
      "src/[secret removed].ts": "secret",
      "src/canary.ts": "secret",
      "src/encoded.ts": "secret",
    });
  });

  test("tests that are deleted or emptied, but not those that are moved or that the plan deletes", async () => {
    rmSync(at("src/cart.test.ts"));
    expect((await validated()).reverted).toEqual({ "src/cart.test.ts": "test removed" });
    write("src/cart.test.ts", "// nothing\n");
    expect((await validated()).reverted).toEqual({ "src/cart.test.ts": "test removed" });
    expect(readFileSync(at("src/cart.test.ts"), "utf8")).toBe(TEST);
    renameSync(at("src/cart.test.ts"), at("src/basket.test.ts"));
    expect(await validated()).toEqual({ changed: ["src/basket.test.ts", "src/cart.test.ts"], reverted: {} });
    rmSync(at("src/basket.test.ts"));
    expect((await validated({ deletedByPlan: ["src/cart.test.ts"] })).reverted).toEqual({});
  });

  test("what is too large, and crowds of new files", async () => {
    write("big.bin", Buffer.alloc(2 * 1024 * 1024 + 1));
    for (let n = 0; n < 501; n += 1) write(`out/file${n}.txt`, `${n}\n`);
    write("src/new.ts", "new\n");
    const result = await validated();
    expect(result.changed).toEqual(["src/new.ts"]);
    expect(result.reverted).toEqual({ "big.bin": "too large", "out/": "too large" });
    expect(existsSync(at("out"))).toBe(false);
  });

  test("a crowd of new files in many folders leaves the change whole, and is told in a few lines", async () => {
    for (let n = 0; n < 620; n += 1) write(`packages/p${n % 100}/lib/file${n}.txt`, "");
    for (let n = 0; n < 30; n += 1) write(`src/deep/d${n}/Jenkinsfile`, "x\n");
    for (let n = 0; n < 3; n += 1) write(`src/new/n${n}.ts`, "new\n");
    const { changed, reverted } = await workspace.validate(NO_RULES);
    expect(changed.map(({ path }) => path)).toEqual(["src/new/n0.ts", "src/new/n1.ts", "src/new/n2.ts"]);
    expect(reverted).toEqual([
      { path: "src/deep/", why: "blocked path", detail: expect.stringMatching(/^30 files: /) },
      { path: "packages/", why: "too large", detail: "620 files: the change has more than 500 files" },
    ]);
    expect(existsSync(at("packages"))).toBe(false);
  });

  test("more new files than can be checked cost only the folder that they are in", async () => {
    execFileSync("bash", ["-c", "mkdir -p made/by/mistake; cd made/by/mistake; seq 6000 | xargs touch"], {
      cwd: workspace.directory,
    });
    write("new/one.ts", "new\n");
    const { changed, reverted } = await workspace.validate(NO_RULES);
    expect(changed.map(({ path }) => path)).toEqual(["new/one.ts"]);
    expect(reverted).toEqual([
      { path: "made", why: "too large", detail: "there are more new files than can be checked" },
    ]);
    expect(existsSync(at("made"))).toBe(false);
  });

  test("what is no plain file: pipes, links that lead out, repositories of their own", async () => {
    for (const path of ["pipe", "src/.gitignore", ".gitattributes"]) makePipe(at(path));
    symlinkSync("/etc/passwd", at("absolute"));
    symlinkSync("../../../../etc/passwd", at("src/above"));
    symlinkSync("deep/../../../x", at("src/around"));
    symlinkSync(".git/config", at("settings"));
    symlinkSync("cart.ts", at("src/fine"));
    symlinkSync("../src/deep", at("src/also-fine"));
    mkdirSync(at("lib"));
    runGit(at("lib"), "init", "--quiet");
    write("lib/code.c", "int x;\n");
    runGit(at("src"), "init", "--quiet");
    write("other/.GIT/config", "[core]\n\tfsmonitor = touch /tmp/never\n");
    const result = await validated();
    const odd = [".gitattributes", "absolute", "lib", "other", "pipe", "settings"];
    const inSource = ["src/.git", "src/.gitignore", "src/above", "src/around"];
    expect(result.changed).toEqual(["src/also-fine", "src/fine"]);
    expect(result.reverted).toEqual(
      Object.fromEntries([...odd, ...inSource].map((path) => [path, "not a plain file"])),
    );
    expect(existsSync("/etc/passwd")).toBe(true);
    const commit = await workspace.commit("feat: links", BOT);
    expect(stage.git("ls-tree", String(commit), "src/fine")).toMatch(/^120000 /);
  });

  test("a folder that was replaced by a link elsewhere is neither read nor written through", async () => {
    const elsewhere = join(stage.folder, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "cart.ts"), "private\n");
    rmSync(at("src"), { recursive: true });
    symlinkSync(elsewhere, at("src"));
    const result = await validated();
    expect(result.reverted).toMatchObject({ src: "not a plain file", "src/cart.test.ts": "test removed" });
    expect(readFileSync(join(elsewhere, "cart.ts"), "utf8")).toBe("private\n");
    expect(readdirSync(elsewhere)).toEqual(["cart.ts"]);
    await workspace.tidy();
    expect(lstatSync(at("src")).isDirectory()).toBe(true);
    expect(readFileSync(at("src/cart.ts"), "utf8")).toBe(CART);
  });
});

describe("nothing hides a change", () => {
  test("neither ignore rules, attributes, excludes, times, nor marks in the index", async () => {
    write(".gitignore", "*\n");
    write(
      ".gitattributes",
      "* -text -diff filter=evil ident working-tree-encoding=UTF-16\n*.ts export-ignore eol=crlf\n",
    );
    write(".git/info/exclude", "*\n");
    runGit(workspace.directory, "update-index", "--assume-unchanged", "src/cart.ts", "src/deep/one.ts");
    const before = lstatSync(at("src/cart.ts"));
    write("src/cart.ts", CART.replace("0", "9"));
    execFileSync("touch", ["-d", before.mtime.toISOString(), at("src/cart.ts")]);
    chmodSync(at("src/deep/one.ts"), 0o755);
    const result = await validated();
    expect(result.changed).toEqual([".gitignore", "src/cart.ts", "src/deep/one.ts"]);
    const commit = await workspace.commit("feat: all", BOT);
    expect(stage.git("show", `${commit}:src/cart.ts`)).toBe("export const total = 9;");
  });

  test("nor a folder that took the name of another", async () => {
    write("src/again/one.ts", "two\n");
    renameSync(at("src/deep"), at("src/old"));
    renameSync(at("src/again"), at("src/deep"));
    expect((await validated()).changed).toEqual(["src/deep/one.ts", "src/old/one.ts"]);
  });

  test("and files and folders may take each other's place", async () => {
    rmSync(at("src/deep"), { recursive: true });
    write("src/deep", "a file now\n");
    rmSync(at("src/cart.ts"));
    write("src/cart.ts/index.ts", "a folder now\n");
    expect((await validated()).changed).toEqual(["src/cart.ts", "src/cart.ts/index.ts", "src/deep", "src/deep/one.ts"]);
    const commit = await workspace.commit("feat: swap", BOT);
    expect(stage.git("ls-tree", "-r", "--name-only", String(commit), "src").split("\n")).toEqual([
      "src/cart.test.ts",
      "src/cart.ts/index.ts",
      "src/deep",
      "src/known.ts",
    ]);
    expect(await validated()).toEqual({ changed: [], reverted: {} });
  });
});

describe("whatever an agent made of its git", () => {
  test.each([
    ["a file", () => writeFileSync(at(".git"), "gitdir: /etc\n")],
    ["a link", () => symlinkSync(stage.source, at(".git"))],
    ["nothing", () => {}],
    [
      "folders that may not be opened",
      () => {
        mkdirSync(at(".git/a/b"), { recursive: true });
        writeFileSync(at(".git/a/b/c"), "x");
        chmodSync(at(".git/a/b"), 0o000);
        chmodSync(at(".git/a"), 0o000);
        chmodSync(at(".git"), 0o500);
        chmodSync(workspace.directory, 0o500);
      },
    ],
  ])("it is made anew in place of %s", async (_, spoil) => {
    rmSync(at(".git"), { recursive: true });
    spoil();
    await workspace.renew();
    expect(lstatSync(at(".git")).isDirectory()).toBe(true);
    expect(runGit(workspace.directory, "status", "--porcelain")).toBe("");
    expect(stage.git("cat-file", "-t", workspace.head())).toBe("commit");
    await workspace.close();
    expect(existsSync(dirname(workspace.directory))).toBe(false);
  });

  test("no program that its settings name is run, no hook, no filter", async () => {
    const mark = join(stage.folder, "mark");
    for (const setting of ["core.fsmonitor", "core.sshCommand", "filter.evil.clean", "filter.evil.smudge"]) {
      runGit(workspace.directory, "config", setting, `touch ${mark}`);
    }
    write(".gitattributes", "* filter=evil\n");
    write(".git/hooks/post-commit", `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(at(".git/hooks/post-commit"), 0o755);
    rmSync(at(".git/config.worktree"), { force: true });
    write("src/cart.ts", "changed\n");
    rmSync(mark, { force: true });
    await validated();
    await workspace.commit("feat: it", BOT);
    await workspace.tidy();
    await workspace.renew();
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(at(".git/hooks"))).toBe(false);
  });

  test("notes that lead elsewhere are gone before the next run", async () => {
    const elsewhere = join(stage.folder, "private");
    writeFileSync(elsewhere, "private\n");
    symlinkSync(elsewhere, join(workspace.notes, "task.md"));
    linkSync(elsewhere, join(workspace.notes, "linked.md"));
    writeFileSync(join(workspace.notes, "kept.md"), "kept\n");
    await workspace.renew();
    expect(readdirSync(workspace.notes)).toEqual(["kept.md"]);
    rmSync(workspace.notes, { recursive: true });
    symlinkSync(stage.folder, workspace.notes);
    await workspace.renew();
    expect(readdirSync(workspace.notes)).toEqual([]);
    expect(readFileSync(elsewhere, "utf8")).toBe("private\n");
  });

  test("folders deeper than any path are removed, also while a program still writes", async () => {
    const dig = "for n in $(seq 60); do d=$(printf 'x%.0s' $(seq 100)); mkdir $d && cd $d || exit 1; done; echo a > a";
    execFileSync("bash", ["-c", dig], { cwd: workspace.directory });
    const result = await validated();
    expect(Object.values(result.reverted)).toEqual(["too large"]);
    const loop = "n=0; while [ $n -lt 200 ]; do n=$((n+1)); echo $n > src/noise$n.log; rm -f src/noise$n.log; done";
    const noisy = spawn("bash", ["-c", loop], { cwd: workspace.directory });
    const ended = new Promise((resolve) => noisy.on("close", resolve));
    await workspace.validate(NO_RULES);
    await ended;
    expect(await validated()).toEqual({ changed: [], reverted: {} });
  });
});
