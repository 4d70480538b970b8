import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HAS_BUBBLEWRAP } from "../support/bubblewrap-fixture.ts";
import { relay, type Desk } from "./cli-harness.ts";
import { CERTIFICATE, KEY } from "../support/tls.ts";
import { checksIn, newSetUpDesk } from "./configured-desk.ts";

/** A folder on the PATH with a program that looks like Claude Code. */
function withClaude(desk: Desk): string {
  const programs = join(desk.folder, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "claude"), "#!/bin/sh\necho '9.9.9 (Claude Code)'\n", { mode: 0o755 });
  return `${programs}:${process.env["PATH"] ?? ""}`;
}

test.skipIf(!HAS_BUBBLEWRAP)("doctor tries the coding agent in the sandbox, and looks for its key", async () => {
  const desk = await newSetUpDesk();
  const env = { PATH: withClaude(desk), RELAY_AGENT: "claude", ANTHROPIC_API_KEY: "k".repeat(30) };
  const ended = await relay(desk, ["doctor", "--json"], { env });
  const { ok, byName } = checksIn(ended);
  expect(ok).toBe(true);
  expect(byName["sandbox"]).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^bubblewrap: .*memory.*disk space and files are watched$/),
  });
  expect(byName["coding agent"]?.detail).toBe("claude runs in the sandbox: 9.9.9 (Claude Code)");
  expect(byName["coding agent's key"]?.detail).toBe("ANTHROPIC_API_KEY stays outside the sandbox");
  expect(ended.out).not.toContain("kkkk");
});

test("doctor tells which certificates programs in the sandbox trust, and of a file with a private key", async () => {
  const desk = await newSetUpDesk();
  const [sound, keyed] = [join(desk.folder, "ca.pem"), join(desk.folder, "server.pem")];
  writeFileSync(sound, CERTIFICATE);
  writeFileSync(keyed, CERTIFICATE + KEY);
  const others = { SSL_CERT_FILE: "", SSL_CERT_DIR: "", REQUESTS_CA_BUNDLE: "", PIP_CERT: "", CURL_CA_BUNDLE: "" };
  const none = { ...others, GIT_SSL_CAINFO: "", CARGO_HTTP_CAINFO: "" };
  const env = { ...none, RELAY_SANDBOX: "none", RELAY_AGENT: "claude", NODE_EXTRA_CA_CERTS: sound };
  const { byName } = checksIn(await relay(desk, ["doctor", "--json"], { env }));
  expect(byName["certificates"]).toMatchObject({
    ok: true,
    detail: "programs in the sandbox trust 1 certificate of NODE_EXTRA_CA_CERTS, besides the public ones",
  });
  const wrong = checksIn(await relay(desk, ["doctor", "--json"], { env: { ...env, SSL_CERT_FILE: keyed } }));
  expect(wrong.byName["certificates"]).toMatchObject({
    ok: false,
    detail: expect.stringContaining("server.pem (SSL_CERT_FILE) has a private key"),
  });
});

test("doctor says of an agent without program, key or command how to mend it", async () => {
  const desk = await newSetUpDesk();
  const none = { RELAY_SANDBOX: "none", CODEX_API_KEY: "", OPENAI_API_KEY: "", PATH: process.env["PATH"] ?? "" };
  const path = {
    PATH: none.PATH.split(":")
      .filter((folder) => !folder.includes("agents"))
      .join(":"),
  };
  const bare = checksIn(await relay(desk, ["doctor", "--json"], { env: { ...none, ...path, RELAY_AGENT: "codex" } }));
  expect(bare.ok).toBe(false);
  expect(bare.byName["coding agent"]).toMatchObject({
    ok: false,
    detail: expect.stringContaining("cannot run codex"),
    mend: expect.stringContaining("on the PATH"),
  });
  expect(bare.byName["coding agent's key"]).toMatchObject({
    ok: false,
    detail: "none of OPENAI_API_KEY, CODEX_API_KEY is set for codex",
    mend: expect.stringContaining("work.environment"),
  });
  const wordless = checksIn(await relay(desk, ["doctor", "--json"], { env: { ...none, RELAY_AGENT: "acp" } }));
  expect(wordless.byName["coding agent"]).toMatchObject({ ok: false, mend: expect.stringContaining("work.command") });
  const nobody = checksIn(await relay(desk, ["doctor", "--json"], { env: { RELAY_MODE: "implement" } }));
  expect(nobody.byName["coding agent"]).toMatchObject({ ok: false, mend: expect.stringContaining("RELAY_AGENT") });
});
