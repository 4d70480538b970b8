import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { z } from "zod";
import { openRepository } from "../../../code/git/repository.ts";
import { COMPLEXITIES } from "../../../domain/spec.ts";
import { RelayError } from "../../../lib/errors.ts";
import { groundingIn } from "../../../specification/code.ts";
import { validateSpec } from "../../../specification/validate/validate.ts";
import { validationSchema } from "../../api/shapes/spec.ts";
import type { McpContext } from "../context.ts";
import { type Tool, tool } from "../tool.ts";

/** Bytes of a file that is read: the validator's own limit is below. */
const LARGEST = 1024 * 1024;
const MOST = { problems: 100, detail: 400, text: 400_000 };

const input = z.strictObject({
  path: z.string().max(1_000).optional().describe("A file in the repository of the current folder."),
  text: z.string().max(MOST.text).optional().describe("The spec itself, Markdown; instead of `path`."),
  complexity: z.enum(COMPLEXITIES).optional().describe("The level to check for; left out: the one in the spec."),
});

export const validateSpecTool: Tool = tool({
  name: "validate_spec",
  title: "Check a spec",
  description:
    "Checks a spec by Relay's rules, and in a repository that all it cites exists. Each problem has its rule and line. Give a `path` or the `text`.",
  effect: "reads",
  input,
  output: validationSchema.extend({
    grounded: z.boolean().describe("Whether its citations were looked up in the repository."),
    left_out: z.int().describe("Problems beyond those listed."),
  }),
  run: async (args, context) => {
    const { file, text } = await given(args, context);
    const checked = await check(text, args.complexity, context);
    const quoted = (problems: typeof checked.errors) =>
      problems
        .slice(0, MOST.problems)
        .map((problem) => ({ ...problem, detail: context.quote.line(problem.detail, MOST.detail) }));
    const data = {
      file,
      valid: checked.valid,
      complexity: checked.complexity,
      errors: quoted(checked.errors),
      warnings: quoted(checked.warnings),
      grounded: context.folder !== null,
      left_out: [checked.errors, checked.warnings].reduce(
        (sum, all) => sum + Math.max(0, all.length - MOST.problems),
        0,
      ),
    };
    const lines = [...data.errors, ...data.warnings].map(
      ({ line, severity, rule, detail }) => `${file}:${line}  ${severity}  ${rule}  ${detail}`,
    );
    const counts = `${checked.errors.length} error(s), ${checked.warnings.length} warning(s)`;
    const head = `${data.valid ? "valid" : "NOT valid"} (${data.complexity}; ${counts})`;
    const problems = lines.length === 0 ? "" : `\n${context.quote.text("problems", lines.join("\n"), 100_000)}`;
    return { text: `${head}${problems}`, data };
  },
});

async function check(text: string, complexity: z.output<typeof input>["complexity"], { folder }: McpContext) {
  if (folder === null) return await validateSpec(text, { complexity });
  const repository = await openRepository(folder.path);
  try {
    return await validateSpec(text, { complexity, grounding: { code: groundingIn(repository) } });
  } finally {
    await repository.close();
  }
}

async function given({ path, text }: z.output<typeof input>, context: McpContext) {
  if ((path === undefined) === (text === undefined)) {
    throw new RelayError("usage", "give either `path` or `text`");
  }
  if (path === undefined) return { file: "text", text: text ?? "" };
  if (context.folder === null) {
    throw new RelayError("usage", "this server is in no folder of yours: give the spec's `text` instead of `path`");
  }
  const named = context.quote.line(path, 200);
  const file = await fileInside(path, named, context.folder.path);
  const found = await stat(file);
  if (!found.isFile()) throw new RelayError("usage", `${named} is no file; name the spec's file`);
  if (found.size > LARGEST) throw new RelayError("too_large", `${named} is over 1 MiB; a spec may have 200 KiB`);
  return { file: named, text: await readFile(file, "utf8") };
}

/** The real path of a file of the repository; links out of it are not followed, and git's own files are none of it. */
async function fileInside(path: string, named: string, folder: string): Promise<string> {
  const repository = await openRepository(folder);
  await repository.close();
  const root = await realpath(repository.root);
  const outside = new RelayError("forbidden", `${named} is outside of the repository; name a file in it`);
  const isInside = (place: string) => {
    const below = relative(root, place);
    return below !== "" && !isAbsolute(below) && below !== ".." && !below.startsWith(`..${sep}`);
  };
  const asked = resolve(await realpath(folder), path);
  if (path.includes("\0") || !isInside(asked) || relative(root, asked).split(sep).includes(".git")) throw outside;
  const real = await realpath(asked).catch(() => null);
  if (real === null) throw new RelayError("not_found", `there is no file ${named} in the repository`);
  if (!isInside(real) || relative(root, real).split(sep).includes(".git")) throw outside;
  return real;
}
