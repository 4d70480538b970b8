import { expect, test } from "vitest";
import { plainFiles } from "../../../../test/support/plain-files.ts";
import { conventionsSchema } from "../../../domain/conventions.ts";
import { guessConventions } from "../guess-conventions.ts";

async function guessed(files: Record<string, string>) {
  return conventionsSchema.parse(await guessConventions(plainFiles(files)));
}

const MAKE = 'python3 -m venv "$VIRTUAL_ENV"';
const PACKAGE = '[project]\nname = "shop"\ndependencies = ["attrs"]\n';
const UNITTEST = { "shop.py": "", "test_shop.py": "import unittest\n" };
const get = (tool: string) => `command -v ${tool} || pip install ${tool}`;

test.each([
  ["uv", { "uv.lock": "", "pyproject.toml": PACKAGE }, [get("uv"), "uv sync --locked --inexact"]],
  [
    "the groups and extras for tests and checks",
    {
      "uv.lock": "",
      "pyproject.toml": `${PACKAGE}[project.optional-dependencies]\ntest = ["pytest"]\naws = ["boto3"]\n[dependency-groups]\nlint = ["ruff"]\ndocs = ["sphinx"]\n`,
    },
    [get("uv"), "uv sync --locked --inexact --extra test --group lint"],
  ],
  ["uv without a lock file", { "pyproject.toml": `${PACKAGE}[tool.uv]\n` }, [get("uv"), "uv sync --inexact"]],
  [
    "Poetry",
    {
      "poetry.lock": "",
      "pyproject.toml": '[tool.poetry]\nname = "shop"\n[tool.poetry.group.test]\noptional = true\n',
    },
    [get("poetry"), "poetry install --no-interaction --with test"],
  ],
  ["PDM", { "pdm.lock": "", "pyproject.toml": PACKAGE }, [get("pdm"), "pdm sync"]],
  ["Pipenv", { "Pipfile.lock": "{}", Pipfile: "" }, [get("pipenv"), "pipenv sync --dev"]],
  [
    "files of requirements for tests and development",
    { "requirements.txt": "", "requirements-dev.txt": "", "requirements/test.txt": "", "docs-requirements.txt": "" },
    ["pip install -r requirements.txt -r requirements-dev.txt -r requirements/test.txt"],
  ],
  [
    "the package with its extras, and its dependency groups (PEP 735)",
    {
      "pyproject.toml": `${PACKAGE}optional-dependencies = {test = ["pytest"], s3 = ["boto3"]}\n[dependency-groups]\ndev = [{include-group = "typing"}, "tox>=4"]\ntyping = ["mypy"]\n`,
    },
    ["pip install -e '.[test]' mypy 'tox>=4'"],
  ],
  [
    "an old package",
    { "setup.py": "setup(name='shop', install_requires=['six'])", "shop.py": "" },
    ["pip install -e ."],
  ],
  [
    "a package below src",
    { "pyproject.toml": '[project]\nname = "shop"\n', "src/shop/__init__.py": "" },
    ["pip install -e ."],
  ],
  ["no package at all: its tests need nothing", { ...UNITTEST, "setup.py": "setup(name='shop', version='1')" }, []],
  [
    "pytest, which the tests use and nothing names",
    { "pytest.ini": "[pytest]\n", "shop.py": "", "tests/test_shop.py": "" },
    ["pip install pytest"],
  ],
])("Python's dependencies go into a virtual environment: %s", async (_, files, commands) => {
  expect((await guessed(files)).setup_commands).toEqual([MAKE, ...commands]);
});

const COLORAMA = "[tox]\nisolated_build = true\n\n[testenv]\ncommands = python -m unittest discover -p *_test.py\n";

