import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HAS_BUBBLEWRAP } from "../../test/support/bubblewrap-fixture.ts";
import { outcome, request } from "../../test/support/sandboxed.ts";
import { CERTIFICATE, serveTls } from "../../test/support/tls.ts";
import { WORK_SETTINGS } from "../../test/support/work-settings.ts";
import { findSandbox } from "../adapters/sandbox/find.ts";
import type { SandboxKind } from "../adapters/sandbox/sandbox.ts";
import { openSandboxFor } from "./sandboxes.ts";

async function placeWith(kind: SandboxKind, certificates: readonly string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "relay-trusted-")));
  const [directory, home, cache, outside] = ["tree", "home", "cache", "outside"].map((name) => join(root, name));
  const tree = {
    directory: directory ?? "",
    home: home ?? "",
    cache: cache ?? "",
    outside: outside ?? "",
    objects: [],
  };
  for (const folder of [tree.directory, tree.home, tree.cache, tree.outside]) mkdirSync(folder);
  const sandbox = await findSandbox({ wanted: kind, container: null });
  const equipment = { sandbox, agent: null, models: [], certificates };
  const place = await openSandboxFor("commands", tree, [], equipment, { settings: WORK_SETTINGS });
  onTestFinished(async () => {
    await place.close();
    rmSync(root, { recursive: true, force: true });
  });
  return async (command: string, ...args: string[]) =>
    await outcome(place.launch, request(command, args, { cwd: tree.directory }));
}

test("programs trust the operator's own authorities besides the public ones (R-WORK-16)", async () => {
  const { port } = await serveTls((socket) => socket.end("hello"));
  const greet = `require("tls").connect({ port: ${port}, host: "127.0.0.1", servername: "localhost" })
    .on("error", ({ code }) => console.log(code)).on("data", (data) => console.log(String(data)))`;
  const without = await placeWith("none", []);
  expect((await without("node", "-e", greet)).stdout).toBe("DEPTH_ZERO_SELF_SIGNED_CERT\n");
  const trusting = await placeWith("none", [CERTIFICATE]);
  expect((await trusting("node", "-e", greet)).stdout).toBe("hello\n");
});

test.skipIf(!HAS_BUBBLEWRAP)("the certificates are a file in the sandbox, which nobody there can change", async () => {
  const names = "NODE_EXTRA_CA_CERTS SSL_CERT_FILE REQUESTS_CA_BUNDLE PIP_CERT GIT_SSL_CAINFO CARGO_HTTP_CAINFO";
  const script = `for name in ${names} CURL_CA_BUNDLE; do eval "file=\\$$name"; head -c 60 "$file" | wc -c; done
    head -n 2 "$SSL_CERT_FILE"; echo x >> "$SSL_CERT_FILE" || echo kept; ls "$(dirname "$SSL_CERT_FILE")"`;
  const trusting = await placeWith("bubblewrap", [CERTIFICATE]);
  const { stdout } = await trusting("sh", "-c", script);
  const first = CERTIFICATE.split("\n").slice(0, 2);
  expect(stdout.trim().split("\n")).toEqual([...Array<string>(7).fill("60"), ...first, "kept", "certificates.pem"]);
  const without = await placeWith("bubblewrap", []);
  expect((await without("sh", "-c", "env")).stdout).not.toMatch(/CERT|CAINFO|BUNDLE/);
});
