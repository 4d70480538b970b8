import { access, constants, mkdir } from "node:fs/promises";
import { loadConfig } from "../../config.ts";
import type { Config } from "../../config.ts";
import { messageOf } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import { silentLog } from "../../lib/log.ts";
import { openRelay } from "../../main.ts";
import { printJson } from "../session.ts";
import type { CommonOptions, Terminal } from "../terminal.ts";
import { EXIT } from "../terminal.ts";

interface Check {
  name: string;
  ok: boolean;
  detail: string;
  /** What to do about it. */
  mend?: string;
}

/** `relay doctor`: looks at everything Relay stands on, and says how to mend what is wrong. */
export async function doctor(options: CommonOptions, terminal: Terminal): Promise<number> {
  const checks: Check[] = [];
  const config = await check(checks, "configuration", "mend the file or the variable that is named", () => {
    const loaded = loadConfig(options.config);
    return {
      value: loaded,
      detail: `mode ${loaded.mode}, model ${loaded.model}, bot @${loaded.bot.username ?? "relay"}`,
    };
  });
  await check(checks, "node", "use Node 22.18 or later", () => ({ value: true, detail: process.versions.node }));
  await check(checks, "git", "install git 2.30 or later and put it on the PATH", async () => {
    const { stdout } = await exec("git", ["--version"]);
    return { value: true, detail: stdout.toString("utf8").trim() };
  });
  if (config) {
    for (const folder of [config.home, config.spec_root]) {
      await check(checks, `folder ${folder}`, "make it writable, or choose another one in relay.yaml", async () => {
        await mkdir(folder, { recursive: true });
        await access(folder, constants.W_OK);
        return { value: true, detail: "writable" };
      });
    }
    await check(checks, "database", "see docs, or set DATABASE_URL to a PostgreSQL 15 or later", () =>
      lookAtDatabase(config),
    );
  }
  const healthy = checks.every((one) => one.ok);
  if (options.json) printJson(terminal, { ok: healthy, checks });
  else for (const one of checks) terminal.out(line(one));
  return healthy ? EXIT.done : EXIT.negative;
}

async function lookAtDatabase(config: Config) {
  const relay = await openRelay(config, { log: silentLog });
  try {
    const detail = `${relay.databaseVersion} at ${relay.databaseLocation}`;
    return { value: true, detail };
  } finally {
    await relay.close();
  }
}

async function check<T>(
  checks: Check[],
  name: string,
  mend: string,
  look: () => { value: T; detail: string } | Promise<{ value: T; detail: string }>,
): Promise<T | null> {
  try {
    const { value, detail } = await look();
    checks.push({ name, ok: true, detail });
    return value;
  } catch (error) {
    checks.push({ name, ok: false, detail: messageOf(error), mend });
    return null;
  }
}

function line(one: Check): string {
  return `${one.ok ? "ok  " : "FAIL"}  ${one.name}: ${one.detail}\n${one.mend === undefined ? "" : `      ${one.mend}\n`}`;
}
