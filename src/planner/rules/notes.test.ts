import { afterAll, beforeAll, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { notesOn } from "./notes.ts";

const FILES: Record<string, string> = {
  "tides/client.py": "class Client:\n    def readings(self, station):\n        return self.get(station)\n",
  "tides/cli.py":
    '"""Prints the readings of a station."""\nfrom .client import Client\n\n\ndef fetch(station):\n    # all readings\n    for reading in Client().readings(station):\n        print(reading)\n',
  "tides/cache.py": '"""Keeps readings on disk."""\n\n\ndef put(key):\n    return key\n',
  "tides/export.py": "def write(readings, output):\n    return [one for one in readings]\n",
  "tides/other.py": "def readings(output):\n    return output\n",
  "tests/test_client.py": "# readings\ndef test_readings_of_a_station():\n    assert client.readings('a')\n",
};

let repository: IndexedRepository;

beforeAll(async () => {
  repository = await indexedRepository([
    { files: Object.entries(FILES).map(([path, content]) => ({ path, content })) },
  ]);
});

afterAll(async () => await repository.remove());

test("callers use the symbol in their code: docstrings, comments and variables of that name are none", async () => {
  const notes = await notesOn(repository.index, { path: "tides/client.py", symbol: "readings" });
  expect(notes.map(({ kind, sources }) => [kind, sources.map(({ location }) => location)])).toEqual([
    ["callers", ["tides/cli.py:7"]],
    ["tests", ["tests/test_client.py:3"]],
  ]);
});
