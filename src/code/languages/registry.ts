import { C } from "./c.ts";
import { CSHARP } from "./csharp.ts";
import { CSS } from "./css.ts";
import { DART } from "./dart.ts";
import { ECMASCRIPT } from "./ecmascript/ecmascript.ts";
import { ELIXIR } from "./elixir.ts";
import { GO } from "./go.ts";
import { INI } from "./ini.ts";
import { JVM } from "./jvm.ts";
import type { Language } from "./language.ts";
import { LUA } from "./lua.ts";
import { MARKDOWN } from "./markdown.ts";
import { MARKUP } from "./markup.ts";
import { PHP } from "./php.ts";
import { PROTOBUF } from "./protobuf.ts";
import { PYTHON } from "./python.ts";
import { RUBY } from "./ruby.ts";
import { RUST } from "./rust.ts";
import { POWERSHELL, SHELL } from "./shell.ts";
import { SQL } from "./sql.ts";
import { SWIFT } from "./swift.ts";

/** All supported languages. To add one, add a file and a line here; others are read line by line. */
const LANGUAGES: readonly Language[] = [
  ...C,
  CSHARP,
  CSS,
  DART,
  ...ECMASCRIPT,
  ELIXIR,
  GO,
  INI,
  ...JVM,
  LUA,
  MARKDOWN,
  ...MARKUP,
  PHP,
  POWERSHELL,
  PROTOBUF,
  PYTHON,
  RUBY,
  RUST,
  SHELL,
  SQL,
  SWIFT,
];

const BY_NAME = new Map(LANGUAGES.flatMap((language) => language.names.map((name) => [name, language])));

/** @param name As `classify` gives it. */
export function languageNamed(name: string | null): Language | undefined {
  return name === null ? undefined : BY_NAME.get(name);
}
