import { expect, test } from "vitest";
import { exec } from "../../src/lib/exec.ts";
import { startMockGithub } from "../mock-github/server.ts";
import { type Desk, newDesk, relay } from "./cli-harness.ts";
import { githubPlace } from "./hosted-github.ts";
import { gitlabPlace } from "./hosted-gitlab.ts";
import type { HostedPlace } from "./hosted-tracker.ts";

const BODY = "The October export has the wrong invoices since `src/export/period.js` was changed.";

/** Asks about an issue of the tracker, from the folder of the clone. */
async function spec(desk: Desk, place: Pick<HostedPlace, "env">, url: string, ...args: string[]) {
  return await relay({ ...desk, folder: desk.repository }, ["spec", url, "--yes", ...args], { env: place.env });
}

async function setOrigin(desk: Desk, url: string): Promise<void> {
  await exec("git", ["-C", desk.repository, "remote", "set-url", "origin", url]);
}

test.each([
  ["GitHub", githubPlace, "GITHUB_API_URL", "issues"],
  ["GitLab", gitlabPlace, "GITLAB_URL", "-/issues"],
] as const)("an issue of %s is read with its discussion, and nothing is said there", async (_, open, web, path) => {
  const desk = await newDesk();
  const place = await open();
  const number = place.assign("ruthg", "October export has the wrong invoices", BODY);
  place.say(number, "mia", "Only invoices of the last day are wrong; the month is that of the printed day.");
  const before = place.issue(number);
  const url = `${place.env[web] ?? ""}/${place.project}/${path}/${number}`;

  const elsewhere = await spec(desk, place, url);
  expect(elsewhere).toMatchObject({ code: 2, out: "" });
  expect(elsewhere.err).toContain(`this folder is no clone of ${place.project}; give the folder of one with --repo`);

  await setOrigin(desk, `${place.env[web] ?? ""}/${place.project}.git`);
  const written = await spec(desk, place, `${url}?a=b#note_1`, "--json");
  expect(written).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(written.out)).toMatchObject({ state: "done", validation_status: "valid" });
  const log = await relay(desk, ["dossier", `${number}`], { env: place.env });
  expect(log.out).toContain("the month is that of the printed day");
  expect(place.issue(number)).toEqual(before);
  expect(place.requests()).toEqual([]);
});

test("what leads to no issue is refused with the remedy", async () => {
  const desk = await newDesk();
  const place = await githubPlace();
  const web = place.env["GITHUB_API_URL"] ?? "";
  const refused = async (url: string, env: Record<string, string> = place.env) => {
    const { code, out, err } = await spec(desk, { env }, url, "--repo", ".");
    expect(out).toBe("");
    return `${code}: ${err}`;
  };
  expect(await refused("https://example.org/o/r/issues/1")).toContain("2: relay: example.org is none of the trackers");
  expect(await refused(`${web}/${place.project}/pull/1`)).toContain("is a request for review, and no issue");
  expect(await refused(`${web}/${place.project}/wiki`)).toContain("leads to no issue; give the URL of an issue");
  expect(await refused(`${web.replace("//", "//u:p@")}/${place.project}/issues/1`)).toContain(
    "without a user or a token",
  );
  expect(await refused(`${web}/${place.project}/issues/999`)).toMatch(/^2: relay: GitHub: GET .* was refused with 404/);
  expect(await refused("https://gitlab.com/a/b/-/issues/1")).toContain("there are no credentials for GitLab");
});

test("a public issue of GitHub needs no token; a private one is told to need one", async () => {
  const desk = await newDesk();
  const mock = await startMockGithub({
    seed: {
      users: ["ruthg"],
      repositories: [
        { name: "ruthg/quillbill", collaborators: { ruthg: "admin" } },
        { name: "ruthg/secret", private: true, collaborators: { ruthg: "admin" } },
      ],
    },
  });
  const open = (repo: string) => mock.act({ do: "open", as: "ruthg", repo, title: "Export", body: BODY }).number ?? 0;
  const place = { env: { GITHUB_API_URL: mock.url } };
  const known = await spec(desk, place, `${mock.url}/ruthg/quillbill/issues/${open("ruthg/quillbill")}`, "--repo", ".");
  expect(known).toMatchObject({ code: 0, err: "" });
  const secret = await spec(desk, place, `${mock.url}/ruthg/secret/issues/${open("ruthg/secret")}`, "--repo", ".");
  expect(secret).toMatchObject({ code: 2, out: "" });
  expect(secret.err).toContain("Relay asked without credentials: set GITHUB_TOKEN");
  await mock.close();
});
