/** What code usually is in: what else stands behind a fence, nobody sees. */
const LANGUAGES = new Set(
  [
    "abap ada adoc agda antlr apache apex apl applescript arduino arm asciidoc asm astro autohotkey awk bash bat batch",
    "bazel bibtex bicep bnf brainfuck c c# c++ cadence cairo capnp cfg clj clojure cmake cobol code coffee coffeescript",
    "command common-lisp conf config console cpp cr crystal cs csharp cshtml css csv cts cu cuda cue curl cypher cxx d dart",
    "delphi dhall diff docker dockerfile dos dot dotenv ebnf edn ejs elisp elixir elm env erb erl erlang ex exs f# f90 fish",
    "flow fortran fs fsharp gdscript geojson gherkin git gitignore gleam glsl gn go gql gradle graphql graphviz groovy h haml",
    "handlebars haskell hbs hcl heex hlsl hpp hs html http hx haxe idris ini ipynb java javascript jinja jinja2 jl js json",
    "json5 jsonc jsonl jsonnet jsx julia just justfile kdl kotlin ksh kt kts latex lean less lisp liquid llvm log lua m",
    "make makefile mako markdown math matlab md mdx mermaid meson mjs mk ml move mts mysql nasm nginx nim nix nu nushell",
    "objc objective-c objectivec ocaml odin output pascal patch perl pgsql php pl plaintext plist plpgsql plsql pony",
    "postgres postgresql powershell prisma prolog properties proto protobuf ps1 psql pug puml puppet purescript py pycon",
    "pyi python python3 qml r racket raku rb re reason regex rego rescript rest rst ruby rust rs sass scala scheme scss sed",
    "sh shell shell-session shellsession smalltalk sol solidity sparql sql sqlite ssh stata starlark stl styl stylus",
    "suggestion svelte svg swift systemverilog tcl terraform tex text tf thrift toml topojson ts tsql tsv tsx turtle twig",
    "txt typescript typst v vala vb vbnet verilog vhdl vim viml vue wasm wast wat wgsl wren x86asm xml xsl yaml yml zig zsh",
  ].flatMap((line) => line.split(" ")),
);

/** Whether the words behind a fence name a language, or there are none. */
export function isLanguage(info: string): boolean {
  return info.trim() === "" || LANGUAGES.has(info.trim().toLowerCase());
}
