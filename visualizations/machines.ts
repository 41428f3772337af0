import { readdirSync } from 'node:fs';
import { type AnyStateMachine, StateMachine } from 'xstate';

const folder = new URL('../machines/', import.meta.url);

/** Loads every machine in `machines/`, by the name of its file. */
export async function machines(): Promise<Map<string, AnyStateMachine>> {
  const found = new Map<string, AnyStateMachine>();
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  for (const file of files.toSorted()) {
    const exported: Record<string, unknown> = await import(new URL(file, folder).href);
    const machine = Object.values(exported).find((value) => value instanceof StateMachine);
    if (machine) found.set(file.replace(/\.ts$/, ''), machine);
  }
  return found;
}
