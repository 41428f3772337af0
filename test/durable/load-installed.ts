import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { builtInTools } from '../../src/entries/agent.ts';
import type {
  connectDurable,
  migrateDatabase,
  openHub,
  openRecords,
} from '../../src/entries/durable.ts';
import type { createConfig, executeToolWithHooks } from '../../src/index.ts';
import '../build.ts';
import { folder, installBuilt } from './installed.ts';

/** A connection of the test itself, to inspect the database and to hold its gates. */
export interface Client {
  connect(): Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): void;
}

/** The package as installed beside `pg`. */
export interface Installed {
  readonly command: string;
  readonly Client: new (options: { connectionString: string }) => Client;
  readonly durable: {
    connectDurable: typeof connectDurable;
    migrateDatabase: typeof migrateDatabase;
    openHub: typeof openHub;
    openRecords: typeof openRecords;
  };
  readonly createConfig: typeof createConfig;
  readonly executeToolWithHooks: typeof executeToolWithHooks;
  readonly builtInTools: typeof builtInTools;
}

export async function loadInstalled(): Promise<Installed> {
  const command = installBuilt();
  const dist = join(folder, 'node_modules/hookmachine/dist/src');
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(dist, path)).href);
  const { Client } = createRequire(join(folder, 'package.json'))('pg') as Pick<Installed, 'Client'>;
  const core = (await load('index.js')) as Pick<Installed, 'createConfig' | 'executeToolWithHooks'>;
  const agent = (await load('entries/agent.js')) as Pick<Installed, 'builtInTools'>;
  return {
    command,
    Client,
    durable: (await load('entries/durable.js')) as Installed['durable'],
    createConfig: core.createConfig,
    executeToolWithHooks: core.executeToolWithHooks,
    builtInTools: agent.builtInTools,
  };
}
