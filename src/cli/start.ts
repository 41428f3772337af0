#!/usr/bin/env node
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
const kept = join(
  __dirname,
  `compiled-${bundleId}-${process.version}-${process.platform}-${process.arch}`,
);

interface Compiled {
  readonly code: Buffer;
  /** Whether by a run with a hook, which needs more of it. */
  readonly withHook: boolean;
}

/** What follows the code in the file: its checksum, for V8 ends the process over code that was damaged, and one byte for `withHook`. */
const trailerSize = 5;

function readKept(): Compiled | undefined {
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

function keep({ code, withHook }: Compiled): void {
  const trailer = Buffer.alloc(trailerSize);
  trailer.writeUInt32LE(crc32(code));
  trailer[4] = withHook ? 1 : 0;
  const draft = `${kept}.${process.pid}`;
  try {
    writeFileSync(draft, Buffer.concat([code, trailer]), { mode: 0o644, flag: 'wx' });
    renameSync(draft, kept);
  } catch {
    // Not ours to write: the next run compiles again.
    rmSync(draft, { force: true });
  }
}

const isWanted = !process.env['NODE_DISABLE_COMPILE_CACHE'];
const compiled = isWanted ? readKept() : undefined;
// It is plain ASCII, and this way nobody has to find that out.
const script = new Script(readFileSync(bundle, 'latin1'), {
  filename: bundle,
  cachedData: compiled?.code,
});
const run = script.runInThisContext() as (
  require: NodeJS.Require,
  module: { exports: Partial<typeof bin> },
  filename: string,
  load: (path: string) => Promise<unknown>,
) => void;
const module = { exports: {} as Partial<typeof bin> };
if (isWanted && !compiled?.withHook)
  process.once('exit', () => {
    const { hooksRun } = module.exports;
    if (hooksRun === undefined) return;
    const withHook = hooksRun > 0;
    if (compiled === undefined || withHook) keep({ code: script.createCachedData(), withHook });
  });
run(createRequire(bundle), module, bundle, (path) => import(path));
