import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { importsIn } from "./imports-in.ts";
import { triesOf } from "../../../test/support/tries.ts";

function specifiers(language: string | null, ...lines: string[]): string[] {
  return importsIn(language, lines.join("\n")).map((site) => site.specifier);
}

const SOURCES: [language: string, source: string, ...found: string[]][] = [
  ["javascript", `import a, { b as c } from "./a.js";`, "./a.js"],
  ["javascript", `import * as fs from 'node:fs'`, "node:fs"],
  ["javascript", `import "./effect.css";import"./packed.js"`, "./effect.css", "./packed.js"],
  ["javascript", `import {\n  a, // from "x"\n  b,\n} from "./many.js";`, "./many.js"],
  ["javascript", `export * from "./all";\nexport { x } from './x'`, "./all", "./x"],
  ["javascript", `const a = require("./a"), b = require('b').c;`, "./a", "b"],
  ["javascript", `module.exports = [...require("./rules")]`, "./rules"],
  ["javascript", `const at = require.resolve("./a")`, "./a"],
  ["javascript", `const page = () => import(/* chunk: "p" */ "./page.vue")`, "./page.vue"],
  ["javascript", `// import a from "./a"\n  // require("./b")\nx(); // import("./c")`],
  ["javascript", `/*\nimport a from "./a"\n*/\nimport b from "./b"`, "./b"],
  ["javascript", `const list = Array.from("abc"); say("cannot import 'x'"); a.require("b")`],
  ["javascript", `export const a = 1;\nconst from = "x"; console.log(from, "y")`],
  ["javascript", `import { from } from "rxjs"`, "rxjs"],
  ["javascript", "const lazy = import(`./${name}.js`)"],
  ["javascript", `/** @import { A } from "./a.js" */\n/** @type {import('./b').B} */`, "./a.js", "./b"],
  ["typescript", `import type { A } from "./a.ts";\nexport type { B } from "./b.ts"`, "./a.ts", "./b.ts"],
  ["typescript", `let x: import("./t").T;\nimport old = require("./old")`, "./t", "./old"],
  ["typescript", `/// <reference path="./env.d.ts" />`, "./env.d.ts"],
  ["python", `import os, a.b as c`, "os", "a.b"],
  ["python", `from . import x\nfrom ..a.b import c as d, e`, ".x", "..a.b.c", "..a.b.e"],
  ["python", `from a import (  # why\n    b,\n    c as d,  # here\n)\n`, "a.b", "a.c"],
  ["python", `from a import b, \\\n    c`, "a.b", "a.c"],
  ["python", `def f():\n    from late import x\n    import y; import z`, "late.x", "y", "z"],
  ["python", `try: import json\nexcept ImportError: pass`, "json"],
  ["python", `from a import *`, "a"],
  ["python", `"""\nimport no\n"""\n# import no\ns = 'x' "#"\nimport yes`, "yes"],
  ["python", `s = '"""'\nimport yes`, "yes"],
  ["go", `package a\nimport "fmt"\nimport x "a.b/c"`, "fmt", "a.b/c"],
  [
    "go",
    `import (\n\t"os"\n\n\t_ "a.b/side" // why\n\tm "a.b/m"\n)\nfunc a() {}\nimport "no"`,
    "os",
    "a.b/side",
    "a.b/m",
  ],
  ["rust", `use crate::a::B;\npub(crate) use super::c::*;`, "crate::a::B", "super::c"],
  ["rust", `use a::r#type::{r#mod::B, /* no */ C}; // D`, "a::type::mod::B", "a::type::C"],
  [
    "rust",
    `#[macro_use] extern crate a;\n#[cfg(x)] pub use b::c;\n#[path = "d/mod.rs"] pub mod d;`,
    "a",
    "b::c",
    "./d/mod.rs",
  ],
  ["rust", `quote! {\n  use crate::#name;\n}`],
  ["rust", `use a::{self, b::{C, D as E}, f};`, "a", "a::b::C", "a::b::D", "a::f"],
  ["rust", `mod x;\npub mod y;\nmod here { }\nextern crate z;`, "self::x", "self::y", "z"],
  ["rust", `  #[path = "other.rs"]\n  #[cfg(x)]\n            mod x;`, "./other.rs"],
  [
    "rust",
    `mod tests {\n    use super::*;\n    use super::a::B;\n    use super::super::c;\n}\nuse super::d;`,
    "self::a::B",
    "super::c",
    "super::d",
  ],
  ["rust", `const A: &str = include_str!("a.txt");`, "./a.txt"],
  [
    "java",
    `import com.acme.Foo;\nimport static com.acme.Bar.baz;\nimport a.b.*;`,
    "com.acme.Foo",
    "com.acme.Bar.baz",
    "a.b.*",
  ],
  ["kotlin", `import a.b.C as D\nimport a.e`, "a.b.C", "a.e"],
  ["scala", `import a.b.{C, D => E, _}\nimport f._`, "a.b.C", "a.b.D", "a.b.*", "f.*"],
  ["c", `#include <stdio.h>\n# include "a/b.h"\n//#include "no.h"\n/* x\n#include "no.h"\n*/`, "<stdio.h>", "a/b.h"],
  ["objective-c", `#import "Foo.h"`, "Foo.h"],
  [
    "csharp",
    `using System.Text;\nusing static A.B;\nusing C = D.E;\nusing (var x = y) {}\nusing var f = g();`,
    "System.Text",
    "A.B",
    "D.E",
  ],
  [
    "ruby",
    `require "a/b"\nrequire_relative 'c'\nautoload :D, "d/e"\nrequire_relative "../f"`,
    "a/b",
    "./c",
    "d/e",
    "../f",
  ],
  ["php", `use A\\B as C;\nuse D\\{E, F as G};\nrequire_once __DIR__ . '/h.php';`, "A\\B", "D\\E", "D\\F", "./h.php"],
  ["php", `$f = function () use ($x) { return include 'y.php'; };\n// require 'no.php'`, "./y.php"],
  ["swift", `@testable import Core\nimport struct Foundation.Date`, "Core", "Foundation.Date"],
  [
    "shell",
    `source ./a.sh\n. "$(dirname "$0")/lib/b.sh"\n. "\${ROOT}/c.sh" # x\necho . done`,
    "./a.sh",
    "lib/b.sh",
    "c.sh",
  ],
  ["css", `@import "a.css";\n@import url(b.css);\n@use 'c' as d;\n@forward "e", "f";`, "a.css", "b.css", "c", "e", "f"],
  ["css", `/* @import "x" */\n// @use "y"\n@import url("https://a.b/c.css");`],
  [
    "vue",
    `<template><a href="no">import "x"</a></template>\n<script setup>\nimport A from "./A.vue"\n</script>\n<style lang="scss">@use "b"</style>`,
    "./A.vue",
    "b",
  ],
  [
    "html",
    `<script src="app.js"></script><link rel="x" href="/b.css"><script type=module>import "./c.js"</script>`,
    "./app.js",
    "/b.css",
    "./c.js",
  ],
  ["html", `<!-- <script src="no.js"></script> --><img src="https://a.b/c.png"><img src="{{ x }}">`],
  ["astro", `---\nimport A from "./A.astro"\n---\n<p>import "x"</p>`, "./A.astro"],
  ["elixir", `alias A.{B, C}\n  use D.E\nimport F, only: [g: 1]`, "A.B", "A.C", "D.E", "F"],
  ["dart", `import 'package:a/b.dart' as c;\npart 'd.g.dart';`, "package:a/b.dart", "d.g.dart"],
  ["lua", `local a = require("a.b")\n-- require "no"\nrequire 'c'`, "a.b", "c"],
  ["protobuf", `import public "a/b.proto";`, "a/b.proto"],
];

