import type { TestOptions } from './policy-look.ts';
import type { PlaceOptions } from './policy-work.ts';
import type { Command } from 'commander';

/** `hookmachine policy`: signed bundles of hooks. */
export function addPolicy(program: Command): void {
  const policy = program
    .command('policy')
    .description('install signed bundles of hooks, settings and tests, and make them');
  addInstalling(policy);
  addLooking(policy);
  addMaking(policy);
}

const system = [
  '--system',
  "at system level, as an administrator (default: at the user's)",
] as const;
const toLower = ['--to-lower', 'let a lower version replace a higher one'] as const;

function addInstalling(policy: Command): void {
  policy
    .command('add')
    .argument('<from>', 'a folder, a .tgz, or the https:// address of one')
    .description('verify a bundle, run its own tests, and install it')
    .option(...system)
    .option(...toLower)
    .addHelpText(
      'after',
      `
Nothing of a bundle runs unless it is signed by someone who is trusted here, through a line in
~/.hookmachine/allowed_signers or /etc/hookmachine/allowed_signers in the format of ssh-keygen.

Example:
  hookmachine policy add https://policies.example.com/acme-guards.tgz`,
    )
    .action(async (from: string, options: PlaceOptions) =>
      (await import('./policy-install.ts')).add(from, options),
    );
  policy
    .command('update')
    .argument('[names...]', 'bundles (default: all that are installed at this level)')
    .description('fetch bundles from where they were added, and install those that are newer')
    .option(...system)
    .option(...toLower)
    .addHelpText(
      'after',
      `
A new version is verified and runs its own tests alongside the old one, and replaces it in one step. If anything
fails, the old one stays.
Exit status: 0 all are up to date, 1 at least one could not be updated.`,
    )
    .action(async (names: readonly string[], options: PlaceOptions) =>
      (await import('./policy-install.ts')).update(names, options),
    );
  policy
    .command('remove')
    .argument('<name>', 'the bundle')
    .description('remove a bundle')
    .option(...system)
    .action(async (name: string, options: PlaceOptions) =>
      (await import('./policy-install.ts')).removeOne(name, options),
    );
}

function addLooking(policy: Command): void {
  policy
    .command('list')
    .description('show which bundles are installed, who signed them, and whether they run')
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: true }) =>
      (await import('./policy-look.ts')).list(options),
    );
  policy
    .command('verify')
    .argument(
      '[bundles...]',
      'names, folders, archives or addresses (default: all that are installed)',
    )
    .description('say whether bundles are unchanged since someone who is trusted here signed them')
    .option(...system)
    .option('--json', 'print JSON: a list of bundle, version, signer and problem')
    .addHelpText('after', '\nExit status: 0 all are, 1 at least one is not.')
    .action(async (bundles: readonly string[], options: PlaceOptions & { readonly json?: true }) =>
      (await import('./policy-look.ts')).verify(bundles, options),
    );
  policy
    .command('test')
    .argument('<bundle>', 'a name, a folder, an archive or an address')
    .description(
      "run a bundle's own tests, in an empty project and with no hooks other than its own",
    )
    .option(...system)
    .option('--unsigned', 'it is a folder of yours that is not signed yet')
    .option('--json', 'print JSON: a list of file, line, name, durationMs and lines')
    .addHelpText('after', '\nExit status: 0 all passed, 1 at least one did not.')
    .action(async (bundle: string, options: TestOptions) =>
      (await import('./policy-look.ts')).test(bundle, options),
    );
}

function addMaking(policy: Command): void {
  policy
    .command('sign')
    .argument(
      '<folder>',
      `a folder with a bundle.json: { "name": "my-guards", "version": "1.0.0" }`,
    )
    .description('write the list of its files into bundle.json, and sign that with ssh-keygen')
    .requiredOption('--key <file>', 'an Ed25519 key, or the public part of one that an agent holds')
    .action(async (folder: string, options: { readonly key: string }) =>
      (await import('./policy-make.ts')).sign(folder, options),
    );
  policy
    .command('pack')
    .argument('<folder>', 'a signed bundle')
    .description('write a signed bundle as one .tgz')
    .option('-o, --output <file>', 'the file (default: NAME-VERSION.tgz)')
    .action(async (folder: string, options: { readonly output?: string }) =>
      (await import('./policy-make.ts')).pack(folder, options),
    );
}
