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

/** Asks a hub as a machine or a person does. */
export async function ask(
  { url, token }: { readonly url: string; readonly token: string },
  operation: string,
  ...given: readonly unknown[]
): Promise<{ readonly status: number; readonly value: unknown; readonly message: string }> {
  const response = await fetch(`${url}/v1/operations/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(given),
  });
  const { value, error } = (await response.json()) as {
    value?: unknown;
    error?: { message: string };
  };
  return { status: response.status, value, message: error?.message ?? '' };
}
