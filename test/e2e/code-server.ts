import { join } from "node:path";
import { onTestFinished } from "vitest";
import { exec } from "../../src/lib/exec.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";
import type { Desk } from "./cli-harness.ts";

/** Serves the desk's repository over HTTP, to whom has this login or to all, until the test is over. Its address. */
export async function serveCode(desk: Desk, login: GitServer["login"]): Promise<string> {
  const code = join(desk.folder, "code.git");
  const cloned = await exec("git", ["clone", "--quiet", "--bare", desk.repository, code]);
  if (cloned.code !== 0) throw new Error(cloned.stderr);
  await exec("git", ["-C", code, "config", "http.receivepack", "true"]);
  const server = await startGitServer(desk.folder);
  onTestFinished(async () => server.close());
  server.login = login;
  return `${server.origin}/code.git`;
}
