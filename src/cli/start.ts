#!/usr/bin/env node
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import type * as bin from './bin.ts';

/*
 * The command that users run: it starts the bundle of `bin.ts` that lies beside it.
 *
 * Agents start the command for every event, and most of its time goes into compiling. Node 20 keeps no
 * compiled code, so the first `fire`, and the first with a hook, keep what V8 has made by their end:
 * beside the bundle, where nobody can write who could not change the bundle as well, and not in a folder
 * for caches, which sandboxes leave open. Where that cannot be written every run compiles, as with
 * `NODE_DISABLE_COMPILE_CACHE` in the environment, Node's own word for it.
 */

/** Tells one build of the bundle from another; put in place by scripts/bundle.ts. */
declare const bundleId: string;

const bundle = join(__dirname, 'hookmachine-bundle.js');
const { size, mtimeMs } = statSync(bundle);
const { NODE_OPTIONS, NODE_DISABLE_COMPILE_CACHE } = process.env;

/** V8 itself knows code again by its length alone, and refuses what was compiled under other flags. */
function pathOfKept(): string {
  const made = [bundleId, size, mtimeMs, NODE_OPTIONS, ...process.execArgv];
  const id = crc32(JSON.stringify(made)).toString(16);
  return join(__dirname, `compiled-${id}-${process.version}-${process.platform}-${process.arch}`);
}

interface Compiled {
  readonly code: Buffer;
  /** Whether by a run with a hook, which needs more of it. */
  readonly withHook: boolean;
}

/** What follows the code in the file: its checksum, for V8 ends the process over code that was damaged, and one byte for `withHook`. */
const trailerSize = 5;

function readKept(kept: string): Compiled | undefined {
  try {
    const file = readFileSync(kept);
    const end = file.length - trailerSize;
    const code = file.subarray(0, end);
    if (crc32(code) === file.readUInt32LE(end)) return { code, withHook: file[end + 4] === 1 };
    rmSync(kept);
  } catch {
    // There is none, or none that can be read.
  }
  return undefined;
}

function keep(kept: string, { code, withHook }: Compiled): void {
  const trailer = Buffer.alloc(trailerSize);
  trailer.writeUInt32LE(crc32(code));
  trailer[4] = withHook ? 1 : 0;
  const draft = `${kept}.${process.pid}`;
  try {
    writeFileSync(draft, Buffer.concat([code, trailer]), { mode: 0o644, flag: 'wx' });
    renameSync(draft, kept);
  } finally {
    rmSync(draft, { force: true });
  }
}

const kept = NODE_DISABLE_COMPILE_CACHE ? undefined : pathOfKept();
const found = kept === undefined ? undefined : readKept(kept);
// It is plain ASCII, and read in this way nobody has to find that out.
const script = new Script(readFileSync(bundle, 'latin1'), {
  filename: bundle,
  cachedData: found?.code,
});
const run = script.runInThisContext() as (
  require: NodeJS.Require,
  module: { exports: Partial<typeof bin> },
  filename: string,
  load: (path: string) => Promise<unknown>,
) => void;
const module = { exports: {} as Partial<typeof bin> };
const isOfUse = found !== undefined && script.cachedDataRejected !== true;
if (kept !== undefined && !(isOfUse && found.withHook))
  process.once('exit', () => {
    const { hooksRun } = module.exports;
    if (hooksRun === undefined) return;
    const withHook = hooksRun > 0;
    try {
      if (!isOfUse || withHook) keep(kept, { code: script.createCachedData(), withHook });
    } catch {
      // Not ours to write: the next run compiles again.
    }
  });
run(createRequire(bundle), module, bundle, (path) => import(path));
