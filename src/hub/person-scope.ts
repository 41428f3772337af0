import type { Grant, Holder, Machine, Role } from './known.ts';
import { isWithin } from './workspaces.ts';

/** What one person may see and do. */
export class PersonScope {
  readonly name: string;
  readonly #grants: readonly Grant[];

  constructor({ name, grants }: Extract<Holder, { kind: 'person' }>) {
    this.name = name;
    this.#grants = grants;
  }

  /** The workspaces in which this person has one of these roles; without any, all that they see. */
  workspaces(...roles: readonly Role[]): readonly string[] {
    return this.#grants
      .filter(({ role }) => roles.length === 0 || roles.includes(role))
      .map(({ workspace }) => workspace);
  }

  sees(workspace: string): boolean {
    return isWithin(this.workspaces(), workspace);
  }

  /** Whether a machine with this pattern may have calls that this person sees. */
  mayShare(pattern: string): boolean {
    const prefix = pattern.replace(/\*$/, '');
    return this.workspaces().some(
      (own) => isWithin([own], prefix) || isWithin([pattern], own.replace(/\*$/, '')),
    );
  }

  answers(workspace: string): boolean {
    return isWithin(this.workspaces('answers'), workspace);
  }

  /** Whether this person administers anything. */
  get isAdministrator(): boolean {
    return this.workspaces('administers').length > 0;
  }

  /** Whether this person administers all workspaces that a pattern stands for. */
  rules(pattern: string): boolean {
    return isWithin(this.workspaces('administers'), pattern);
  }

  /** Whether this person may answer, or administers, all that a machine asks. */
  answersAll({ workspaces }: Pick<Machine, 'workspaces'>): boolean {
    const own = this.workspaces('answers', 'administers');
    return workspaces.every((pattern) => isWithin(own, pattern));
  }

  /** Whether this person administers all that a machine has calls of. */
  administers({ workspaces }: Pick<Machine, 'workspaces'>): boolean {
    return workspaces.every((pattern) => this.rules(pattern));
  }
}
