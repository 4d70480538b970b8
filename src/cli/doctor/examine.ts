import { type Config, modelsFor } from "../../config/config.ts";
import { unusedSettings } from "../../config/unused-settings.ts";
import { certificatesNamed } from "../../config/certificates.ts";
import { readCertificates } from "../../adapters/sandbox/certificates.ts";
import { silentLog } from "../../lib/log.ts";
import type { Check } from "../../app/doctor.ts";
import { connect } from "../../app/data-directory.ts";
import { MIGRATIONS } from "../../app/runtime.ts";
import { type Database, openDatabase } from "../../storage/db.ts";
import { type Schema, lookAtSchema, postgresVersion } from "../../storage/migrate.ts";
import type { Lack } from "../../domain/plan.ts";
import { bucketAccess } from "../../config/bucket-access.ts";
import { openBucket } from "../../adapters/spec-stores/bucket.ts";
import { BUCKET_NAME } from "../../adapters/spec-stores/bucket-name.ts";
import { proveConditions } from "../../adapters/spec-stores/s3.ts";
import { sleep, systemClock } from "../../lib/clock.ts";
import { type Report, attempt } from "./check.ts";
import { examineNotifications } from "./notifications.ts";
import { type Wanted, examineTrackers } from "./trackers.ts";
import { access, constants, mkdir } from "node:fs/promises";
import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import type { ModelRole } from "../../adapters/models/model.ts";

interface Given {
  /** Throws if it cannot be read. */
  config: () => Config;
  env: Record<string, string | undefined>;
  wanted: Wanted;
  /** What serves already: its database, and whether it has coding agents work. */
  serving?: { database: () => Promise<OpenDatabase>; works: boolean };
}

/** The database, as it is open while the checks are made. */
interface OpenDatabase {
  db: Database;
  version: string;
  location: string;
  close(): Promise<void>;
}

/** Checks everything that Relay depends on, from the machine to the trackers. Calls `report` after each check. */
export async function examine({ config: load, env, wanted, serving }: Given, report: Report): Promise<Check[]> {
  const checks: Check[] = [];
  const note: Report = (check) => {
    checks.push(check);
    report(check);
  };
  const config = await attempt(note, { name: "configuration", mend: "fix the file or variable named above" }, () => {
    const value = load();
    const { mode, model, bot } = value;
    return { value, detail: `mode ${mode}, model ${model}, bot @${bot.username ?? "relay"}` };
  });
  await examinePrograms(note);
  if (config === null) return checks;
  for (const detail of unusedSettings(config, env)) {
    note({ name: "settings", ok: true, detail, mend: "correct it, or take it out" });
  }
  await examineFolders(config, note);
  await examineSpecStore(config, env, note);
  await examineModels(config, env, note);
  if (serving?.works !== false) await examineWork(config, env, note);
  const open = await attempt(
    note,
    { name: "database", mend: "see docs/operations.md, or set DATABASE_URL to a PostgreSQL 15 or later" },
    async () => {
      const value = await (serving?.database() ?? databaseOf(config));
      const schema = await lookAtSchema(value.db, MIGRATIONS).catch(async (error: unknown) => {
        await value.close();
        throw error;
      });
      return { value: { ...value, schema }, detail: `${value.version} at ${value.location}${migrationsText(schema)}` };
    },
  );
  // Tables of before a migration may lack what is asked for.
  const db = open === null || open.schema.missing.length > 0 ? null : open.db;
  try {
    await examineTrackers({ config, env, db, wanted }, note);
    await examineNotifications({ config, env, db }, note);
  } finally {
    await open?.close();
  }
  return checks;
}

const NO_AGENT = {
  name: "coding agent",
  ok: false,
  detail: "the mode is implement, and no coding agent is configured: plans are never carried out",
  mend: "set work.agent, or RELAY_AGENT (docs/agents.md)",
};

/** What the preflight of a plan looks for, as doctor names it. */
const NAMES: Record<Lack["what"], string> = {
  sandbox: "sandbox",
  agent: "coding agent",
  version: "coding agent",
  key: "coding agent's key",
  push: "pushing",
  setup: "set-up",
};

