import { expect, test } from "vitest";
import { classify } from "./classify.ts";

test.each([
  ["src/cart.ts", "source", "typescript"],
  ["lib/plugins/create/create.js", "source", "javascript"],
  ["gson/src/main/java/com/acme/Gson.java", "source", "java"],
  ["gson/src/test/java/com/acme/GsonTest.java", "test", "java"],
  ["app/src/main/java/Latest.java", "source", "java"],
  ["src/_pytest/mark/evaluate.py", "source", "python"],
  ["testing/test_mark.py", "test", "python"],
  ["pkg/server/server_test.go", "test", "go"],
  ["src/cart.spec.ts", "test", "typescript"],
  ["test/fixtures/a.json", "test", "json"],
  ["tests-build/x.rs", "source", "rust"],
  ["yarn.lock", "lock", null],
  ["web/package-lock.json", "lock", "json"],
  ["go.sum", "lock", null],
  ["vendor/github.com/x/y.go", "vendored", "go"],
  ["src/pip/_vendor/six.py", "vendored", "python"],
  ["packages/next/src/compiled/ws/index.js", "vendored", "javascript"],
  ["deno_dist/mod.ts", "generated", "typescript"],
  ["public/jquery.min.js", "minified", "javascript"],
  ["dist/axios.js", "generated", "javascript"],
  ["api/user.pb.go", "generated", "go"],
  ["docs/guide.md", "docs", "markdown"],
  ["README.md", "docs", "markdown"],
  ["CHANGES.rst", "docs", "text"],
  ["LICENSE", "docs", null],
  ["examples/basic/app.js", "example", "javascript"],
  ["package.json", "config", "json"],
  ["vite.config.ts", "config", "typescript"],
  [".github/workflows/ci.yml", "config", "yaml"],
  ["Dockerfile", "config", null],
  ["assets/logo.png", "asset", null],
  ["Cargo.toml", "config", "toml"],
])("%s is %s in %s", (path, role, language) => {
  expect(classify(path)).toEqual({ role, language });
});
