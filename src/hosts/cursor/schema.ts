import { ignored } from '../../core/protocol/output.ts';
import { traitsOf, type CursorEventName } from './events.ts';
import { isRecord } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a field must be: a test, and the words for it. */
interface Form {
  readonly fits: (value: unknown) => boolean;
  readonly wanted: string;
}

const text: Form = { fits: (value) => typeof value === 'string', wanted: 'a string' };
const flag: Form = { fits: (value) => typeof value === 'boolean', wanted: 'true or false' };
const object: Form = { fits: isRecord, wanted: 'an object' };

const permission: Form = {
  fits: (value) => ['allow', 'deny', 'ask'].includes(value as string),
  wanted: 'exactly one of allow, deny, ask',
};

/** What the fields of an answer must be, at whatever event they have a meaning. */
const forms: Readonly<Record<string, Form>> = {
  continue: flag,
  user_message: text,
  agent_message: text,
  updated_input: object,
  additional_context: text,
  followup_message: text,
  env: object,
};

/** Why an answer does not have the form that Cursor expects; fields that it does not know are not a fault. */
export function faultOf(event: CursorEventName, fields: Fields): string | undefined {
  const all = { ...forms, ...(traitsOf(event).isGate && { permission }) };
  for (const [name, { fits, wanted }] of Object.entries(all)) {
    const value = fields[name];
    if (value !== undefined && value !== null && !fits(value))
      return ignored(`"${name}"`, value, wanted);
  }
  return undefined;
}
