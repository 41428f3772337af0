import { messageOf } from '../../base/message-of.ts';
import { assertInstalled } from '../parts/assert-installed.ts';

/** The callbacks of ADK's plugins that we do not use. */
type Unused =
  | 'beforeRunCallback'
  | 'onEventCallback'
  | 'afterRunCallback'
  | 'beforeAgentCallback'
  | 'afterAgentCallback'
  | 'beforeNodeCallback'
  | 'afterNodeCallback'
  | 'afterModelCallback'
  | 'onModelErrorCallback'
  | 'beforeToolSelection'
  | 'beforeContextCompaction'
  | 'afterContextCompaction';

/** A plugin of ADK. */
export interface Plugin extends Record<Unused, (about: never) => Promise<undefined>> {
  readonly name: string;
}

/** ADK's class of plugins. */
export interface Framework {
  readonly BasePlugin: new (name: string) => Plugin;
}

assertInstalled('hookmachine/adk', '@google/adk', '@google/adk');

/** Loads ADK: a plugin must extend ADK's own class. */
export async function loadFramework(): Promise<Framework> {
  try {
    // @ts-ignore -- It need not be installed where this is built.
    return (await import('@google/adk')) as Framework;
  } catch (cause) {
    throw new Error(
      `hookmachine/adk cannot load the package @google/adk (${messageOf(cause)}); install it: npm i @google/adk`,
      { cause },
    );
  }
}
