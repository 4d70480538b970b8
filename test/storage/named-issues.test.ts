import { expect, test } from "vitest";
import { pickIssue } from "../../src/cli/issues.ts";
import { findIssue } from "../../src/storage/issues.ts";
import { freshDatabase } from "../support/database.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";

async function someIssues() {
  const { db } = await freshDatabase();
  const { id: shop } = await trackedRepository(db, "acme/Shop");
  const { id: blog } = await trackedRepository(db, "Blog#2");
  const one = await trackedIssue(db, shop, "7");
  const other = await trackedIssue(db, blog, "8");
  await db.execute(`update issues set url = 'https://git.example/Acme/Shop/issues/7' where id = $1`, [one.id]);
  return { db, one, other };
}

test("an issue is found by its number, name, id and address, in any case of letters", async () => {
  const { db, one, other } = await someIssues();
  const words = ["7", "#7", "acme/shop#7", "LOCAL/Acme/Shop#7", one.id, "HTTPS://git.example/acme/shop/issues/7"];
  for (const word of words) expect((await pickIssue(db, word)).id).toBe(one.id);
  for (const word of ["8", "blog#2#8", "local/BLOG#2#8"]) expect((await pickIssue(db, word)).id).toBe(other.id);
});

test.each([
  "9",
  "shop#7",
  "acme/shop#8",
  "github/acme/shop#7",
  "99999999999999999999",
  "07",
  "",
  "#",
  "acme/shop#",
  "%",
])("“%s” is no issue that is known", async (word) => {
  const { db } = await someIssues();
  await expect(pickIssue(db, word)).rejects.toMatchObject({ code: "not_found" });
});

test("a number that many repositories have is answered with a few of their names", async () => {
  const { db, one } = await someIssues();
  const names = ["local/acme/Shop#7"];
  for (let n = 1; n <= 3; n += 1) {
    await trackedIssue(db, (await trackedRepository(db, `acme/${n}`)).id, "7");
    names.push(`local/acme/${n}#7`);
  }
  const asked = async (word: string) => await pickIssue(db, word).catch((error: Error) => error.message);
  expect(await asked("7")).toBe(`“7” could be ${names.join(" or ")}; say which`);
  for (let n = 4; n <= 20; n += 1) await trackedIssue(db, (await trackedRepository(db, `acme/${n}`)).id, "7");
  expect(await asked("7")).toBe(`“7” could be ${[...names, "local/acme/4#7"].join(" or ")}, or another; say which`);
  expect((await pickIssue(db, "acme/shop#7")).id).toBe(one.id);
});

test("an address of any length can be stored and found", async () => {
  const { db, one } = await someIssues();
  const url = `https://git.example/${Array.from({ length: 9_000 }, (_, n) => n.toString(36)).join("")}`;
  await db.execute(`update issues set url = $2 where id = $1`, [one.id, url]);
  expect(await pickIssue(db, url)).toEqual(await findIssue(db, one));
});
