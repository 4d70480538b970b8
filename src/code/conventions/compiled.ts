import { type CodeFiles, type Found, NOTHING } from "./code-files.ts";

/** Rust. A toolchain may lack Clippy, so it is used only if the project configures it. */
export async function rustCommands(code: CodeFiles): Promise<Found> {
  if (!code.paths.has("Cargo.toml")) return NOTHING;
  const isStrict =
    code.first("clippy.toml", ".clippy.toml") !== null ||
    /^\[(?:workspace\.)?lints\.clippy\]/m.test(await code.read("Cargo.toml"));
  return {
    setup: [code.paths.has("Cargo.lock") ? "cargo fetch --locked" : "cargo fetch"],
    written: {},
    implied: {
      lint: isStrict ? "cargo clippy --all-targets" : "cargo check --all-targets",
      build: "cargo build",
      tests: ["cargo test"],
    },
  };
}

export function goCommands(code: CodeFiles): Found {
  if (!code.paths.has("go.mod")) return NOTHING;
  return {
    setup: ["go mod download"],
    written: {},
    implied: { lint: "go vet ./...", build: "go build ./...", tests: ["go test ./..."] },
  };
}

/** A wrapper that was committed on Windows may lack the executable bit. */
function wrapper({ paths, executable }: CodeFiles, name: string): string | null {
  return paths.has(name) ? `${executable.has(name) ? "./" : "sh "}${name}` : null;
}

function built(build: string, test: string): Found {
  return { setup: [], written: {}, implied: { build, tests: [test] } };
}

/** Java and Kotlin: the repository's own wrapper, else the machine's program. */
export function javaCommands(code: CodeFiles): Found {
  if (code.paths.has("pom.xml")) {
    const maven = wrapper(code, "mvnw") ?? "mvn";
    return built(`${maven} --batch-mode compile`, `${maven} --batch-mode test`);
  }
  if (code.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts") === null) return NOTHING;
  const gradle = wrapper(code, "gradlew") ?? "gradle";
  return built(`${gradle} assemble`, `${gradle} test`);
}

const SOLUTION = /^[^/]+\.slnx?$/;
const PROJECT = /^[^/]+\.(?:cs|fs|vb)proj$/;
const TEST_PROJECT = /(?:^|[/.])[\w.]*tests?\.(?:cs|fs|vb)proj$/i;

/**
 * .NET: the only solution or project at the top, or the only solution below it; with several, the choice would be a
 * guess.
 */
export function dotnetCommands({ paths }: CodeFiles): Found {
  const all = [...paths];
  const top = [SOLUTION, PROJECT]
    .map((form) => all.filter((path) => form.test(path)))
    .find((found) => found.length > 0);
  const below = all.filter((path) => /\.slnx?$/.test(path));
  const [only, ...others] = top ?? below;
  if (only === undefined || others.length > 0) return NOTHING;
  const name = top === undefined ? ` ${only}` : "";
  if (/\s/.test(name.trim())) return NOTHING;
  const tests = all.some((path) => TEST_PROJECT.test(path)) ? { tests: [`dotnet test${name}`] } : {};
  return { setup: [`dotnet restore${name}`], written: {}, implied: { build: `dotnet build${name}`, ...tests } };
}

export function elixirCommands({ paths }: CodeFiles): Found {
  if (!paths.has("mix.exs")) return NOTHING;
  return {
    setup: ["mix deps.get"],
    written: {},
    implied: {
      lint: paths.has(".formatter.exs") ? "mix format --check-formatted" : undefined,
      build: "mix compile",
      tests: ["mix test"],
    },
  };
}
