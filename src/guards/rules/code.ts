import type { CodeEffect, RunEffect } from '../../shell/reading/effects.ts';
import { isRemote, shown, unknownMark } from '../../shell/reading/marks.ts';
import type { codeRules } from './code-rules.ts';
import { installOf } from './installs.ts';
import type { Check, Finding } from './rule.ts';
import { inTable } from '../../base/json.ts';

type Id = (typeof codeRules)[number]['id'] | 'shell/persistence';
type Found = readonly [rule: Id, does: string] | undefined;

/** Speaks about code that runs unread, and about what outlives the session. */
export const checkCode: Check = function* (effect) {
  if (effect.where === 'container') return;
  const found =
    effect.kind === 'code'
      ? ofCode(effect)
      : effect.kind === 'lost'
        ? lostOf(effect.why)
        : effect.kind === 'run'
          ? ofRun(effect)
          : undefined;
  if (found === undefined) return;
  const [rule, does] = found;
  yield { rule, part: effect.by, does } satisfies Finding;
};

const lostOf = (why: string): Found => {
  if (/starts itself/.test(why))
    return ['shell/fork-bomb', 'starts itself more than once each time'];
  // Hooks of git are reported as what they are.
  return /hooks in/.test(why)
    ? ['shell/persistence', why.replace(/^it /, '')]
    : ['shell/too-complex', `cannot be followed: ${why}`];
};

function ofCode({ text, language }: CodeEffect): Found {
  if (language === 'program')
    return isRemote(text.split(' ')[0] ?? '')
      ? ['shell/run-download', 'runs a program that another machine names']
      : ofComputed(text);
  if (isRemote(text)) return ['shell/run-download', 'runs code that comes from another machine'];
  const isBare = text.replaceAll(/[\s"']/g, '').startsWith(unknownMark);
  return isBare ? ['shell/run-unknown', 'runs code that cannot be known beforehand'] : undefined;
}

/** A program whose name is not known is one that deletes, if its arguments fit. */
function ofComputed(text: string): Found {
  const [, ...args] = text.split(' ');
  const isLikeRemoval =
    args.some((one) => /^-\w*[rRf]\w*$/.test(one)) &&
    args.some((one) => /^(?:\/|~)[^\s]*$/.test(one) && (one.match(/\//g)?.length ?? 0) < 3);
  return isLikeRemoval
    ? [
        'shell/run-unknown',
        `runs a program that cannot be known beforehand with ${shown(args.join(' '))}`,
      ]
    : undefined;
}

function ofRun(effect: RunEffect): Found {
  return inTable(checks, effect.name)?.(effect);
}

const schedules = (does: string): Found => ['shell/schedule', does];
const stops = (does: string): Found => ['shell/machine', does];

const checks: Readonly<Record<string, (effect: RunEffect) => Found>> = {
  crontab: ({ args }) =>
    args.includes('-l')
      ? undefined
      : schedules(
          args.includes('-r') ? 'deletes all scheduled commands' : 'changes scheduled commands',
        ),
  at: ({ args }) =>
    args.some((text) => /^-[lqV]/.test(text)) ? undefined : schedules('schedules a command'),
  launchctl: ({ args }) =>
    /^(?:load|bootstrap|enable|submit)$/.test(args[0] ?? '')
      ? schedules('lets something start by itself')
      : undefined,
  schtasks: ({ args }) =>
    args.some((text) => /^\/(?:create|change|delete)$/i.test(text))
      ? schedules('changes scheduled tasks')
      : undefined,
  systemctl({ args }) {
    const words = args.filter((text) => !text.startsWith('-'));
    if (/^(?:enable|disable|mask|edit|link|set-default)$/.test(words[0] ?? ''))
      return schedules(`changes what starts with the machine (${words.join(' ')})`);
    if (
      /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|isolate|emergency|rescue)$/.test(
        words[0] ?? '',
      )
    )
      return stops('stops the machine');
    return /^(?:stop|kill)$/.test(words[0] ?? '') && !args.includes('--user')
      ? stops(`stops ${words.slice(1).join(' ')}`)
      : undefined;
  },
  ...Object.fromEntries(
    'useradd adduser userdel deluser usermod groupadd groupdel groupmod gpasswd passwd chpasswd visudo vipw chage dscl'
      .split(' ')
      .map((name) => [
        name,
        ({ args }: RunEffect): Found =>
          args.some((text) => /^(?:-S|--status|-l$|--help|-c$|--check)/.test(text)) &&
          name !== 'usermod'
            ? undefined
            : ['shell/accounts', 'changes the accounts of this machine'],
      ]),
  ),
  ...Object.fromEntries(
    'shutdown reboot halt poweroff'
      .split(' ')
      .map((name) => [
        name,
        ({ args }: RunEffect): Found =>
          args.some((text) => /^(?:-c|--help|--show)$/.test(text))
            ? undefined
            : stops('stops the machine'),
      ]),
  ),
  init: ({ args }) => (/^[06]$/.test(args[0] ?? '') ? stops('stops the machine') : undefined),
  telinit: ({ args }) => (/^[06]$/.test(args[0] ?? '') ? stops('stops the machine') : undefined),
  kill: ({ args }) =>
    args.some((text) => text === '-1') && args.length > 1 && args.at(-1) === '-1'
      ? stops('ends all processes')
      : undefined,
  killall: ({ args }) =>
    args.some((text) => text.startsWith('-u')) ? stops('ends all processes of a user') : undefined,
  pkill: ({ args }) =>
    args.some((text) => text === '.' || text.startsWith('-u'))
      ? stops('ends all processes of a user')
      : undefined,
  iptables: ({ args }) =>
    args.some((text) => /^(?:-F|--flush|-X|-P)$/.test(text))
      ? stops('opens the firewall')
      : undefined,
  nft: ({ args }) => (args[0] === 'flush' ? stops('opens the firewall') : undefined),
  ufw: ({ args }) =>
    /^(?:disable|reset)$/.test(args.find((text) => !text.startsWith('-')) ?? '')
      ? stops('opens the firewall')
      : undefined,
  setenforce: ({ args }) =>
    /^(?:0|permissive)$/i.test(args[0] ?? '') ? stops('switches SELinux off') : undefined,
  csrutil: ({ args }) =>
    args[0] === 'disable' ? stops('switches system integrity protection off') : undefined,
  spctl: ({ args }) =>
    args.some((text) => /disable/.test(text)) ? stops('switches Gatekeeper off') : undefined,
  insmod: () => ['shell/machine', 'loads a kernel module'],
  modprobe: ({ args }) => (args.includes('-r') ? stops('unloads a kernel module') : undefined),
  sysctl: ({ args }) =>
    args.some((text) => text === '-w') ? stops('changes the kernel') : undefined,
  swapoff: () => stops('switches swap off'),
  umount: ({ args }) =>
    args.some((text) => /^-\w*[af]/.test(text))
      ? stops('unmounts file systems by force')
      : undefined,
  ...Object.fromEntries(
    'npm pnpm yarn bun npx bunx pnpx pip pip3 pipx uv poetry gem cargo python'
      .split(' ')
      .map((name) => [name, installOf]),
  ),
  setcap: () => ['shell/accounts', 'lets a program do what only the administrator may'],
};
