#!/usr/bin/env node
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import type * as bin from './bin.ts';
import { foldersForCode, keepCompiled, readCompiled } from './compiled-code.ts';

/** The command that users run: it starts the bundle of `bin.ts` that lies beside it (see README.md). */

/** Distinguishes one build of the bundle from another; inserted by bundle.ts. */
declare const bundleId: string;

const bundle = join(__dirname, 'hookmachine-bundle.js');
const { size, mtimeMs } = statSync(bundle);
const { NODE_OPTIONS, NODE_DISABLE_COMPILE_CACHE } = process.env;

/** Distinguishes texts, without what a better hash would load. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16);
}

/** V8 itself recognises code only by its length, and refuses what was compiled under other flags. */
function nameOfCode(): string {
  const made = [bundleId, bundle, size, mtimeMs, NODE_OPTIONS, ...process.execArgv];
  const id = hashOf(JSON.stringify(made));
  return `compiled-${id}-${process.version}-${process.platform}-${process.arch}`;
}

/** The help that a command line asks for, which was written when this was built. */
function helpAskedFor([first = '', ...rest]: readonly string[]): string | undefined {
  const last = rest.at(-1) ?? first;
  const words =
    first === 'help'
      ? rest
      : ['--help', '-h'].includes(last)
        ? [first, ...rest].slice(0, -1)
        : undefined;
  const name = ['--version', '-V'].includes(first) ? 'version' : words?.join(' ');
  if (name === undefined || !/^[a-z -]*$/.test(name)) return undefined;
  try {
    return readFileSync(
      join(__dirname, 'help', `${name === '' ? 'hookmachine' : name}.txt`),
      'utf8',
    );
  } catch {
    // The program says that there is no such command.
    return undefined;
  }
}

/** Runs the bundle, from stored code if there is any. */
function runBundle(): void {
  const folders = NODE_DISABLE_COMPILE_CACHE ? [] : foldersForCode(__dirname, process.env);
  const name = nameOfCode();
  const found = readCompiled(folders, name);
  // The bundle is plain ASCII, and reading it as latin1 saves checking that.
  const script = new Script(readFileSync(bundle, 'latin1'), {
    filename: bundle,
    cachedData: found?.code,
  });
  const run = script.runInThisContext() as (
    require: NodeJS.Require,
    module: { exports: Partial<typeof bin> },
    load: (what: string) => Promise<unknown>,
  ) => void;
  const module = { exports: {} as Partial<typeof bin> };
  const isUsable = found !== undefined && script.cachedDataRejected !== true;
  if (folders.length > 0 && !(isUsable && found.withHook))
    process.once('exit', () => {
      const { hooksRun } = module.exports;
      if (hooksRun === undefined) return;
      const withHook = hooksRun > 0;
      if (!isUsable || withHook)
        keepCompiled(folders, name, { code: script.createCachedData(), withHook });
    });
  // It lies in the same folder, so a path or a package means the same to both.
  run(require, module, (what) => import(what));
}

const help = helpAskedFor(process.argv.slice(2));
if (help === undefined) runBundle();
else process.stdout.on('error', () => undefined).write(help);
