import { BlockList, isIP } from 'node:net';

/** Addresses of this machine, of its network, and those that belong to no single machine on the internet. */
const own = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  own.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  // IPv4 addresses in the form ::ffff:a.b.c.d are compared with the list above.
  ['::', 96],
  // Ranges that translate to IPv4.
  ['64:ff9b::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  own.addSubnet(network, prefix, 'ipv6');

/** Whether an address may be that of any server on the internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !own.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Whether a URL's host is an address, or this machine's name, so that whoever wrote it knows where it leads.
 */
export const isAddress = (host: string): boolean =>
  isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^(?:.*\.)?localhost$/.test(host);
