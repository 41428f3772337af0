import type { Command } from 'commander';
import { settingsJsonSchema } from '../../settings/format/json-schema.ts';

/** `hookmachine schema`: the JSON Schema of the settings, for editors. */
export function addSchema(program: Command): void {
  program
    .command('schema')
    .description('print the JSON Schema of settings.json, so that editors complete and check it')
    .option('--cedar', 'print the schema of what Cedar policies can speak about')
    .action(async ({ cedar }: { readonly cedar?: true }) => {
      if (cedar) {
        const { cedarSchema } = await import('../../guards/policies/cedar-schema.ts');
        process.stdout.write(cedarSchema);
        return;
      }
      process.stdout.write(`${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
    });
}
