import type { Effect, RunEffect } from '../../shell/reading/effects.ts';
import { isLocal, remoteLine } from '../../shell/reading/network.ts';
import { inTable } from '../../base/json.ts';

/*
 * Which other machines a call would reach, whether or not it would send them anything.
 */

/** How many addresses a program or tool may have; one that is left out would be one that nobody judged. */
const mostAddresses = 200;

/** @throws an error if there are too many to judge */
function bounded(found: readonly string[]): string[] {
  const all = [...new Set(found)];
  if (all.length > mostAddresses)
    throw new Error(`more than ${mostAddresses} addresses in one call cannot be judged`);
  return all;
}

/** Whom programs speak to that are for one service only. */
const services: Readonly<Record<string, string>> = {
  gh: 'github.com',
  glab: 'gitlab.com',
  aws: 'amazonaws.com',
  gsutil: 'storage.googleapis.com',
  gcloud: 'googleapis.com',
  az: 'azure.com',
  azcopy: 'azure.com',
  heroku: 'heroku.com',
  vercel: 'vercel.com',
  netlify: 'netlify.com',
};

/** Programs whose arguments are addresses, if they look like addresses. */
const clients =
  /^(?:git|hg|svn|lftp|ftp|npm|npx|pnpm|yarn|bunx?|pip[\d.]*|uv|uvx|poetry|cargo|gem|go|helm|rclone|s3cmd|mc|b2|psql|mysql|mongosh?|redis-cli|aws|gsutil|gcloud|az|azcopy)$/;
const connecting = /^(?:ssh|mosh|sftp|ping|telnet)$/;
const containers = /^(?:docker|podman|nerdctl|buildah|skopeo|crane)$/;
/** What containers come from, or go to, a registry; the second only if one is named. */
const loading = /^(?:push|pull|login)$/;
const naming = /^(?:run|create|copy|cp)$/;

/** Parts of git that speak to other machines, or decide whom it will speak to. */
const gitNetwork =
  /^(?:push|pull|fetch|clone|ls-remote|remote|submodule|archive|-c|config|svn|request-pull)$/;

const scheme = /^[a-z][a-z\d+.-]*:\/\//i;
const url = /^[a-z][a-z\d+.-]*:\/\/\S+$/i;
/** `user@host:path`, and a host with a dot before a path. */
const copied = /^(?:[\w.+-]+@[\w.-]+|[\w-]+(?:\.[\w-]+)+):(?!\d+$)\S*$/;
const registry = /^(?:[\w-]+\.)+[\w-]+(?::\d+)?(?=\/|$)/;
const proxied =
  /^(?:-x|--(?:pre)?proxy(?:1\.0)?|--socks\w*(?:-hostname)?|--connect-to|--resolve|--doh-url|-e|--execute)$/;

/**
 * Returns the addresses of other machines that a part of a call would reach; an unknown one is empty.
 *
 * @throws an error if there are too many to judge
 */
export function addressesOf(effect: Effect): string[] {
  const found =
    effect.kind === 'send'
      ? wordsOf(effect.to)
      : effect.kind === 'run' && effect.where === 'here'
        ? reachedBy(effect).filter((to) => to !== '')
        : [];
  return bounded(found.filter((to) => !isLocal(to)));
}

/** Programs are given several addresses, and ports beside them. */
function wordsOf(to: string): string[] {
  const words = to.split(' ').filter((word) => word !== '' && !/^\d+(?:-\d+)?$/.test(word));
  return words.length === 0 || to.startsWith('the ') ? [to] : words;
}

function reachedBy({ name, args }: RunEffect): string[] {
  const known = inTable(services, name);
  const service = known === undefined ? [] : [known];
  if (name === 'gh' || name === 'glab') return service;
  if (/^(?:curl|wget2?)$/.test(name)) return proxiesIn(args);
  if (connecting.test(name)) return remoteLine(args).operands.slice(0, 1);
  if (containers.test(name)) {
    const [command = '', ...rest] = args.filter((text) => !text.startsWith('-'));
    const named = rest.flatMap(
      (text) => registry.exec(text.replace(/^docker:\/\//, ''))?.[0] ?? [],
    );
    if (loading.test(command)) return named.length > 0 ? named : ['docker.io'];
    return naming.test(command) ? named : [];
  }
  if (!clients.test(name) || (name === 'git' && !args.some((text) => gitNetwork.test(text))))
    return service;
  const values = args.map((text) => text.replace(/^[\w.-]+=/, '').replace(/^--?[\w-]+=/, ''));
  return [...service, ...values.filter((text) => url.test(text) || copied.test(text))];
}

const proxiesIn = (args: readonly string[]): string[] =>
  args.flatMap((text, index) => {
    const [option = '', inside] = text.startsWith('--') ? text.split(/=(.*)/s) : [text];
    if (!proxied.test(option)) return [];
    const value = inside ?? args[index + 1] ?? '';
    // HOST1:PORT1:HOST2:PORT2 connects to the second one.
    if (option === '--connect-to' || option === '--resolve') return [value.split(':')[2] ?? ''];
    if (!/^-e$|^--execute$/.test(option)) return [value];
    return /^\w+_proxy=(.*)/s.exec(value)?.[1] ?? [];
  });

/** Tools that fetch what their texts speak of. */
const fetching = /fetch|web|brows|navigat|crawl|scrape|http/i;
const inText = /\bhttps?:\/\/[^\s"'`<>()[\]{}\\]{1,4000}/gi;

/**
 * Returns all addresses in the arguments of a tool that is no command and writes no file.
 *
 * @throws an error if there are too many to judge
 */
export function addressesIn(tool: string, input: Readonly<Record<string, unknown>>): string[] {
  const texts = Object.entries(input).flatMap(([key, value]) =>
    [value].flat().flatMap((one) => (typeof one === 'string' ? [[key, one] as const] : [])),
  );
  const found = texts.flatMap(([key, text]) => [
    ...(scheme.test(text) || (/^(?:url|uri|href)s?$/i.test(key) && /^[\w-]+\./.test(text))
      ? [text]
      : []),
    ...(fetching.test(tool) ? (text.match(inText) ?? []) : []),
  ]);
  return bounded(found);
}

/** The host of an address, which may be a URL, `user@host:path` or a host with a port. */
export function hostIn(address: string): string {
  if (scheme.test(address) && URL.canParse(address)) return new URL(address).hostname;
  const bare = address.replace(scheme, '');
  return /^(?:[^@/:]*@)?(\[[^\]]+\]|[^:/]+)/.exec(bare)?.[1] ?? bare;
}
