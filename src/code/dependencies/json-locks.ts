import { z } from "zod";
import { type Dependency, dependency, isLocal } from "./dependency.ts";

const anything = z.record(z.string(), z.unknown());
const text = z.string().catch("");
const pinned = z.object({
  name: text.optional(),
  version: text,
  resolved: text,
  link: z.boolean().catch(false),
  license: z.string().nullable().catch(null),
  git: text,
  type: text,
});

/** The members of an object in the document that are objects with the usual keys. */
function entriesOf(value: unknown): { key: string; value: unknown; pin: z.infer<typeof pinned> }[] {
  return Object.entries(anything.safeParse(value).data ?? {}).flatMap(([key, entry]) => {
    const pin = pinned.safeParse(entry).data;
    return pin === undefined ? [] : [{ key, value: entry, pin }];
  });
}

function member(value: unknown, key: string): unknown {
  return anything.safeParse(value).data?.[key];
}

const INSTALLED = "node_modules/";

/** `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3. Packages of the workspace itself are left out. */
export function npmLock(document: unknown): Dependency[] {
  const packages = member(document, "packages");
  if (packages !== undefined) {
    return entriesOf(packages).flatMap(({ key, pin }) => {
      const at = key.lastIndexOf(INSTALLED);
      if (at === -1 || pin.link || isLocal(pin.resolved)) return [];
      const name = pin.name ?? key.slice(at + INSTALLED.length);
      return [dependency(name, pin.version, { source: pin.resolved, licence: pin.license })];
    });
  }
  const found: Dependency[] = [];
  for (const queue = [member(document, "dependencies")]; queue.length > 0;) {
    for (const { key, value, pin } of entriesOf(queue.pop())) {
      // Version 1 has a repository's address instead of a version.
      const source = pin.resolved === "" ? pin.version : pin.resolved;
      if (!isLocal(pin.version)) found.push(dependency(key, pin.version.replace(/^.*#/, ""), { source }));
      queue.push(member(value, "dependencies"));
    }
  }
  return found;
}

export function composerLock(document: unknown): Dependency[] {
  const licences = z.object({ name: z.string(), version: z.string(), license: z.array(z.string()).catch([]) });
  return ["packages", "packages-dev"].flatMap((part) =>
    (z.array(z.unknown()).safeParse(member(document, part)).data ?? []).flatMap((entry) => {
      const one = licences.safeParse(entry).data;
      if (one === undefined) return [];
      return [dependency(one.name, one.version, { licence: one.license.join(" OR ") || null })];
    }),
  );
}

export function pipfileLock(document: unknown): Dependency[] {
  return ["default", "develop"].flatMap((part) =>
    entriesOf(member(document, part)).flatMap(({ key, value, pin }) => {
      const revision = text.parse(member(value, "ref"));
      if (pin.git !== "") return [dependency(key, revision, { source: `git+${pin.git}` })];
      return pin.version === "" ? [] : [dependency(key, pin.version.replace(/^==/, ""))];
    }),
  );
}

/** `packages.lock.json` of NuGet. */
export function nugetLock(document: unknown): Dependency[] {
  return entriesOf(member(document, "dependencies")).flatMap(({ value }) =>
    entriesOf(value).flatMap(({ key, pin }) =>
      pin.type === "Project" || pin.resolved === "" ? [] : [dependency(key, pin.resolved)],
    ),
  );
}
