import type { ToolInput } from '../../machines/tool-call.ts';
import { isRecord } from '../protocol/output.ts';

/** The key under which hooks see arguments that are not an object. */
export const loneArgument = 'input';

/** Arguments as hooks see them: always an object. */
export function asInput(given: unknown): ToolInput {
  if (isRecord(given)) return given;
  return given === undefined || given === null ? {} : { [loneArgument]: given };
}

/** What a tool gets whose arguments came in the form of `given`, now that hooks have left `final`. */
export const asGiven = (given: unknown, final: ToolInput): unknown =>
  isRecord(given) || !(loneArgument in final) ? final : final[loneArgument];
