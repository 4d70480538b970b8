"use strict";
// Preloaded into every Node process of a command that runs tests; asks the runners it knows for a report in this
// folder. Must run in any version of Node. If something fails here, the command must run as it would without this file.
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

const MARK = "--test-reporter";

/** A file that no other process of the command writes to. */
function reportOf(runner) {
  return path.join(__dirname, `${runner}-${process.pid}-${Date.now()}.jsonl`);
}

/** Programs that the tests start are not asked for reports, since they are what is tested. */
function leaveOthersAlone() {
  const own = `--require="${__filename}"`;
  process.env.NODE_OPTIONS = (process.env.NODE_OPTIONS || "").replace(own, "").trim();
  if (process.env.NODE_OPTIONS === "") delete process.env.NODE_OPTIONS;
}

/** `node --test` only takes reporters from its command line, so it is restarted with one more. */
function nodeTest() {
  const major = Number(process.versions.node.split(".")[0]);
  const given = process.execArgv.filter((one) => one.split("=")[0] === MARK).length;
  const isAsked = `${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS || ""}`.includes(`${MARK}-destination`);
  const isWatched = process.execArgv.some((one) => one.startsWith("--watch"));
  if (major < 20 || given > 1 || isAsked || isWatched || process.env.NODE_TEST_CONTEXT) return;
  leaveOthersAlone();
  const usual = process.stdout.isTTY || major >= 23 ? "spec" : "tap";
  const reporters = [
    ...(given === 1 ? [] : [`${MARK}=${usual}`]),
    `${MARK}-destination=stdout`,
    `${MARK}=${pathToFileURL(path.join(__dirname, "node-test.mjs")).href}`,
    `${MARK}-destination=${reportOf("node")}`,
  ];
  const args = [...process.execArgv, ...reporters, ...process.argv.slice(1)];
  const { status, signal, error } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (error) return;
  if (signal) process.kill(process.pid, signal);
  process.exit(status === null ? 1 : status);
}

/** Whether the repository's settings name a reporter, which an option would replace. */
function settingsName(word, usual) {
  const given = process.argv.flatMap((one, at) => {
    const [name, value = process.argv[at + 1] || ""] = one.split("=");
    return name === "--config" || name === "-c" ? [value] : [];
  });
  const names = given.length > 0 ? given : fs.readdirSync(process.cwd()).filter((name) => usual.test(name));
  return names.some((name) => fs.readFileSync(path.resolve(name), "utf8").includes(word));
}

function isGiven(...options) {
  return process.argv.some((one) => options.includes(one.split("=")[0]));
}

function addOptions(...options) {
  const end = process.argv.indexOf("--");
  process.argv.splice(end === -1 ? process.argv.length : end, 0, ...options);
}

function jest() {
  if (isGiven("--testResultsProcessor", "--rootDir", "--watch", "--watchAll")) return;
  if (settingsName("testResultsProcessor", /^(?:jest\.config\.\w+|package\.json)$/)) return;
  leaveOthersAlone();
  process.env.RELAY_JEST_REPORT = reportOf("jest");
  addOptions(`--testResultsProcessor=${path.join(__dirname, "jest.cjs")}`);
}

function vitest() {
  if (/^(?:bench|list|init|complete)$/.test(process.argv[2] || "")) return;
  if (isGiven("--root", "-r", "--mergeReports", "--merge-reports", "--watch", "-w", "--standalone", "--ui")) return;
  if (settingsName("reporters", /^(?:vitest|vite)\.(?:config|workspace|projects)\.\w+$/)) return;
  leaveOthersAlone();
  process.env.RELAY_VITEST_REPORT = reportOf("vitest");
  const usual = isGiven("--reporter") ? [] : ["--reporter=default"];
  addOptions(...usual, `--reporter=${path.join(__dirname, "vitest.mjs")}`);
}

/** Mocha supports only one reporter, so this listens to its runner's events. */
function mocha(script) {
  const library = script.replace(/(?:bin|lib)[\\/][^\\/]+(?:[\\/]cli\.js)?$/, "lib");
  const runners = [require(path.join(library, "runner.js"))];
  const parallel = path.join(library, "nodejs", "parallel-buffered-runner.js");
  if (fs.existsSync(parallel)) runners.push(require(parallel));
  const report = reportOf("mocha");
  for (const { prototype } of runners) {
    if (!Object.prototype.hasOwnProperty.call(prototype, "run")) continue;
    const { run } = prototype;
    prototype.run = function runWithReport(...args) {
      // Not earlier, since Mocha restarts itself if it gets options for Node.
      leaveOthersAlone();
      const lines = [];
      const add = (state) => (test) => {
        const name = typeof test.titlePath === "function" ? test.titlePath().join(" > ") : test.fullTitle();
        lines.push(JSON.stringify({ file: test.file, name, state }));
      };
      this.on("pass", add("passed"));
      this.on("fail", add("failed"));
      this.on("pending", add("skipped"));
      this.on("end", () => fs.writeFileSync(report, lines.map((line) => `${line}\n`).join("")));
      return run.apply(this, args);
    };
  }
}

const RUNNERS = [
  [/[\\/]jest(?:-cli)?[\\/]bin[\\/]jest(?:\.js)?$/, jest],
  [/[\\/]vitest[\\/](?:vitest|dist[\\/]cli)\.m?js$/, vitest],
  [/[\\/]mocha[\\/](?:bin[\\/]_?mocha(?:\.c?js)?|lib[\\/]cli[\\/]cli\.js)$/, mocha],
];

try {
  const isMain = require("worker_threads").isMainThread;
  if (isMain && process.execArgv.includes("--test")) nodeTest();
  else if (isMain && process.argv[1]) {
    const script = fs.realpathSync(process.argv[1]);
    for (const [pattern, ask] of RUNNERS) if (pattern.test(script)) ask(script);
  }
} catch {
  // Without a report, Relay reads the printed lines.
}
