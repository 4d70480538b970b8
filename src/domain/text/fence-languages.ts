/** What code usually is in: what else stands behind a fence, nobody sees, and could say anything. */
const LANGUAGES = new Set(
  [
    "abap ada adoc agda antlr apache apex apl applescript arduino arm asciidoc asm assembly astro autohotkey awk bash",
    "basic bat batch bazel bibtex bicep blade bnf brainfuck c c# c++ c3 cabal cadence cairo capnp cfg cjs clj clojure",
    "cmake cmd cobol code coffee coffeescript command common-lisp conf config console cpp cr crystal cs csharp cshtml",
    "css csv cts cu cuda cue curl cxx cypher cython d dart delphi dhall diff django docker dockerfile dos dotenv dts",
    "ebnf ecmascript edn eex ejs elisp elixir elm emacs-lisp env erb erl erlang ex exs f# f90 feature fish fixed",
    "fortran fs fsharp gcode gd gdscript gherkin git gitattributes gitconfig gitignore gleam glsl gn go go.mod golang",
    "gql gradle graphql groovy h haml handlebars haskell haxe hbs hcl heex hex hjson hlsl hpp hs html http https hx",
    "idris ini ino ipynb ipython irb java javascript jinja jinja2 jl jq js json json5 jsonc jsonl jsonnet jsonpath",
    "jsx julia jupyter justfile kdl kotlin ksh kt kts latex lean less liquid lisp ll llvm log logs lua luau m make",
    "makefile mako markdown mathematica matlab md mdx meson mjs mk ml mojo mts mysql nasm ndjson nginx nim ninja nix",
    "node nu numpy nushell objc objective-c objectivec ocaml odin org out output pascal patch pem perl perl6 pgsql",
    "php pl plain plaintext plist plpgsql plsql po pony postcss postgres postgresql powershell prisma prolog promql",
    "properties proto protobuf ps1 psql pug puppet purescript pwsh py pycon pyi pytb python python2 python3 qml r",
    "racket raku razor rb rd re regex regexp rego rescript rest robot ron rs rst rtf ruby rust sas sass sbt scala",
    "scheme scss sed sh shell shell-session shellsession smali smalltalk sml sol solidity sparql sql sqlite ssh",
    "starlark stata stderr stdout styl stylus suggestion sv svelte svg swift syslog systemd systemverilog tap tcl",
    "terminal terraform tex text textile tf tfvars thrift tla toml trace ts tsql tsv tsx turtle twig txt typescript",
    "typst v vala vb vba vbnet verilog vhdl vim viml vue wasm wast wat wgsl wolfram wren x86asm xhtml xml xq xquery",
    "xsd xsl xslt yaml yml zig zsh",
    // What trackers draw; `shown-code.ts` says what is seen of it.
    "mermaid math geojson topojson stl json:table plantuml puml graphviz dot d2 ditaa nomnoml vega vega-lite wavedrom",
    "bpmn excalidraw erd svgbob bytefield structurizr tikz pikchr blockdiag seqdiag actdiag nwdiag packetdiag",
    "rackdiag c4plantuml",
  ].flatMap((line) => line.split(" ")),
);

/** Whether the words behind a fence name a language, or there are none. */
export function isLanguage(info: string): boolean {
  return info.trim() === "" || LANGUAGES.has(info.trim().toLowerCase());
}
