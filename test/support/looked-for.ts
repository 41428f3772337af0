import type { Dialect } from '../../src/core/dialects/dialect.ts';

/** Makes a dialect look for hooks where there are none: some load what their hooks need only then. */
export async function lookedFor(dialect: Dialect): Promise<void> {
  await dialect.find({
    cwd: '/dev/null',
    settings: () => [],
    ignoresProject: true,
    trusts: () => false,
    run: () => Promise.reject(new Error('there is nothing to run')),
  });
}
