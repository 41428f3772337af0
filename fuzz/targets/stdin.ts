import { CommandFailure } from '../../src/hosts/relay/failure.ts';
import { parseJsonObject } from '../../src/cli/parts/parse-json-object.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { definition } from '../../test/support/definition.ts';
import { lookedFor } from '../../test/support/looked-for.ts';
import { promise, type Target } from '../target.ts';

await Promise.all(knownDialects.map(lookedFor));

/** What agents give to `hookmachine fire`, for every event of every dialect. */
export const stdin: Target = {
  name: 'stdin',
  words: [
    'tool_name',
    'tool_input',
    'tool_response',
    'prompt',
    'prompt_response',
    'stop_hook_active',
    'llm_request',
    'llm_response',
    'messages',
    'contents',
    'parts',
    'role',
    'source',
    'startup',
    'trigger',
    'manual',
    'message',
    'notification_type',
    'tool_output',
    'invoked_by',
    'systemInstruction',
    'generationConfig',
    'toolConfig',
  ],
  async run(text) {
    let given: Readonly<Record<string, unknown>>;
    try {
      given = parseJsonObject(text, 'stdin');
    } catch (error) {
      promise(
        error instanceof CommandFailure && error.message !== '',
        'what is not an object is refused by name',
      );
      return;
    }
    for (const dialect of knownDialects)
      for (const name of Object.keys(dialect.events)) {
        const read = await dialect.readCall(name, given);
        if ('faults' in read) {
          promise(read.faults.length > 0, 'a refusal says why');
          continue;
        }
        const input = JSON.stringify(
          dialect.stdin(
            definition(dialect.events[name]!, { nativeEvent: name }),
            { ...read.fields },
            read.context,
          ),
        );
        promise(input.startsWith('{'), 'hooks receive an object');
      }
  },
};
