import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HAS_BUBBLEWRAP } from "../support/bubblewrap-fixture.ts";
import { BRANCH, carriedOutBy, isRunning, MENDS } from "./hostile-agent-fixture.ts";

const ONCE = { iterations: 1 };

describe.skipIf(!HAS_BUBBLEWRAP)("an agent that takes too much (where bubblewrap works)", () => {
  test("fills the disk: it is ended, the people are told, and the disk is given back", async () => {
    const { life, state, request, iterations } = await carriedOutBy(
      "mkdir -p ~/x /tmp/x; for f in big ~/x/big /tmp/x/big; do head -c 60000000 /dev/zero > $f; done; sleep 86395",
      { limits: ONCE, settings: { diskMb: 100 } },
    );
    expect(iterations.at(-1)?.agent?.detail).toMatch(/it wrote more than 100 MB to the disk/);
    expect(state).toBe("stuck");
    expect(request).toBeNull();
    expect(isRunning("sleep 86395")).toBe(false);
    expect(readdirSync(join(life.work.home, "work"))).toEqual([]);
  });

  test("takes all memory: it is ended, and the people are told", async () => {
    const eats =
      "const kept = []; while (kept.length < 200) kept.push(Buffer.alloc(5e6, 1)); setInterval(() => {}, 1e6)";
    const { state, iterations } = await carriedOutBy(`exec node -e '${eats}'`, {
      limits: ONCE,
      settings: { memoryMb: 300 },
    });
    expect(iterations.at(-1)?.agent?.detail).toMatch(/it took more than 300 MB of memory/);
    expect(state).toBe("stuck");
  });

  test("makes crowds of files and folders without end in depth: its work stands, without them", async () => {
    const { life, state, iterations } = await carriedOutBy(`${MENDS}
      mkdir crowd; seq 520 | sed 's,^,crowd/,' | xargs touch
      deeper=$(printf '%0200d' 0); i=0; while [ $i -lt 40 ]; do mkdir $deeper; cd $deeper; i=$((i+1)); done; echo x > file`);
    expect(state).toBe("in_review");
    expect(await life.git("diff", "--name-only", `main...${BRANCH}`)).toBe("src/cart.ts");
    const undone = iterations.flatMap((each) => each.undone);
    expect(undone.find(({ path }) => path === "crowd/")).toMatchObject({ why: "too large" });
    expect(existsSync(join(life.work.home, "work", "tree"))).toBe(false);
  });
});
