import type { BundleFile } from '../../settings/bundles/files.ts';
import { digestOf } from './digest.ts';
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

/** A decision that machines use a version of a bundle, or none of its name. */
interface BundleUse {
  readonly name: string;
  /** On how many of a hundred machines. */
  readonly share: number;
  readonly version: string | null;
  readonly digest: string | null;
  readonly signer: string | null;
}

/** The place of a machine among a hundred, which is always the same for one policy. */
const placeOf = (machine: string, policy: string): number =>
  Number.parseInt(digestOf(`${policy} on ${machine}`).slice(0, 12), 16) % 100;

/** What the database says about the policies of all hosts. */
export const bundleOperations = {
  /** Returns the number of the last decision about which policies are used. */
  async lastBundleUse(database: Database): Promise<string> {
    const { rows } = await database.query<{ last: string }>(
      'select coalesce(max(id), 0)::text as last from hookmachine.bundle_uses',
    );
    return rows[0]?.last ?? '0';
  },

  /**
   * Returns the bundles that a machine uses. While a version is tried on a share of the machines, the others use
   * the one before it.
   */
  async usedBundles(database: Database, machine: string): Promise<readonly UsedBundle[]> {
    const { rows } = await database.query<BundleUse>(
      `select u.name, u.share, b.version, b.digest, b.signer
       from hookmachine.bundle_uses u left join hookmachine.bundles b using (digest)
       where not exists (
         select from hookmachine.bundle_uses later where later.name = u.name and later.id > u.id and later.share = 100
       ) order by u.name, u.id desc`,
    );
    const chosen = new Map<string, BundleUse>();
    for (const use of rows)
      if (!chosen.has(use.name) && placeOf(machine, use.name) < use.share)
        chosen.set(use.name, use);
    return [...chosen.values()].flatMap(({ name, version, digest, signer }) =>
      version === null || digest === null || signer === null
        ? []
        : [{ name, version, digest, signer }],
    );
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
