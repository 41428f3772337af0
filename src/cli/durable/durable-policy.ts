import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { readManifest, manifestName, settingsName } from '../../settings/bundles/manifest.ts';
import type { PolicyUse, PushedPolicy } from '../../durable/policies.ts';
import type { DurableRecords } from '../../durable/records.ts';
import { withRecords } from '../parts/durable-options.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { judgeFiles } from '../policy/policy-tests.ts';
import { about, placeOf, sayTests, testsIn, verifiedFrom } from '../policy/policy-work.ts';
import { type AsOption, asOption } from '../parts/as-option.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';

const json = ['--json', 'print JSON'] as const;

interface UseOptions extends AsOption {
  readonly share?: string;
}

interface JsonOption {
  readonly json?: true;
}

/** `hookmachine durable policy`: signed bundles that all hosts of a database run as the system's hooks. */
export function addDurablePolicy(durable: Command): void {
  const policy = durable
    .command('policy')
    .description('choose the signed bundles by which all hosts of the database judge calls');
  policy
    .command('push')
    .argument('<from>', 'a folder, a .tgz, or the https:// address of one')
    .description("verify a bundle, run its own tests, and store it; no host uses it before 'use'")
    .option(...asOption)
    .action((from: string, { as: by = userInfo().username }: AsOption) =>
      withRecords((records) => push(records, from, by)),
    );
  policy
    .command('use')
    .argument('<policy>', 'such as acme-guards@1.2.0, or acme-guards@none to use none')
    .description('have every host judge calls by it from the next call on')
    .option(
      '--share <percent>',
      'only on so many of a hundred machines; the others keep to what was used before (default: 100)',
    )
    .option(...asOption)
    .action((given: string, { as: by = userInfo().username, share: percent }: UseOptions) =>
      withRecords(async ({ policies }) => {
        const [name, version] = nameAndVersion(given);
        if (version === undefined) throw new CommandFailure(`${given}: say which version, as ${name}@1.2.0 or ${name}@none`); // prettier-ignore
        const share = shareOf(percent);
        await policies.use(name, version === 'none' ? undefined : version, by, { share });
        const where = share === 100 ? '' : ` on ${share} % of the machines`;
        print(printable(version === 'none' ? `no ${name} is used${where}\n` : `${name} ${version} is used${where}\n`)); // prettier-ignore
      }),
    );
  policy
    .command('list')
    .description('list what was pushed, and what is used')
    .option(...json)
    .action((options: JsonOption) =>
      withRecords(async ({ policies }) => {
        const all = await policies.list();
        if (options.json) return print(`${printableJson(all, 2)}\n`);
        print(printable(all.length === 0 ? 'nothing was pushed\n' : all.map(line).join('')));
      }),
    );
  policy
    .command('show')
    .argument('<policy>', 'such as acme-guards, for the version that is used, or acme-guards@1.2.0')
    .description(
      'show a policy: who signed and pushed it, its files and hooks, and when it was used',
    ) // prettier-ignore
    .option(...json)
    .action((given: string, options: JsonOption) =>
      withRecords((records) => show(records, given, options)),
    );
}

async function push({ policies }: DurableRecords, from: string, by: string): Promise<void> {
  const { files, ...verified } = await about(from, () => verifiedFrom(from, placeOf({})));
  const { name, version } = verified.manifest;
  const judged = await about(from, () => judgeFiles(files, 'system'));
  if (sayTests(judged) > 0)
    throw new CommandFailure(`${from} fails its own tests, so it was not pushed; ask its author to correct it`); // prettier-ignore
  const { isNew } = await policies.push(verified, files, by);
  const done = isNew ? 'was pushed' : 'is there already';
  print(printable(`${name} ${version}, signed by ${verified.signer.name}, ${done}; ${testsIn(judged)}\nto use it: hookmachine durable policy use ${name}@${version}\n`)); // prettier-ignore
}

async function show(
  { policies }: DurableRecords,
  given: string,
  options: JsonOption,
): Promise<void> {
  const [name, version] = nameAndVersion(given);
  const all = (await policies.list()).filter((one) => one.name === name);
  const found = all.find((one) => (version === undefined ? one.isUsed : one.version === version));
  if (found === undefined)
    throw new CommandFailure(
      all.length === 0
        ? `there is no policy ${name}: hookmachine durable policy list shows the existing ones`
        : `${version === undefined ? `no ${name} is used` : `there is no ${name} ${version}`}: there is ${all.map((one) => `${name}@${one.version}`).join(', ')}`,
    );
  const [files, uses] = await Promise.all([policies.files(found.digest), policies.uses(name)]);
  const settings = files.get(settingsName)?.bytes.toString() ?? '';
  const { description } = readManifest(files.get(manifestName)?.bytes ?? Buffer.alloc(0));
  const listed = [...files].map(([path, { bytes, mode }]) => ({ path, bytes: bytes.length, mode }));
  if (options.json)
    return print(`${printableJson({ ...found, description, files: listed, settings, uses }, 2)}\n`);
  print(
    printable(
      [
        line(found).trimEnd(),
        ...(description === undefined ? [] : [`  ${description}`]),
        `  digest ${found.digest}`,
        ...listed.map(({ path, bytes, mode }) => `  ${mode}  ${path}  ${bytes} bytes`),
        ...uses.map(useLine),
        settings,
      ].join('\n'),
    ),
  );
}

/** @throws {CommandFailure} if it is not a percentage */
function shareOf(given = '100'): number {
  const [, digits] = /^(\d{1,3})%?$/.exec(given) ?? [];
  const share = Number(digits);
  if (share >= 1 && share <= 100) return share;
  throw new CommandFailure(`--share ${given}: make it a percentage from 1 to 100`);
}

function nameAndVersion(given: string): [name: string, version: string | undefined] {
  const [, name = given, version] = /^([^@]+)@(.+)$/.exec(given) ?? [];
  return [name, version];
}

const line = ({
  name,
  version,
  isUsed,
  share,
  signer,
  pushedBy,
  role,
  pushedAt,
}: PushedPolicy): string =>
  `${name}@${version}  ${isUsed ? `used${share === undefined ? '' : ` on ${share} %`}` : 'not used'}  signed by ${signer}, pushed by ${pushedBy ?? 'an unnamed user'} (role ${role}) at ${pushedAt.toISOString()}\n`;

const useLine = ({ version, share, by, role, at }: PolicyUse): string =>
  `  ${at.toISOString()}  ${version ?? 'none'} was put into use${share === undefined ? '' : ` on ${share} %`} by ${by ?? 'an unnamed user'} (role ${role})`;
