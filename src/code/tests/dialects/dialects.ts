import { classify } from "../../classify.ts";
import type { GrammarName } from "../../languages/language.ts";
import type { TestDialect } from "../test-file.ts";
import { CSHARP } from "./csharp.ts";
import { ECMASCRIPT } from "./ecmascript.ts";
import { GO } from "./go.ts";
import { JAVA } from "./jvm.ts";
import { PHP } from "./php.ts";
import { PYTHON } from "./python.ts";
import { RUBY } from "./ruby.ts";
import { RUST } from "./rust.ts";

type DialectOf = { dialect: TestDialect; grammar: GrammarName };

const DIALECTS: Readonly<Record<string, DialectOf>> = {
  javascript: { dialect: ECMASCRIPT, grammar: "tsx" },
  typescript: { dialect: ECMASCRIPT, grammar: "tsx" },
  python: { dialect: PYTHON, grammar: "python" },
  go: { dialect: GO, grammar: "go" },
  rust: { dialect: RUST, grammar: "rust" },
  java: { dialect: JAVA, grammar: "java" },
  ruby: { dialect: RUBY, grammar: "ruby" },
  php: { dialect: PHP, grammar: "php" },
  csharp: { dialect: CSHARP, grammar: "c-sharp" },
};

/** The test dialect of a language; null without a grammar. */
export function dialectOf(language: string | null): TestDialect | null {
  return (language === null ? undefined : DIALECTS[language])?.dialect ?? null;
}

/** The grammar of a code file that may contain tests; null for other languages. */
export function grammarOf(path: string): GrammarName | null {
  const { language } = classify(path);
  const grammar = language === null ? undefined : DIALECTS[language]?.grammar;
  if (grammar === undefined) return null;
  return grammar === "tsx" && /\.[cm]?ts$/.test(path) ? "typescript" : grammar;
}
