/** A program that runs or loads what files of the project tell it to. */
export interface Tool {
  /** Files that say what it runs or loads. */
  readonly manifests: readonly string[];
  /** Files of that kind that it writes itself where there are none. */
  readonly locks?: readonly string[];
  /** It checks or rewrites the files that it is given, which are the project's sources. */
  readonly isForSources?: true;
  /** It takes the names of scripts of `package.json`, or of programs of packages. */
  readonly isOfPackages?: true;
  /** Words after which it is given another program to run; '' if that is its first operand. */
  readonly runsAfter?: readonly string[];
  /** Its manifests hold shell code on indented lines. */
  readonly hasRecipes?: true;
}

const endings = (name: string, ends: string): string[] =>
  ends.split(' ').map((end) => `${name}.${end}`);
const scriptEnds = 'js cjs mjs ts cts mts';

const checks = (...manifests: string[]): Tool => ({ manifests, isForSources: true });

const packages: Tool = {
  manifests: [
    'package.json',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    'pnpm-workspace.yaml',
    '.pnpmfile.cjs',
    'bunfig.toml',
  ],
  locks: [
    'package-lock.json',
    'npm-shrinkwrap.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'bun.lock',
    'bun.lockb',
    '.pnp.cjs',
  ],
  isOfPackages: true,
};
const runsPackages: Tool = { ...packages, runsAfter: [''] };
const mayRunPackages: Tool = { ...packages, runsAfter: ['exec', 'x', 'dlx'] };

const python = ['pyproject.toml', 'setup.cfg', 'tox.ini'];
const environment: Tool = {
  manifests: [...python, 'uv.toml', 'noxfile.py', 'hatch.toml'],
  locks: ['uv.lock', 'poetry.lock', 'pdm.lock'],
};
const compose: Tool = {
  manifests: [
    ...endings('compose', 'yaml yml override.yaml override.yml'),
    ...endings('docker-compose', 'yaml yml override.yaml override.yml'),
    'Dockerfile',
    '.env',
  ],
};
const gradle: Tool = {
  manifests: [
    ...endings('build.gradle', 'kts'),
    ...endings('settings.gradle', 'kts'),
    'build.gradle',
    'settings.gradle',
    'gradle.properties',
    'gradle/wrapper/gradle-wrapper.properties',
    'gradle/wrapper/gradle-wrapper.jar',
  ],
};
const ruby: Tool = { manifests: ['Gemfile', 'Rakefile', '.rubocop.yml'], locks: ['Gemfile.lock'] };
const eslint = [
  ...endings('eslint.config', scriptEnds),
  '.eslintrc',
  ...endings('.eslintrc', 'js cjs yaml yml json'),
];
const prettier = [
  '.prettierrc',
  ...endings('.prettierrc', `json yml yaml json5 toml ${scriptEnds}`),
  ...endings('prettier.config', scriptEnds),
];
const make: Tool = { manifests: ['GNUmakefile', 'makefile', 'Makefile'], hasRecipes: true };
const vite = [...endings('vitest.config', scriptEnds), ...endings('vite.config', scriptEnds)];

