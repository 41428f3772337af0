import { messageOf } from '../../../base/message-of.ts';
import { oneLine } from '../../../base/log.ts';
import { isNotInstalled, loadPackage } from '../../../base/optional-package.ts';
import type { Model } from '../../../core/translate/model.ts';
import { ModelError } from '../model-error.ts';

/** Creates a model of one provider. */
export type Provider = (wanted: WantedModel) => Model | Promise<Model>;

export interface WantedModel {
  /** As the user wrote it. */
  readonly spec: string;
  readonly name: string;
  readonly baseUrl?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the first of these variables that has a value.
 *
 * @throws {ModelError} if none has
 */
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
      `the package ${name} cannot be loaded: ${oneLine(messageOf(error), 200)}; reinstall it`,
      { cause: error },
    );
  }
}

/**
 * Loads a package.
 *
 * @throws {ModelError} if it is not installed, in one line that says how to install it
 */
export async function required<T>({ spec }: WantedModel, name: string): Promise<T> {
  const found = await installed<T>(name);
  if (found !== undefined) return found;
  throw new ModelError(
    `${spec} needs the package ${name}; install it where hookmachine is installed: npm i ${name}`,
  );
}

/** The URL with the version at its end, which the AI SDK expects and official clients add themselves. */
export const versioned = (baseUrl: string, version: string): string =>
  /\/v\d\w*$/.test(baseUrl) ? baseUrl : `${baseUrl}/${version}`;
