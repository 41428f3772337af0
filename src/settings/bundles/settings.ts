import { isRecord } from '../../base/json.ts';
import { commentKey } from '../format/field.ts';
import { reserved } from '../format/settings-fields.ts';
import { type ParsedJson, parseJson } from '../files/parse-json.ts';
import {
  collectProblems,
  type Path,
  type SettingsProblem,
} from '../../core/definitions/problem.ts';
import { BundleError } from './bundle-error.ts';

/** The settings of a bundle. */
export interface BundleSettings extends Pick<ParsedJson, 'locate'> {
  readonly values: Readonly<Record<string, unknown>>;
}

/** @throws {BundleError} if they are not valid settings */
export function readSettings(bytes: Buffer): BundleSettings {
  const parsed = parseJson(bytes.toString());
  if ('fault' in parsed || !isRecord(parsed.value))
    throw new BundleError(
      `has settings that are not valid JSON (${'fault' in parsed ? parsed.fault : 'not an object'})`,
      'have its author correct and sign them',
    );
  return { values: parsed.value, locate: parsed.locate };
}

/**
 * Reports everything else in a bundle's settings: a bundle provides hooks and has no say over those of
 * others.
 */
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
        message: 'a bundle may only define hooks and what their failure means, so this was ignored',
        fix: 'remove it from the bundle',
      }));
  });
}

/** Resolves programs and files of hooks to the bundle's folder where no shell substitutes it. */
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

/** Changes each hook. Anything that is not a hook is left for the checks to report. */
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