test.each([
  [
    "tox",
    { "tox.ini": COLORAMA, Makefile: "test:\n\t~/bin/python -m unittest\n" },
    ["python -m unittest discover -p '*_test.py'"],
  ],
  [
    "tox, with what only it knows taken out",
    {
      "tox.ini":
        "[base]\nrun = pytest\n[testenv]\nsetenv =\n    LC_ALL = C\n    HOME = {envtmpdir}\ncommands =\n    python --version\n    py27: nose\n    {[base]run} {posargs:-q tests}\n    - coverage report\n[testenv:docs]\ncommands = pytest docs\n",
    },
    ["LC_ALL=C pytest -q tests"],
  ],
  [
    "tox in TOML",
    { "tox.toml": '[env_run_base]\ncommands = [["pytest", { replace = "posargs" }, "tests"]]\n' },
    ["pytest tests"],
  ],
  [
    "nox",
    {
      "noxfile.py":
        'import nox\n\n@nox.session\ndef lint(session):\n    session.run("flake8")\n\n@nox.session(python=["3.11"])\ndef tests(session):\n    session.install("-e", ".[test]", "pytest-cov")\n    session.run("pytest", "--cov", *session.posargs, env={"A": "b"})\n    session.run("pytest", f"{x}")\n    session.run(*coverage, "-m", "pytest")\n',
    },
    ["pytest --cov"],
  ],
  [
    "Hatch",
    {
      "pyproject.toml":
        '[tool.hatch.envs.default]\ndependencies = ["pytest"]\n[tool.hatch.envs.default.scripts]\ntest = "pytest {args:tests}"\n',
    },
    ["pytest tests"],
  ],
  ["PDM's scripts", { "pyproject.toml": '[tool.pdm.scripts]\ntest = "pytest -q"\n' }, ["pytest -q"]],
  ["make", { Makefile: "test:\n\tpytest\n", "test_a.py": "import unittest\n", "requirements.txt": "" }, ["make test"]],
  ["pytest", { "pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": "" }, ["python -m pytest"]],
  ["pytest", { "requirements-dev.txt": "pytest>=7\n", "tests/test_a.py": "" }, ["python -m pytest"]],
  ["Django", { "manage.py": "", "shop/tests.py": "", "shop/test_a.py": "" }, ["python manage.py test"]],
  ["unittest", UNITTEST, ["python -m unittest discover"]],
  ["unittest", { "tests/unit/test_a.py": "import os, unittest" }, ["python -m unittest discover -s tests/unit"]],
  [
    "unittest",
    { "shop/__init__.py": "", "shop/a_test.py": "from unittest import TestCase" },
    ["python -m unittest discover -s shop -t . -p '*_test*.py'"],
  ],
  ["nothing", { "test_a.py": "print(1)\n" }, []],
  ["nothing", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, []],
])("Python's tests are run as %s says", async (_, files, commands) => {
  expect((await guessed(files)).test_commands).toEqual(commands);
});

test("what a session of tox or nox installs is installed for its command, and nothing else", async () => {
  const files = {
    "pyproject.toml": '[project]\nname = "shop"\n[project.optional-dependencies]\ntesting = ["hypothesis"]\n',
    "requirements-dev.txt": "twine\n",
    "shop.py": "",
    "tox.ini":
      "[testenv]\nextras = testing\ndeps =\n    pytest>=7 # the runner\n    -r{toxinidir}/tests/needs.txt\n    py27: mock\n    --find-links=/x\ncommands = pytest\n",
  };
  expect(await guessed(files)).toMatchObject({
    setup_commands: [MAKE, "pip install -r tests/needs.txt -e '.[testing]' 'pytest>=7'"],
    test_commands: ["pytest"],
  });
});

test("a package that depends on nothing, with tests of the standard library, needs no index of packages", async () => {
  const files = {
    "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "colorama"\ndynamic = ["version"]\n',
    "requirements-dev.txt": "twine>=3.1.1\nbuild\n-e .\n",
    "colorama/__init__.py": "",
    "tox.ini": COLORAMA,
  };
  expect((await guessed(files)).setup_commands).toEqual([MAKE]);
});
