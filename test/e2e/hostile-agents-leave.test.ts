import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HAS_BUBBLEWRAP } from "../support/bubblewrap-fixture.ts";
import { BRANCH, CANARY, carriedOutBy, MENDS } from "./hostile-agent-fixture.ts";

/** Writes a mark into each place that programs of a run can write to and that some tool reads by itself. */
const PLANTS = `
plant() { mkdir -p "$(dirname "$1")" && printf '#!/bin/sh\\n# PLAN%s\\n' TED > "$1" && chmod +x "$1"; }
for cache in ../cache ../../*/cache "$npm_config_cache/.."; do
  [ -d "$cache" ] || continue
  for at in npm/_npx/0/node_modules/.bin/tool npm/_cacache/x xdg/pip/x pip/x cargo/config.toml cargo/bin/cargo \
      gradle/init.d/x.gradle go/x go-build/x yarn/x uv/x bundle/x composer/x; do plant "$cache/$at"; done
done
for at in .npmrc .config/pip/pip.conf .config/go/env .cargo/config.toml .gradle/init.d/x.gradle .gitconfig .bashrc .profile; do
  plant "$HOME/$at"; plant "../home/$at"
done
for at in node_modules/.bin/node node_modules/x/index.js .git/hooks/post-checkout ../outside/x ../clean/tree/x; do plant "$at"; done 2> /dev/null
for at in /tmp/x /var/tmp/y /dev/shm/x; do plant "$at"; done
`;

/** Fails where it finds the mark, and leaves it everywhere. */
const LOOKS = `mark="PLAN""TED"
for folder in . "$HOME" ../home /tmp /dev/shm "$npm_config_cache/.." "$CARGO_HOME" "$GRADLE_USER_HOME" "$XDG_CACHE_HOME"; do
  found="$found$(grep -rlsa "$mark" "$folder")"
done
test -e "$npm_config_cache/of-the-set-up" || found="no cache of the set-up"
${PLANTS}
[ -z "$found" ] || { echo "error: $found"; exit 1; }
`;

