import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { changeBehind } from '../../../src/settings/trust/change-behind.ts';
import { fingerprint } from '../../../src/settings/trust/fingerprint.ts';
import { definition } from '../../support/definition.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const packageJson = (more: object = {}): string =>
  `${JSON.stringify({ name: 'demo', version: '1.0.0', scripts: { test: 'node scripts/test.mjs', lint: 'eslint src' }, dependencies: { left: '1.0.0' }, ...more }, null, 2)}\n`;
const lock = (version = '1.0.0', left = '1.0.0'): string =>
  JSON.stringify({ name: 'demo', version, lockfileVersion: 3, packages: { '': { name: 'demo', version }, 'node_modules/left': { version: left } } }); // prettier-ignore
const gitConfig = '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@host:x.git\n';

/** A project as people have them. */
const files: Readonly<Record<string, string>> = {
  'package.json': packageJson(),
  'package-lock.json': lock(),
  'pnpm-lock.yaml': 'lockfileVersion: 9\n',
  'yarn.lock': '# yarn\n',
  'bun.lock': '{}\n',
  Makefile: 'include more.mk\nguard:\n\t@sh scripts/guard.sh\n\t$(CC) src/a.c\n',
  'more.mk': 'X = 1\n',
  justfile: 'guard:\n    sh scripts/guard.sh\n',
  'Taskfile.yml': 'version: 3\n',
  'Cargo.toml': '[package]\nname = "demo"\n',
  'Cargo.lock': '# cargo\n',
  'go.mod': 'module demo\n',
  'pyproject.toml': '[tool.ruff]\n',
  'uv.lock': 'version = 1\n',
  'compose.yaml': 'services: {}\n',
  '.pre-commit-config.yaml': 'repos: []\n',
  '.prettierrc': '{}\n',
  'eslint.config.js': 'export default [];\n',
  'biome.json': '{}\n',
  'tsconfig.json': '{}\n',
  'scripts/guard.sh': '#!/bin/sh\nexit 0\n',
  'scripts/test.mjs': '0;\n',
  'hooks.d/one.sh': 'exit 0\n',
  'src/a.ts': 'export {};\n',
  'src/a.c': 'int x;\n',
  'src/main.rs': 'fn main() {}\n',
  'tests/test_a.py': 'pass\n',
  'README.md': '# Demo\n',
  '.git/config': gitConfig,
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/hooks/pre-commit': '#!/bin/sh\nsh scripts/guard.sh\n',
  ...Object.fromEntries(
    ['prettier', 'eslint', 'vitest', 'tsc', 'biome', 'lint-staged'].map((name) => [
      `node_modules/${name}/cli.js`,
      '#!/usr/bin/env node\n',
    ]),
  ),
};

let cwd = '';

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
};

beforeAll(() => {
  cwd = realpathSync(tempFolder());
  for (const [path, text] of Object.entries(files)) write(path, text);
  mkdirSync(join(cwd, 'node_modules/.bin'));
  for (const name of ['prettier', 'eslint', 'vitest', 'tsc', 'biome', 'lint-staged'])
    symlinkSync(`../${name}/cli.js`, join(cwd, 'node_modules/.bin', name));
});

/** Makes a change, looks, and takes the change back. */
async function during<T>(
  change: Readonly<Record<string, string>>,
  look: () => Promise<T>,
): Promise<T> {
  for (const [path, text] of Object.entries(change)) write(path, text);
  const seen = await look();
  for (const path of Object.keys(change))
    if (files[path] === undefined) rmSync(join(cwd, path));
    else write(path, files[path]);
  return seen;
}

/** What agents and formatters do all day, `install` too: none of it revokes trust. */
const everyday: readonly Readonly<Record<string, string>>[] = [
  {
    // Sources.
    'src/a.ts': 'export const a = 1;\n',
    'src/main.rs': '//\n',
    'src/a.c': '//',
    'tests/test_a.py': '1\n',
    'src/b.ts': '1;\n',
    'test/b.test.ts': '1;\n',
    'docs/x.md': 'x',
    'README.md': 'more\n',
    // A commit and a branch.
    '.git/HEAD': 'x\n',
    '.git/index': 'x',
    '.git/logs/HEAD': 'x',
    '.git/refs/heads/x': 'x',
    '.git/COMMIT_EDITMSG': 'x',
    '.git/config': `${gitConfig}[branch "x"]\n\tremote = origin\n\tmerge = refs/heads/x\n`,
    // Entries that call hookmachine.
    '.claude/settings.json': '{"hooks":{}}',
    '.codex/hooks.json': '{}',
    // A new version.
    'package.json': packageJson({ version: '1.0.1' }),
    'package-lock.json': lock('1.0.1'),
  },
  // Another layout.
  { 'package.json': JSON.stringify(JSON.parse(packageJson())) },
];

