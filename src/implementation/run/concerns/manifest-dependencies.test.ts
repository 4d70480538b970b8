import { expect, test } from "vitest";
import { dependencyShift } from "./manifest-dependencies.ts";

const PYPROJECT = `[project]
name = "shop"
version = "1.0"
dependencies = ["six>=1.0", "attrs"]

[project.optional-dependencies]
dev = ["pytest"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.coverage.run]
source = ["shop"]
`;
const CARGO = `[package]\nname = "shop"\nversion = "1.0.0"\n\n[dependencies]\nserde = { version = "1.0", features = ["derive"] }\n\n[features]\nfull = []\n`;
const SETUP = `from setuptools import setup\nsetup(\n    name="shop",\n    version="1.0",\n    install_requires=[\n        "six>=1.0",\n    ],\n    classifiers=[\n        "Programming Language :: Python :: 3.8",\n    ],\n)\n`;
const CSPROJ = `<Project>\n  <ItemGroup>\n    <Compile Include="A.cs" />\n    <PackageReference Include="Moq" Version="4.0.0" />\n  </ItemGroup>\n</Project>\n`;
const LOCK = (version: string, host = "registry.npmjs.org", integrity = "sha512-a") =>
  JSON.stringify(
    { lockfileVersion: 3, packages: { "node_modules/a": { version, resolved: `https://${host}/a.tgz`, integrity } } },
    null,
    1,
  );

test.each<[string, string, string, string]>([
  ["a new one", "pyproject.toml", PYPROJECT, PYPROJECT.replace('"attrs"', '"attrs", "httpx"')],
  ["a new one of a group", "pyproject.toml", PYPROJECT, PYPROJECT.replace('"pytest"', '"pytest", "evil"')],
  ["from elsewhere", "pyproject.toml", PYPROJECT, PYPROJECT.replace("attrs", "attrs @ https://x.example/a.whl")],
  ["built by another", "pyproject.toml", PYPROJECT, PYPROJECT.replace("hatchling.build", "backend")],
  ["a new one", "Cargo.toml", CARGO, CARGO.replace("[features]", 'rand = "1"\n[features]')],
  ["from elsewhere", "Cargo.toml", CARGO, CARGO.replace('version = "1.0",', 'git = "https://x.example/serde",')],
  ["patched", "Cargo.toml", CARGO, `${CARGO}[patch.crates-io]\nserde = { path = "serde" }\n`],
  ["a new one", "setup.py", SETUP, SETUP.replace("    ],\n    class", '        "evil",\n    ],\n    class')],
  ["code", "setup.py", SETUP, `import os\nos.system("x")\n${SETUP}`],
  [
    "a new one",
    "A.csproj",
    CSPROJ,
    CSPROJ.replace("  </Item", '    <PackageReference Include="X" Version="1" />\n  </Item'),
  ],
  [
    "a command",
    "A.csproj",
    CSPROJ,
    CSPROJ.replace("  <Item", '  <Target Name="a"><Exec Command="x" /></Target>\n  <Item'),
  ],
  ["another host", "package-lock.json", LOCK("1.0.0"), LOCK("1.0.1", "x.example")],
  ["other contents", "package-lock.json", LOCK("1.0.0"), LOCK("1.0.0", undefined, "sha512-b")],
  ["not read", "package-lock.json", LOCK("1.0.0"), "<<<<<<<"],
  ["redirected", "go.mod", "require a.example/a v1.0.0\n", "require a.example/a v1.0.0\nreplace a.example/a => ../a\n"],
  ["another index", "requirements.txt", "six==1.0\n", "--index-url https://x.example\nsix==1.0\n"],
  ["not read", "package.json", "{}", "{"],
])("dependencies: %s in %s", (_what, path, before, after) => {
  expect(after).not.toBe(before);
  expect(dependencyShift(path, before, after)?.kind).toBe("dependencies");
});

test.each<[string, string, string, string]>([
  ["pyproject.toml", PYPROJECT, "six>=1.0", "six>=2.0"],
  ["pyproject.toml", PYPROJECT, ', "attrs"', ""],
  ["Cargo.toml", CARGO, 'version = "1.0",', 'version = "1.1",'],
  ["setup.py", SETUP, "six>=1.0", "six>=2.0"],
  ["A.csproj", CSPROJ, "4.0.0", "5.0.0"],
  ["package-lock.json", LOCK("1.0.0"), "1.0.0", "1.0.1"],
  ["requirements.txt", "six==1.0\n", "1.0", "2.0"],
])("only versions: %s", (path, before, from, to) => {
  expect(dependencyShift(path, before, before.replace(from, to))?.kind).toBe("versions");
});

test.each<[string, string, string, string]>([
  ["pyproject.toml", PYPROJECT, 'version = "1.0"', 'version = "2.0"\nclassifiers = ["A :: B"]'],
  ["pyproject.toml", PYPROJECT, 'source = ["shop"]', 'source = ["shop", "web"]'],
  ["Cargo.toml", CARGO, "full = []", 'full = ["net"]\nnet = []'],
  ["setup.py", SETUP, "3.8", "3.9"],
  ["setup.py", SETUP, 'version="1.0"', 'version="2.0"'],
  ["A.csproj", CSPROJ, 'Include="A.cs"', 'Include="B.cs"'],
  ["MANIFEST.in", "include README.md\n", "README.md", "docs.md"],
  ["package.json", '{"files": ["a"]}', '"a"', '"b"'],
  ["setup.cfg", "[flake8]\nignore = E1\n", "E1", "E2"],
])("nothing of dependencies: %s", (path, before, from, to) => {
  expect(before).toContain(from);
  expect(dependencyShift(path, before, before.replace(from, to))).toBeNull();
});
