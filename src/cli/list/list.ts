import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { lookAtBundles } from '../../settings/bundles/look-at-bundles.ts';
import { bundlePlaces } from '../../settings/files/levels.ts';
import type { LeftBehind } from '../../../machines/hook-process.ts';
import type { Command } from 'commander';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { HookRegistry } from '../../hosts/system/hook-registry.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { hookEventNames } from '../../core/protocol/events.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { dialectsOption } from '../parts/dialects-option.ts';
import { managedFiles, requiredBundles } from '../../hosts/relay/managed-here.ts';
import { bundleToJson, describeBundle } from '../parts/describe-bundle.ts';
import { type Colours, painted } from '../parts/paint.ts';
import { printable, printableJson } from '../parts/printable.ts';
import type { Untrusted } from '../../workbench/check/check-hooks.ts';
import { lookAtHooks, type ListedHook } from '../../workbench/parts/look-at-hooks.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { describeEverywhere, findEverywhere } from './list-all.ts';

interface Options {
  readonly cwd: string;
  readonly dialects?: readonly Dialect[];
  readonly json?: true;
  readonly all?: true;
}

/** `hookmachine list`: what is configured, and what was discarded. */
export function addList(program: Command): void {
  program
    .command('list')
    .description('show every configured hook, where it comes from, and what was discarded and why')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--json', 'print JSON')
    .option(
      '--all',
      'show every hook of every agent by file, also in the other projects that you trust',
    )
    .option(...dialectsOption)
    .action(async ({ cwd, dialects = presentDialects, json, all }: Options) => {
      const folder = projectFolder(cwd);
      if (all) return listAll(folder, dialects, json);
      const { config, registry, hooks, unasked } = await lookAtHooks(folder, dialects);
      const enabled = config.getEnableHooks();
      const { problems } = registry;
      const { states: bundles } = lookAtBundles(bundlePlaces(), requiredBundles());
      const managed = managedFiles();
      process.stdout.write(
        json
          ? `${printableJson({ enabled, hooks: hooks.map(toJson), ...(unasked.length > 0 && { unasked: unasked.map(unaskedToJson) }), ...(bundles.length > 0 && { bundles: bundles.map(bundleToJson) }), ...(managed.length > 0 && { managed }), discarded: problems.map((problem) => ({ ...problem, text: formatProblem(problem) })) }, 2)}\n`
          : painted(
              describe(config, registry, hooks, unasked, [
                ...section('Bundles', bundles.flatMap(describeBundle)),
                ...section('Managed', managed.flatMap(describeManaged)),
                ...section('Problems', problems.map(formatProblem)),
              ]),
              colours,
            ),
      );
    });
}

