import { afterAll, beforeAll, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { readForSearch } from "../../domain/issue-text/issue-reading.ts";
import { searchTerms } from "./query.ts";
import { locate } from "./rank-files.ts";

const FILES: Record<string, string> = {
  "src/parcels/types.ts":
    "/**\n * The postage of a heavy parcel is rounded to whole grams before the postage is looked up.\n * A heavy parcel has a postage for each zone, and the rounded postage of a heavy parcel is never below that.\n */\nexport interface HeavyParcel {\n  grams: number;\n  zone: string;\n}\n",
  "src/rates/price.ts":
    "import type { HeavyParcel } from '../parcels/types.js';\n\nexport function postageOf(parcel: HeavyParcel): number {\n  return Math.ceil(parcel.grams) * 2;\n}\n",
  "src/labels/print.ts":
    "import { postageOf } from '../rates/price.js';\n\nexport function print(parcel) {\n  return `${postageOf(parcel)} cents`;\n}\n",
  "src/labels/address.ts": "export function address(parcel) {\n  return parcel.street;\n}\n",
  "src/zones.ts":
    "/** A zone has a postage: whole grams of a parcel are looked up in the zone. */\nexport function zoneOf(address) {\n  return address.country === 'DE' ? 'home' : 'abroad';\n}\n",
};

let repository: IndexedRepository;

beforeAll(async () => {
  repository = await indexedRepository([
    { files: Object.entries(FILES).map(([path, content]) => ({ path, content })) },
  ]);
});

afterAll(async () => await repository.remove());

test("a file whose comments repeat the issue stands behind the code that does it", async () => {
  const title = "Postage of a heavy parcel is always rounded up";
  const body = "The postage of a parcel of 1000.2 grams is looked up for 1001 grams.";
  const located = await locate(repository.index, searchTerms(readForSearch({ title, body, labels: [] })));
  expect(located[0]?.path).toBe("src/rates/price.ts");
  expect(located.map(({ path }) => path)).toContain("src/parcels/types.ts");
});

test("a file that the issue names keeps its place, whatever its comments say", async () => {
  const body = "`src/parcels/types.ts` says that the postage of a heavy parcel is rounded.";
  const located = await locate(repository.index, searchTerms(readForSearch({ title: "Postage", body, labels: [] })));
  expect(located[0]?.path).toBe("src/parcels/types.ts");
});
