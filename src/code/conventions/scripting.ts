import { type CodeFiles, type Commands, type Found, NOTHING, recordAt, recordIn, stringAt } from "./code-files.ts";

/** Ruby with Bundler. */
export async function rubyCommands(code: CodeFiles): Promise<Found> {
  if (!code.paths.has("Gemfile")) return NOTHING;
  const specs = [...code.paths].filter((path) => /^[^/]+\.gemspec$/.test(path));
  const texts = await Promise.all(["Gemfile", "Gemfile.lock", ...specs].map(code.read));
  const names = texts.join("\n");
  const tests = await rubyTests(code, names);
  return {
    setup: ["bundle install"],
    written: {},
    implied: {
      ...(/\brubocop\b/.test(names) ? { lint: "bundle exec rubocop" } : {}),
      ...(tests === null ? {} : { tests: [tests] }),
    },
  };
}

async function rubyTests(code: CodeFiles, gems: string): Promise<string | null> {
  const has = (folder: string) => [...code.paths].some((path) => path.startsWith(folder) && path.endsWith(".rb"));
  if (code.paths.has("bin/rails") && has("test/")) return "bin/rails test";
  const rakefile = await code.read(code.first("Rakefile", "rakefile", "Rakefile.rb") ?? "");
  const [, task] =
    /\b(?:Rake::TestTask\.new|Minitest::TestTask\.create|task)\s*\(?\s*[:"']?(test)\b/.exec(rakefile) ?? [];
  if (task !== undefined || /\b(?:Rake::TestTask\.new|Minitest::TestTask\.create)\b/.test(rakefile)) {
    return "bundle exec rake test";
  }
  return /\brspec\b/.test(gems) && has("spec/") ? "bundle exec rspec" : null;
}

/** PHP with Composer: its scripts, or the tools that it installs and configures. */
export async function phpCommands(code: CodeFiles): Promise<Found> {
  if (!code.paths.has("composer.json")) return NOTHING;
  const manifest = recordIn(await code.read("composer.json"), "json");
  const scripts = recordAt(manifest, "scripts");
  const run = (...names: string[]) => {
    const name = names.find((each) => Object.hasOwn(scripts, each));
    return name === undefined ? undefined : `composer run ${name}`;
  };
  const tests = run("test", "tests", "phpunit", "test:unit", "unit");
  const written: Commands = {
    lint: run("lint", "cs-check", "check-style", "cs", "phpcs"),
    types: run("phpstan", "analyse", "analyze", "static-analysis", "psalm"),
    ...(tests === undefined ? {} : { tests: [tests] }),
  };
  const installs = (name: string) =>
    ["require", "require-dev"].some((key) => stringAt(manifest, key, name) !== undefined);
  const configured = (tool: string) => code.first(tool, `${tool}.dist`) !== null;
  const isConfigured = configured("phpunit.xml") || code.paths.has("phpunit.dist.xml");
  const runner = installs("pestphp/pest") ? "pest" : installs("symfony/phpunit-bridge") ? "simple-phpunit" : "phpunit";
  const installsRunner = runner !== "phpunit" || installs("phpunit/phpunit");
  return {
    setup: ["composer install --no-interaction"],
    written,
    implied: {
      ...(installs("squizlabs/php_codesniffer") && (configured("phpcs.xml") || configured(".phpcs.xml"))
        ? { lint: "vendor/bin/phpcs" }
        : {}),
      ...(installs("phpstan/phpstan") && configured("phpstan.neon") ? { types: "vendor/bin/phpstan analyse" } : {}),
      ...(isConfigured && installsRunner ? { tests: [`vendor/bin/${runner}`] } : {}),
    },
  };
}
