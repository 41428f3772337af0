import { ModelError } from '../model-error.ts';
import { scriptedModel } from '../scripted.ts';
import type { Provider } from './provider.ts';

export const scripted: Provider = ({ name, spec, baseUrl }) => {
  if (baseUrl !== undefined) throw new ModelError(`${spec} uses no server; leave the base URL out`);
  return scriptedModel(name);
};
