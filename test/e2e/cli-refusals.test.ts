import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exec } from "../../src/lib/exec.ts";
import { newSetUpDesk } from "./configured-desk.ts";
import { type Desk, EXAMPLES, newDesk, relay, specArgs } from "./cli-harness.ts";

/** How a refusal ends: one sentence on stderr, nothing on stdout, nothing from inside of the program. */
function refusal(code: number, says: RegExp) {
  const sentence = `^relay: (?!something unexpected)(?=[^\\n]*(?:${says.source}))[^\\n]+\\n(\\(.*\\)\\n)*$`;
  return { code, out: "", err: expect.stringMatching(new RegExp(sentence)) };
}

async function written(desk: Desk): Promise<string[]> {
  return [...(await readdir(desk.home)), ...(await readdir(desk.folder)).filter((name) => name === "specs")];
}

const issue = join(EXAMPLES, "issue.md");

test.each([
  ["nowhere.md", null, /cannot read the issue nowhere\.md: there is no such file/],
  ["home", null, /home is a directory; give the file of one issue/],
  ["quillbill/README.md/x", null, /cannot read the issue/],
  ["empty.md", "", /empty\.md is empty/],
  ["binary.md", Buffer.from([0xff, 0xfe, 0, 1, 2, 0x80]), /binary\.md is not UTF-8 text/],
  ["broken.md", "---\ntitle: [x\n---\nhello\n", /broken\.md:2 has a broken front matter/],
  ["typo.md", "---\ntitel: x\n---\nhello\n", /typo\.md:2 .*“titel” is not known; did you mean “title”\?/],
  ["open.md", "---\ntitle: x\nhello\n", /open\.md:1 opens a front matter .* never closed/],
  ["broken.json", '{"title": ', /broken\.json/],
])("the issue file %s is refused before anything is opened", async (name, content, says) => {
  const desk = await newDesk();
  if (content !== null) await writeFile(join(desk.folder, name), content);
  expect(await relay(desk, ["spec", name, "--repo", "quillbill", "--yes"])).toMatchObject(refusal(2, says));
  expect(await written(desk)).toEqual([]);
});

test("an empty standard input is refused", async () => {
  const desk = await newDesk();
  expect(await relay(desk, ["spec", "-", "--repo", "quillbill", "--yes"])).toMatchObject(
    refusal(2, /standard input is empty/),
  );
});

test("a --repo that is no repository is refused with what to do", async () => {
  const desk = await newSetUpDesk();
  await exec("git", ["init", "--quiet", join(desk.folder, "bare-beginning")]);
  const ended = async (repo: string) => await relay(desk, ["spec", issue, "--repo", repo, "--yes"]);
  expect(await ended("missing")).toMatchObject(refusal(2, /missing is not a directory/));
  expect(await ended("quillbill/README.md")).toMatchObject(refusal(2, /README\.md is not a directory/));
  expect(await ended("home")).toMatchObject(refusal(2, /home is not a git repository .*git init/));
  expect(await ended("bare-beginning")).toMatchObject(refusal(2, /bare-beginning has no commit yet/));
  const known = await relay(desk, ["status", "--json"]);
  expect(JSON.parse(known.out)).toEqual({ issues: [], dead_letters: [], notifications: [] });
});

test.each([
  ["a typo", "hme: x\n", /relay\.yaml: unknown key “hme”; did you mean “home”\?/],
  ["a typo further in", "bot: { usrname: x }\n", /unknown key “bot\.usrname”; did you mean “username”\?/],
  ["a wrong type", "bot: 5\n", /relay\.yaml: bot: .*expected object/],
  ["an unknown value", "mode: fast\n", /relay\.yaml: mode: .*"spec"\|"plan"\|"implement"/],
  ["broken YAML", "a: [\nb", /relay\.yaml:2: not valid YAML/],
  ["a list", "- 1\n", /relay\.yaml: must be a mapping/],
])("a relay.yaml with %s is refused", async (_, content, says) => {
  const desk = await newDesk();
  await writeFile(join(desk.folder, "relay.yaml"), content);
  expect(await relay(desk, ["status"])).toMatchObject(refusal(2, says));
  expect(await written(desk)).toEqual([]);
});

test.each([
  ["BOT_IDLE_MINUTES", "soon", /BOT_IDLE_MINUTES must be a number, not “soon”/],
  ["BOT_IDLE_MINUTES", "-3", /BOT_IDLE_MINUTES: /],
  ["RELAY_MODE", "fast", /RELAY_MODE: /],
  ["RELAY_MODEL", "wise", /RELAY_MODEL: /],
  ["RELAY_LOG_LEVEL", "loud", /RELAY_LOG_LEVEL: /],
  ["DATABASE_URL", "mysql://x", /DATABASE_URL: must be an address like postgres:/],
  ["RELAY_CONFIG", "nowhere.yaml", /cannot read the configuration .*nowhere\.yaml/],
])("%s=%s is refused by its name", async (name, value, says) => {
  const desk = await newDesk();
  expect(await relay(desk, ["status"], { env: { [name]: value } })).toMatchObject(refusal(2, says));
  expect(await written(desk)).toEqual([]);
});

