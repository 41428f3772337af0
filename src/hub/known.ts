/** What a person may do in a workspace; whoever answers or administers sees, too. */
export type Role = 'sees' | 'answers' | 'administers';

export const roles = ['sees', 'answers', 'administers'] as const;

/** A machine that reaches the database through the hub. */
export interface Machine {
  readonly name: string;
  /** The workspaces whose calls it makes, such as `shop` or `laptop-7:*`. */
  readonly workspaces: readonly string[];
  /** Whose machine it is: this person does not approve its calls. */
  readonly owner?: string;
  readonly invitedBy: string;
  readonly invitedAt: Date;
  /** Absent until it has used its invitation. */
  readonly enrolledAt?: Date;
  readonly seenAt?: Date;
  /** The release of hookmachine that it was last seen with. */
  readonly version?: string;
  readonly revokedBy?: string;
  readonly revokedAt?: Date;
}

/** What a person may do in the workspaces that a pattern stands for. */
export interface Grant {
  readonly workspace: string;
  readonly role: Role;
  /** When it ends by itself, as in ISO 8601. */
  readonly expiresAt?: string | null;
}

/** A person whom the hub knows. */
export interface Person {
  readonly name: string;
  /** By which the provider of identities knows them. */
  readonly email?: string;
  readonly grants: readonly Grant[];
  readonly removedAt?: Date;
}

/** Who holds a token. */
export type Holder =
  | { readonly kind: 'machine'; readonly name: string; readonly workspaces: readonly string[] }
  | { readonly kind: 'person'; readonly name: string; readonly grants: readonly Grant[] };

/** The grants of a person `p`, as JSON. */
export const grantsOf = `(
  select coalesce(json_agg(json_build_object('workspace', g.workspace, 'role', g.role, 'expiresAt', g.expires_at) order by g.workspace, g.role), '[]')
  from hookmachine.grants g where g.person = p.name and (g.expires_at is null or g.expires_at > now()))`;

/** A machine as it is stored. */
export interface MachineRow {
  readonly name: string;
  readonly workspaces: readonly string[];
  readonly owner: string | null;
  readonly invited_by: string;
  readonly invited_at: Date;
  readonly enrolled_at: Date | null;
  readonly seen_at: Date | null;
  readonly version: string | null;
  readonly revoked_by: string | null;
  readonly revoked_at: Date | null;
}

/** A person as they are stored. */
export interface PersonRow {
  readonly name: string;
  readonly email: string | null;
  readonly grants: readonly Grant[];
  readonly removed_at: Date | null;
}

/** What is found of the holder of a token. */
export interface HolderRow {
  readonly machine: string | null;
  readonly person: string | null;
  readonly workspaces: readonly string[] | null;
  readonly grants: readonly Grant[];
}

/** Reads a machine from its row. */
export const machineFrom = (row: MachineRow): Machine => ({
  name: row.name,
  workspaces: row.workspaces,
  ...(row.owner !== null && { owner: row.owner }),
  invitedBy: row.invited_by,
  invitedAt: row.invited_at,
  ...(row.enrolled_at !== null && { enrolledAt: row.enrolled_at }),
  ...(row.seen_at !== null && { seenAt: row.seen_at }),
  ...(row.version !== null && { version: row.version }),
  ...(row.revoked_by !== null && { revokedBy: row.revoked_by }),
  ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
});
