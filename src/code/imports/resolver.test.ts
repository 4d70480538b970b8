import { describe, expect, test } from "vitest";
import { describeImports } from "../../../test/support/import-table.ts";
import { isImportManifest } from "./manifests.ts";
import { ImportResolver } from "./resolver.ts";

describeImports({
  "python packages": {
    language: "python",
    paths:
      "src/pkg/__init__.py src/pkg/a.py src/pkg/logging.py src/pkg/sub/__init__.py src/pkg/sub/b.py src/pkg/fast.pyx tests/test_a.py tests/support.py tools/deep/other/__init__.py tools/deep/other/x.py space/one/y.py",
    cases: [
      "tests/test_a.py imports pkg.a -> src/pkg/a.py",
      "tests/test_a.py imports pkg.a.Thing -> src/pkg/a.py",
      "tests/test_a.py imports pkg.sub -> src/pkg/sub/__init__.py",
      "tests/test_a.py imports pkg.sub.b.f -> src/pkg/sub/b.py",
      "tests/test_a.py imports pkg.name -> src/pkg/__init__.py",
      "tests/test_a.py imports pkg.fast -> src/pkg/fast.pyx",
      "tests/test_a.py imports support -> tests/support.py",
      "tests/test_a.py imports other.x -> tools/deep/other/x.py",
      "tests/test_a.py imports space.one.y -> space/one/y.py",
      "src/pkg/sub/b.py imports ..a -> src/pkg/a.py",
      "src/pkg/sub/b.py imports .name -> src/pkg/sub/__init__.py",
      "src/pkg/sub/b.py imports .. -> src/pkg/__init__.py",
      "src/pkg/a.py imports logging ->",
      "src/pkg/a.py imports os.path.join ->",
      "src/pkg/a.py imports ......x ->",
    ],
  },
  "go modules": {
    language: "go",
    paths: "main.go x/one.go x/two.go x/one_test.go x/readme.md sub/y/y.go",
    manifests: { "go.mod": "module a.b/root\n", "sub/go.mod": "// x\nmodule a.b/root/sub\n" },
    cases: [
      "main.go imports a.b/root/x -> x/one.go x/two.go",
      "x/one.go imports a.b/root -> main.go",
      "main.go imports a.b/root/sub/y -> sub/y/y.go",
      "main.go imports a.b/rootless/x ->",
      "main.go imports fmt ->",
    ],
  },
  "rust crates": {
    language: "rust",
    paths:
      "one/src/lib.rs one/src/net/mod.rs one/src/net/tcp.rs one/src/sync.rs one/src/sync/mutex.rs one/src/bin/tool.rs one/src/bin/part.rs one/tests/works.rs one/tests/common/mod.rs two/lib/root.rs two/lib/part.rs one/data.txt",
    manifests: {
      "Cargo.toml": '[workspace]\nmembers = ["one"]',
      "one/Cargo.toml": '[package]\nname = "the-one"\n[dependencies]\nname = "no"',
      "two/Cargo.toml": '[package]\nname     = "two"\n[lib]\nname = "second"\npath = "lib/root.rs"',
    },
    cases: [
      "one/src/sync.rs imports crate::net::tcp::Stream -> one/src/net/tcp.rs",
      "one/src/sync.rs imports crate::net::Listener -> one/src/net/mod.rs",
      "one/src/sync.rs imports crate::Error -> one/src/lib.rs",
      "one/src/sync.rs imports self::mutex -> one/src/sync/mutex.rs",
      "one/src/sync/mutex.rs imports super::Guard -> one/src/sync.rs",
      "one/src/net/tcp.rs imports super::super::sync::mutex::Mutex -> one/src/sync/mutex.rs",
      "one/src/net/mod.rs imports self::tcp -> one/src/net/tcp.rs",
      "one/src/lib.rs imports net::tcp -> one/src/net/tcp.rs",
      "one/src/lib.rs imports self::Own ->",
      "one/src/bin/tool.rs imports self::part -> one/src/bin/part.rs",
      "one/tests/works.rs imports self::common -> one/tests/common/mod.rs",
      "one/tests/works.rs imports the_one::sync::mutex::Mutex -> one/src/sync/mutex.rs",
      "one/src/lib.rs imports second::part::X -> two/lib/part.rs",
      "one/src/lib.rs imports second::X -> two/lib/root.rs",
      "one/src/lib.rs imports ./../data.txt -> one/data.txt",
      "one/src/lib.rs imports std::sync::Mutex ->",
      "one/src/lib.rs imports serde::Deserialize ->",
      "one/src/lib.rs imports super::super::super::super::x ->",
    ],
  },
  "java packages": {
    language: "java",
    paths:
      "core/src/main/java/com/acme/Foo.java web/src/main/java/com/acme/Foo.java core/src/main/java/com/acme/util/Bar.java core/src/main/kotlin/com/acme/util/Baz.kt core/src/test/java/com/acme/FooTest.java",
    cases: [
      "core/src/test/java/com/acme/FooTest.java imports com.acme.Foo -> core/src/main/java/com/acme/Foo.java",
      "core/src/test/java/com/acme/FooTest.java imports com.acme.Foo.Inner.CONSTANT -> core/src/main/java/com/acme/Foo.java",
      "web/src/main/java/com/acme/Foo.java imports com.acme.util.Baz -> core/src/main/kotlin/com/acme/util/Baz.kt",
      "web/src/main/java/com/acme/Foo.java imports com.acme.util.* -> core/src/main/java/com/acme/util/Bar.java",
      "web/src/main/java/com/acme/Foo.java imports com.acme.util.Bar.* -> core/src/main/java/com/acme/util/Bar.java",
      "web/src/main/java/com/acme/Foo.java imports java.util.List ->",
    ],
  },
  headers: {
    language: "cpp",
    paths: "src/a.cpp src/a.h src/net/b.h include/lib/c.h other/net/b.h other/string.h include/d.h",
    cases: [
      "src/a.cpp imports a.h -> src/a.h",
      "src/a.cpp imports net/b.h -> src/net/b.h",
      "src/a.cpp imports lib/c.h -> include/lib/c.h",
      "src/a.cpp imports <lib/c.h> -> include/lib/c.h",
      "src/a.cpp imports <d.h> -> include/d.h",
      "src/a.h imports b.h -> src/net/b.h other/net/b.h",
      "src/a.cpp imports <string.h> ->",
    ],
  },
  namespaces: {
    language: "csharp",
    paths: "src/Acme.Core/Models/User.cs src/Acme.Core/Start.cs src/Acme.Web/Program.cs",
    cases: [
      "src/Acme.Web/Program.cs imports Acme.Core.Models -> src/Acme.Core/Models/User.cs",
      "src/Acme.Web/Program.cs imports Acme.Core -> src/Acme.Core/Start.cs",
      "src/Acme.Web/Program.cs imports System.Linq ->",
    ],
  },
  ruby: {
    language: "ruby",
    paths: "lib/a.rb lib/a/b.rb test/helper.rb other/json.rb app/models/user.rb",
    cases: [
      "test/helper.rb imports a/b -> lib/a/b.rb",
      "lib/a.rb imports ./a/b -> lib/a/b.rb",
      "lib/a.rb imports user -> app/models/user.rb",
      "lib/a.rb imports json ->",
    ],
  },
  php: {
    language: "php",
    paths: "src/Models/User.php src/Http/Kernel.php public/index.php config.php src/App.php",
    cases: [
      "public/index.php imports App\\Models\\User -> src/Models/User.php",
      "public/index.php imports ../config.php -> config.php",
      "public/index.php imports ./config.php -> config.php",
      "public/index.php imports Acme\\App -> src/App.php",
      "public/index.php imports Exception ->",
    ],
  },
  shell: {
    language: "shell",
    paths: "bin/run.sh lib/log.sh bin/own.sh env",
    cases: [
      "bin/run.sh imports ./own.sh -> bin/own.sh",
      "bin/run.sh imports lib/log.sh -> lib/log.sh",
      "bin/run.sh imports ../lib/log.sh -> lib/log.sh",
      "bin/run.sh imports /etc/profile ->",
    ],
  },
  swift: {
    language: "swift",
    paths: "Package.swift Sources/Core/A.swift Sources/App/main.swift",
    cases: [
      "Sources/App/main.swift imports Core.A -> Sources/Core/A.swift",
      "Sources/App/main.swift imports Foundation ->",
    ],
  },
  elixir: {
    language: "elixir",
    paths: "lib/my_app/repo.ex lib/my_app.ex",
    cases: [
      "lib/my_app.ex imports MyApp.Repo -> lib/my_app/repo.ex",
      "lib/my_app/repo.ex imports MyApp -> lib/my_app.ex",
      "lib/my_app.ex imports Ecto.Query ->",
    ],
  },
  dart: {
    language: "dart",
    paths: "lib/a.dart lib/src/b.dart packages/two/lib/c.dart",
    cases: [
      "lib/a.dart imports src/b.dart -> lib/src/b.dart",
      "lib/a.dart imports package:two/c.dart -> packages/two/lib/c.dart",
      "lib/a.dart imports package:one/src/b.dart -> lib/src/b.dart",
      "lib/a.dart imports dart:io ->",
    ],
  },
  lua: {
    language: "lua",
    paths: "lua/a/b.lua lua/c/init.lua",
    cases: ["lua/a/b.lua imports c -> lua/c/init.lua", "lua/c/init.lua imports a.b -> lua/a/b.lua"],
  },
  "protocol buffers": {
    language: "protobuf",
    paths: "proto/a/b.proto proto/c.proto",
    cases: ["proto/c.proto imports a/b.proto -> proto/a/b.proto"],
  },
});

describe("limits", () => {
  test("a package of Go is at most 40 files", () => {
    const paths = Array.from({ length: 60 }, (_, at) => `x/${at}.go`);
    const resolver = new ImportResolver(paths, { manifests: new Map([["go.mod", "module m"]]) });
    expect(resolver.resolve("main.go", "go", "m/x")).toHaveLength(40);
  });

  test("the manifests that matter are told by their names", () => {
    const named = ["package.json", "a/tsconfig.build.json", "jsconfig.json", "a/go.mod", "Cargo.toml"];
    expect(named.filter((path) => !isImportManifest(path))).toEqual([]);
    expect(["composer.json", "package-lock.json", "go.sum", "tsconfig.ts"].filter(isImportManifest)).toEqual([]);
  });
});
