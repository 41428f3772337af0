import { parse as parseToml } from 'smol-toml';
import type { Path } from '../../core/definitions/problem.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import { valueAt } from './json-values.ts';

/** The value at a path of a host's JSON or TOML file; undefined if the host could not read it either. */
export function valueIn(file: string, path: Path = []): unknown {
  try {
    const text = textIn(file) ?? '';
    if (file.endsWith('.toml')) return valueAt(parseToml(text), path);
    const parsed = parseJson(text);
    return 'value' in parsed ? valueAt(parsed.value, path) : undefined;
  } catch {
    return undefined;
  }
}
