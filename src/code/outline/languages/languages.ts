import type { Language } from "../grammar.ts";
import { CPP } from "./cpp.ts";
import { CSHARP } from "./csharp.ts";
import { CSS, INI } from "./css.ts";
import { GO } from "./go.ts";
import { JAVA } from "./java.ts";
import { PHP } from "./php.ts";
import { PYTHON } from "./python.ts";
import { RUBY } from "./ruby.ts";
import { RUST } from "./rust.ts";
import { POWERSHELL, SHELL } from "./shells.ts";
import { TSX, TYPESCRIPT } from "./typescript.ts";

const LANGUAGES = new Map<string, Language>([
  ["c", CPP],
  ["cpp", CPP],
  ["csharp", CSHARP],
  ["css", CSS],
  ["go", GO],
  ["ini", INI],
  ["java", JAVA],
  ["javascript", TSX],
  ["php", PHP],
  ["powershell", POWERSHELL],
  ["python", PYTHON],
  ["ruby", RUBY],
  ["rust", RUST],
  ["shell", SHELL],
  ["typescript", TYPESCRIPT],
]);

/** The grammar for a language as `classify` names it, where there is one. */
export function languageOf(path: string, language: string): Language | undefined {
  return language === "typescript" && /\.tsx$/i.test(path) ? TSX : LANGUAGES.get(language);
}
