import { afterAll, beforeAll, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { readForSearch } from "../../domain/issue-text/issue-reading.ts";
import { searchTerms } from "./query.ts";
import { locate } from "./rank-files.ts";

const FILES: Record<string, string> = {
  "README.md": "`DYE_SOAK_HOURS`: hours in the bath, `LOOM_WIDTH`: threads, `--dry-run`: only prints\n",
  "src/config.ts":
    "import { z } from 'zod';\n\nconst env = z.object({ DYE_SOAK_HOURS: z.coerce.number() }).parse(process.env);\n\nconst loom = {\n  pedals: 4,\n};\n\nexport const config = {\n  soakHours: env.DYE_SOAK_HOURS,\n  loom,\n};\n",
  "src/dye/bath.ts":
    "import { config } from '../config.js';\n\nexport function isDone(hours) {\n  return hours >= config.soakHours;\n}\n",
  "src/loom/tread.ts":
    "import { config } from '../config.js';\n\nexport function tread(pedal) {\n  if (pedal > config.loom.pedals) throw new Error('no such pedal');\n  return pedal;\n}\n",
  "loom/settings.py": 'import os\n\nWIDTH = int(os.environ.get("LOOM_WIDTH", "80"))\n',
  "loom/weave.py":
    "from loom import settings\n\n\nclass Weaver:\n    def __init__(self):\n        self.width = settings.WIDTH\n\n    def fits(self, threads):\n        return threads < self.width\n",
  "cmd/spin/main.go":
    'package main\n\nfunc main() {\n\tvar opts spin.Options\n\tflag.BoolVar(&opts.DryRun, "dry-run", false, "only print")\n}\n',
  "spin/wheel.go":
    "package spin\n\ntype Options struct {\n\tDryRun bool\n}\n\nfunc Turn(opts Options) int {\n\tif opts.DryRun {\n\t\treturn 0\n\t}\n\treturn 1\n}\n",
  "src/errors.ts": "export const WOOL_IS_WET = 'WOOL_IS_WET';\n",
  "src/card.ts": "export function card(wool) {\n  if (wool.isWet) throw new Error(WOOL_IS_WET);\n}\n",
};

let repository: IndexedRepository;

beforeAll(async () => {
  repository = await indexedRepository([
    { files: Object.entries(FILES).map(([path, content]) => ({ path, content })) },
  ]);
});

afterAll(async () => await repository.remove());

async function found(kind: "uses" | "handles" | "beside", body: string): Promise<string[]> {
  const terms = searchTerms(readForSearch({ title: "Odd", body, labels: [] }));
  const located = await locate(repository.index, terms);
  const such = located.filter(({ reasons }) => reasons.some((reason) => reason.kind === kind));
  return such.map(({ path, lines }) => `${path}:${lines[0]?.line ?? ""}`);
}

test("an environment variable leads to the code that decides by its value, then to where it is read", async () => {
  const soak = "With `DYE_SOAK_HOURS=2` it is pale.";
  expect(await found("uses", soak)).toEqual(["src/dye/bath.ts:4"]);
  expect(await found("handles", soak)).toEqual(["src/config.ts:3"]);
  expect(await found("uses", "LOOM_WIDTH is off by one.")).toEqual(["loom/weave.py:9"]);
});

test("another name in capitals is no setting", async () => {
  expect(await found("uses", "It says WOOL_IS_WET.")).toEqual([]);
});

test("an option that the text is about leads to the code that uses it, one that was only typed does not", async () => {
  expect(await found("uses", "`--dry-run` is ignored.")).toEqual(["spin/wheel.go:8"]);
  expect(await found("uses", "`spin --dry-run wool` prints nothing.")).toEqual([]);
});

test("a key that is there leads to its use, a new one to where its section is declared and used", async () => {
  expect(await found("uses", "`loom.pedals` is one too few.")).toEqual(["src/loom/tread.ts:4"]);
  expect((await found("beside", "Let us add `loom.maxSpeed`.")).toSorted()).toEqual([
    "src/config.ts:5",
    "src/loom/tread.ts:4",
  ]);
});
