import { basename } from 'node:path';
import type { Redirection } from 'unbash';
import type { Expander } from './expand.ts';
import { isLocal } from './network.ts';
import { remoteMark } from './marks.ts';
import { followed } from './paths.ts';
import type { Running } from './running.ts';
import { isShell } from './scripts.ts';

/** What redirections make of a command's streams. */
export interface Redirected {
  readonly stdin?: string;
  /** The files that get its output. */
  readonly files: readonly { readonly path: string; readonly isAppended: boolean }[];
  /** Whether its output goes nowhere. */
  readonly isClosed: boolean;
}

/** Devices that are written to without harm. */
const sinks = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|zero|full)$/;

/** Reads redirections, and reports the files that they change. */
export function redirected(
  at: Running,
  redirects: readonly Redirection[],
  expander: Expander,
): Redirected {
  const files: { path: string; isAppended: boolean }[] = [];
  let stdin: string | undefined;
  let isClosed = false;
  for (const one of redirects) {
    if (one.type === 'HereDoc') {
      stdin = one.body.parts ? expander.parts(one.body.parts) : one.body.text;
      continue;
    }
    // Without a target the shell refuses the whole line.
    if (one.target === undefined) continue;
    const target = expander.text(one.target);
    if (one.type === 'HereString') {
      stdin = `${target}\n`;
      continue;
    }
    const { operator } = one;
    const descriptor = one.descriptor?.type === 'FileDescriptor' ? one.descriptor.value : undefined;
    if (operator.endsWith('&') && /^(?:\d+|-)$/.test(target)) continue;
    const path = at.path(target);
    const [, host] = /^\/dev\/(?:tcp|udp)\/([^/]+)/.exec(target) ?? [];
    if (host !== undefined) {
      at.emit({ kind: 'send', to: host, text: at.stdin });
      // Whoever is there would type into the shell.
      if (isShell(basename(at.words[0] ?? '')) && !isLocal(host))
        at.emit({ kind: 'code', text: remoteMark, language: 'sh' });
      continue;
    }
    if (operator === '<' || operator === '<&') {
      at.emit({ kind: 'file', action: 'read', path, isTree: false });
      if ((descriptor ?? 0) === 0) stdin = at.contentOf(path);
      continue;
    }
    const isOutput = descriptor === undefined || descriptor === 1 || operator.startsWith('&');
    if (sinks.test(path)) {
      if (isOutput && path === '/dev/null') isClosed = true;
      continue;
    }
    const isAppended = operator.endsWith('>>');
    if (isOutput) files.push({ path, isAppended });
    else
      at.emit({
        kind: 'file',
        action: isAppended ? 'append' : 'write',
        path: followed(path, at.state, true),
        isTree: false,
      });
  }
  return { files, isClosed, ...(stdin !== undefined && { stdin }) };
}
