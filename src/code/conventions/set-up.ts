/**
 * What brings a fresh clone's dependencies in, by the files at its top; where a lock file tells, exactly what it says.
 * Empty where nothing tells.
 */
export function setUpCommands(paths: ReadonlySet<string>): string[] {
  return KINDS.flatMap((kind) => {
    const found = kind.find(([files]) => files.every((file) => paths.has(file)));
    return found ? [found[1]] : [];
  });
}

/** One list for each kind of project; the first that has all its files there counts. */
const KINDS: readonly (readonly [files: readonly string[], command: string][])[] = [
  [
    [["package.json", "pnpm-lock.yaml"], "pnpm install --frozen-lockfile"],
    [["package.json", "yarn.lock", ".yarnrc.yml"], "yarn install --immutable"],
    [["package.json", "yarn.lock"], "yarn install --frozen-lockfile"],
    [["package.json", "bun.lock"], "bun install --frozen-lockfile"],
    [["package.json", "bun.lockb"], "bun install --frozen-lockfile"],
    [["package.json", "package-lock.json"], "npm ci"],
    [["package.json", "npm-shrinkwrap.json"], "npm ci"],
    [["package.json"], "npm install --no-package-lock"],
  ],
  [
    [["uv.lock"], "uv sync --locked"],
    [["poetry.lock"], "poetry sync"],
    [["Pipfile.lock"], "pipenv sync --dev"],
    [["requirements.txt", "requirements-dev.txt"], "pip install -r requirements.txt -r requirements-dev.txt"],
    [["requirements.txt"], "pip install -r requirements.txt"],
    [["pyproject.toml"], "pip install -e ."],
    [["setup.py"], "pip install -e ."],
  ],
  [[["Gemfile"], "bundle install"]],
  [[["composer.json"], "composer install --no-interaction"]],
  [
    [["Cargo.toml", "Cargo.lock"], "cargo fetch --locked"],
    [["Cargo.toml"], "cargo fetch"],
  ],
  [[["go.mod"], "go mod download"]],
  [[["mix.exs"], "mix deps.get"]],
];
