import { parse as parseToml } from "smol-toml";
import type { Repository } from "../git/repository.ts";
import { isRecord } from "../../lib/text.ts";
import { yamlDocument } from "../../lib/yaml.ts";

/** The files of a repository at one commit, for the search for its commands. */
export interface CodeFiles {
  paths: ReadonlySet<string>;
  /** Files with the executable bit. */
  executable: ReadonlySet<string>;
  /** The first of these paths that exists; null if none does. */
  first: (...paths: string[]) => string | null;
  /** The text of a file; empty if it does not exist, or is no text. */
  read: (path: string) => Promise<string>;
}

export async function codeFiles(repository: Pick<Repository, "files" | "readFile">): Promise<CodeFiles> {
  const files = await repository.files();
  const paths = new Set(files.map(({ path }) => path));
  return {
    paths,
    executable: new Set(files.filter((file) => file.executable).map(({ path }) => path)),
    first: (...wanted) => wanted.find((path) => paths.has(path)) ?? null,
    read: async (path) => (paths.has(path) ? ((await repository.readFile(path).catch(() => null)) ?? "") : ""),
  };
}

/** Commands for one kind of project; undefined if none was found. */
export interface Commands {
  lint?: string | undefined;
  types?: string | undefined;
  build?: string | undefined;
  tests?: readonly string[] | undefined;
}

/** What the files of one kind of project show. */
export interface Found {
  /** Commands that install its dependencies in a fresh clone. */
  setup: readonly string[];
  /** Commands that the repository itself writes down. */
  written: Commands;
  /** Commands that follow from its kind of project, or from a tool that it configures. */
  implied: Commands;
}

export const NOTHING: Found = { setup: [], written: {}, implied: {} };

/** A JSON, TOML or YAML file as a record; empty if it is invalid, or no record. */
export function recordIn(text: string, format: "json" | "toml" | "yaml"): Record<string, unknown> {
  try {
    const plain = text.replace(/^\uFEFF/, "");
    const value: unknown =
      format === "json" ? JSON.parse(plain) : format === "toml" ? parseToml(plain) : yamlValue(plain);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function yamlValue(text: string): unknown {
  const document = yamlDocument(text);
  return document.errors.length === 0 ? document.toJS({ maxAliasCount: 20 }) : null;
}

/** The value below these keys; undefined if one of them is missing. */
export function valueAt(value: unknown, ...keys: string[]): unknown {
  return keys.reduce((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);
}

export function recordAt(value: unknown, ...keys: string[]): Record<string, unknown> {
  const inner = valueAt(value, ...keys);
  return isRecord(inner) ? inner : {};
}

export function stringAt(value: unknown, ...keys: string[]): string | undefined {
  const inner = valueAt(value, ...keys);
  return typeof inner === "string" ? inner : undefined;
}

/** The strings of a list; empty for anything else. */
export function stringsAt(value: unknown, ...keys: string[]): string[] {
  const inner = valueAt(value, ...keys);
  return Array.isArray(inner) ? inner.filter((each) => typeof each === "string") : [];
}
