import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HAS_BUBBLEWRAP } from "../../../test/support/bubblewrap-fixture.ts";
import { findSandbox, probeSandbox } from "./find.ts";

/** A program that does no more than fail, with this said. */
function failing(said: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "relay-find-")), "program");
  writeFileSync(path, `#!/bin/sh\necho "${said}" >&2\nexit 1\n`);
  chmodSync(path, 0o755);
  return path;
}

test.skipIf(!HAS_BUBBLEWRAP)("bubblewrap is found where it works", async () => {
  expect(await findSandbox({ wanted: "auto", container: null })).toMatchObject({ kind: "bubblewrap" });
  expect(await probeSandbox({ wanted: "bubblewrap", container: null })).toMatchObject({ ok: true });
});

test.skipIf(process.platform !== "linux")(
  "bubblewrap that is there but not allowed is not used, nor anything less in its place",
  async () => {
    const bubblewrapProgram = failing("bwrap: setting up uid map: Permission denied");
    const finding = findSandbox({ wanted: "auto", container: null, bubblewrapProgram });
    await expect(finding).rejects.toMatchObject({ code: "config" });
    await expect(finding).rejects.toThrow(/setting up uid map: Permission denied; .*work\.sandbox: none/);
  },
);

test("a missing program is told with the way to get it", async () => {
  const missing = { wanted: "auto" as const, container: null, bubblewrapProgram: "/no/such/bwrap" };
  expect(await probeSandbox(missing)).toMatchObject({ ok: false, mend: expect.stringContaining("install bubblewrap") });
});

test("a container needs an image, and a service that runs it", async () => {
  expect(await probeSandbox({ wanted: "container", container: null })).toMatchObject({ ok: false });
  const command = failing("Cannot connect to the Docker daemon");
  expect(await probeSandbox({ wanted: "container", container: { command, image: "agent" } })).toMatchObject({
    ok: false,
    detail: "Cannot connect to the Docker daemon",
    mend: expect.stringContaining("pull agent"),
  });
});

test("none is given to whoever asks for it by name", async () => {
  expect(await findSandbox({ wanted: "none", container: null })).toMatchObject({ kind: "none" });
});
