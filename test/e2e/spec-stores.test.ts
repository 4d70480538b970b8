import { readFile, rename } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { serveBucket } from "../support/bucket-server.ts";
import { gitOutput } from "../support/branch-repository.ts";
import { EXAMPLES, newDesk, relay, specArgs } from "./cli-harness.ts";

const printed = z.object({
  spec_ref: z.object({ backend: z.string(), path: z.string(), revision: z.string().optional() }),
});

const moved = z.object({ specs: z.array(z.looseObject({ path: z.string() })) });

test("the path that is printed opens from where one stands, and a renamed root keeps its issues", async () => {
  const desk = await newDesk();
  const text = specArgs(desk).filter((arg) => arg !== "--json");
  const elsewhere = { ...desk, folder: desk.repository };
  const told = (await relay(elsewhere, text)).out.trim();
  expect(isAbsolute(told)).toBe(true);
  const document = await readFile(told, "utf8");
  expect((await relay(elsewhere, ["validate", told, "--repo", "."])).code).toBe(0);

  await rename(desk.specs, join(desk.folder, "renamed"));
  const env = { RELAY_SPEC_ROOT: "renamed" };
  const again = await relay(desk, text, { env });
  expect(again).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^renamed\/issue_\S+\/spec\.md\n$/) });
  expect(await readFile(join(desk.folder, again.out.trim()), "utf8")).toBe(document);
  expect((await relay(desk, ["status", "--all"], { env })).out).toContain(again.out.trim());
});

test("with the store git, the spec is a commit on a branch of the repository, and the checkout stays as it is", async () => {
  const desk = await newDesk();
  const env = { RELAY_SPEC_STORE: "git" };
  const head = await gitOutput(desk.repository, "rev-parse", "HEAD");
  const first = await relay(desk, specArgs(desk), { env });
  expect(first).toMatchObject({ code: 0, err: "" });
  const { spec_ref: ref } = printed.parse(JSON.parse(first.out));
  expect(ref).toMatchObject({ backend: "git", path: expect.stringMatching(/^relay\/specs:issue_\S+\/spec\.md$/) });
  expect(await gitOutput(desk.repository, "show", ref.path)).toMatch(/^# Spec: /);
  expect((await gitOutput(desk.repository, "rev-parse", "relay/specs")).trim()).toBe(ref.revision);
  expect(await gitOutput(desk.repository, "rev-parse", "HEAD")).toBe(head);
  expect(await gitOutput(desk.repository, "status", "--porcelain")).toBe("");
  // The next command reads the version that is there, also without the setting.
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0, err: "", out: first.out });
  const issue = join(EXAMPLES, "issue.md");
  expect((await relay(desk, ["plan", issue, "--repo", desk.repository])).err).toContain(`from the spec ${ref.path}`);
});

test("specs move to the branch with all their versions and back, and a second move changes nothing", async () => {
  const desk = await newDesk();
  const first = printed.parse(JSON.parse((await relay(desk, specArgs(desk))).out)).spec_ref;
  const text = await readFile(join(desk.folder, first.path), "utf8");
  const move = async (to: string) => await relay(desk, ["specs", "move", "--to", to, "--json"]);
  const there = await move("git");
  expect(there).toMatchObject({ code: 0, err: "relay: set spec_store to git, so that new specs go there too\n" });
  const { specs } = moved.parse(JSON.parse(there.out));
  expect(specs).toMatchObject([{ outcome: "moved", versions: 1, lost: [], error: null }]);
  expect(await gitOutput(desk.repository, "show", specs[0]?.path ?? "")).toBe(text);
  const tip = await gitOutput(desk.repository, "rev-parse", "relay/specs");
  expect(moved.parse(JSON.parse((await move("git")).out)).specs).toMatchObject([{ outcome: "moved", versions: 0 }]);
  expect(await gitOutput(desk.repository, "rev-parse", "relay/specs")).toBe(tip);
  await rename(desk.specs, join(desk.folder, "aside"));
  const back = moved.parse(JSON.parse((await move("local")).out));
  expect(back.specs).toMatchObject([{ outcome: "moved", versions: 1, path: first.path }]);
  expect(await readFile(join(desk.folder, first.path), "utf8")).toBe(text);
  expect(await relay(desk, ["specs", "move", "--to", "floppy"])).toMatchObject({ code: 2 });
});

test("with a bucket as the store, specs are objects there, and move there and back; without keys it is said which", async () => {
  const desk = await newDesk();
  const { access, objects } = await serveBucket("team");
  const env = {
    RELAY_SPEC_STORE: "s3://team/specs/",
    AWS_ACCESS_KEY_ID: access.accessKeyId,
    AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
    AWS_SESSION_TOKEN: access.sessionToken ?? "",
    AWS_REGION: access.region,
    AWS_ENDPOINT_URL: access.endpoint ?? "",
  };
  const without = await relay(desk, specArgs(desk), { env: { ...env, AWS_SECRET_ACCESS_KEY: "" } });
  expect(without).toMatchObject({ code: 2, err: expect.stringContaining("AWS_SECRET_ACCESS_KEY is not set") });
  const first = await relay(desk, specArgs(desk), { env });
  expect(first).toMatchObject({ code: 0, err: "" });
  const { spec_ref: ref } = printed.parse(JSON.parse(first.out));
  expect(ref).toMatchObject({ backend: "s3://team/specs", revision: "1" });
  expect(ref.path).toMatch(/^s3:\/\/team\/specs\/issue_\S+\/spec\.v1\.md$/);
  const text = objects.get(ref.path.replace("s3://", ""))?.bytes.toString() ?? "";
  expect(text).toMatch(/^# Spec: /);
  const move = async (to: string) => await relay(desk, ["specs", "move", "--to", to, "--json"], { env });
  const local = moved.parse(JSON.parse((await move("local")).out)).specs;
  expect(local).toMatchObject([{ outcome: "moved", versions: 1, error: null }]);
  expect(await readFile(join(desk.folder, local[0]?.path ?? ""), "utf8")).toBe(text);
  const back = await move("s3://team/specs");
  expect(back).toMatchObject({ code: 0, err: "" });
  expect(moved.parse(JSON.parse(back.out)).specs).toMatchObject([{ outcome: "moved", path: ref.path }]);
  expect([...objects.keys()].filter((key) => key.includes("/spec.v"))).toHaveLength(1);
  const doctor = await relay(desk, ["doctor", "--json"], { env });
  expect(doctor.out).toContain("s3://team/specs/: can be listed and written, and keeps conditions");
});