describe.skipIf(!HAS_BUBBLEWRAP)("an agent that leaves traps in its tree (where bubblewrap works)", () => {
  test("devices, rights, settings of git, filters, submodules: nothing of it works on Relay's side", async () => {
    const { life, state, outside, iterations } = await carriedOutBy(
      `${MENDS}
      mknod src/device c 1 8; mknod src/pipe p; printf '#!/bin/sh\\n' > src/tool.sh; chmod 6777 src/tool.sh
      printf '[core]\\n\\tfsmonitor = touch %s\\n\\thooksPath = src\\n[filter "x"]\\n\\tclean = touch %s; cat\\n\\tsmudge = touch %s; cat\\n\\tprocess = touch %s\\n[diff "x"]\\n\\ttextconv = touch %s; cat\\n' \\
        "$OUTSIDE" "$OUTSIDE" "$OUTSIDE" "$OUTSIDE" "$OUTSIDE" > .gitconfig
      git config include.path ../.gitconfig; cp .gitconfig ~/.gitconfig; cat .gitconfig >> .git/config
      printf '* filter=x diff=x merge=x\\n' > .gitattributes; mkdir -p .git/info; cp .gitattributes .git/info/attributes
      printf '[submodule "m"]\\n\\tpath = m\\n\\turl = ext::sh -c touch%% %s\\n\\tupdate = !touch %s\\n' "$OUTSIDE" "$OUTSIDE" > .gitmodules
      git init -q m; cp .gitconfig m/.git/config; echo x > m/x
      printf 'gitdir: %s\\n' "$REPOSITORY/.git" > src/.git; mkdir -p .husky; printf 'touch %s\\n' "$OUTSIDE" > .husky/pre-commit; chmod +x .husky/pre-commit
      # A second try reads what the first has left.
      [ -e .relay-task/again ] || { touch .relay-task/again; exit 1; }`,
      { limits: { iterations: 3 } },
    );
    expect(state).toBe("in_review");
    expect(existsSync(outside)).toBe(false);
    expect(await life.git("status", "--porcelain")).toBe("");
    const tree = await life.git("ls-tree", "-r", BRANCH);
    expect(tree).toMatch(/^100755 blob \w+\tsrc\/tool\.sh$/m);
    expect(tree).not.toMatch(/^(?:160000|120000)|device|pipe|\.git\/|src\/\.git$/m);
    const undone = new Set(iterations.flatMap((each) => each.undone.map(({ path, why }) => `${path}: ${why}`)));
    expect([...undone]).toEqual(expect.arrayContaining(["src/pipe: not a plain file", "src/.git: not a plain file"]));
    expect(readdirSync(join(life.work.home, "work"))).toEqual([]);
  });

  test("names that are no text, hold line breaks or differ in case alone lead to no other file", async () => {
    const { life, state, request, kept } = await carriedOutBy(`${MENDS}
      echo a > "$(printf 'src/line\\nbreak.ts')"; echo b > "$(printf 'src/\\377\\376.ts')"; echo c > src/CART.ts
      echo d > 'src/-rf'; echo e > 'src/$(touch here)'; echo f > "$(printf 'src/\\033[31mred\\342\\200\\256.ts')"; echo g > 'src/a|b\`c\`<!-- d'`);
    expect(state).toBe("in_review");
    expect(await life.git("show", `${BRANCH}:src/cart.ts`)).toContain("reduce");
    expect(await life.git("show", "main:src/cart.ts")).toContain("cart is empty");
    expect(existsSync(join(life.code.root, "here"))).toBe(false);
    // Names are told with such characters written out, and nothing has the characters themselves.
    expect(request?.body).toContain(String.raw`src/\u001b[31mred\u202e.ts`);
    expect(request?.body).not.toMatch(/[^\P{C}\n]/u);
    expect(kept).not.toMatch(/\u202e|(?<!\\)(?:\\\\)*\\u(?:0000|001b)/);
  });

  test("notes that lead elsewhere, changed to the last moment, show nothing and change nothing there", async () => {
    const secret = "secret-of-the-machine";
    const { life, kept } = await carriedOutBy(
      `${MENDS}
      setsid sh -c 'while :; do ln -sfn "'$TOLD'" .relay-task/question.md; rm -f .relay-task/question.md; mkdir .relay-task/question.md; rmdir .relay-task/question.md; done' &
      ln -s "$TOLD" .relay-task/done.md; ln -sf "$RELAY_FOLDER" .relay-task/folder
      [ -e src/once ] && { rm -rf .relay-task; ln -s "$(dirname "$TOLD")" .relay-task; }; touch src/once; sleep 0.3`,
      {
        limits: { iterations: 2 },
        before: async ({ folder }) => {
          writeFileSync(join(folder, "done.md"), `${secret} ${CANARY}`);
          return await Promise.resolve(join(folder, "done.md"));
        },
      },
    );
    expect(kept).not.toContain(secret);
    expect(readFileSync(join(life.folder, "done.md"), "utf8")).toBe(`${secret} ${CANARY}`);
    expect(existsSync(join(life.folder, "task.md"))).toBe(false);
    expect(await life.git("ls-tree", "-r", "--name-only", BRANCH)).not.toContain(".relay-task");
  });

  test("what it and the checks leave in homes, caches and ignored folders is in no proof and in no later run (R-WORK-14)", async () => {
    const first = await carriedOutBy(
      `${PLANTS}
      [ -e .relay-task/again ] || { touch .relay-task/again; echo more > src/more.txt; exit 1; }
      ${MENDS}`,
      {
        limits: { iterations: 3 },
        files: {
          ".gitignore": "node_modules\n",
          "looks.sh": LOOKS,
          ".relay.yml": `conventions:
  setup_commands: ['mkdir -p "$npm_config_cache" && touch "$npm_config_cache/of-the-set-up"']
  test_commands: ["sh looks.sh"]
`,
        },
      },
    );
    // Found in the agent's own tree, which decides nothing, and not on the clean checkout.
    expect(first.iterations).toMatchObject([
      { number: 0, checks: [{ outcome: "passed" }] },
      { number: 1, checks: [{ outcome: "failed" }] },
      { number: 2, checks: [{ outcome: "passed" }], proof: {} },
    ]);
    expect(first.state).toBe("in_review");
    const kept = join(first.life.work.home, "cache");
    const files = readdirSync(kept, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
    expect(files.map(({ name }) => name)).toContain("of-the-set-up");
    expect(texts.filter((text) => text.includes("PLANTED"))).toEqual([]);
    const second = await carriedOutBy(MENDS, { on: first.life });
    expect(second.iterations).toMatchObject([
      { number: 0, checks: [{ outcome: "passed" }] },
      { number: 1, checks: [{ outcome: "passed" }], proof: {} },
    ]);
    expect(second.state).toBe("in_review");
  });
});
