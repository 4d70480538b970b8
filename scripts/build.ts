// Makes dist/, which a package runs in place of src/: `npm run build`.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
/** What the program reads as files. */
const READ = ["server/dashboard/assets", "implementation/run/test-report/helpers"];

const declarations = mkdtempSync(join(tmpdir(), "relay-types-"));
try {
  rmSync(dist, { recursive: true, force: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", join(root, "tsconfig.build.json"), "--declaration", "--declarationDir", declarations];
  const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: "inherit" });
  if (status !== 0) throw new Error("src/ does not compile");
  for (const folder of READ) cpSync(join(root, "src", folder), join(dist, folder), { recursive: true });
  await bundleTypes();
} finally {
  rmSync(declarations, { recursive: true, force: true });
}

/** Of all declarations a package has one file: what `relay/json` needs of them. */
async function bundleTypes(): Promise<void> {
  const bundle = await rolldown({
    input: join(declarations, "cli/json.d.ts"),
    external: (id) => !/^[./]/.test(id),
    plugins: dts({ dtsInput: true, oxc: true, tsconfig: false }),
  });
  const { output } = await bundle.generate();
  await bundle.close();
  // Without the names of files that a package does not have.
  writeFileSync(join(dist, "json.d.ts"), output[0].code.replaceAll(/^\/\/ \S+\.d\.ts\n/gm, ""));
}
