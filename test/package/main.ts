import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { installInto, pack } from './install.ts';

/*
 * `npm run package`: packs the package, installs it into an empty project, checks what was packed, and runs all
 * cases of dialects, handlers, settings and relays through the installed command, and the tables of which the
 * other test run tries only a part. `npm run package -- 1/2` runs the first half of those cases.
 */

/** Whose tests run again. Those that start no command and fire no event would only take time. */
const cases = ['built', 'hosts', 'handlers', 'settings/files'].flatMap((folder) =>
  readdirSync(join('test', folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => file.endsWith('.test.ts') && !/^(?:install|process|serve|system)\//.test(file),
    )
    .map((file) => join('test', folder, file))
    .filter((file) =>
      /support\/(?!answers|cpu-time|definition)|run-handler/.test(readFileSync(file, 'utf8')),
    ),
);
const tables = ['attacks/hostile-handlers', 'cli/launcher/denials'].map(
  (name) => `test/${name}.test.ts`,
);
const checks = ['bundles', 'package', 'types'].map((name) => `test/package/${name}.test.ts`);

/** Whether these test files pass. */
async function pass(
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const options = { env, stdio: 'inherit', reject: false } as const;
  const { exitCode } = await execa('npx', ['--no-install', 'vitest', 'run', ...files], options);
  return exitCode === 0;
}

const [share] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'hookmachine-package-'));
process.exitCode = 1;
try {
  const tarball = await pack(folder);
  const project = await installInto(folder, tarball);
  // What is packed is checked with what npm installs, and nothing beside it.
  const isWellPacked = await pass(checks, { PACKAGE: tarball });
  // Cases of policies need the package that judges by them.
  cpSync('node_modules/@cedar-policy', join(project, 'node_modules/@cedar-policy'), {
    recursive: true,
  });
  const doCasesPass = await pass([...cases, ...tables, ...(share ? [`--shard=${share}`] : [])], {
    INSTALLED: realpathSync(join(project, 'node_modules/.bin/hookmachine')),
  });
  process.exitCode = isWellPacked && doCasesPass ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
