import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { type Desk, newDesk, relay, specArgs, startRelay } from "./cli-harness.ts";
import { newSetUpDesk } from "./configured-desk.ts";

const PATIENT = { interval: 100 };

/** A desk with an issue that has a spec, and its backup. */
async function backedUp(): Promise<{ desk: Desk; file: string }> {
  const desk = await newDesk();
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0 });
  const serving = startRelay(desk, ["serve", "--port", "0"]);
  onTestFinished(async () => {
    serving.child.kill("SIGKILL");
    await serving.ended;
  });
  await expect.poll(() => serving.said.out, PATIENT).toContain("Relay listens on");
  const file = join(desk.folder, "relay.backup");
  expect(await relay(desk, ["backup", file])).toMatchObject({ code: 0, err: "", out: expect.stringContaining(file) });
  return { desk, file };
}

async function toldBy(desk: Desk): Promise<string[]> {
  const asked = [
    ["status", "--all", "--json"],
    ["log", "57", "--json"],
    ["replay", "57"],
    ["dossier", "57", "--json"],
  ];
  const told = [];
  for (const args of asked) {
    const { code, out } = await relay(desk, args);
    expect([args, code]).toEqual([args, 0]);
    told.push(out.replaceAll(desk.folder, ""));
  }
  return told;
}

async function specsOf(desk: Desk): Promise<string[]> {
  return (await readdir(desk.specs, { recursive: true })).filter((name) => name.endsWith(".md"));
}

/** A backup with other text, whose checksum is right. */
async function changed(file: string, change: (text: string) => string, to: string): Promise<string> {
  const text = change(gunzipSync(await readFile(file)).toString("utf8"));
  const rest = text.slice(0, text.lastIndexOf('{"sha256"'));
  const sha256 = createHash("sha256").update(rest).digest("hex");
  await writeFile(to, gzipSync(`${rest}${JSON.stringify({ sha256 }).padEnd(79)}\n`));
  return to;
}

test("R-SHIP-2: a backup that was taken while Relay serves is everything on another machine", async () => {
  const { desk, file } = await backedUp();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await relay(desk, ["backup", file])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is there already"),
  });
  const nowhere = join(desk.folder, "missing", "relay.backup");
  expect(await relay(desk, ["backup", nowhere])).toMatchObject({
    code: 2,
    err: `relay: cannot write ${nowhere}: there is no folder ${dirname(nowhere)}; give another name\n`,
  });
  const other = await newDesk();
  expect(await relay(other, ["restore", file, "--json"])).toMatchObject({ code: 0, err: "" });
  expect(await toldBy(other)).toEqual(await toldBy(desk));
  expect(await specsOf(other)).toEqual(await specsOf(desk));
  const [spec = ""] = await specsOf(other);
  expect(await readFile(join(other.specs, spec), "utf8")).toBe(await readFile(join(desk.specs, spec), "utf8"));
  expect((await stat(join(other.specs, spec))).mode & 0o777).toBe(0o600);
  // It goes on there, and is not overwritten.
  expect(await relay(other, ["retry", "57"])).toMatchObject({ code: 0 });
  expect(await relay(other, ["restore", file])).toMatchObject({
    code: 2,
    err: expect.stringContaining("give an empty one"),
  });
});

test("a backup is restored whole or not at all, and into nothing that is used", async () => {
  const { desk, file } = await backedUp();
  const to = await newSetUpDesk();
  const refused = async (path: string, why: RegExp) => {
    const { code, out, err } = await relay(to, ["restore", path]);
    expect({ code: code !== 0, out, err }).toEqual({ code: true, out: "", err: expect.stringMatching(why) });
    expect((await relay(to, ["status", "--all"])).out).toBe("No such issues.\n");
  };
  const wrong = join(desk.folder, "wrong");
  const bytes = await readFile(file);
  for (const part of [0, 0.3, 0.9]) {
    await writeFile(wrong, bytes.subarray(0, bytes.length * part));
    await refused(wrong, /is no (whole )?backup/);
  }
  await writeFile(wrong, gzipSync(gunzipSync(bytes).toString("utf8").replace("October", "Octobre")));
  await refused(wrong, /is damaged: its checksum/);
  await writeFile(wrong, gzipSync("something else\n"));
  await refused(wrong, /is no backup of Relay/);
  await refused(
    await changed(file, (text) => text.replace('"relay_backup":1', '"relay_backup":2'), wrong),
    /a newer Relay/,
  );
  const later = (text: string) => text.replace('"0001_relay.sql"', '"0001_relay.sql","9999_later.sql"');
  await refused(await changed(file, later, wrong), /a newer Relay \(it has 9999_later\.sql\); update this one/);
  const outside = (text: string) => text.replace(/"file":"specs\/issue_[^"]*"/, '"file":"specs/issue_1/../../../x"');
  await refused(await changed(file, outside, wrong), /a file with the name "specs\/issue_1\/\.\.\/\.\.\/\.\.\/x"/);
  await refused(join(desk.folder, "nothing"), /cannot restore .*nothing: there is no such file; give another name/);

  // A file of somebody else's is in the way: the database stays empty, too.
  const [spec = ""] = await specsOf(desk);
  const inTheWay = join(to.specs, spec);
  await mkdir(join(inTheWay, ".."), { recursive: true });
  await writeFile(inTheWay, "another one");
  await refused(file, /is there, with other content/);
  expect(await readFile(inTheWay, "utf8")).toBe("another one");
  await rm(inTheWay);

  // Of a restore that is killed at any moment, nothing is left that stops the next one.
  for (const ms of [300, 600, 900]) {
    const { child, ended } = startRelay(to, ["restore", file]);
    setTimeout(() => child.kill("SIGKILL"), ms);
    await ended;
  }
  const { code, err } = await relay(to, ["restore", file]);
  expect([0, 2]).toContain(code);
  expect(err === "" || err.includes("give an empty one")).toBe(true);
  expect(await specsOf(to)).toEqual(await specsOf(desk));
  expect((await relay(to, ["status", "57", "--json"])).code).toBe(0);
});
