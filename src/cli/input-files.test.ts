import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readEventFile, readIssueSource, readIssueToStore } from "./input-files.ts";
import type { Terminal } from "./terminal.ts";

const terminal: Terminal = {
  out: () => {},
  err: () => {},
  interactive: false,
  progress: false,
  color: false,
  outputFailure: () => null,
  readInput: async () => await Promise.resolve(`# Slow\n\n${"a".repeat(70_000)}\n`),
};

async function fileWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "relay-input-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const file = join(folder, "slow.md");
  await writeFile(file, text);
  return file;
}

test("an issue whose text no tracker would hold is refused with its file, its length and the limit", async () => {
  const file = await fileWith(`# Slow\n\n${"🧪".repeat(65_537)}\n`);
  await expect(readIssueToStore(file, terminal)).rejects.toMatchObject({
    code: "usage",
    message: `${file}: the issue’s text has 65,537 characters, and may have 65,536; shorten pasted logs`,
  });
  await expect(readIssueToStore("-", terminal)).rejects.toThrow(/^standard input: the issue’s text has 70,000 /);
  // Commands that keep nothing read it.
  expect((await readIssueSource(file, terminal)).issue.title).toBe("Slow");
});

test("so is one with such a comment, by the comment's number; a text of just the limit is taken", async () => {
  const most = "a".repeat(65_536);
  const comment = (text: string) => `## Comment by @ann at 2026-11-05T09:00:00Z\n\n${text}\n`;
  const file = await fileWith(`# Slow\n\n${most}\n\n${comment("Yes.")}\n${comment(`${most}b`)}`);
  await expect(readIssueToStore(file, terminal)).rejects.toThrow(/: comment 2 has 65,537 characters/);
  const fit = await fileWith(`# Slow\n\n${most}\n\n${comment(most)}`);
  expect((await readIssueToStore(fit, terminal)).issue.comments).toHaveLength(1);
});

test.each(["7", "#7", "shop#7", "acme/shop#7"])(
  "an issue by its name, %s, is no file: it says how to name one",
  async (name) => {
    const refused = { code: "usage", message: expect.stringContaining(`no file ${name}; give the file of an issue`) };
    await expect(readIssueSource(name, terminal)).rejects.toMatchObject(refused);
    await expect(readIssueToStore(name, terminal)).rejects.toThrow(`\`relay work "${name}" --dry-run\` the plan`);
  },
);

test("a file that is missing is called so", async () => {
  await expect(readIssueSource("issue7.md", terminal)).rejects.toThrow("the issue issue7.md: there is no such file");
});

test("an event larger than a webhook may be is refused with its file, its size and the limit", async () => {
  const small = await fileWith("{}");
  expect(await readEventFile(small, terminal)).toEqual({ body: Buffer.from("{}"), name: small });
  const large = await fileWith("a".repeat(26 * 1024 * 1024));
  await expect(readEventFile(large, terminal)).rejects.toMatchObject({
    code: "too_large",
    message: `${large} has 26 MiB; an event may have 25 MiB`,
  });
  await expect(readEventFile("/no/such/file", terminal)).rejects.toMatchObject({ code: "usage" });
});
