import { parse } from 'unbash';
import { isError } from '../base/errors.ts';

/** Parses shell code; undefined if it is nested more deeply than this process has room for. */
export function parseShell(text: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (isError(error) && error.name === 'RangeError') return undefined;
    throw error;
  }
}
