import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { shellWords } from "../code/conventions/shell-words.ts";
import { environment } from "../config/environment.ts";
import { RelayError, messageOf } from "../lib/errors.ts";

/** How to tell editors the line; others get only the file. */
const STYLES: { editors: string; argsFor: (file: string, line: number) => string[] }[] = [
  {
    editors: "vi vim nvim view gvim mvim nano pico emacs emacsclient joe kak micro mg ne gedit",
    argsFor: (file, line) => [`+${line}`, file],
  },
  {
    editors: "code code-insiders codium vscodium cursor windsurf positron",
    argsFor: (file, line) => ["--goto", `${file}:${line}`],
  },
  { editors: "hx helix zed zeditor subl sublime_text", argsFor: (file, line) => [`${file}:${line}`] },
  {
    editors: "idea webstorm pycharm goland clion phpstorm rubymine rustrover rider mate kate",
    argsFor: (file, line) => ["--line", String(line), file],
  },
];

/**
 * Opens a file, given by its absolute path, in the person's editor (`VISUAL`, else `EDITOR`) and waits until that ends.
 * Throws `usage` if no editor is set or it cannot be started, `io` if it fails.
 */
export async function openInEditor(file: string, line: number, given = environment()): Promise<void> {
  const name = given["VISUAL"]?.trim() ? "VISUAL" : "EDITOR";
  const [program, ...args] = shellWords(given[name] ?? "") ?? [];
  if (program === undefined) throw new RelayError("usage", "--open needs an editor; name yours in EDITOR, such as vim");
  const editor = basename(program).replace(/\.exe$/i, "");
  const style = STYLES.find(({ editors }) => editors.split(" ").includes(editor));
  // A terminal's signals reach the editor as well, which decides what they mean.
  const child = spawn(program, [...args, ...(style?.argsFor(file, line) ?? [file])], { stdio: "inherit" });
  const [code] = await once(child, "exit").catch((error: unknown) => {
    throw new RelayError(
      "usage",
      `cannot start ${program}, the editor in ${name} (${messageOf(error)}); name another one`,
    );
  });
  if (code !== 0) throw new RelayError("io", `${program}, the editor in ${name}, failed on ${file}; open it by hand`);
}
