import { toJSONSchema } from 'zod/mini';
import { allEvents, type HookEventName, hookPoints } from '../../core/points/hook-points.ts';
import { once } from '../../base/once.ts';
import { commentKey, type Field, type Fields } from './field.ts';
import {
  commonFields,
  foreignGroupKeys,
  foreignHookKeys,
  groupFields,
  type HookEntry,
  ownKinds,
  typeFields,
  typesWith,
  whenFields,
} from './hook-fields.ts';
import { budgetFields } from './budget-fields.ts';
import { guardExceptionFields, guardPathFields, guardsFields } from './guard-fields.ts';
import { auditFields, bundleFields, managedFields } from './managed-fields.ts';
import {
  configFields,
  durableFields,
  misplacedTopKeys,
  reservedFields,
  toolsFields,
  toolsKeys,
  topFields,
  topKeys,
} from './settings-fields.ts';
import { slipPattern } from './unknown-names.ts';
import type { HookFunction } from '../../../machines/hook-process.ts';
import * as z from './zod.ts';

type SchemaOf<F extends Field> = ReturnType<F['schema']>;

/** Says what a schema is for; editors show it. */
function described<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  more: object = {},
): Schema {
  z.globalRegistry.add(schema, { ...(description !== '' && { description }), ...more });
  return schema;
}

const schemaOf = <F extends Field>({ schema, about, advice }: F): SchemaOf<F> =>
  described(schema() as SchemaOf<F>, about, advice);

/** The schemas of fields that an object must have. */
const needed = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, schemaOf(one)])) as {
    readonly [Key in keyof F]: SchemaOf<F[Key]>;
  };

/** The schemas of fields that an object may have. */
const optional = <F extends Fields>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([key, one]) => [key, z.optional(schemaOf(one))]),
  ) as { readonly [Key in keyof F]: z.ZodMiniOptional<SchemaOf<F[Key]>> };

/** Declares keys that may occur with any value and mean nothing to us. */
const whatever = (keys: readonly string[]): Record<string, z.ZodMiniOptional> =>
  Object.fromEntries(keys.map((key) => [key, z.optional(z.unknown())]));

const foreignHook = whatever(
  foreignHookKeys.filter((key) => typesWith(key, ownKinds).length === 0),
);

/** A hook of one type. */
const hookOf = <Type extends Exclude<keyof typeof typeFields, 'function'>>(type: Type) => {
  const { about, main, others } = typeFields[type];
  return z.strictObject({
    type: described(z.literal(type), about),
    ...needed(main as (typeof typeFields)[Type]['main']),
    ...optional(others as (typeof typeFields)[Type]['others']),
    ...optional(commonFields),
    ...optional(whenFields),
    ...foreignHook,
  });
};

/** Which guards are on, and what they let through. */
const guardsSchema = () =>
  described(
    z.union([
      z.enum(['on', 'off']),
      z.boolean(),
      z.strictObject({
        ...optional(guardsFields),
        paths: z.optional(
          described(z.strictObject(optional(guardPathFields)), guardsFields.paths.about),
        ),
        allow: z.optional(
          described(
            z.array(z.strictObject(needed(guardExceptionFields))),
            guardsFields.allow.about,
          ),
        ),
      }),
    ]),
    'The guards that come with hookmachine; only in .hookmachine/settings.json.',
  );

const managedAbout =
  "What no weaker settings can change; only in an administrator's settings, /etc/hookmachine/settings.json and settings.d/*.json.";

/** What model calls may use. */
const budgetSchema = () =>
  described(
    z.strictObject(optional(budgetFields)),
    'How many tokens, or how much money, model calls may use; only in .hookmachine/settings.json.',
  );

