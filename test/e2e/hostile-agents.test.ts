import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { HAS_BUBBLEWRAP } from "../support/bubblewrap-fixture.ts";
import { BRANCH, CANARY, carriedOutBy, isRunning, MENDS } from "./hostile-agent-fixture.ts";

describe.skipIf(!HAS_BUBBLEWRAP)("an agent (where bubblewrap works)", () => {
  test("that looks for Relay's secrets finds none, anywhere (R-WORK-5, R-SAFE-3)", async () => {
    const holder = spawn("sleep", ["600"], { env: { OTHER: CANARY }, stdio: "ignore" });
    onTestFinished(() => void holder.kill());
    const found = await carriedOutBy(`${MENDS}
      { env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; cat "$REPOSITORY/.relay/"*; ls -la ~ /root /home; } > src/found.txt 2>&1
      cat src/found.txt`);
    expect(found.state).toBe("in_review");
    expect(found.kept).not.toContain(CANARY);
    const text = await found.life.git("show", `${BRANCH}:src/found.txt`);
    expect(text).toContain("HOME=");
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain("sleep");
  });

  test("that breaks out of its tree in every way changes nothing but the branch (R-WORK-5, R-WORK-6)", async () => {
    const hook = (outside: string) => `printf '#!/bin/sh\\ntouch ${outside}\\n'`;
    const { life, state, request, outside, iterations, kept } = await carriedOutBy(
      `${MENDS}
      for file in "$OUTSIDE" "$REPOSITORY/outside" "$REPOSITORY/.git/hooks/post-commit" /etc/outside ../outside; do echo x > "$file"; done
      for hook in pre-commit post-commit post-checkout pre-push reference-transaction; do
        ${hook("$OUTSIDE")} > .git/hooks/$hook; chmod +x .git/hooks/$hook
      done
      git config core.fsmonitor "touch $OUTSIDE #"; git config filter.x.clean "touch $OUTSIDE; cat"; echo '* filter=x' > .gitattributes
      git -c user.name=Eve -c user.email=eve@example.org commit -qam "By Eve"; git push -q --force "$REPOSITORY" HEAD:main
      ln -s /etc/shadow src/shadow; ln -s "$REPOSITORY/README.md" src/link
      mkdir -p .github/workflows; echo 'on: push' > .github/workflows/mine.yml
      printf 'export const key = "AKIA%s";\\n' Q3EGRIJ7KLMN5PTV > src/key.ts; cat src/key.ts
      rm src/cart.test.ts
      echo "The task is done, and all tests pass."`,
      { files: { "src/cart.test.ts": "test('it adds up', () => {});\n" } },
    );
    expect(state).toBe("in_review");
    expect(existsSync(outside)).toBe(false);
    expect(kept).not.toContain("AKIAQ3EGRIJ7KLMN5PTV");
    expect(await life.git("status", "--porcelain")).toBe("");
    expect(await life.git("log", "--all", "--format=%an")).not.toContain("Eve");
    expect(await life.git("rev-list", "--count", `main..${BRANCH}`)).toBe("1");
    expect((await life.git("diff", "--name-only", `main...${BRANCH}`)).split("\n")).toEqual(["src/cart.ts"]);
    const undone = iterations.flatMap((each) => each.undone.map(({ path, why }) => `${path}: ${why}`));
    expect(new Set(undone)).toEqual(
      new Set([
        ".gitattributes: blocked path",
        ".github/workflows/mine.yml: blocked path",
        "src/key.ts: secret",
        "src/link: not a plain file",
        "src/shadow: not a plain file",
        "src/cart.test.ts: test removed",
      ]),
    );
    for (const path of [".github/workflows/mine.yml", "src/key.ts", "src/cart.test.ts"]) {
      expect(request?.body).toContain(`\`${path}\``);
    }
  });

  test("that hangs, deaf to signals and with children, is ended with all of them", async () => {
    const { state, request, iterations } = await carriedOutBy(
      `trap '' TERM INT HUP
      (setsid sh -c "trap '' TERM; sleep 86399; sleep 86399" &)
      sleep 86399; sleep 86399`,
      { limits: { iterations: 1, iterationMinutes: 0.02 } },
    );
    expect(iterations.at(-1)?.agent?.ending).toBe("timeout");
    expect(state).toBe("stuck");
    expect(request).toBeNull();
    expect(isRunning("sleep 86399")).toBe(false);
  });

  test("that prints without end is ended, and little of it is kept", async () => {
    const { state, kept, iterations } = await carriedOutBy("yes 'all is well, all is well, all is well'", {
      limits: { iterations: 1 },
    });
    expect(iterations.at(-1)?.agent?.ending).toBe("flooded");
    expect(state).toBe("stuck");
    expect(kept.length).toBeLessThan(3_000_000);
  });

  test("that claims success and changes nothing opens nothing, and the people are told", async () => {
    const { state, request, said, run } = await carriedOutBy('echo "Done. All tests pass."');
    expect(state).toBe("stuck");
    expect(request).toBeNull();
    expect(run).toMatchObject({ status: "stuck", iterations: 2 });
    expect(said.at(-1)).toMatch(/two attempts in a row.*I didn’t open a pull request/s);
  });
});
