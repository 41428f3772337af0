import { join } from 'node:path';

/**
 * The package as `npm run package` has packed and installed it; undefined in other runs, which do not check
 * it: that is done when it is published, and by CI.
 */
export const packed: { readonly tarball: string; readonly project: string } | undefined =
  process.env['PACKAGE'] === undefined
    ? undefined
    : { tarball: process.env['PACKAGE'], project: join(process.env['PACKAGE'], '../project') };
