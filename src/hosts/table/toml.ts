import { parse } from 'smol-toml';
import { tomlFormat } from '../parts/toml-format.ts';

/** TOML, for hosts whose tables are loaded only when they are in use. */
export const toml = tomlFormat(parse);
