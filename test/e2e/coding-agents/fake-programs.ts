import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder of programs, until all tests of the file are over. */
export function programFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-agents-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Puts an agent of our own there, under the name of a real one; `voice` is how it speaks. */
export function install(folder: string, program: string, child: string, voice = ""): void {
  const script = join(import.meta.dirname, "../../children", child);
  const node = `"${process.execPath}" --no-warnings "${script}"`;
  writeFileSync(join(folder, program), `#!/bin/sh\nexec ${node} ${voice} "$@"\n`, { mode: 0o755 });
}
