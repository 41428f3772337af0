import { z } from 'zod';
import { hookEventNames, type HookEventName } from '../protocol/events.ts';
import { defaultTimeout } from './definition-of.ts';

const common = {
  timeout: z
    .number('make it a positive number of milliseconds')
    .positive('make it a positive number of milliseconds')
    .optional()
    .describe(`Deadline in milliseconds; default ${defaultTimeout}.`),
  name: z
    .string('make it a string')
    .optional()
    .describe('The name under which the hook is reported, enabled and disabled.'),
  description: z.string('make it a string').optional().describe('For people.'),
  onFailure: z
    .enum(['allow', 'block'], 'write "allow" or "block"')
    .optional()
    .describe(
      'What a failure of the hook means: "allow" (the default) warns and goes on; "block" blocks, as a denial of the hook would.',
    ),
};

/** One hook of a group (seed 000 §6.2, HOOK-083, C-02, C-03). */
export const hookSchema = z
  .discriminatedUnion(
    'type',
    [
      z.looseObject({
        type: z.literal('command').describe('A shell command.'),
        command: z
          .string('write the shell command to run: "command": "…"')
          .regex(/\S/, 'write the shell command to run: "command": "…"')
          .describe(
            'The shell command, run in the project folder. $LLXPRT_PROJECT_DIR names that folder.',
          ),
        ...common,
      }),
      z.looseObject({
        type: z.literal('plugin').describe('Reserved: accepted, but it cannot run.'),
        ...common,
      }),
    ],
    {
      error: ({ code }) =>
        code === 'invalid_union'
          ? 'write "type": "command"'
          : 'make it an object: { "type": "command", "command": "…" }',
    },
  )
  .meta({ id: 'hook', description: 'One hook.' });

const groupFields = {
  matcher: z
    .string('make it a string: a regular expression for tool names')
    .optional()
    .describe(
      'A regular expression tested, unanchored, against the tool name. Absent, empty or "*" matches every tool. For session events it must equal the source, reason or trigger.',
    ),
  sequential: z
    .boolean('make it true or false')
    .optional()
    .describe('true: the hooks run one after another, each seeing what those before it changed.'),
};

/** A hook group whose hooks are yet to be looked at, so that a bad one costs the others nothing. */
export const openGroupSchema = z.looseObject(
  {
    ...groupFields,
    hooks: z.array(
      z.unknown(),
      'make it an array of hooks: [ { "type": "command", "command": "…" } ]',
    ),
  },
  'make it a hook group: { "matcher": "…", "hooks": [ … ] }',
);

/** A hook as the settings give it, checked. */
export type HookEntry = z.infer<typeof hookSchema>;

/** A hook group as the settings give it, its hooks yet unchecked. */
export type OpenGroup = z.infer<typeof openGroupSchema>;

/** A hook group (HOOK-082). */
const groupSchema = z
  .looseObject({ ...groupFields, hooks: z.array(hookSchema).describe('The hooks of this group.') })
  .meta({ id: 'hookGroup', description: 'A hook group.' });

const groups = z.array(groupSchema);

const flag = z.boolean().describe('Switches hooks on; default false. A false anywhere wins.');

const redact = z
  .array(z.string())
  .describe(
    'What recordings and the inspector never show: names of keys, whose values are hidden, and expressions "/…/flags", whose matches are.',
  )
  .optional();

const disabled = z
  .array(z.string())
  .describe('Names or commands of hooks that are not to run.')
  .optional();

/** The part of settings.json that concerns hooks (seed 000 §6; switches as in C-01, C-04). */
const settingsSchema = z
  .looseObject({
    $schema: z.string().optional(),
    tools: z.looseObject({ enableHooks: flag.optional() }).optional(),
    enableHooks: flag.optional(),
    hooksConfig: z.looseObject({ enabled: flag.optional(), disabled, redact }).optional(),
    hooks: z
      .strictObject({
        ...(Object.fromEntries(hookEventNames.map((event) => [event, groups.optional()])) as Record<
          HookEventName,
          z.ZodOptional<typeof groups>
        >),
        enabled: flag.optional(),
        disabled,
        notifications: z.unknown().optional(),
      })
      .describe('Hook groups by event.')
      .optional(),
  })
  .describe('Settings of LLxprt Code, as far as hookmachine reads them.');

/** The settings that hookmachine reads. */
export type Settings = z.infer<typeof settingsSchema>;

/** The JSON Schema of the settings, for editors. */
export const settingsJsonSchema = (): object => ({
  ...z.toJSONSchema(settingsSchema, { target: 'draft-7', io: 'input' }),
  title: 'hookmachine settings',
});
