import { lstatSync, renameSync, rmSync, statSync, type Stats } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { stateOfAgents } from '../../hosts/added/folders.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { answerClient } from './answer-client.ts';
import { Client } from './client.ts';
import { KeptSystems } from './kept-systems.ts';
import { isOnlyOurs, startingMark } from '../relay/start-warm.ts';
import { warmUp } from './warm-up.ts';

/** `hookmachine warm`, which a relay starts: a relay that stays, for the next events of this user. */
export function addWarm(program: Command): void {
  program.command('warm <socket>', { hidden: true }).action(warm);
}

/** How long it stays without an event, and how often it looks whether it is still wanted, in ms. */
const [idleLimit, lookEvery] = [60 * 60 * 1_000, 30_000];

async function warm(socket: string): Promise<void> {
  const folder = dirname(socket);
  if (!isOnlyOurs(folder)) throw new CommandFailure(`${folder} is not a folder of this user alone`);
  process.chdir('/');
  await warmUp();
  const kept = new KeptSystems();
  const isSame = unchanged(fileURLToPath(new URL('../../index.js', import.meta.url)));
  let running = 0;
  let lastEvent = performance.now();
  const end = (): void => {
    // A socket that another one has put in this place is not ours to remove.
    if (isOurs()) rmSync(socket, { force: true });
    process.exit();
  };
  // What runs is judged again by processes of its own; a state that nobody foresaw must not judge.
  process.on('uncaughtException', end);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);

  const hasAgents = sameAgents(() => retire());
  const server = createServer((connection) => {
    // What is loaded only now would be of another version.
    if (!isSame()) {
      retire();
      return void connection.destroy();
    }
    running++;
    lastEvent = performance.now();
    void answerClient(new Client(connection), kept, hasAgents).finally(() => {
      running--;
      lastEvent = performance.now();
    });
  });
  const draft = join(folder, `${process.pid}`);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(draft, resolve);
  });
  const ours = statSync(draft);
  const isOurs = (): boolean => isSameFile(ours, lstatSync(socket, { throwIfNoEntry: false }));
  renameSync(draft, socket);
  rmSync(startingMark(socket), { force: true });

  let isRetired = false;
  const retire = (): void => {
    if (isRetired) return;
    isRetired = true;
    if (isOurs()) rmSync(socket, { force: true });
    server.close();
  };
  setInterval(() => {
    kept.dropIdle(idleLimit);
    const isWanted = isOurs() && isSame() && performance.now() - lastEvent < idleLimit;
    if (!isWanted) retire();
    if (isRetired && running === 0) end();
  }, lookEvery);
}

/** Returns whether a file of this version is still as it is now. */
function unchanged(file: string): () => boolean {
  const before = statSync(file);
  return () => {
    const now = statSync(file, { throwIfNoEntry: false });
    return isSameFile(before, now) && now?.mtimeMs === before.mtimeMs;
  };
}

/** Returns whether a caller's agents are those that were loaded here; `otherwise` is called if they are not. */
function sameAgents(otherwise: () => void): () => boolean {
  const loaded = stateOfAgents();
  return () => {
    const isSame = stateOfAgents() === loaded;
    if (!isSame) otherwise();
    return isSame;
  };
}

const isSameFile = (one: Stats, other: Stats | undefined): boolean =>
  one.ino === other?.ino && one.dev === other.dev;
