import type { AdapterOptions } from '../parts/options.ts';
import type { ModelFor } from './model.ts';

/**
 * Options for the parts of this adapter. Here `tools` are the tools themselves, so the names that hooks know
 * them by are in `alias`.
 */
export interface AiSdkOptions extends Omit<AdapterOptions, 'tools'> {
  /** The name by which hooks know a tool, by the tool's own name, such as `{ Write: 'write_file' }`. */
  readonly alias?: Readonly<Record<string, string>>;
  /**
   * Makes the model for a request in which a hook names another one. Without it, every request goes to the
   * one model.
   */
  readonly modelFor?: ModelFor;
}

/** The same options in the form that every adapter takes. */
export const adapterOptions = ({ alias, ...rest }: AiSdkOptions): AdapterOptions => ({
  ...rest,
  ...(alias && { tools: { alias } }),
});
