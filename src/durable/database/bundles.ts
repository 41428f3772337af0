import type { BundleFile } from '../../settings/bundles/files.ts';
import type { Database } from './postgres.ts';

/** A bundle that the fleet currently uses. */
export interface UsedBundle {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  readonly signer: string;
}

/** One file of a bundle. */
export interface PushedFile extends BundleFile {
  readonly path: string;
}

/** What the database says about the policies of all hosts. */
export const bundleOperations = {
  /** Returns the number of the last decision about which policies are used. */
  async lastBundleUse(database: Database): Promise<string> {
    const { rows } = await database.query<{ last: string }>(
      'select coalesce(max(id), 0)::text as last from hookmachine.bundle_uses',
    );
    return rows[0]?.last ?? '0';
  },

  async usedBundles(database: Database): Promise<readonly UsedBundle[]> {
    const { rows } = await database.query<UsedBundle>(
      `select u.name, b.version, b.digest, b.signer from (
         select distinct on (name) name, digest from hookmachine.bundle_uses order by name, id desc
       ) u join hookmachine.bundles b using (digest) order by u.name`,
    );
    return rows;
  },

  /** Returns the files of a bundle, as they were pushed. They must be verified before they run. */
  async bundleFiles(database: Database, digest: string): Promise<readonly PushedFile[]> {
    const { rows } = await database.query<PushedFile>(
      'select path, mode, bytes from hookmachine.bundle_files where digest = $1',
      [digest],
    );
    return rows;
  },
};