describe("what a text imports", () => {
  test.each(SOURCES)("%s: %s", (language, source, ...found) => {
    expect(specifiers(language, source)).toEqual(found);
    expect(specifiers(language, ...source.split("\n").map((line) => `${line}\r`)), "with CRLF").toEqual(found);
  });

  test("each site knows its line", () => {
    const text = `\n\nimport {\n  a,\n} from "./a";\n\nimport("./b");`;
    expect(importsIn("typescript", text)).toEqual([
      { specifier: "./a", line: 3 },
      { specifier: "./b", line: 7 },
    ]);
  });

  test("a site in a block of a component knows its line of the file", () => {
    const text = `<script>\nimport "./a";\n</script>\n<p/>\n<script setup>\n\nx(import("./b"));\n</script>\n<style>\n@import "c";`;
    expect(importsIn("vue", text)).toEqual([
      { specifier: "./a", line: 2 },
      { specifier: "./b", line: 7 },
      { specifier: "c", line: 10 },
    ]);
  });

  test("a language that nobody taught it imports nothing", () => {
    expect(specifiers(null, `import "a"`)).toEqual([]);
    expect(specifiers("cobol", `import "a"`)).toEqual([]);
  });

  test("of one file at most 500 sites are kept, and specifiers of at most 300 characters", () => {
    expect(specifiers("javascript", ...Array.from({ length: 600 }, (_, at) => `import "./${at}";`))).toHaveLength(500);
    expect(specifiers("javascript", `import "./${"a".repeat(298)}";`)).toHaveLength(1);
    expect(specifiers("javascript", `import "./${"a".repeat(299)}";`)).toEqual([]);
  });
});

const LANGUAGES = [...new Set(SOURCES.map(([language]) => language))];
const PIECES = [...new Set(SOURCES.flatMap(([, source]) => source.split(/(?<=[\s"'(){};,])/)))].concat(
  "\0",
  "/*",
  '"""',
  "\\",
  "{",
);

describe("hostile text", () => {
  test("never throws, keeps its limits, and its lines go up", () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary" })))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES), text, (language, source) => {
        const sites = importsIn(language, source);
        const lines = sites.map((site) => site.line);
        expect(lines).toEqual(lines.toSorted((a, b) => a - b));
        expect(lines.every((line) => line >= 1 && line <= source.split("\n").length)).toBe(true);
        expect(sites.every(({ specifier: { length } }) => length > 0 && length <= 300)).toBe(true);
      }),
      { numRuns: triesOf(500) },
    );
  });

  test.each(LANGUAGES)("long runs of one thing are read to their end: %s", (language) => {
    for (const piece of PIECES)
      expect(importsIn(language, piece.repeat(10_000 / piece.length)).length).toBeLessThan(501);
    for (const piece of PIECES) importsIn(language, piece + " ".repeat(10_000));
  });
});
