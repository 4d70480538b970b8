import type { Config } from "../../config/config.ts";
import { silentLog } from "../../lib/log.ts";
import type { Relay } from "../../app/create-app.ts";
import { openRelay } from "../session.ts";
import type { Check, Report } from "./check.ts";
import { attempt } from "./check.ts";
import { examineFolders, examineModels, examinePrograms } from "./machine.ts";
import type { Wanted } from "./trackers.ts";
import { examineTrackers } from "./trackers.ts";

interface Given {
  /** Throws where it cannot be read. */
  config: () => Config;
  env: Record<string, string | undefined>;
  wanted: Wanted;
}

/** Looks at everything that Relay stands on, from the machine to the trackers. `report` hears of each check at once. */
export async function examine({ config: load, env, wanted }: Given, report: Report): Promise<Check[]> {
  const checks: Check[] = [];
  const note: Report = (check) => {
    checks.push(check);
    report(check);
  };
  const config = await attempt(
    note,
    { name: "configuration", mend: "mend the file or the variable that is named" },
    () => {
      const value = load();
      const { mode, model, bot } = value;
      return { value, detail: `mode ${mode}, model ${model}, bot @${bot.username ?? "relay"}` };
    },
  );
  await examinePrograms(note);
  if (config === null) return checks;
  await examineFolders(config, note);
  await examineModels(config, env, note);
  await examineWork(config, env, note);
  const relay = await attempt(
    note,
    { name: "database", mend: "see docs/operations.md, or set DATABASE_URL to a PostgreSQL 15 or later" },
    async () => await openDatabaseOf(config),
  );
  try {
    await examineTrackers({ config, env, db: relay?.db ?? null, wanted }, note);
  } finally {
    await relay?.close();
  }
  return checks;
}

const NO_AGENT = {
  name: "coding agent",
  ok: false,
  detail: "the mode is implement, and no coding agent is configured: plans are never carried out",
  mend: "set work.agent, or RELAY_AGENT (docs/agents.md)",
};

/** Without an agent nothing is looked at, nor loaded for it, unless the mode asks for one. */
async function examineWork(config: Config, env: Given["env"], report: Report): Promise<void> {
  const { agent } = config.work;
  if (agent === undefined) {
    if (config.mode === "implement") report(NO_AGENT);
    return;
  }
  const { examineWorker } = await import("./worker.ts");
  await examineWorker(agent, config, env, report);
}

/** Without credentials for trackers, which are looked at apart. */
async function openDatabaseOf(config: Config): Promise<{ value: Relay; detail: string }> {
  const value = await openRelay(config, { log: silentLog, env: {} });
  return { value, detail: `${value.databaseVersion} at ${value.databaseLocation}` };
}