/** What decides what a command runs. */
const deciding: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  script: { 'package.json': packageJson({ scripts: { test: 'true', lint: 'true' } }) },
  dependency: { 'package.json': packageJson({ devDependencies: { right: '1' } }) },
  lock: { 'package-lock.json': lock('1.0.0', '6.6.6') },
  bin: { 'node_modules/prettier/cli.js': 'swapped\n', 'node_modules/eslint/cli.js': 'swapped\n', 'node_modules/vitest/cli.js': 'swapped\n', 'node_modules/tsc/cli.js': 'swapped\n', 'node_modules/biome/cli.js': 'swapped\n', 'node_modules/lint-staged/cli.js': 'swapped\n' }, // prettier-ignore
  tested: { 'scripts/test.mjs': 'process.exit(0);\n' },
  guard: { 'scripts/guard.sh': 'exit 1\n' },
  make: { Makefile: 'guard:\n\ttrue\n' },
  included: { 'more.mk': 'X = 2\n' },
  just: { justfile: 'guard:\n    true\n' },
  task: { 'Taskfile.yml': 'version: 4\n' },
  cargo: { 'Cargo.toml': '[package]\nbuild = "evil.rs"\n' },
  cargoLock: { 'Cargo.lock': '# other\n' },
  go: { 'go.mod': 'module other\n' },
  python: { 'pyproject.toml': '[tool.other]\n' },
  uvLock: { 'uv.lock': 'version = 2\n' },
  shadow: { 'pytest.py': 'pass\n' },
  compose: { 'compose.yaml': 'services: { x: {} }\n' },
  precommit: { '.pre-commit-config.yaml': 'repos: [x]\n' },
  prettierrc: { '.prettierrc': '{"plugins":["./evil.js"]}\n' },
  eslint: { 'eslint.config.js': 'evil();\n' },
  alias: { '.git/config': `${gitConfig}[alias]\n\tlint = !sh evil.sh\n` },
  fsmonitor: { '.git/config': `${gitConfig}[core]\n\tfsmonitor = ./evil.sh\n` },
  gitHook: { '.git/hooks/pre-push': 'evil\n' },
  hook: { '.git/hooks/pre-commit': 'evil\n' },
  more: { 'hooks.d/two.sh': 'exit 0\n' },
  npmrc: { '.npmrc': 'script-shell=./evil.sh\n' },
  gnu: { GNUmakefile: 'guard:\n\ttrue\n' },
  target: { guard: '' },
};