test("a database that does not answer is an outside failure", async () => {
  const desk = await newDesk();
  const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/x" };
  expect(await relay(desk, ["status"], { env })).toMatchObject(refusal(3, /the database does not answer/));
});

test("a data directory that cannot be made is an outside failure", async () => {
  const desk = await newDesk();
  for (const home of [join(desk.repository, "README.md"), join(desk.repository, "README.md", "below")]) {
    const ended = await relay(desk, specArgs(desk), { env: { RELAY_HOME: home } });
    expect(ended).toMatchObject(refusal(3, /cannot write to the data directory .*README\.md.*RELAY_HOME/));
  }
  expect(await written(desk)).toEqual([]);
});

test("a spec store that cannot be made is an outside failure, after whose mending the spec is written", async () => {
  const desk = await newSetUpDesk();
  const env = { RELAY_SPEC_ROOT: join(desk.repository, "README.md", "below") };
  const args = ["spec", issue, "--repo", "quillbill", "--yes"];
  expect(await relay(desk, args, { env })).toMatchObject(
    refusal(3, /cannot write the spec below .*set RELAY_SPEC_ROOT/),
  );
  expect(await relay(desk, args)).toMatchObject({ code: 0, err: "" });
});

test("a full disk is an outside failure and leaves no half a file", async ({ skip }) => {
  const desk = await newDesk();
  const disk = join(desk.folder, "disk");
  await exec("mkdir", [disk]);
  const mounted = await exec("mount", ["-t", "tmpfs", "-o", "size=1m", "relay-test", disk]).catch(() => null);
  if (mounted?.code !== 0) skip("only a user who may mount can fill a disk");
  try {
    await exec("sh", ["-c", 'cat /dev/zero > "$0" 2>/dev/null', join(disk, "filler")]);
    const noRoom = /(disk is full|No space left)/;
    const homeOnDisk = { RELAY_HOME: join(disk, "home") };
    expect(await relay(desk, ["status"], { env: homeOnDisk })).toMatchObject(refusal(3, /No space left|ENOSPC/));
    const args = ["spec", issue, "--repo", "quillbill", "--yes"];
    const specsOnDisk = { RELAY_SPEC_ROOT: join(disk, "specs") };
    expect(await relay(desk, args, { env: specsOnDisk })).toMatchObject(refusal(3, noRoom));
    const left = (await readdir(disk, { recursive: true })).filter((name) => name.endsWith(".md"));
    expect(left).toEqual([]);
    await exec("rm", [join(disk, "filler")]);
    expect(await relay(desk, args, { env: specsOnDisk })).toMatchObject({ code: 0, err: "" });
    await exec("sh", ["-c", 'cat /dev/zero > "$0" 2>/dev/null', join(disk, "filler")]);
    const copied = await relay(desk, [...args, "--out", join(disk, "out")], { env: specsOnDisk });
    expect(copied).toMatchObject(refusal(3, /cannot write the spec to .*ENOSPC/));
    expect(await readdir(join(disk, "out")).catch(() => [])).toEqual([]);
  } finally {
    await exec("umount", [disk]);
  }
});

test.each([
  ["foo: bar\n", /“foo” is neither a question number nor a topic/],
  ["expcted: bar\n", /“expcted” .*did you mean “expected”\?/],
  ["[1", /cannot read the answers answers\.yaml/],
  ["- x\n", /answers\.yaml must map question numbers or topics to answers/],
  ["expected: [1]\n", /answers\.yaml must map/],
])("answers of %j are refused", async (content, says) => {
  const desk = await newDesk();
  await writeFile(join(desk.folder, "answers.yaml"), content);
  const args = ["spec", issue, "--repo", "quillbill", "--answers", "answers.yaml"];
  expect(await relay(desk, args)).toMatchObject(refusal(2, says));
  expect(await written(desk)).toEqual([]);
});

test("unknown commands, options and arguments are refused", async () => {
  const desk = await newDesk();
  expect(await relay(desk, ["specc", "x"])).toMatchObject(refusal(2, /unknown command 'specc'/));
  expect(await relay(desk, ["help", "specc"])).toMatchObject(refusal(2, /unknown command 'specc'.*\n.*spec/));
  expect(await relay(desk, ["spec", "x", "--foo"])).toMatchObject(refusal(2, /unknown option '--foo'/));
  expect(await relay(desk, ["spec"])).toMatchObject(refusal(2, /missing required argument 'source'/));
  expect(await relay(desk, ["status", "a", "b"])).toMatchObject(refusal(2, /too many arguments/));
  expect(await relay(desk, ["validate", "x", "--complexity", "L9"])).toMatchObject(refusal(2, /L9/));
  expect(await relay(desk, ["spec", issue, "--model", "wise"])).toMatchObject(refusal(2, /no model “wise”/));
  expect(await relay(desk, ["spec", "https://example.org/issues/1"])).toMatchObject(
    refusal(2, /example.org is none of the trackers that Relay knows/),
  );
  expect(await written(desk)).toEqual([]);
});

test("commands on an issue that nobody knows are refused", async () => {
  const desk = await newSetUpDesk();
  for (const command of ["status", "log", "pause", "resume", "retry", "forget"]) {
    expect(await relay(desk, [command, "999"])).toMatchObject(
      refusal(2, /no issue “999” is known here; `relay status` lists/),
    );
  }
});
