import { isRecord } from '../../protocol/output.ts';
import type { CallResult } from '../dialect.ts';
import { exchangeNames, toKodeletOutput } from './tools.ts';

/** What such an agent is told: final arguments and a replaced result as Kodelet spells them. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: isRecord(toolInput) ? exchangeNames(toolName, toolInput) : null,
  followUps,
  toolOutput: toolResponse ? toKodeletOutput(toolName, toolResponse) : null,
});
