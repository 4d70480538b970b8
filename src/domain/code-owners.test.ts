import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { ownersOf, parseCodeOwners } from "./code-owners.ts";

describe("on GitHub", () => {
  const owners = (text: string, path: string) => ownersOf(parseCodeOwners(text, { dialect: "flat" }), path);

  test("the last rule that means a file counts", () => {
    const text =
      "# Who looks after what\n*  @one @two\n*.js @js # for the web\n\n/build/ @acme/builders\n*.txt docs@acme.example";
    expect(owners(text, "main.go")).toEqual(["@one", "@two"]);
    expect(owners(text, "src/deep/app.js")).toEqual(["@js"]);
    expect(owners(text, "build/out.js")).toEqual(["@acme/builders"]);
    expect(owners(text, "sub/build/out.go")).toEqual(["@one", "@two"]);
    expect(owners(text, "notes.txt")).toEqual(["docs@acme.example"]);
  });

  test("a rule without owners takes them away", () => {
    const text = "/apps/ @a\n/apps/github\n/apps/github/web @w";
    expect(owners(text, "apps/shop/main.ts")).toEqual(["@a"]);
    expect(owners(text, "apps/github/main.ts")).toEqual([]);
    expect(owners(text, "apps/github/web/main.ts")).toEqual(["@w"]);
  });

  test.each([
    ["*", "a/b/c", true],
    ["docs/*", "docs/start.md", true],
    ["docs/*", "docs/build/trouble.md", false],
    ["docs/*", "sub/docs/start.md", false],
    ["docs/**", "docs/build/trouble.md", true],
    ["docs/**", "docs", false],
    ["apps/", "deep/apps/x/y.ts", true],
    ["apps/", "deep/apps", false],
    ["/apps/", "deep/apps/x.ts", false],
    ["/docs/", "docs/a/b.md", true],
    ["**/logs", "logs/x", true],
    ["**/logs", "deeply/nested/logs/x", true],
    ["logs", "deeply/nested/logs/x", true],
    ["logs", "deeply/nested/logs2/x", false],
    ["apps/github", "sub/apps/github/x", false],
    ["/src/**/test.ts", "src/test.ts", true],
    ["/src/**/test.ts", "src/a/b/test.ts", true],
    ["/src/**/test.ts", "lib/src/test.ts", false],
    ["*.js", "a/b.jsx", false],
    ["a?c.md", "abc.md", true],
    ["a?c.md", "a/c.md", false],
    ["README.md", "docs/readme.md", false],
    ["my\\ file.md", "my file.md", true],
    ["a.md", "axmd", false],
    ["!secret.md", "secret.md", false],
    ["[ab].md", "a.md", false],
    ["\\#odd.md", "#odd.md", false],
  ])("%s and %s: %s", (pattern, path, expected) => {
    expect(owners(`${pattern} @x`, path)).toEqual(expected ? ["@x"] : []);
  });

  test("a line with what is no owner is left out, and the rest stays", () => {
    const text = "* @all\n*.md somebody\n*.ts @ts";
    expect(owners(text, "a.md")).toEqual(["@all"]);
    expect(owners(text, "a.ts")).toEqual(["@ts"]);
  });

  test("line ends and tabs do not matter", () => {
    expect(owners("\ufeff*.md\t@a\t@b\r\n*.ts @c\r\n", "x.ts")).toEqual(["@c"]);
    expect(owners("\ufeff*.md\t@a\t@b\r\n*.ts @c\r\n", "x.md")).toEqual(["@a", "@b"]);
  });
});

