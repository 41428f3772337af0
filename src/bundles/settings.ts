import { isRecord } from '../protocol/output.ts';
import { commentKey, reserved } from '../settings/known-keys.ts';
import { type ParsedJson, parseJson } from '../settings/parse-json.ts';
import { collectProblems, type Path, type SettingsProblem } from '../settings/problem.ts';
import { BundleError } from './bundle-error.ts';

/** What the settings of a bundle say. */
export interface BundleSettings extends Pick<ParsedJson, 'locate'> {
  readonly values: Readonly<Record<string, unknown>>;
}

/** @throws {BundleError} when they are no settings */
export function readSettings(bytes: Buffer): BundleSettings {
  const parsed = parseJson(bytes.toString());
  if ('fault' in parsed || !isRecord(parsed.value))
    throw new BundleError(
      `has settings that are not valid JSON (${'fault' in parsed ? parsed.fault : 'no object'})`,
      'have its author correct and sign them',
    );
  return { values: parsed.value, locate: parsed.locate };
}

/** A bundle brings hooks, and has no say over those of others: what else its settings hold is reported. */
export function ignoredSettings(
  { values, locate }: BundleSettings,
  file: string,
): SettingsProblem[] {
  const { hooks } = values;
  const paths: Path[] = [
    ...Object.keys(values)
      .filter((key) => !['hooks', 'defaultOnFailure'].includes(key) && !commentKey.test(key))
      .map((key) => [key]),
    ...(isRecord(hooks) ? reserved.filter((key) => key in hooks).map((key) => ['hooks', key]) : []),
  ];
  return collectProblems({ file, locate }, (complain) => {
    for (const path of paths)
      complain(() => ({
        path,
        message: 'a bundle brings hooks and says what their failure means, so this was ignored',
        fix: 'take it out of the bundle',
      }));
  });
}

/** Hooks whose programs and files are those of the bundle's folder, where no shell puts it into their texts. */
export const inFolder = (hooks: unknown, folder: string): unknown =>
  eachHook(hooks, (hook) => {
    const { args, command, tokenFile, tls } = hook;
    return {
      ...hook,
      ...(Array.isArray(args) && {
        args: args.map((arg) => withFolder(arg, folder)),
        command: withFolder(command, folder),
      }),
      ...('tokenFile' in hook && { tokenFile: withFolder(tokenFile, folder) }),
      ...(isRecord(tls) && {
        tls: Object.fromEntries(
          Object.entries(tls).map(([key, path]) => [key, withFolder(path, folder)]),
        ),
      }),
    };
  });

const withFolder = (text: unknown, folder: string): unknown =>
  typeof text === 'string' ? text.replaceAll('${bundlePath}', () => folder) : text;

type Entry = Readonly<Record<string, unknown>>;

/** Whatever else than hooks stands there stays for whoever checks them. */
function eachHook(hooks: unknown, change: (hook: Entry) => Entry): unknown {
  const inGroup = (group: unknown): unknown =>
    isRecord(group) && Array.isArray(group['hooks'])
      ? { ...group, hooks: group['hooks'].map((hook) => (isRecord(hook) ? change(hook) : hook)) }
      : group;
  if (!isRecord(hooks)) return hooks;
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [
      event,
      Array.isArray(groups) ? groups.map(inGroup) : groups,
    ]),
  );
}
