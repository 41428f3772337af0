import { isAbsolute } from 'node:path';
import type { AuditSettings, RequiredBundle } from '../../core/definitions/settings.ts';
import { type Field, type Fields, field, flag, texts, textsByName } from './field.ts';
import * as z from './zod.ts';

/** The command-line options and environment variables that can be forbidden. */
export const forbiddable: readonly string[] = [
  '--no-hooks',
  '--trust',
  '--dialects',
  '--hook',
  '--allow-guard-writes',
  '--record-payloads',
  '--inspect-payloads',
  'HOOKMACHINE_TRUST',
  'LLXPRT_SYSTEM_SETTINGS_PATH',
  'LLXPRT_CODE_SYSTEM_SETTINGS_PATH',
  'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
  'QWEN_CODE_SYSTEM_SETTINGS_PATH',
];

const version = () => z.string().check(z.regex(/^\d+\.\d+\.\d+$/));
const absolute = () => z.string().check(z.regex(/^\//), z.refine(isAbsolute));
const name = () => z.string().check(z.minLength(1));
const failure = () => z.enum(['allow', 'block']);

/** The lists of what is never shown, in `managed` and in `hooksConfig`; their entries are read one by one. */
export const redact = field(texts, {
  about:
    'What recordings and the inspector never show: names of keys, whose values are hidden, and expressions "/…/flags", whose matches are.',
  fix: 'make it an array of key names and expressions: [ "customer", "/sk-\\\\w+/" ]',
});

/** The fields of an entry of `bundles`. */
export const bundleFields = {
  name: field(name, { about: 'The name of the bundle.', fix: 'write the name of the bundle' }),
  signer: field(name, {
    about: 'Who must have signed it: a name in /etc/hookmachine/allowed_signers.',
    fix: 'write the name that its signer has in the allowed_signers file next to these settings',
  }),
  version: field(() => z.optional(version()), {
    about: 'The lowest acceptable version.',
    fix: 'write the lowest acceptable version, such as "1.2.0"',
  }),
  onFailure: field(() => z.optional(failure()), {
    about:
      '"block": while it is missing or may not run, prompts, model calls and tools are denied. Default: what a failure of the system\'s hooks means.',
    fix: 'write "allow" or "block"',
  }),
} as const satisfies Readonly<Record<keyof RequiredBundle, Field>>;

/** The fields of `audit`. */
export const auditFields = {
  file: field(absolute, {
    about: 'A file to append to; "%u" stands for the user.',
    fix: 'write the absolute path of a file, in which "%u" stands for the user',
  }),
  maxBytes: field(() => z.int().check(z.minimum(4_096)), {
    about: 'The size at which a new file is started.',
    fix: 'make it a whole number of bytes, at least 4096',
  }),
  keep: field(() => z.int().check(z.minimum(0)), {
    about: 'How many old files are kept.',
    fix: 'make it a whole number',
  }),
  recording: field(absolute, {
    about: 'A recording of all sessions to append to; "%u" stands for the user.',
    fix: 'write the absolute path of a file, in which "%u" stands for the user',
  }),
  payloads: field(() => z.boolean(), {
    about: 'true: the recording contains arguments, prompts and results, redacted.',
    fix: 'make it true or false',
  }),
  syslog: field(() => z.union([z.literal(true), absolute()]), {
    about: "true: the system's log. A path: the log behind this socket.",
    fix: 'make it true, or the absolute path of a socket',
  }),
  opentelemetry: field(
    () =>
      z.union([
        z.literal(true),
        z.strictObject({
          endpoint: z.optional(z.string().check(z.regex(/^https?:\/\/[^/]/))),
          headers: z.optional(textsByName()),
          timeout: z.optional(
            z
              .int()
              .check(
                z.minimum(1),
                z.describe('How long it may take to accept what is sent, in ms.'),
              ),
          ),
          guardrails: z.optional(
            z
              .boolean()
              .check(
                z.describe(
                  'true: what guards decide is also reported under the names for guardrails, which may still change.',
                ),
              ),
          ),
        }),
      ]),
    {
      about:
        'Sends spans and metrics to a collector that speaks OTLP over HTTP; true: the one that the environment names.',
      fix: 'make it true, or an object of "endpoint" (http://… or https://…), "headers", "timeout" (in ms) and "guardrails"',
    },
  ),
} as const satisfies Readonly<Record<keyof AuditSettings, Field>>;

/** The fields of `managed`; the lists and objects in it are checked entry by entry. */
export const managedFields = {
  onlyManagedHooks: flag("true: only hooks from administrators' files run.", 'it counts as true'),
  defaultOnFailure: field(failure, {
    about:
      '"block": a failure of a hook denies, whatever users and projects say about theirs. "allow" has no effect.',
    fix: 'write "allow" or "block"',
    fate: 'it counts as "block"',
  }),
  forbid: field(() => z.array(z.enum(forbiddable)), {
    about: 'Command options and environment variables that have no effect.',
    fix: `make it an array of ${forbiddable.join(', ')}`,
    fate: 'all that can be forbidden is',
  }),
  redact,
  requireVersion: field(version, {
    about:
      'The lowest acceptable version of hookmachine; with an older one, prompts, model calls and tools are denied.',
    fix: 'write the lowest acceptable version, such as "1.2.0"',
  }),
  audit: field(() => z.union([z.boolean(), z.record(z.string(), z.unknown())]), {
    about:
      "Records every session without payloads: true in the system's log, else where the object says.",
    fix: 'make it true, false or an object',
    fate: 'it counts as true',
  }),
  bundles: field(() => z.array(z.unknown()), {
    about: 'Signed bundles of hooks that this machine must have for all its users.',
    fix: 'make it an array',
  }),
} as const satisfies Fields;
