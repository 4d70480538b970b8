import { expect, test } from "vitest";
import { buildEvent } from "../domain/event.ts";
import type { Permission } from "../adapters/trackers/tracker.ts";
import type { Engage } from "./decide.ts";
import { mayCall } from "./process.ts";

const ROLES: Record<string, Permission> = { ann: "read", tom: "triage", mia: "write" };
const tracker = {
  bot: "relay",
  calledAs: ["relay"],
  permissionOf: async (_: string, login: string) => await Promise.resolve(ROLES[login] ?? "none"),
};

async function callers(engage?: Engage): Promise<string[]> {
  const heard: string[] = [];
  for (const actor of ["stranger", "ann", "tom", "mia"]) {
    const at = { provider: "github" as const, externalProjectId: "acme/shop", externalIssueId: "1" };
    const event = buildEvent({ ...at, kind: "commented", at: new Date(0), actor, text: "@relay, please." });
    if (await mayCall(event, engage === undefined ? { tracker } : { tracker, engage })) heard.push(actor);
  }
  return heard;
}

test.each<[string, Engage | undefined, string[]]>([
  ["people who may triage, unless it is said otherwise", undefined, ["tom", "mia"]],
  ["people who may write", "write", ["mia"]],
  ["a list, besides those who may triage", ["Ann"], ["ann", "tom", "mia"]],
  ["anyone", "anyone", ["stranger", "ann", "tom", "mia"]],
])("Relay is called by %s (R-LIFE-11)", async (_, engage, expected) => {
  expect(await callers(engage)).toEqual(expected);
});
