import type { BundleFiles } from '../settings/bundles/files.ts';
import type { VerifiedBundle } from '../settings/bundles/verify.ts';
import {
  assertArgument,
  assertArguments,
  having,
  object,
  optional,
  type Rule,
  text,
} from '../base/arguments.ts';
import { HookmachineError } from '../base/errors.ts';
import { bundleOperations } from './database/bundles.ts';
import type { Database } from './database/postgres.ts';

/** A signed bundle of hooks that was pushed to the database. */
export interface PushedPolicy {
  readonly name: string;
  readonly version: string;
  /** The hash of its manifest, and thereby of everything in it. */
  readonly digest: string;
  readonly signer: string;
  /** Who pushed it, by their own account. `role` is the database role that they used. */
  readonly pushedBy?: string;
  readonly role: string;
  readonly pushedAt: Date;
  /** Whether calls are currently judged by it. */
  readonly isUsed: boolean;
  /** On how many of a hundred machines, if not on all. */
  readonly share?: number;
}

/** A decision that all hosts use a version of a bundle, or none with its name. */
export interface PolicyUse {
  /** Undefined if no bundle of that name is to be used. */
  readonly version?: string;
  /** On how many of a hundred machines, if not on all. */
  readonly share?: number;
  readonly by?: string;
  readonly role: string;
  readonly at: Date;
}

const pushRules: Readonly<Record<string, Rule>> = {
  manifest: object,
  signer: object,
  files: having('pass the files of the bundle as a Map', 'get', 'entries'),
  by: optional(text),
};

const aShare: Rule = {
  fits: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100,
  fix: 'pass a whole number from 1 to 100',
};

/** The signed bundles that all hosts of a database run as the system's hooks. */
export class Policies {
  readonly #database: Database;

  /** Called by `openRecords` only. */
  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Stores a bundle that was verified; no host uses it yet. If it is already stored, nothing changes.
   *
   * @throws {HookmachineError} `POLICY_CONFLICT` if another bundle has this name and version
   */
  async push(
    { manifest, signer }: VerifiedBundle,
    files: BundleFiles,
    by?: string,
  ): Promise<{ readonly isNew: boolean }> {
    assertArguments('policies.push', { manifest, signer, files, by }, pushRules);
    const { name, version, digest } = manifest;
    return this.#database.transaction(async (connection) => {
      const { rows: made } = await connection.query(
        `insert into hookmachine.bundles (digest, name, version, signer, pushed_by)
         values ($1, $2, $3, $4, $5) on conflict do nothing returning digest`,
        [digest, name, version, signer.name, by ?? null],
      );
      if (made.length === 0) {
        const { rows } = await connection.query<{ digest: string }>(
          'select digest from hookmachine.bundles where name = $1 and version = $2',
          [name, version],
        );
        if (rows[0]?.digest === digest) return { isNew: false };
        throw new HookmachineError(
          'POLICY_CONFLICT',
          `Another ${name} ${version} was pushed: have its author give each version its own number.`,
        );
      }
      for (const [path, { bytes, mode }] of files)
        await connection.query(
          'insert into hookmachine.bundle_files (digest, path, mode, bytes) values ($1, $2, $3, $4)',
          [digest, path, mode, bytes],
        );
      return { isNew: true };
    });
  }

  /** Lists all pushed bundles, the newest of each name first. */
  async list(): Promise<readonly PushedPolicy[]> {
    const { rows } = await this.#database.query<PushedRow>(
      `select b.*, (
         select max(u.share) from hookmachine.bundle_uses u where u.digest = b.digest and not exists (
           select from hookmachine.bundle_uses later
           where later.name = u.name and later.id > u.id and later.share >= u.share
         )
       ) as share from hookmachine.bundles b order by b.name, b.pushed_at desc, b.version desc`,
    );
    return rows.map(pushedIn);
  }

  /** Lists the uses of a name, oldest first; the last one applies. */
  async uses(name: string): Promise<readonly PolicyUse[]> {
    assertArgument('the name of a policy', name, text);
    const { rows } = await this.#database.query<UseRow>(
      `select b.version, u.share, u.used_by, u.used_as, u.used_at from hookmachine.bundle_uses u
       left join hookmachine.bundles b using (digest) where u.name = $1 order by u.id`,
      [name],
    );
    return rows.map(({ version, share, used_by, used_as, used_at }) => ({
      ...(version !== null && { version }),
      ...(share < 100 && { share }),
      ...(used_by !== null && { by: used_by }),
      role: used_as,
      at: used_at,
    }));
  }

  /** Returns the files of a bundle, as they were pushed. */
  async files(digest: string): Promise<BundleFiles> {
    const rows = await bundleOperations.bundleFiles(this.#database, digest);
    return new Map(rows.map(({ path, mode, bytes }) => [path, { mode, bytes }]));
  }

  /**
   * Makes hosts judge calls by a version from the next call on, or by no bundle of that name. With a `share`, only
   * so many of a hundred machines do, always the same ones; the others keep to what was used before.
   *
   * @throws {HookmachineError} `POLICY_UNKNOWN` if it was not pushed
   */
  async use(
    name: string,
    version: string | undefined,
    by?: string,
    { share = 100 }: { readonly share?: number | undefined } = {},
  ): Promise<void> {
    const rules = { name: text, version: optional(text), by: optional(text), share: aShare };
    assertArguments('policies.use', { name, version, by, share }, rules);
    const { rows } = await this.#database.query(
      `insert into hookmachine.bundle_uses (name, digest, used_by, share)
       select name, case when $2::text is not null then digest end, $3, $4 from hookmachine.bundles
       where name = $1 and ($2 is null or version = $2) limit 1 returning id`,
      [name, version ?? null, by ?? null, share],
    );
    if (rows.length === 0)
      throw new HookmachineError(
        'POLICY_UNKNOWN',
        `There is no policy ${name}${version === undefined ? '' : ` ${version}`}: see the existing ones (hookmachine durable policy list), or push it first.`,
      );
  }
}

interface PushedRow {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  readonly signer: string;
  readonly pushed_by: string | null;
  readonly pushed_as: string;
  readonly pushed_at: Date;
  readonly share: number | null;
}

interface UseRow {
  readonly version: string | null;
  readonly share: number;
  readonly used_by: string | null;
  readonly used_as: string;
  readonly used_at: Date;
}

const pushedIn = ({
  name,
  version,
  digest,
  signer,
  pushed_by,
  pushed_as,
  pushed_at,
  share,
}: PushedRow): PushedPolicy => ({
  name,
  version,
  digest,
  signer,
  ...(pushed_by !== null && { pushedBy: pushed_by }),
  role: pushed_as,
  pushedAt: pushed_at,
  isUsed: share !== null,
  ...(share !== null && share < 100 && { share }),
});
