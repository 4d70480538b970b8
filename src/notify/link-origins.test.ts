import { expect, test } from "vitest";
import type { Permission } from "../adapters/trackers/tracker.ts";
import { originsAmong } from "./link-origins.ts";

const RIGHTS: Readonly<Record<string, Permission>> = { mia: "write", ann: "read", sentry: "write" };
const issue = {
  url: "https://git.example/acme/shop/issues/1",
  externalProjectId: "acme/shop",
  reporter: "ann",
  body: "It fails, see https://ann.example/log.",
};
const said = (author: string, content: string, rest: { isBot?: boolean; role?: "self" | "other" } = {}) => ({
  author,
  role: "other" as const,
  isBot: false,
  content,
  ...rest,
});
const thread = [
  said("mia", "The docs are https://docs.example/cart. <!-- https://hidden.example -->"),
  said("eve", "See https://eve.example/x, and https://docs.example."),
  said("ci", "https://ci.example/1", { isBot: true }),
  said("sentry", "https://sentry.example/1"),
  said("relay", "https://own.example/1", { role: "self" }),
];

async function allowed(words: string) {
  const asked: string[] = [];
  const tracker = {
    linked: ["https://wiki.example"],
    permissionOf: async (_: string, login: string) => {
      asked.push(login);
      return await Promise.resolve(RIGHTS[login] ?? "none");
    },
    isBot: async (login: string) => await Promise.resolve(login === "sentry"),
  };
  const origins = await originsAmong(words, issue, { tracker, thread: async () => await Promise.resolve(thread) }, []);
  return { hosts: [...origins].map((origin) => origin.slice("https://".length)), asked };
}

test("links lead to a host that somebody with write access named where others see it, and to nobody else's (R-SAFE-7)", async () => {
  const { hosts } = await allowed(
    "https://docs.example/y https://ann.example/z https://eve.example https://hidden.example https://ci.example https://sentry.example https://own.example",
  );
  expect(hosts).toEqual(["git.example", "wiki.example", "docs.example"]);
});

test("permissions are asked for where words link to what people named, of those people only, the latest first", async () => {
  expect((await allowed("See https://git.example/acme/shop and https://wiki.example.")).asked).toEqual([]);
  expect((await allowed("See https://nobody.example.")).asked).toEqual([]);
  expect((await allowed("See [it](https://docs.example/x).")).asked).toEqual(["eve", "mia"]);
  expect((await allowed("See https://ann.example.")).asked).toEqual(["ann"]);
});
