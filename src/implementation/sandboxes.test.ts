import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LaunchRequest } from "../lib/launch.ts";
import { request } from "../../test/support/sandboxed.ts";
import { withInstalled } from "./sandboxes.ts";

test("programs find what set-up has installed: a virtual environment from when it exists, and npm's programs (R-WORK-16)", async () => {
  const root = mkdtempSync(join(tmpdir(), "relay-installed-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [directory, home] = [join(root, "tree"), join(root, "home")];
  const asked: LaunchRequest[] = [];
  const launch = withInstalled(
    async (one) => {
      asked.push(one);
      return await Promise.reject(new Error("not run"));
    },
    { directory, home },
  );
  const seen = async (script: string, environment = {}) => {
    await launch(request("sh", ["-c", script], { cwd: directory, environment })).catch(() => {});
    const { environment: variables, pathFirst } = asked.at(-1) ?? {};
    return { variables, pathFirst };
  };
  const made = (folder: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "pyvenv.cfg"), "home = /usr/bin\n");
  };
  const own = join(home, "venv");

  expect(await seen("poetry install")).toEqual({ variables: {}, pathFirst: [join(home, "bin")] });
  expect(await seen('python3 -m venv "$VIRTUAL_ENV"')).toEqual({
    variables: { VIRTUAL_ENV: own, UV_PROJECT_ENVIRONMENT: own },
    pathFirst: [join(home, "bin")],
  });
  expect(await seen("command -v pnpm || npm install --global pnpm@10")).toMatchObject({
    variables: { npm_config_prefix: home },
  });
  expect((await seen("npm install; pnpm -g")).variables).toEqual({});
  const inTree = join(directory, ".venv");
  made(inTree);
  expect(await seen("pytest")).toMatchObject({
    variables: { VIRTUAL_ENV: inTree },
    pathFirst: [join(inTree, "bin"), join(home, "bin")],
  });
  made(own);
  expect(await seen("pytest", { A: "1" })).toEqual({
    variables: { VIRTUAL_ENV: own, UV_PROJECT_ENVIRONMENT: own, A: "1" },
    pathFirst: [join(own, "bin"), join(home, "bin")],
  });
});
