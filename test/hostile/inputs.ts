import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What an input does: `in` hides from people, `out` is what a model says, the others are what strangers write. */
const WAYS = ["in", "out", "acts", "names", "blow"] as const;
export type Way = (typeof WAYS)[number];

const input = z.strictObject({
  id: z.string(),
  /** The row of the table in docs/security.md that counts it. */
  class: z.string(),
  text: z.string(),
  /** Where a name stands; only for `names`. */
  as: z.enum(["title", "author", "label", "file"]).optional(),
  /** How many times the text is repeated; only for `blow`. */
  times: z.number().int().optional(),
  /** For `in` and `names`, what no model may read; for `out`, what no comment may hold; else effects. */
  mustNot: z.array(z.string()).min(1),
  /** What a model must read all the same. */
  shown: z.array(z.string()).optional(),
});
export type Input = z.infer<typeof input>;

const FOLDER = join(import.meta.dirname, "inputs");

/** All inputs, by the part of their file's name before the first hyphen. `{+}` keeps the parts of a secret apart. */
export function inputs(way: Way): Input[] {
  return readdirSync(FOLDER)
    .filter((name) => name.split(/[-.]/)[0] === way)
    .toSorted()
    .flatMap((name) => z.array(input).parse(JSON.parse(readFileSync(join(FOLDER, name), "utf8"))))
    .map((each) => ({ ...each, text: each.text.replaceAll("{+}", "") }));
}

/** Every input with its way; ids are their own. */
export function allInputs(): Input[] {
  return WAYS.flatMap((way) => inputs(way));
}

/** The table of docs/security.md: classes, in the order of the files, with how many inputs each has and held. */
export function tableOf(failed: ReadonlySet<string>): string {
  const all = allInputs();
  const classes = [...new Set(all.map((each) => each.class))];
  const rows = classes.map((name) => {
    const own = all.filter((each) => each.class === name);
    return `| ${name} | ${own.length} | ${own.filter(({ id }) => !failed.has(id)).length} |`;
  });
  const held = all.filter(({ id }) => !failed.has(id)).length;
  return ["| class | inputs | held |", "|---|---|---|", ...rows, `| **all** | ${all.length} | ${held} |`].join("\n");
}
