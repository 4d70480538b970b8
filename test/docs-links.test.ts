import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const PAGES = globSync(["*.md", "docs/*.md", "examples/*.md"], { cwd: ROOT });
const reader = new MarkdownIt({ html: true });

/** A page of Markdown as GitHub shows it. */
interface Page {
  anchors: Set<string>;
  /** Addresses of its links and pictures, and a picture's words for who does not see it. */
  links: { to: string; alt?: string }[];
}

function read(path: string): Page {
  const page: Page = { anchors: new Set(), links: [] };
  const times = new Map<string, number>();
  const tokens = reader.parse(readFileSync(join(ROOT, path), "utf8"), {});
  for (const [index, { type, children, content }] of tokens.entries()) {
    if (type !== "inline") continue;
    for (const child of children ?? []) {
      const to = child.attrGet("href") ?? child.attrGet("src");
      if (to !== null) page.links.push({ to: String(to), ...(child.type === "image" && { alt: child.content }) });
    }
    if (tokens[index - 1]?.type !== "heading_open") continue;
    const words = children?.map((child) => child.content).join("") ?? content;
    const anchor = words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    page.anchors.add(before === 0 ? anchor : `${anchor}-${before}`);
  }
  return page;
}

const pages = new Map(PAGES.map((path) => [path, read(path)]));

test("each link of the docs leads to a file and a heading that are there", () => {
  const broken = [...pages].flatMap(([path, { links }]) =>
    links.filter(({ to }) => !/^[a-z]+:/.test(to) && !leads(path, to)).map(({ to }) => `${path}: ${to}`),
  );
  expect(broken).toEqual([]);
});

const { files: packed } = z
  .object({ files: z.array(z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
/** What npm packs whatever `files` says. */
const always = ["README.md", "LICENSE", "package.json"];
const isPacked = (path: string) => [...packed, ...always].some((one) => path === one || path.startsWith(`${one}/`));

test("each link of a package's pages leads to what a package has, or to sources, of which the index says that it has none", () => {
  const broken = [...pages].flatMap(([path, { links }]) =>
    links
      .filter(({ to }) => isPacked(path) && !/^[a-z]+:/.test(to))
      .map(({ to }) => relative(ROOT, resolve(ROOT, dirname(path), decodeURIComponent(to).replace(/#.*/, ""))))
      .filter((to) => !/^(?:src|test)\//.test(to) && to !== "" && to !== path && !isPacked(to))
      .map((to) => `${path}: ${to}`),
  );
  expect(broken).toEqual([]);
  expect(readFileSync(join(ROOT, "docs/README.md"), "utf8")).toContain("links to `src/` and `test/`");
});

test("the index of the docs names each page, and only once", () => {
  const named = pages.get("docs/README.md")?.links.map(({ to }) => to) ?? [];
  const all = PAGES.filter((path) => dirname(path) === "docs").map((path) => relative("docs", path));
  expect(all.filter((page) => page !== "README.md" && !named.includes(page))).toEqual([]);
  expect(named).toEqual([...new Set(named)]);
});

test("each picture says what it shows, and is light", () => {
  const pictures = [...pages].flatMap(([path, { links }]) =>
    links.flatMap(({ to, alt }) => (alt === undefined ? [] : [{ path: join(dirname(path), to), alt }])),
  );
  expect(pictures.filter(({ alt }) => alt.length < 20)).toEqual([]);
  const heavy = pictures.filter(({ path }) => readFileSync(join(ROOT, path)).length > 120_000);
  expect(heavy.map(({ path }) => path)).toEqual([]);
});

function leads(from: string, to: string): boolean {
  const [file = "", anchor = ""] = decodeURIComponent(to).split("#");
  const path = file === "" ? from : relative(ROOT, resolve(ROOT, dirname(from), file));
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === "" || !path.endsWith(".md") || (pages.get(path)?.anchors.has(anchor) ?? false);
}