const settingsSchema = once(() => {
  const { args } = typeFields.live.others;
  const hook = z.discriminatedUnion('type', [
    z.strictObject({ ...hookOf('command').shape, ...optional({ args }) }),
    hookOf('live'),
    hookOf('module'),
    hookOf('http'),
    hookOf('prompt'),
    hookOf('cedar'),
    hookOf('acs'),
    hookOf('plugin'),
  ]);
  const group = z.strictObject({
    ...optional({ matcher: groupFields.matcher, sequential: groupFields.sequential }),
    hooks: described(
      z.array(described(hook, 'One hook.', { id: 'hook' })),
      groupFields.hooks.about,
    ),
    ...whatever(foreignGroupKeys),
  });
  const groups = z.array(described(group, 'A hook group.', { id: 'hookGroup' }));
  const bundle = z.strictObject(needed(bundleFields));
  const managed = z.strictObject({
    ...optional(managedFields),
    audit: z.optional(
      described(
        z.union([z.boolean(), z.strictObject(optional(auditFields))]),
        managedFields.audit.about,
      ),
    ),
    bundles: z.optional(described(z.array(bundle), managedFields.bundles.about)),
  });
  const hooksConfig = z.strictObject({
    ...optional(configFields),
    durable: z.optional(
      described(z.strictObject(optional(durableFields)), configFields.durable.about),
    ),
  });
  const hooks = z.strictObject({
    ...(Object.fromEntries(
      [...allEvents, ...Object.keys(hookPoints)].map((event) => [event, z.optional(groups)]),
    ) as Record<HookEventName, z.ZodMiniOptional<typeof groups>>),
    ...optional(reservedFields),
  });
  return described(
    z.looseObject({
      $schema: z.optional(z.string()),
      tools: z.optional(z.looseObject(optional(toolsFields))),
      ...optional(topFields),
      managed: z.optional(described(managed, managedAbout)),
      guards: z.optional(guardsSchema()),
      budget: z.optional(budgetSchema()),
      hooksConfig: z.optional(hooksConfig),
      hooks: z.optional(described(hooks, 'Hook groups by event.')),
    }),
    'Settings for hooks: .hookmachine/settings.json, and those of LLxprt Code as far as hookmachine reads them.',
  );
});

/** The settings that hookmachine reads. */
export type Settings = z.infer<ReturnType<typeof settingsSchema>>;

/** A hook that is a function in the program that embeds the engine. */
export interface FunctionHook extends Pick<
  HookEntry,
  'timeout' | 'name' | 'description' | 'onFailure'
> {
  readonly type: 'function';
  /** Receives the event, and returns what a command would print, or nothing. */
  readonly call: HookFunction;
}

type Groups = NonNullable<NonNullable<Settings['hooks']>['BeforeTool']>;

/** Settings in code, in which a hook may also be a function. */
export interface SettingsInCode extends Pick<Settings, 'tools' | 'hooksConfig'> {
  readonly enableHooks?: boolean;
  readonly defaultOnFailure?: 'allow' | 'block';
  readonly hooks: {
    readonly [Event in HookEventName]?: readonly (Omit<Groups[number], 'hooks'> & {
      readonly hooks: readonly (Groups[number]['hooks'][number] | FunctionHook)[];
    })[];
  };
}

/**
 * Returns the JSON Schema of the settings, for editors. It rejects the same keys, at the same places, that
 * are reported when settings are read.
 */
export function settingsJsonSchema(): object {
  const schema = toJSONSchema(settingsSchema(), {
    target: 'draft-7',
    io: 'input',
    metadata: z.globalRegistry,
    override({ jsonSchema }) {
      if (jsonSchema.additionalProperties === false)
        jsonSchema.patternProperties = { [commentKey.source]: {} };
    },
  });
  const hooks = schema.properties?.['hooks'] as typeof schema;
  hooks.patternProperties = {
    ...hooks.patternProperties,
    // Events that exist only in one host.
    '^host\\.[\\w.-]+$': hooks.properties!['BeforeTool']!,
  };
  const tools = schema.properties?.['tools'] as typeof schema;
  tools.patternProperties = refused(toolsKeys.map(slipPattern));
  schema.patternProperties = refused([
    ...topKeys.map(slipPattern),
    `^(?:${misplacedTopKeys.join('|')})$`,
  ]);
  return { ...schema, title: 'hookmachine settings' };
}

const refused = (patterns: readonly string[]): Record<string, false> =>
  Object.fromEntries(patterns.map((pattern) => [pattern, false]));
