import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ActsDeps, openActs } from "../../src/app/people/acts.ts";
import { type Examine, openDoctor } from "../../src/app/doctor.ts";
import type { Issue } from "../../src/domain/issue.ts";
import { Explorer } from "../../src/code/index/explorer.ts";
import { loadDossier } from "../../src/dossier/dossier.ts";
import { VERSION } from "../../src/cli/version.ts";
import { type ViewersDeps, openViewers } from "../../src/app/people/viewers.ts";
import { silentLog } from "../../src/lib/log.ts";
import type { DashboardDeps } from "../../src/server/dashboard/dashboard.ts";
import { LoginLinks } from "../../src/server/login.ts";
import { type Life, BOT } from "./relay.ts";
import { startWeb } from "./web-server.ts";

export const ADMIN_TOKEN = "a token of some length";

const noTracker = async () => await Promise.reject(new Error("there is no tracker here"));

/** The dashboard on a port of its own, with the admin token set. */
export async function openDashboard(
  {
    db,
    clock,
    ids,
    people,
    orchestrator,
    specStore,
    code,
    tracker,
    folder,
    transition,
    secretsOf,
  }: Partial<Pick<Life, "secretsOf">> &
    Pick<
      Life,
      "db" | "clock" | "ids" | "people" | "orchestrator" | "specStore" | "code" | "tracker" | "folder" | "transition"
    >,
  {
    logins = [],
    trackerOf = noTracker,
    trustedProxies = 0,
    publicUrl,
    hosted,
    examine = async () => await Promise.resolve(),
    receiveWithin = orchestrator.receiveWithin,
  }: Partial<
    Pick<DashboardDeps, "logins" | "trustedProxies" | "publicUrl" | "receiveWithin"> &
      Pick<ViewersDeps, "trackerOf"> &
      Pick<ActsDeps, "hosted"> & { examine: Examine }
  > = {},
) {
  const dossierOf = async (issue: Issue) => await loadDossier(db, issue, { code, tracker });
  const links = new LoginLinks();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const web = await startWeb({
    dashboard: {
      db: () => db,
      clock,
      ids,
      adminToken: ADMIN_TOKEN,
      operator: "olga",
      links,
      logins,
      viewers: openViewers({ db: () => db, clock, log: silentLog, trackerOf }),
      trustedProxies,
      log: silentLog,
      secure: publicUrl?.startsWith("https:") === true,
      publicUrl,
      bot: BOT,
      home: join(folder, ".relay"),
      people: () => people,
      code: async () => {
        const explorer = await Explorer.open(code.gitDirectory, null);
        onTestFinished(() => explorer.close());
        return { withCode: async (_, work) => await work(code), indexOf: async (of) => await explorer.at(of) };
      },
      budgets: { issue: 50, repositoryDay: 1, workspaceMonth: 30, unpricedPerMillion: 5 },
      doctor: openDoctor(examine, { clock }),
      settings: () => [{ key: "mode", value: "<script>alert(1)</script>", from: "default" }],
      receiveWithin,
      acts: openActs({
        db: () => db,
        bot: BOT,
        clock,
        ids,
        receiveWithin,
        controls: async () =>
          await Promise.resolve({ db, clock, ids, orchestrator, transition, home: join(folder, ".relay") }),
        ...(hosted ? { hosted } : {}),
      }),
      stopping: stopping.signal,
      ...(secretsOf ? { secretsOf } : {}),
    },
    api: {
      db: () => db,
      take: receiveWithin,
      relay: async () => await Promise.resolve({ specStore, dossierOf }),
      specModel: "offline",
      version: VERSION,
    },
    mcp: {
      relay: async () => await Promise.reject(new Error("no code here")),
      host: "127.0.0.1",
      version: VERSION,
    },
  });
  const { address } = web;
  /** As a browser with this cookie would ask; redirects are told and not followed. */
  const get = async (path: string, headers: Record<string, string> = {}) =>
    await fetch(`${address}${path}`, { headers: { accept: "text/html", ...headers }, redirect: "manual" });
  const send = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    await fetch(`${address}${path}`, {
      method: "POST",
      headers: { origin: address, ...headers },
      body: new URLSearchParams(form),
      redirect: "manual",
    });
  /** The cookie of a new session. */
  const logIn = async (): Promise<{ cookie: string }> => {
    const answer = await get(links.make());
    return { cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
  };
  return { ...web, links, stopping, get, send, logIn };
}
