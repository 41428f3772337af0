import type { Command } from 'commander';
import { settingsJsonSchema } from '../../settings/format/json-schema.ts';

/** `hookmachine schema`: the JSON Schema of the settings, for editors. */
export function addSchema(program: Command): void {
  program
    .command('schema')
    .description('print the JSON Schema of settings.json, so that editors complete and check it')
    .action(() => {
      process.stdout.write(`${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
    });
}