describe("on GitLab", () => {
  const owners = (text: string, path: string) => ownersOf(parseCodeOwners(text, { dialect: "sectioned" }), path);

  test("each section has its say, the last rule of each, with the section's owners where it names none", () => {
    const text = [
      "* @everything",
      "*.rb @ruby",
      "[Documentation][2] @docs @acme/writers",
      "docs/",
      "README.md @readme",
      "^[Database] @dba",
      "model/db/",
      "config/db/setup.md @docs-too",
      "[DOCUMENTATION]",
      "CHANGES.md @changes",
    ].join("\n");
    expect(owners(text, "lib/a.rb")).toEqual(["@ruby"]);
    expect(owners(text, "docs/deep/a.md")).toEqual(["@everything", "@docs", "@acme/writers"]);
    expect(owners(text, "sub/README.md")).toEqual(["@everything", "@readme"]);
    expect(owners(text, "model/db/x.rb")).toEqual(["@ruby", "@dba"]);
    expect(owners(text, "config/db/setup.md")).toEqual(["@everything", "@docs-too"]);
    expect(owners(text, "CHANGES.md")).toEqual(["@everything", "@changes"]);
  });

  test("what is excluded from a section stays out of it", () => {
    const text = "* @all\n!pom.xml\n[Ruby]\n*.rb @ruby\n!/config/**/*.rb\n/config/routes.rb @routes";
    expect(owners(text, "sub/pom.xml")).toEqual([]);
    expect(owners(text, "app.rb")).toEqual(["@all", "@ruby"]);
    expect(owners(text, "config/routes.rb")).toEqual(["@all"]);
  });

  test.each([
    ["*", "a/b/c", true],
    ["README.md", "a/b/README.md", true],
    ["internal/README.md", "a/internal/README.md", true],
    ["/README.md", "a/README.md", false],
    ["/docs/", "docs/a/b.md", true],
    ["/docs/*", "docs/index.md", true],
    ["/docs/*", "docs/projects/index.md", false],
    ["/docs/**/*.md", "docs/projects/index.md", true],
    ["/docs/**/*.md", "docs/index.md", true],
    ["/docs/*.md", "docs/index.md", true],
    ["lib/", "a/lib/b/c", true],
    ["/docs", "docs/a.md", false],
    ["path\\ with\\ spaces/", "path with spaces/x", true],
    ["\\#file_with_pound.rb", "#file_with_pound.rb", true],
  ])("%s and %s: %s", (pattern, path, expected) => {
    expect(owners(`${pattern} @x`, path)).toEqual(expected ? ["@x"] : []);
  });

  test("names, groups, addresses and roles own; other words are passed over", () => {
    const text = "LICENSE @legal this_does_not_match jane@acme.example @acme/nested/group @@maintainers # @nobody";
    expect(owners(text, "LICENSE")).toEqual(["@legal", "jane@acme.example", "@acme/nested/group", "@@maintainers"]);
  });
});

test("local issues have GitHub's rules", () => {
  expect(ownersOf(parseCodeOwners("docs/* @d", { dialect: "flat" }), "docs/a.md")).toEqual(["@d"]);
});

test("whatever stands in the file, there is an answer, of owners in the file, each once", () => {
  const piece = constantFrom(
    "*",
    "**",
    "/",
    "a",
    "?",
    "\\",
    " ",
    "\n",
    "[",
    "]",
    "[x]",
    "#",
    "!",
    "@a",
    " @b\n",
    "^",
    "é",
  );
  assert(
    property(array(piece, { maxLength: 60 }), string(), constantFrom("flat", "sectioned"), (pieces, path, dialect) => {
      const text = pieces.join("");
      const owners = ownersOf(parseCodeOwners(text, { dialect }), path);
      expect(owners.every((owner) => text.includes(owner))).toBe(true);
      expect(new Set(owners).size).toBe(owners.length);
    }),
  );
});

test("many wildcards are no burden", () => {
  const pattern = `${"*a".repeat(300)}b${"/**/x".repeat(100)}`;
  const path = `${"a".repeat(2_000)}/${"x/".repeat(500)}y`;
  expect(ownersOf(parseCodeOwners(`${pattern} @x`, { dialect: "flat" }), path)).toEqual([]);
});