/** One-line hooks as people write them, and what revokes trust in them. */
const lines: readonly (readonly [line: string, ...revoking: string[]])[] = [
  ['jq -r .tool_input.file_path | xargs npx prettier --write', 'bin', 'lock', 'script', 'dependency', 'prettierrc', 'npmrc'], // prettier-ignore
  ['jq -r .tool_input.file_path | xargs -I {} npx prettier --write {}', 'bin', 'prettierrc'],
  ['f=$(jq -r .tool_input.file_path); npx eslint --fix "$f"', 'bin', 'eslint', 'lock'],
  ['npx prettier --write README.md src', 'bin', 'prettierrc'],
  ['npx --yes prettier@3 --check .', 'bin', 'prettierrc'],
  ['npx @biomejs/biome check --write .', 'bin', 'lock'],
  ['npx tsc --noEmit', 'bin', 'lock'],
  ['npx lint-staged', 'bin', 'script'],
  ['npm test', 'script', 'dependency', 'lock', 'tested', 'npmrc'],
  ['npm test 2>&1 | tail -20 >&2 || exit 2', 'script', 'tested'],
  ['npm run lint --silent', 'script', 'bin', 'eslint'],
  ['npm run -s lint && npm test', 'script', 'bin', 'tested'],
  ['npm exec -- eslint .', 'bin', 'eslint'],
  ['pnpm lint', 'script', 'bin'],
  ['pnpm exec prettier -w .', 'bin', 'prettierrc'],
  ['pnpm dlx prettier .', 'bin', 'lock'],
  ['yarn test', 'script', 'tested', 'lock'],
  ['yarn run lint', 'script', 'bin'],
  ['bun test', 'script', 'lock'],
  ['bun run lint', 'script', 'bin'],
  ['bunx prettier --write .', 'bin', 'prettierrc'],
  ['node --run test', 'script', 'tested'],
  ['node_modules/.bin/eslint src', 'bin', 'eslint'],
  ['./node_modules/.bin/prettier --write "$FILE"', 'bin', 'prettierrc'],
  ['PATH=node_modules/.bin:$PATH prettier --check .', 'bin', 'prettierrc'],
  ['make guard', 'make', 'included', 'guard', 'gnu', 'target'],
  ['make -s guard >/dev/null || { echo no >&2; exit 2; }', 'make', 'included', 'guard'],
  ['make -f more.mk', 'included'],
  ['just guard', 'just', 'guard'],
  ['task guard', 'task'],
  ['cargo fmt', 'cargo', 'cargoLock'],
  ['cargo test --quiet', 'cargo', 'cargoLock'],
  ['cargo clippy -- -D warnings', 'cargo'],
  ['go vet ./...', 'go'],
  ['gofmt -w .'],
  ['python -m pytest -q', 'python', 'shadow'],
  ['python3 -m pytest tests/test_a.py', 'python', 'shadow'],
  ['uv run pytest', 'python', 'uvLock'],
  ['uv run ruff format .', 'python', 'uvLock'],
  ['poetry run pytest', 'python'],
  ['ruff check --fix src', 'python'],
  ['black .', 'python'],
  ['prettier --write src/a.ts', 'prettierrc'],
  ['eslint src/a.ts', 'eslint'],
  ['git diff --quiet', 'alias', 'fsmonitor', 'hook', 'gitHook'],
  ['git add -A && git commit -qm wip', 'alias', 'hook', 'gitHook', 'guard'],
  ['git stash push -u', 'fsmonitor'],
  ['test -z "$(git status --porcelain)" || exit 2', 'alias', 'fsmonitor'],
  ['git diff --name-only | xargs npx prettier --write', 'alias', 'bin', 'prettierrc'],
  ['for f in $(git diff --name-only); do npx prettier --write "$f"; done', 'bin', 'alias'],
  ['pre-commit run --all-files', 'precommit'],
  ['docker compose run --rm lint', 'compose'],
  ['jq -e .tool_input.command >/dev/null'],
  ['scripts/guard.sh', 'guard'],
  ['./scripts/guard.sh --strict', 'guard'],
  ["bash -c 'sh scripts/guard.sh'", 'guard'],
  ['env X=1 CI=true npm test', 'script', 'tested'],
  ['timeout 60 npm test', 'script', 'tested'],
  ['cd . && npm test', 'script', 'tested'],
  ['find src -name "*.ts" -exec npx prettier --write {} +', 'bin', 'prettierrc'],
  ['for f in hooks.d/*.sh; do sh "$f"; done', 'more'],
  ['run-parts hooks.d', 'more'],
  ['unknown-formatter --write src'],
];

describe('a one-line hook stays trusted while only what it works on changes', () => {
  test('enough of them are tried', () => {
    expect(lines.length).toBeGreaterThan(40);
  });

  test.each(lines)('%s', async (line, ...revoking) => {
    const script = 'run.sh';
    const whole = { [script]: `${line}\n` };
    await during(whole, async () => {
      for (const command of [line, `sh ${script}`]) {
        const trusted = await fingerprint(definition('BeforeTool', { command }), cwd);
        const changed = (): Promise<string | undefined> => changeBehind(trusted, cwd);
        for (const change of everyday) expect(await during(change, changed)).toBe(undefined);
        for (const name of revoking)
          expect([name, await during(deciding[name]!, changed)]).toEqual([
            name,
            expect.stringMatching(/ (?:has changed|is new) since you trusted it$/),
          ]);
      }
    });
  });

  test('what revokes trust names the file, and a bin that leads elsewhere is one', async () => {
    const trusted = await fingerprint(
      definition('BeforeTool', { command: 'npx prettier -w .' }),
      cwd,
    );
    const changed = (): Promise<string | undefined> => changeBehind(trusted, cwd);
    expect(await during(deciding['script']!, changed)).toBe(
      '"package.json", which says what it runs, has changed since you trusted it',
    );
    const bin = join(cwd, 'node_modules/.bin/prettier');
    rmSync(bin);
    symlinkSync('../eslint/cli.js', bin);
    expect(await changed()).toBe(
      '"node_modules/.bin/prettier", which says what it runs, points to a different file than when you trusted it',
    );
    rmSync(bin);
    symlinkSync('../prettier/cli.js', bin);
    expect(readFileSync(bin, 'utf8')).toBe(files['node_modules/prettier/cli.js']);
  });
});
