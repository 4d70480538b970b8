import { expect, test } from "vitest";
import type { RepositorySettings } from "../../src/config/repository-file.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { silentLog } from "../../src/lib/log.ts";
import { settingsReader } from "../../src/app/code/repository-settings.ts";
import type { StoredRepository } from "../../src/storage/repositories.ts";
import { openPlanning, planOf, planned } from "../support/planning-relay.ts";

const hosted: StoredRepository = {
  id: "1",
  integrationId: "1",
  workspaceId: "1",
  provider: "github",
  externalProjectId: "acme/shop",
  stableId: null,
  formerNames: [],
  cloneSource: "https://git.example.com/acme/shop.git",
};

async function settingsOf(readFile: () => Promise<string | null>): Promise<RepositorySettings> {
  const read = settingsReader({
    operator: { mode: "implement", fastTrack: false },
    log: silentLog,
    withCode: async () => await Promise.reject(new Error("the tracker knows")),
  });
  return await read(hosted, { readFile });
}

test("a hosted repository's file comes from its tracker; without one, what the operator says holds", async () => {
  expect(await settingsOf(async () => await Promise.resolve("mode: spec"))).toMatchObject({ mode: "spec" });
  expect(await settingsOf(async () => await Promise.resolve(null))).toMatchObject({ mode: "implement", problem: null });
});

test.each(["forbidden", "invalid", "too_large"] as const)(
  "a file that nobody can read (%s) lets Relay plan only",
  async (code) => {
    const settings = await settingsOf(async () => await Promise.reject(new RelayError(code, "it is odd")));
    expect(settings).toMatchObject({ mode: "plan", problem: ".relay.yml: it is odd" });
  },
);

test("a tracker that is down is asked again later, instead of acting without the file", async () => {
  const down = new RelayError("unavailable", "502", { retryable: true });
  await expect(settingsOf(async () => await Promise.reject(down))).rejects.toBe(down);
});

async function shopWith(files: Record<string, string>) {
  const life = await openPlanning(() => ({}), files);
  const issue = await planned(life);
  return { life, issue, state: (await life.existing(issue)).state };
}

test("a repository that wants specs only gets no plan (R-LIFE-7)", async () => {
  expect(await shopWith({ ".relay.yml": "mode: spec\n" })).toMatchObject({ state: "done" });
});

test("conventions of the repository's own come before those that are usual", async () => {
  const own = "conventions:\n  lint_command: make style\n  type_check_command: make types\n";
  const { life, issue, state } = await shopWith({ ".relay.yml": own });
  expect(state).toBe("waiting_confirmation");
  const plan = await planOf(life, issue);
  expect(plan?.plan.validation_commands).toEqual(expect.arrayContaining(["make style", "make types"]));
});
