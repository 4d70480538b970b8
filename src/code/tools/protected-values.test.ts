import { expect, onTestFinished, test } from "vitest";
import { type PlannedFile, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { protectedValues } from "./protected-values.ts";

async function valuesOf(files: readonly PlannedFile[], protect: readonly string[] = []): Promise<string[]> {
  const made = await indexedRepository([{ files }]);
  onTestFinished(async () => await made.remove());
  return (await protectedValues(made.index.repository, protect)).toSorted();
}

const ENV = {
  path: ".env",
  content:
    "PORT=8080\nAPI_KEY=q8s7f6gh5j4k3l2m1n\nADMIN_PASSWORD=sunflowergarden\nIMAGE=node20alpine3\nSITE=shop2go4you\nDEMO=demo3Key9Value4\n",
};

test("protected files tell their secrets; examples, names of the code and settings are none (R-SAFE-7)", async () => {
  const files = [
    ENV,
    { path: ".env.example", content: "API_KEY=\nDEMO=demo3Key9Value4\n" },
    { path: "Dockerfile", content: "FROM Node20Alpine3\n" },
    { path: "shop2go4you/index.ts", content: "export {};\n" },
    { path: "src/old.ts", content: 'const key = "q8s7f6gh5j4k3l2m1n";\n' },
    { path: "config/master.key", content: "c4c7a3f2a590233755e40eca18c62d71" },
    { path: "secrets/link", content: "../.env", mode: "120000" },
    { path: "secrets/wallet.bin", content: Buffer.from([0, 1, 2, 3]) },
    { path: "notes/keys.md", content: "PASSWORD=Wint3r2024x\n" },
  ];
  const usual = ["c4c7a3f2a590233755e40eca18c62d71", "q8s7f6gh5j4k3l2m1n", "sunflowergarden"];
  expect(await valuesOf(files)).toEqual(usual);
  expect(await valuesOf(files, ["notes/**"])).toEqual(["Wint3r2024x", ...usual]);
});

test("a password that other files show as a word is a word", async () => {
  const compose = { path: "compose.yml", content: "POSTGRES_DB: sunflowergarden\n" };
  expect(await valuesOf([ENV, compose])).not.toContain("sunflowergarden");
});
