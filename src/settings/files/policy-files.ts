import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { isFolder } from '../../base/folders.ts';

/** The part of a hook that says where its policies are. */
export interface CedarHook {
  readonly command: string;
  readonly entities?: string | undefined;
}

/** A text with the name under which people know it. */
export interface PolicyText {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

/** The limits of what is read. */
const mostFiles = 500;
const mostBytes = 4_000_000;

/**
 * Returns a hook whose paths mean what its author meant: relative to its bundle, to the project for a project's
 * hook, and to the settings file's folder for all others, so that no project can put its own policies in place of
 * a user's.
 */
export function locatedPolicies(hook: HookDefinition): HookDefinition {
  const { env, file, source, command, schema, entities } = hook;
  const folder =
    env['bundlePath'] ?? (source === 'project' || file === undefined ? undefined : dirname(file));
  if (folder === undefined) return hook;
  return {
    ...hook,
    command: resolve(folder, command),
    ...(schema !== undefined && { schema: resolve(folder, schema) }),
    ...(entities !== undefined && { entities: resolve(folder, entities) }),
  };
}

/** The files of a hook's policies, in order. */
export function policyFiles(hook: CedarHook, cwd: string): string[] {
  const at = resolve(cwd, hook.command);
  if (!isFolder(at)) return [at];
  return readdirSync(at, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) === '.cedar')
    .toSorted()
    .slice(0, mostFiles + 1)
    .map((name) => join(at, name));
}

/** All files that decide what a hook answers. */
export function filesOf(hook: CedarHook, cwd: string): string[] {
  const { entities } = hook;
  return [...policyFiles(hook, cwd), ...(entities === undefined ? [] : [resolve(cwd, entities)])];
}

/** @throws an error that names the file or folder that has no policies, or too many */
export function readPolicies(hook: CedarHook, cwd: string): PolicyText[] {
  const files = policyFiles(hook, cwd);
  if (files.length === 0)
    throw new Error(`there is no file with the ending .cedar in ${resolve(cwd, hook.command)}`);
  if (files.length > mostFiles)
    throw new Error(
      `there are more than ${mostFiles} files of policies in ${resolve(cwd, hook.command)}`,
    );
  return files.map((path) => ({ path, name: basename(path), text: readText(path) }));
}

/** @throws an error that names the file and what is wrong with it */
export function readText(path: string): string {
  try {
    if (statSync(path).size <= mostBytes) return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be read (${code}); write the path of policies that exist`, {
      cause,
    });
  }
  throw new Error(`${path} is larger than 4 MB; split it`);
}
