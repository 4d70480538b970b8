import { access, constants, mkdir } from "node:fs/promises";
import type { Config } from "../../config/config.ts";
import { modelsFor } from "../../config/config.ts";
import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import type { ModelRole } from "../../adapters/models/model.ts";
import type { Report } from "./check.ts";
import { attempt } from "./check.ts";

/** The programs that Relay runs by. */
export async function examinePrograms(report: Report): Promise<void> {
  await attempt(report, { name: "node", mend: "use Node 22.18 or later" }, () => ({
    value: true,
    detail: process.versions.node,
  }));
  await attempt(report, { name: "git", mend: "install git 2.38 or later and put it on the PATH" }, async () => {
    const { stdout } = await exec("git", ["--version"]);
    const version = stdout.toString("utf8").trim();
    const [, major, minor] = /(\d{1,4})\.(\d{1,4})/.exec(version) ?? [];
    // Older ones cannot merge without a working tree.
    if (Number(major) * 10_000 + Number(minor) < 20_038) throw new RelayError("config", `${version} is too old`);
    return { value: true, detail: version };
  });
}

/** The folders that Relay writes to. */
export async function examineFolders({ home, spec_root }: Config, report: Report): Promise<void> {
  const mend = "make it writable, or choose another one in relay.yaml";
  for (const folder of [home, spec_root]) {
    await attempt(report, { name: `folder ${folder}`, mend }, async () => {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      return { value: true, detail: "writable" };
    });
  }
}

/** The roles that this version asks models for. */
const ROLES: readonly ModelRole[] = ["planner", "spec", "explore"];

/** Whether each role has a model with the key that it needs. No model is asked: that would cost money. */
export async function examineModels(
  config: Config,
  env: Record<string, string | undefined>,
  report: Report,
): Promise<void> {
  const mend = "set the variable, or choose another model; docs/models.md lists both";
  for (const role of ROLES) {
    await attempt(report, { name: `model of ${role}`, mend }, () => {
      const choice = modelsFor(role, config, env);
      if (choice.kind === "offline") return { value: true, detail: "offline: rules, which need no key" };
      const names = choice.models.map(
        ({ provider, name, apiKey }) => `${provider}/${name}${apiKey === null ? " without a key" : ", key set"}`,
      );
      return { value: true, detail: [...names, ...(choice.thenOffline ? ["then offline"] : [])].join("; ") };
    });
  }
}