/** Programs that are told what to run by files of the project. */
export const tools: Readonly<Record<string, Tool>> = {
  npm: mayRunPackages,
  pnpm: mayRunPackages,
  yarn: mayRunPackages,
  bun: mayRunPackages,
  corepack: runsPackages,
  npx: runsPackages,
  pnpx: runsPackages,
  bunx: runsPackages,
  'npm-run-all': packages,
  'run-s': packages,
  'run-p': packages,
  concurrently: packages,
  turbo: { ...packages, manifests: [...packages.manifests, 'turbo.json'] },
  nx: { ...packages, manifests: [...packages.manifests, 'nx.json', 'project.json'] },
  lerna: { ...packages, manifests: [...packages.manifests, 'lerna.json'] },
  'lint-staged': {
    manifests: ['package.json', '.lintstagedrc', ...endings('.lintstagedrc', `json yaml yml ${scriptEnds}`), ...endings('lint-staged.config', scriptEnds)], // prettier-ignore
  },
  make,
  gmake: make,
  just: { manifests: ['justfile', 'Justfile', '.justfile'], hasRecipes: true },
  task: { manifests: ['Taskfile', 'taskfile'].flatMap((name) => endings(name, 'yml yaml dist.yml dist.yaml')) }, // prettier-ignore
  mise: { manifests: ['mise.toml', '.mise.toml', '.tool-versions'], runsAfter: ['exec', 'x'] },
  cargo: {
    manifests: ['Cargo.toml', 'build.rs', '.cargo/config.toml', '.cargo/config', 'rust-toolchain', 'rust-toolchain.toml', ...rustfmt(), 'clippy.toml', '.clippy.toml'], // prettier-ignore
    locks: ['Cargo.lock'],
    isForSources: true,
  },
  rustfmt: checks(...rustfmt()),
  go: { manifests: ['go.mod', 'go.work'], locks: ['go.sum', 'go.work.sum'] },
  gofmt: checks(),
  goimports: checks(),
  'golangci-lint': checks('go.mod', ...endings('.golangci', 'yml yaml toml json')),
  uv: { ...environment, runsAfter: ['run'] },
  uvx: { ...environment, runsAfter: [''] },
  poetry: { ...environment, runsAfter: ['run'] },
  pdm: { ...environment, runsAfter: ['run'] },
  hatch: { ...environment, runsAfter: ['run'] },
  rye: { ...environment, runsAfter: ['run'] },
  pipenv: { manifests: ['Pipfile'], locks: ['Pipfile.lock'], runsAfter: ['run'] },
  tox: environment,
  nox: environment,
  ruff: checks('pyproject.toml', 'ruff.toml', '.ruff.toml'),
  black: checks('pyproject.toml'),
  isort: checks(...python, '.isort.cfg'),
  flake8: checks('setup.cfg', 'tox.ini', '.flake8'),
  mypy: checks(...python, 'mypy.ini', '.mypy.ini'),
  pyright: checks('pyproject.toml', 'pyrightconfig.json'),
  pylint: checks(...python, 'pylintrc', '.pylintrc'),
  pytest: checks(...python, 'pytest.ini', '.pytest.ini'),
  prettier: checks(...prettier),
  prettierd: checks(...prettier),
  eslint: checks(...eslint),
  eslint_d: checks(...eslint),
  biome: checks('biome.json', 'biome.jsonc'),
  oxlint: checks('.oxlintrc.json'),
  oxfmt: checks('.oxfmtrc.json', '.oxfmtrc.jsonc'),
  dprint: checks('dprint.json', '.dprint.json', 'dprint.jsonc'),
  standard: checks(),
  stylelint: checks('.stylelintrc', ...endings('.stylelintrc', `json yaml yml ${scriptEnds}`), ...endings('stylelint.config', scriptEnds)), // prettier-ignore
  tsc: checks('tsconfig.json'),
  'vue-tsc': checks('tsconfig.json'),
  shellcheck: checks('.shellcheckrc'),
  shfmt: checks('.editorconfig'),
  'markdownlint-cli2': checks(...endings('.markdownlint-cli2', 'jsonc yaml cjs mjs')),
  'clang-format': checks('.clang-format'),
  terraform: checks(),
  vitest: checks(...vite),
  vite: { manifests: vite },
  jest: checks(...endings('jest.config', `json ${scriptEnds}`)),
  mocha: checks(...endings('.mocharc', 'js cjs yaml yml json jsonc')),
  playwright: checks(...endings('playwright.config', scriptEnds)),
  'pre-commit': { manifests: ['.pre-commit-config.yaml'] },
  prek: { manifests: ['.pre-commit-config.yaml'] },
  lefthook: { manifests: ['lefthook', '.lefthook'].flatMap((name) => endings(name, 'yml yaml toml json')) }, // prettier-ignore
  docker: compose,
  'docker-compose': compose,
  podman: compose,
  deno: { manifests: ['deno.json', 'deno.jsonc'], locks: ['deno.lock'] },
  bundle: { ...ruby, runsAfter: ['exec'] },
  rake: ruby,
  rspec: { ...ruby, ...checks(...ruby.manifests, '.rspec') },
  rubocop: checks('.rubocop.yml'),
  composer: { manifests: ['composer.json'], locks: ['composer.lock'] },
  gradle,
  gradlew: gradle,
  mvn: { manifests: ['pom.xml', '.mvn/extensions.xml', '.mvn/jvm.config', '.mvn/maven.config'] },
  dotnet: { manifests: ['Directory.Build.props', 'Directory.Build.targets', 'global.json', 'NuGet.config'] }, // prettier-ignore
  mix: { manifests: ['mix.exs', '.formatter.exs'], locks: ['mix.lock'] },
  swift: { manifests: ['Package.swift'], locks: ['Package.resolved'] },
  cmake: { manifests: ['CMakeLists.txt', 'CMakePresets.json'] },
};

function rustfmt(): string[] {
  return ['rustfmt.toml', '.rustfmt.toml'];
}
