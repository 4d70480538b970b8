// Makes dist/, which a package runs in place of src/: `npm run build`.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** What the program reads as files. */
const READ = ["server/dashboard/assets", "implementation/run/test-report/helpers"];

rmSync(join(root, "dist"), { recursive: true, force: true });
const compiler = join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
if (status !== 0) process.exit(1);
for (const folder of READ) cpSync(join(root, "src", folder), join(root, "dist", folder), { recursive: true });
