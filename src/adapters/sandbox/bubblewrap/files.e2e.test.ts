import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bubblewrapStage, HAS_BUBBLEWRAP } from "../../../../test/support/bubblewrap-fixture.ts";
import { outcome, request } from "../../../../test/support/sandboxed.ts";

// Without bubblewrap, or the right to use it, there is nothing to try here.
describe.skipIf(!HAS_BUBBLEWRAP)("the files that a program in bubblewrap sees", () => {
  test("it changes its tree, runs the system's programs and Relay's Node, and is an ordinary user", async () => {
    const { sh, tree } = await bubblewrapStage();
    const told = await sh(
      'echo done > made && git init -q . && id -u && node -p 1+1 && pwd && echo "$HOME" && touch ~/x /tmp/x && echo named > /dev/stdout',
    );
    expect(told).toMatchObject({ ending: "exit", code: 0, stderr: "" });
    expect(told.stdout).toBe(`1000\n2\n${tree}\n/run/relay/home\nnamed\n`);
    expect(readFileSync(join(tree, "made"), "utf8")).toBe("done\n");
  });

  test("folders can come first on its PATH, and the program itself is not looked for there", async () => {
    const { sh, tree } = await bubblewrapStage();
    for (const name of ["sh", "own"]) writeFileSync(join(tree, name), "#!/bin/bash\necho planted\n", { mode: 0o755 });
    expect((await sh("own; true", { pathFirst: [tree] })).stdout).toBe("planted\n");
    expect((await sh("own; true")).stdout).toBe("");
  });

  test("it can write nowhere else: not beside its tree, not into what is readable, not to the system", async () => {
    const stage = await bubblewrapStage();
    const shown = join(stage.root, "shown");
    mkdirSync(shown);
    writeFileSync(join(shown, "config"), "as it was");
    const { sh } = await bubblewrapStage({ readable: [shown] });
    const told = await sh(
      `cat ${shown}/config; for f in ${shown}/config ${shown}/new ${stage.tree}/new /usr/new /etc/passwd /new /dev/new; do
         (echo bad > $f) 2>/dev/null && echo "wrote $f"
       done; git config --file ${shown}/config a.b c 2>/dev/null && echo "wrote by git"; rm -rf ${shown} 2>/dev/null; true`,
    );
    expect(told.stdout).toBe("as it was");
    expect(readFileSync(join(shown, "config"), "utf8")).toBe("as it was");
    expect(existsSync(join(stage.tree, "new"))).toBe(false);
  });

  test("it reads nothing of anybody's: no home, no keys, no other run, no folder of Relay's", async () => {
    const other = await bubblewrapStage();
    writeFileSync(join(other.tree, "secret"), "other-run");
    writeFileSync(join(other.root, "settings"), "relay-home");
    const { sh } = await bubblewrapStage();
    const home = process.env["HOME"] ?? "/root";
    const told = await sh(
      `for f in ${other.tree}/secret ${other.root}/settings /etc/shadow /etc/ssl/private /root /home ${home}/.ssh ${home}/.npmrc ${home}/.gitconfig \
                /var/lib /run/docker.sock /sys /proc/1/root/etc/shadow /proc/1/cwd/tree; do
         [ -e $f ] && [ -s $f ] && cat $f 2>/dev/null; ls -A $f 2>/dev/null
       done; grep -c . /etc/passwd`,
    );
    expect(told.stdout).toBe("2\n");
  });

  test("neither its own environment nor that of any process holds what is Relay's", async () => {
    process.env["RELAY_TEST_SECRET"] = "tracker-token-of-relay";
    const { sh } = await bubblewrapStage();
    const told = await sh("env; for p in /proc/[0-9]*; do cat $p/environ $p/cmdline; done", {
      environment: { OWN: "given" },
    });
    delete process.env["RELAY_TEST_SECRET"];
    expect(told.stdout).toContain("OWN=given");
    expect(told.stdout).not.toContain("tracker-token-of-relay");
    expect(told.stdout).not.toMatch(/DATABASE_URL|VITEST|npm_/);
  });

  test("it cannot set the kernel's settings, where Relay runs as root", async () => {
    const before = readFileSync("/proc/sys/vm/swappiness", "utf8");
    const { sh } = await bubblewrapStage();
    const told = await sh(
      "echo 1 > /proc/sys/vm/swappiness || echo b > /proc/sysrq-trigger || mount -t tmpfs x /tmp || echo held",
    );
    expect(told.stdout).toBe("held\n");
    expect(readFileSync("/proc/sys/vm/swappiness", "utf8")).toBe(before);
  });

  test("a link that a program leaves in its tree shows nothing of the machine to the next", async () => {
    const { sh, root, tree, place } = await bubblewrapStage();
    writeFileSync(join(root, "secret"), "outside");
    await sh(`ln -s ${root}/secret link && ln -s / all`);
    const told = await sh(`cat link all${root}/secret; echo bad > link; ls all/root all/etc/shadow`);
    expect(told.stdout).toBe("");
    expect(readFileSync(join(root, "secret"), "utf8")).toBe("outside");

    renameSync(tree, join(root, "moved"));
    symlinkSync(root, tree);
    const swapped = outcome(place.launch, request("cat", ["secret"], { cwd: tree }));
    await expect(swapped).rejects.toMatchObject({ code: "forbidden" });
  });

  test("a program that the place does not show is told before anything runs", async () => {
    const { place, tree, root } = await bubblewrapStage();
    writeFileSync(join(root, "tool"), "#!/bin/sh\n", { mode: 0o755 });
    await expect(place.launch(request(join(root, "tool"), [], { cwd: tree }))).rejects.toThrow(/does not show/);
    await expect(place.launch(request("no-such-tool", [], { cwd: tree }))).rejects.toMatchObject({ code: "config" });
    await expect(place.launch(request("true", [], { cwd: root }))).rejects.toMatchObject({ code: "config" });
  });

  test("neither the path nor the loader that a program asks for changes what runs outside", async () => {
    const { sh, tree, root } = await bubblewrapStage();
    mkdirSync(join(tree, "bin"));
    writeFileSync(join(tree, "bin/bwrap"), `#!/bin/sh\necho escaped > ${root}/escaped\n`, { mode: 0o755 });
    writeFileSync(join(tree, "bin/own-tool"), "#!/bin/sh\necho own\n", { mode: 0o755 });
    const told = await sh("own-tool; echo $LD_PRELOAD", {
      environment: { PATH: `${tree}/bin:/usr/bin:/bin`, LD_PRELOAD: `${tree}/none.so`, QUOTED: "a 'b' \n --bind / /" },
    });
    expect(told.stdout).toBe(`own\n${tree}/none.so\n`);
    expect(existsSync(join(root, "escaped"))).toBe(false);
  });

  test("a link that an earlier program has left shows nothing, and the sandbox's own folder is never shown", async () => {
    const { root, tree } = await bubblewrapStage();
    mkdirSync(join(root, "secrets"));
    symlinkSync(join(root, "secrets"), join(tree, "cache"));
    const led = bubblewrapStage({ writable: [tree, join(tree, "cache")] });
    await expect(led).rejects.toMatchObject({ code: "forbidden" });
    const within = bubblewrapStage({ writable: [root], folder: join(root, "place") });
    await expect(within).rejects.toMatchObject({ code: "config" });
  });

  test("no text that a program is given can be read as an option of the sandbox", async () => {
    const { place, tree, sh } = await bubblewrapStage();
    const option = "x\0--bind\0/\0/mnt";
    await expect(sh("true", { environment: { OWN: option } })).rejects.toMatchObject({ code: "invalid" });
    await expect(sh(option)).rejects.toMatchObject({ code: "invalid" });
    await expect(sh("true", { cwd: `${tree}/${option}` })).rejects.toMatchObject({ code: "invalid" });
    const told = await outcome(place.launch, request("echo", ["--bind", "/", "/mnt", "--"], { cwd: tree }));
    expect(told.stdout).toBe("--bind / /mnt --\n");
  });

  test("a path that would show the whole machine, or is not there, is refused", async () => {
    for (const path of ["/", "relative", "/run/relay/home", "/run", "/no/such/folder"]) {
      await expect(bubblewrapStage({ readable: [path] })).rejects.toMatchObject({ code: "config" });
    }
  });
});
