import { messageOf } from '../../message-of.ts';
import { oneLine } from '../../log.ts';
import { isNotInstalled, loadPackage } from '../../optional-package.ts';
import type { Model } from '../model.ts';
import { ModelError } from '../model-error.ts';

/** Makes the model of one provider. */
export type Provider = (wanted: WantedModel) => Model | Promise<Model>;

export interface WantedModel {
  /** As the user wrote it. */
  readonly spec: string;
  readonly name: string;
  readonly baseUrl?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The first of these variables that has a value. */
export function keyFrom({ spec, env }: WantedModel, variables: readonly string[]): string {
  const found = variables.map((variable) => env[variable]?.trim()).find(Boolean);
  if (found) return found;
  throw new ModelError(`${spec} needs an API key; set ${variables.join(' or ')}`);
}

/** Loads an optional package; undefined when it is not installed. */
export async function installed<T>(name: string): Promise<T | undefined> {
  try {
    return (await loadPackage(name)) as T;
  } catch (error) {
    if (isNotInstalled(error, name)) return undefined;
    throw new ModelError(
      `the package ${name} cannot be loaded: ${oneLine(messageOf(error), 200)}; install it anew`,
      { cause: error },
    );
  }
}

/** The package, or one line that says how to install it. */
export async function required<T>({ spec }: WantedModel, name: string): Promise<T> {
  const found = await installed<T>(name);
  if (found !== undefined) return found;
  throw new ModelError(
    `${spec} needs the package ${name}; install it where hookmachine is installed: npm i ${name}`,
  );
}

/** An address with the version that the AI SDK expects at its end and official clients add themselves. */
export const versioned = (baseUrl: string, version: string): string =>
  /\/v\d\w*$/.test(baseUrl) ? baseUrl : `${baseUrl}/${version}`;
