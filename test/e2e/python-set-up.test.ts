import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { guessConventions } from "../../src/code/conventions/guess-conventions.ts";
import { withInstalled } from "../../src/implementation/sandboxes.ts";
import { OPEN, actor, launchPlainly, openRun, orderOf, planOf, play } from "../support/run-fixture.ts";
import { plainFiles } from "../support/plain-files.ts";
import { outcome, request } from "../support/sandboxed.ts";
import { workspaceStage } from "../support/workspace-fixture.ts";

const PYTHON = "/usr/bin/python3";

function hasPython(): boolean {
  try {
    execFileSync(PYTHON, ["-c", "import venv, ensurepip, zipfile"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A folder with one package as pip finds it there: no index of packages is asked. */
function packages(): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-wheels-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = `
import zipfile, sys
info = "prices-1.0.dist-info/"
with zipfile.ZipFile(sys.argv[1] + "/prices-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("prices.py", "TAX = 2\\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: prices\\nVersion: 1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")
`;
  execFileSync(PYTHON, ["-c", script, folder]);
  return folder;
}

const SHOP = "from prices import TAX\n\ndef total(price):\n    return price\n";
const MENDED = SHOP.replace("return price", "return price + TAX");
const TESTS = `import sys
import unittest
from shop import total

class TotalTest(unittest.TestCase):
    def test_runs_in_an_environment(self):
        self.assertNotEqual(sys.prefix, sys.base_prefix)

    def test_adds_the_tax(self):
        self.assertEqual(total(1), 3)
`;
const FILES = {
  "shop.py": SHOP,
  "shop_test.py": TESTS,
  "tox.ini": "[testenv]\ndeps = prices\nskip_install = true\ncommands = python -m unittest discover -p *_test.py\n",
};

// Debian and Ubuntu: `apt install python3-venv`.
test.skipIf(!hasPython())(
  "a Python repository is set up in a virtual environment, which its tests, the agent and the clean checkout find (R-WORK-16)",
  async () => {
    const stage = workspaceStage(FILES);
    onTestFinished(() => stage.close());
    const { workspace } = await openRun(stage);
    const variables = { PIP_NO_INDEX: "1", PIP_FIND_LINKS: packages() };
    const { setup_commands: setup, test_commands: tests } = await guessConventions(plainFiles(FILES));
    expect(setup).toEqual(['python3 -m venv "$VIRTUAL_ENV"', "pip install prices"]);
    const commands = { setup, checks: [], tests };

    const seen: string[] = [];
    const agent = actor(async ({ request: { launch, directory }, write }) => {
      const asked = request("python", ["-c", "import prices; print(prices.__file__)"], { cwd: directory });
      seen.push((await outcome(launch, asked)).stdout.trim());
      // Nothing of this reaches the clean checkout, or the commit.
      await write(".venv/pyvenv.cfg", "home = /nowhere\n");
      await write(".venv/bin/python", "#!/bin/sh\nexit 0\n");
      await write("shop.py", MENDED);
    });
    const trees: string[] = [];
    const { result } = await play(orderOf({ commands, plan: planOf(["shop.py"]) }), workspace, agent, {
      launch: withInstalled(launchPlainly, workspace),
      commandLaunch: withInstalled(launchPlainly, workspace),
      commandEnvironment: variables,
      openCommands: async (tree) => {
        trees.push(tree.home);
        const close = async () => await Promise.resolve();
        return await Promise.resolve({
          commandLaunch: withInstalled(launchPlainly, tree),
          commandEnvironment: variables,
          network: OPEN,
          close,
        });
      },
    });
    expect(result).toMatchObject({
      kind: "done",
      checks: [{ outcome: "passed", tests: { total: 2, failed: 0 } }],
      before: [{ outcome: "failed", tests: { total: 2, failed: 1 } }],
    });
    expect(seen[0]?.startsWith(join(workspace.home, "venv/"))).toBe(true);
    expect(trees).toEqual([expect.stringContaining("/clean/")]);
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(["shop.py"]);
    await workspace.close();
  },
);
