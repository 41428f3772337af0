import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HookmachineError } from '../base/errors.ts';
import { messageOf } from '../base/message-of.ts';
import { type Risk, risks } from '../guards/risk.ts';
import { timeIn } from '../durable/settings.ts';
import { parseJson } from '../settings/files/parse-json.ts';
import { isWithin } from './workspaces.ts';

const names = z.array(z.string().min(1)).min(1);

/** Which questions a rule is about: all, unless it names workspaces, tools or risks. */
const about = {
  workspaces: names.optional(),
  tools: names.optional(),
  risks: z.array(z.enum(risks)).min(1).optional(),
};

const time = z.string().transform((text, context) => {
  const ms = timeIn(text);
  if (ms === undefined)
    context.addIssue({ code: 'custom', message: 'write a time such as 10m or 4h', input: text });
  return ms ?? 0;
});

/** A text, or the variable that holds it, as `$SLACK_WEBHOOK`. */
const secret = z
  .string()
  .min(1)
  .transform((text, context) => {
    const [, variable] = /^\$(\w+)$/.exec(text) ?? [];
    const found = variable === undefined ? text : process.env[variable];
    if (!found)
      context.addIssue({
        code: 'custom',
        message: `the variable ${variable} is not set`,
        input: text,
      });
    return found ?? '';
  });

const address = secret.refine((text) => /^https?:/.test(text) && URL.canParse(text), {
  message: 'write an address that begins with https://',
});

const common = {
  name: z.string().min(1),
  ...about,
  /** How long nobody must have answered, so that it is a reminder, or goes to somebody else. */
  after: time.optional(),
  /** Whether the arguments of the call are told, too. */
  arguments: z.boolean().optional(),
};

const channel = z.discriminatedUnion('to', [
  z.strictObject({ to: z.literal('webhook'), ...common, url: address, secret: secret.optional() }),
  z.strictObject({ to: z.literal('slack'), ...common, url: address }),
  z.strictObject({ to: z.literal('teams'), ...common, url: address }),
  z.strictObject({ to: z.literal('ntfy'), ...common, url: address, token: secret.optional() }),
  z.strictObject({
    to: z.literal('email'),
    ...common,
    smtp: secret.refine((text) => /^smtps?:/.test(text), {
      message: 'write an address that begins with smtps://',
    }),
    from: z.string().min(3),
    recipients: names,
  }),
]);

const settings = z.strictObject({
  $schema: z.string().optional(),
  approvers: z.array(z.strictObject({ ...about, needs: z.int().min(1).max(20) })).optional(),
  notify: z
    .array(channel)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
      message: 'give each its own name',
    })
    .optional(),
  recordings: z
    .strictObject({
      /** How long the recordings of sessions are kept. */
      keep: time.optional(),
      /** The workspaces whose machines may send arguments, prompts and results. */
      payloads: names.optional(),
    })
    .optional(),
});

/** How long recordings are kept if nothing else is said, in ms. */
const keptFor = 30 * 24 * 60 * 60 * 1_000;

/** How many people have to approve which questions. */
export type ApproversRule = NonNullable<z.output<typeof settings>['approvers']>[number];

/** Where new questions are told. */
export type Channel = z.output<typeof channel>;

/** The settings of a hub. */
export interface HubSettings {
  readonly approvers: readonly ApproversRule[];
  readonly notify: readonly Channel[];
  readonly recordings: {
    /** How long they are kept, in ms. */
    readonly keep: number;
    /** The workspaces whose machines may send payloads. */
    readonly payloads: readonly string[];
  };
}

export const noSettings: HubSettings = {
  approvers: [],
  notify: [],
  recordings: { keep: keptFor, payloads: [] },
};

/**
 * Reads the settings of a hub.
 *
 * @throws {HookmachineError} `ARGUMENT_INVALID` that names the file, the place and the fix
 */
export function readHubSettings(file: string): HubSettings {
  const fail = (why: string, cause?: unknown): HookmachineError =>
    new HookmachineError('ARGUMENT_INVALID', `${file}${why}`, { cause });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw fail(` cannot be read: ${messageOf(error)}`, error);
  }
  const parsed = parseJson(text);
  if ('fault' in parsed) throw fail(`:${parsed.at.line}:${parsed.at.column} ${parsed.fault}`);
  const read = settings.safeParse(parsed.value);
  if (read.success) {
    const {
      approvers = [],
      notify = [],
      recordings: { keep = keptFor, payloads = [] } = {},
    } = read.data;
    return { approvers, notify, recordings: { keep, payloads } };
  }
  const [issue] = read.error.issues;
  const path = issue!.path as (string | number)[];
  const { line, column } = parsed.locate(path);
  throw fail(`:${line}:${column} ${path.join('.')}: ${issue!.message}`);
}

/** A rule's part of which questions it is about. */
type Rule = Pick<ApproversRule, 'workspaces' | 'tools' | 'risks'>;

/** What a rule needs to know of a question. */
export interface RuledQuestion {
  readonly workspace: string;
  readonly tool: string;
  readonly risk?: Risk | null;
}

/** Whether a rule is about a question: one whose risk is unknown has any. */
export const isAbout = (
  { workspaces = ['*'], tools = ['*'], risks: which }: Rule,
  { workspace, tool, risk }: RuledQuestion,
): boolean =>
  isWithin(workspaces, workspace) &&
  isWithin(tools, tool) &&
  (which === undefined || !risk || which.includes(risk));

/** How many people have to approve a question: as many as the strictest rule about it demands. */
export const neededApprovals = ({ approvers }: HubSettings, question: RuledQuestion): number =>
  Math.max(1, ...approvers.filter((rule) => isAbout(rule, question)).map(({ needs }) => needs));
