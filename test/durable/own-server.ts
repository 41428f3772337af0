import { afterAll, beforeAll } from 'vitest';
import { type Installed, loadInstalled } from './load-installed.ts';
import { Postgres } from './postgres.ts';
import { type Hooks, makeTemplate, Scene } from './scene.ts';

/** A server for the tests of a file, with the built package as installed beside `pg`. */
export interface OwnServer {
  readonly server: Postgres;
  readonly installed: Installed;
  /** Makes a project with these hooks and a database of its own. */
  make(hooks?: Hooks): Promise<Scene>;
}

/** Starts a server before the tests of the running block, and ends it after them. */
export function ownServer(): OwnServer {
  let server: Postgres;
  let installed: Installed;
  beforeAll(async () => {
    installed = await loadInstalled();
    server = await Postgres.start();
    await makeTemplate(server, installed);
  });
  afterAll(() => server?.end());
  return {
    get server() {
      return server;
    },
    get installed() {
      return installed;
    },
    make: (hooks) => Scene.make(server, installed, hooks),
  };
}
