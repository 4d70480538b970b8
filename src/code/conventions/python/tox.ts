import { type CodeFiles, recordAt, recordIn, stringAt, stringsAt, valueAt } from "../code-files.ts";
import { type Ini, iniLines, parseIni } from "../ini.ts";
import { shellCommand, shellWords } from "../shell-words.ts";
import { addRequirements, type Needs, noNeeds } from "./needs.ts";

/** An environment of tox, or a session of nox: what it installs and which commands it runs. */
export interface Session {
  name: string;
  needs: Needs;
  /** Commands for a shell. */
  commands: string[];
}

/** The environments of tox that can be understood; `testenv` is the one that the others are based on. */
export async function toxSessions(code: CodeFiles): Promise<Session[]> {
  const pyproject = recordIn(await code.read("pyproject.toml"), "toml");
  const legacy = stringAt(pyproject, "tool", "tox", "legacy_tox_ini");
  const text = (await code.read("tox.ini")) || legacy || (await toxInSetup(code));
  if (text !== "") return ofIni(parseIni(text));
  const toml = recordIn(await code.read("tox.toml"), "toml");
  return ofToml(Object.keys(toml).length > 0 ? toml : recordAt(pyproject, "tool", "tox"));
}

async function toxInSetup(code: CodeFiles): Promise<string> {
  const text = await code.read("setup.cfg");
  return /^\[tox:tox\]/m.test(text) ? text : "";
}

function ofIni(ini: Ini): Session[] {
  const base = ini.get("testenv");
  const skips = isTrue((ini.get("tox") ?? ini.get("tox:tox"))?.get("skipsdist"));
  return [...ini].flatMap(([section, own]) => {
    const [, name] = /^testenv(?::(.+))?$/.exec(section) ?? [];
    if (!section.startsWith("testenv")) return [];
    const valueOf = (key: string) => own.get(key) ?? base?.get(key);
    const lines = (key: string) =>
      iniLines(valueOf(key)?.replaceAll(/\\\n/g, " ")).flatMap((line) => {
        const plain = substituted(line, ini);
        // A line with such a prefix only applies to environments with certain names.
        return plain === null || /^!?[\w.{},!-]+:(?:\s|$)/.test(plain) ? [] : iniLines(plain);
      });
    const needs = noNeeds();
    for (const line of lines("deps")) addRequirements(needs, shellWords(line) ?? []);
    needs.extras.push(...lines("extras").flatMap((line) => line.split(/[\s,]+/)));
    needs.groups.push(...lines("dependency_groups").flatMap((line) => line.split(/[\s,]+/)));
    needs.installs ||= !(skips || isTrue(valueOf("skip_install"))) || isTrue(valueOf("usedevelop"));
    const variables = lines("setenv").concat(lines("set_env")).flatMap(variableOf);
    const folder = substituted(valueOf("changedir") ?? valueOf("change_dir") ?? "", ini) ?? "";
    const commands = lines("commands").flatMap((line) => commandOf(shellWords(line), variables, folder));
    return [{ name: name ?? "testenv", needs, commands }];
  });
}

function ofToml(settings: Record<string, unknown>): Session[] {
  const base = recordAt(settings, "env_run_base");
  const environments = [["testenv", base] as const, ...Object.entries(recordAt(settings, "env"))];
  return environments.map(([name, own]) => {
    const of = (key: string) => valueAt(own, key) ?? valueAt(base, key);
    const needs = noNeeds();
    addRequirements(needs, stringsAt(of("deps")));
    needs.extras.push(...stringsAt(of("extras")));
    needs.groups.push(...stringsAt(of("dependency_groups")));
    needs.installs ||= of("skip_install") !== true && of("package") !== "skip";
    const listed = of("commands");
    const commands = (Array.isArray(listed) ? listed : []).flatMap((words: unknown) =>
      commandOf(
        stringsAt(words).map((word) => substituted(word, new Map()) ?? "{"),
        [],
        "",
      ),
    );
    return { name, needs, commands };
  });
}

/** Empty for a command whose failure is ignored, or that needs values only tox knows. */
function commandOf(words: readonly string[] | null, variables: readonly string[], folder: string): string[] {
  const [first] = words ?? [];
  if (words === null || first === undefined || first.startsWith("-") || words.some((word) => /[{}]/.test(word))) {
    return [];
  }
  const command = [...variables, shellCommand(words)].join(" ");
  return [folder === "" || folder === "." ? command : `cd ${shellCommand([folder])} && ${command}`];
}

function variableOf(line: string): string[] {
  const [, name, value = ""] = /^(\w+)\s*=\s*(.*)$/.exec(line) ?? [];
  return name === undefined || value === "" || /[{}]/.test(value) ? [] : [`${name}=${shellCommand([value])}`];
}

const MOST_SUBSTITUTIONS = 50;

/** A value with tox's substitutions, innermost first; null if one is unknown outside tox. */
function substituted(text: string, ini: Ini): string | null {
  let value = text;
  for (let count = 0; count < MOST_SUBSTITUTIONS; count += 1) {
    const found = /\{([^{}]*)\}/.exec(value);
    if (found === null) return value;
    const replacement = replacementOf(found[1] ?? "", ini);
    if (replacement === null) return null;
    value = value.slice(0, found.index) + replacement + value.slice(found.index + found[0].length);
  }
  return null;
}

function replacementOf(name: string, ini: Ini): string | null {
  if (name === "") return "";
  const [, kind = name, given] = /^(posargs|env:\w+):?(.*)$/s.exec(name) ?? [];
  if (kind === "posargs" || kind.startsWith("env:")) return given ?? "";
  if (name === "toxinidir" || name === "tox_root") return ".";
  if (name === "envpython") return "python";
  if (name === "/") return "/";
  const [, section, key] = /^\[([^\]]+)\](\w+)$/.exec(name) ?? [];
  return section === undefined || key === undefined ? null : (ini.get(section)?.get(key.toLowerCase()) ?? null);
}

function isTrue(value: string | undefined): boolean {
  return /^(?:true|1|yes)$/i.test((value ?? "").trim());
}