/** Without an agent there is nothing to check or load, unless the mode needs one. */
async function examineWork(config: Config, env: Given["env"], report: Report): Promise<void> {
  const { agent } = config.work;
  if (agent === undefined) {
    if (config.mode === "implement") report(NO_AGENT);
    return;
  }
  const { tryWorker } = await import("../../app/worker/preflight.ts");
  await tryWorker(agent, config, env, ({ what, ...found }) => report({ name: NAMES[what], ...found }));
  await examineCertificates(config, env, report);
}

/** The certificates that programs in the sandbox trust besides the public ones; nothing where nobody names any. */
async function examineCertificates({ work }: Config, env: Given["env"], report: Report): Promise<void> {
  const wanted = certificatesNamed(work, env);
  if (wanted.length === 0) return;
  const { named, problems } = await readCertificates(wanted);
  const from = [...new Set(wanted.map((each) => each.from))].join(", ");
  const count = named.length === 1 ? "1 certificate" : `${named.length} certificates`;
  const detail = `programs in the sandbox trust ${count} of ${from}, besides the public ones`;
  if (problems.length === 0) return report({ name: "certificates", ok: true, detail });
  const mend = "correct work.certificates or the variable; docs/sandbox.md says what is taken";
  report({ name: "certificates", ok: false, detail: `${detail}; ${problems.join("; ")}`, mend });
}

/** The database as it is: not migrated. */
async function databaseOf(config: Config): Promise<OpenDatabase> {
  const { connection, location, leave } = await connect(config, silentLog);
  const db = openDatabase(connection);
  const close = async () => {
    await db.close();
    await leave();
  };
  try {
    return { db, version: await postgresVersion(db), location, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function migrationsText({ isNew, missing }: Schema): string {
  if (missing.length === 0) return "";
  const count = missing.length === 1 ? "1 migration" : `${missing.length} migrations`;
  const what = isNew ? `empty, ${count} will make its tables` : `not up to date, ${count} to come`;
  return `; ${what}: \`relay migrate\` does that, and so does \`relay serve\` when it starts`;
}

/** The programs that Relay needs. */
async function examinePrograms(report: Report): Promise<void> {
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
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await access(folder, constants.W_OK);
      return { value: true, detail: "writable" };
    });
  }
}

/** Where specs go. Whether a tracker's credentials may push is checked with the tracker. */
async function examineSpecStore(
  { spec_store, spec_root, spec_branch }: Config,
  env: Record<string, string | undefined>,
  report: Report,
): Promise<void> {
  if (spec_store !== undefined && BUCKET_NAME.test(spec_store)) {
    const mend = "see “Where specs are kept” in docs/operations.md";
    await attempt(report, { name: "spec store", mend }, async () => {
      const bucket = openBucket({ name: spec_store, access: bucketAccess(env), sleep });
      await bucket.list("relay.probe");
      await proveConditions(spec_store, bucket, systemClock);
      return { value: true, detail: `${spec_store}: can be listed and written, and keeps conditions` };
    });
    return;
  }
  const git = `git: the branch ${spec_branch} of each repository; confidential issues of public ones in ${spec_root}`;
  const detail = {
    git,
    local: `local: files in ${spec_root}`,
    default: `git, where Relay may push: the branch ${spec_branch} of hosted repositories; else files in ${spec_root}`,
  }[spec_store === "git" || spec_store === "local" ? spec_store : "default"];
  report({ name: "spec store", ok: true, detail });
}

/** The roles that this version asks models for. */
const ROLES: readonly ModelRole[] = ["planner", "spec", "explore"];

/** Whether each role has a model and its key. No model is called: that would cost money. */
async function examineModels(config: Config, env: Record<string, string | undefined>, report: Report): Promise<void> {
  const mend = "set the variable, or choose another model; docs/models.md lists both";
  for (const role of ROLES) {
    await attempt(report, { name: `model of ${role}`, mend }, () => {
      const choice = modelsFor(role, config, env);
      if (choice.kind === "offline") return { value: true, detail: "offline: rules, which need no key" };
      const names = choice.models.map(
        ({ provider, name, apiKey }) => `${provider}/${name}${apiKey === null ? " without a key" : ", key set"}`,
      );
      return { value: true, detail: [...names, ...(choice.withRulesFallback ? ["then offline"] : [])].join("; ") };
    });
  }
}
