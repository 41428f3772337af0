import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Dialect, HostPart } from '../../core/dialects/dialect.ts';
import type { Installation } from '../../core/dialects/installation.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import type { Writer } from '../../core/dialects/writer.ts';

/** The files of a host's room that are loaded only when they are needed. */
interface HostRoom {
  readonly toolNames?: () => Promise<{
    readonly toolNames: (hook: HookDefinition) => readonly string[] | undefined;
  }>;
  readonly call: () => Promise<Pick<HostPart, 'readCall' | 'reportCall'>>;
  readonly speak: () => Promise<{ readonly speaker: Speaker }>;
  readonly install: () => Promise<{ readonly installation: Installation }>;
  readonly write?: () => Promise<{ readonly writer: Writer }>;
}

/** What those files contribute to a dialect. */
type FromRoom = Required<Pick<HostPart, 'readCall' | 'reportCall' | 'speak' | 'install'>> &
  Pick<Dialect, 'toolNames' | 'write'>;

/** Returns the part of a dialect that loads a file of the host's room with each question. */
export const fromRoom = ({ toolNames, call, speak, install, write }: HostRoom): FromRoom => ({
  readCall: async (...given) => (await call()).readCall(...given),
  reportCall: async (result) => (await call()).reportCall(result),
  speak: async () => (await speak()).speaker,
  install: async () => (await install()).installation,
  ...(toolNames && { toolNames: async (hook) => (await toolNames()).toolNames(hook) }),
  ...(write && { write: async () => (await write()).writer }),
});
