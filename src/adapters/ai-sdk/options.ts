import type { AdapterOptions } from '../options.ts';
import type { ModelFor } from './model.ts';

/** What the parts of this adapter take; `tools` are the tools themselves here, so their other names are `alias`. */
export interface AiSdkOptions extends Omit<AdapterOptions, 'tools'> {
  /** By the name of a tool the one that hooks know it by, such as `{ Write: 'write_file' }`. */
  readonly alias?: Readonly<Record<string, string>>;
  /** Makes the model for a request in which a hook names another one. Without it every request goes to the one model. */
  readonly modelFor?: ModelFor;
}

/** The same, as every adapter takes it. */
export const adapterOptions = ({ alias, ...rest }: AiSdkOptions): AdapterOptions => ({
  ...rest,
  ...(alias && { tools: { alias } }),
});
