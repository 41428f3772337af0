import { field, type Fields, flag, texts, written } from './field.ts';
import * as z from './zod.ts';

const strictness = () => z.enum(['on', 'ask', 'off']);

const guard = (about: string) =>
  field(strictness, {
    about: `${about} "on": its rules deny what nothing brings back and ask about the rest. "ask": they ask about everything. "off": it says nothing.`,
    fix: 'write "on", "ask" or "off"',
    fate: 'it counts as "on"',
  });

/** What each guard is about. */
export const guardSubjects = {
  shell: 'What commands and tools do to files, disks and the machine, and what code they run.',
  git: 'Git commands that lose work or remote history.',
  secrets: 'Keys, .env files and the environment: reading, copying, sending and showing them.',
  infrastructure: 'Resources elsewhere: clouds, clusters, containers and databases.',
  publishing: 'Packages, releases and images that are published.',
  flow: 'What leaves a session, given what it has read: secrets, and text from outside.',
  paths: 'Paths that the settings protect.',
} as const;

/** The guards that `guards` switches on, by name. */
export const guardFields = {
  shell: guard(guardSubjects.shell),
  git: guard(guardSubjects.git),
  secrets: guard(guardSubjects.secrets),
  infrastructure: guard(guardSubjects.infrastructure),
  publishing: guard(guardSubjects.publishing),
  flow: guard(guardSubjects.flow),
} as const satisfies Fields;

/** The fields of `guards.paths`. */
export const guardPathFields = {
  protect: field(texts, {
    about: 'Patterns of paths, relative to the project, that no command and no tool may change.',
    fix: 'make it an array of patterns: [ "infra/**" ]',
  }),
} as const satisfies Fields;

/** The fields of an entry of `guards.allow`. */
export const guardExceptionFields = {
  rule: field(written, {
    about: 'The id of the rule that lets something through.',
    fix: 'write the id of a rule, as "hookmachine guards" lists them',
  }),
  path: field(() => z.optional(written()), {
    about: 'The path, or a pattern of paths relative to the project, that it is for; default: any.',
    fix: 'write a path or a pattern',
  }),
  command: field(() => z.optional(written()), {
    about: 'The beginning of the commands that it is for, or a pattern with "*"; default: any.',
    fix: 'write the beginning of a command',
  }),
  session: field(() => z.optional(written()), {
    about: 'The id of the session that it is for; default: any.',
    fix: 'write the id of a session',
  }),
  why: field(() => z.optional(z.string()), {
    about: 'Why; it is shown whenever the exception counts.',
    fix: 'write a sentence',
  }),
} as const satisfies Fields;

/** The other fields of `guards`. */
export const guardsFields = {
  ...guardFields,
  paths: field(() => z.record(z.string(), z.unknown()), {
    about: 'Paths that nothing may change.',
    fix: 'make it an object: { "protect": [ "infra/**" ] }',
  }),
  allow: field(() => z.array(z.record(z.string(), z.unknown())), {
    about: 'What rules let through, in this file and in weaker ones.',
    fix: 'make it an array: [ { "rule": "git/force-push", "command": "git push --force origin topic" } ]',
  }),
  failOpen: flag('true: a call continues if a guard itself fails; default false.'),
} as const satisfies Fields;