const colours: Colours = [
  [/^ {4}(?:skipped|blocks) |^ {2}.*\((?:disabled|not trusted|switched off)|^Problems$/, 'yellow'],
  [/^\S/, 'bold'],
];

async function listAll(
  folder: string,
  dialects: readonly Dialect[],
  json: true | undefined,
): Promise<void> {
  const found = await findEverywhere(folder, dialects);
  process.stdout.write(
    json
      ? `${printableJson({ hooks: found }, 2)}\n`
      : `${describeEverywhere(found)
          .map((line) => printable(line.replaceAll('\n', String.raw`\n`)))
          .join('\n')
          .trimEnd()}\n`,
  );
}

const toJson = ({ env: _, sequential, ...hook }: ListedHook) => ({
  ...hook,
  onFailure: hook.onFailure ?? 'allow',
  mode: modeOf({ sequential }),
});

const unaskedToJson = ({ name, command, source, untrusted }: UnaskedHook & Untrusted) => ({
  name,
  command,
  source,
  ...(untrusted && { untrusted }),
});

const modeOf = ({ sequential }: Pick<ListedHook, 'sequential'>) =>
  sequential ? 'sequential' : 'parallel';

function describe(
  config: HookSystemConfig,
  registry: HookRegistry,
  hooks: readonly ListedHook[],
  unasked: readonly (UnaskedHook & Untrusted)[],
  sections: readonly string[],
): string {
  const lines: string[] = [];
  const isOn = config.getEnableHooks();
  const ofSettings = hooks.filter(({ dialect }) => registry.dialects.get(dialect)!.needsSwitch);
  const areAllOff = ofSettings.length > 0 && ofSettings.every(({ switchedOff }) => switchedOff);
  const areThere = hooks.length + unasked.length > 0;
  if (areThere && (!isOn || areAllOff))
    lines.push(
      `${isOn ? "The settings' hooks" : 'Hooks'} are off. ${ofSettings.length > 0 ? 'Set "tools": { "enableHooks": true } in settings.json; a false there' : 'Remove the false value of hooksConfig.enabled, tools.enableHooks or enableHooks in settings.json: it'} switches off hooks of its own level and of weaker ones: system, user, project, extensions.`,
      '',
    );
  if (!areThere) lines.push('No hooks are configured.', '');
  for (const event of new Set([...hookEventNames, ...hooks.map((hook) => hook.event)])) {
    const own = hooks.filter((hook) => hook.event === event);
    if (own.length === 0) continue;
    lines.push(titleOf(event, own));
    // One by one: a call takes only so many arguments.
    for (const hook of own)
      lines.push(...describeHook(hook, registry.matcherOf(hook), isOn && !areAllOff));
    lines.push('');
  }
  if (unasked.length > 0) {
    lines.push('Unknown events');
    for (const hook of unasked) lines.push(...describeUnasked(hook));
    lines.push('');
  }
  return `${[...lines, ...sections]
    .map((line) => printable(line.replaceAll('\n', String.raw`\n`)))
    .join('\n')
    .trimEnd()}\n`;
}

/** An event, as its hooks call it. */
function titleOf(event: string, hooks: readonly ListedHook[]): string {
  const names = [...new Set(hooks.map(({ nativeEvent }) => nativeEvent ?? event))];
  return names.length === 1
    ? names[0]!
    : `${event} (${names.filter((name) => name !== event).join(', ')})`;
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];

/** What an administrator's file manages, as written there. */
const describeManaged = ({ file, managed }: ReturnType<typeof managedFiles>[number]): string[] => [
  file,
  ...Object.entries(managed).map(([key, value]) => `  ${key.padEnd(16)}  ${inWords(value)}`),
];

/** A list of texts is easier to read without its quotes. */
const inWords = (value: unknown): string =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? value.join(', ')
    : JSON.stringify(value);

/** What happens to the processes that a hook leaves behind. */
const leaves: Readonly<Record<LeftBehind, string>> = {
  'end-group': 'daemons; its process group is ended',
  end: 'nothing: daemons are ended too',
  leave: 'what it started, still running',
};

function describeHook(hook: ListedHook, matcher: string | undefined, areSomeOn: boolean): string[] {
  const { bundle, description, dialect, file, isHidden, name, onFailure, place, source } = hook;
  const { timeout, type, untrusted } = hook;
  const where = [file, place].filter((part) => part !== undefined && part !== '');
  return [
    `  ${name}${hook.enabled ? '' : ' (disabled)'}${hook.switchedOff && areSomeOn ? ' (switched off)' : ''}${type === 'plugin' ? ' (a plugin: it cannot run)' : ''}${untrusted ? ' (not trusted)' : ''}${isHidden ? ' (hidden: a duplicate takes precedence)' : ''}`,
    ...(description === undefined ? [] : [`    ${description}`]),
    ...whatRuns(hook),
    ...(matcher === undefined ? [] : [`    matcher  ${matcher}`]),
    ...(hook.if === undefined ? [] : [`    if       ${hook.if}`]),
    ...(hook.once ? ['    once     per session'] : []),
    ...(hook.idempotent ? ['    again    after it was cut off, in durable calls'] : []),
    ...(hook.async ? ['    async    not waited for'] : []),
    `    mode     ${modeOf(hook)}`,
    `    timeout  ${timeout} ms`,
    `    dialect  ${dialect}`,
    `    ${source.padEnd(8)} ${where.join(' ')}`,
    ...(bundle
      ? [`    bundle   ${bundle.name} ${bundle.version}, signed by ${bundle.signer}`]
      : []),
    ...(onFailure === 'block' ? ['    failure  blocks'] : []),
    ...(hook.leftBehind ? [`    leaves   ${leaves[hook.leftBehind]}`] : []),
    ...(hook.prestart ? ['    start    ahead of its event'] : []),
    ...(untrusted
      ? [
          `    ${onFailure === 'block' ? 'blocks  ' : 'skipped '} ${untrusted.why}; ${untrusted.fix}`,
        ]
      : []),
  ];
}

/** What a hook runs or asks, labelled with its type, unless its name already says it all. */
function whatRuns({ args, command, name, type }: ListedHook): string[] {
  if (command === '' || (type === 'command' && command === name && args === undefined)) return [];
  const given = args === undefined ? '' : ` ${JSON.stringify(args)}`;
  return [`    ${type.padEnd(8)} ${command}${given}`];
}

const describeUnasked = ({ name, command, untrusted }: UnaskedHook & Untrusted): string[] => [
  `  ${name}`,
  `    command  ${command}`,
  ...(untrusted ? [`    skipped  ${untrusted.why}; ${untrusted.fix}`] : []),
];
