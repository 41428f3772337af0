import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { type HostRoom, usuallyApplies } from '../parts/host-dialect.ts';
import { readCall, reportCall } from './call.ts';
import { findHooks } from './find.ts';
import type { LoadedDialect } from './host-table.ts';
import { compileMatcher, environmentOf, readerFor, subjectOf, toStdin } from './protocol.ts';
import { speakerOf } from './speak.ts';
import { writerOf } from './write.ts';

/** What a host's table says, as its dialect asks for it. */
export function roomOf(of: LoadedDialect): HostRoom {
  const matching: Pick<HostRoom, 'subjectOf' | 'compileMatcher'> = {
    subjectOf: (hook) => subjectOf(of, hook),
    compileMatcher: (hook, onUndecided) => compileMatcher(of, hook, onUndecided),
  };
  return {
    ...matching,
    find: (site) => findHooks(of, site),
    identity: of.identity ?? identityOf,
    applies: usuallyApplies(matching),
    environment: (hook, input) => environmentOf(of, hook, { ...input }),
    stdin: (hook, payload, context) => toStdin(of, hook, payload, context),
    read: readerFor(of),
    readCall: (event, given) => readCall(of, event, given),
    reportCall: (result) => reportCall(of, result),
    speaker: speakerOf(of),
    installation: of.installation,
    ...(of.isWritable && { writer: writerOf(of) }),
  };
}

const identityOf = ({ nativeEvent, matcher, command }: HookDefinition): string =>
  JSON.stringify([nativeEvent, matcher, command]);
