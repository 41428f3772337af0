import { expect } from 'vitest';
import type { Scene } from './scene.ts';

/** Runs a command of the hub's operator, and returns what it prints. */
export const operate = async (scene: Scene, ...args: readonly string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await scene.run('hub', ...args);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
};

/** Adds a person, and returns their token. */
export const person = async (scene: Scene, name: string, ...grants: readonly string[]) => {
  await operate(scene, 'people', 'add', name, '--email', `${name}@example.com`);
  for (const grant of grants) await operate(scene, 'people', 'grant', name, ...grant.split(' '));
  return operate(scene, 'people', 'token', name);
};
