import type { HookSystem } from '../../hosts/system/hook-system.ts';

/** How many folders' hook systems are kept. */
const mostKept = 50;

/** The hook systems of the last events; the processes and threads that their hooks share stay alive. */
export class KeptSystems {
  readonly #systems = new Map<string, { readonly system: HookSystem; readonly since: number }>();

  readonly keep = (system: HookSystem, folder: string): void => {
    const before = this.#systems.get(folder);
    // Those of the last use are the last.
    this.#systems.delete(folder);
    this.#systems.set(folder, { system, since: performance.now() });
    before?.system.dispose();
    for (const oldest of this.#systems.keys()) {
      if (this.#systems.size <= mostKept) return;
      this.#drop(oldest);
    }
  };

  readonly hadHooks = (folder: string): boolean => this.#systems.has(folder);

  /** Ends what is kept for folders that have had no event for this long, in ms. */
  dropIdle(longest: number): void {
    for (const [folder, { since }] of this.#systems)
      if (performance.now() - since > longest) this.#drop(folder);
  }

  #drop(folder: string): void {
    this.#systems.get(folder)?.system.dispose();
    this.#systems.delete(folder);
  }
}
