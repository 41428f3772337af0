import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `npm run hosts` installs them; nothing else in the project looks there. */
export const hostsFolder = fileURLToPath(new URL('../../node_modules/.hosts/', import.meta.url));

/** A host as it is published. */
interface PublishedHost {
  /** The package, in the version that was measured. */
  readonly package: string;
  /**
   * Its program, relative to the packages. Native ones are not where npm links them unless their install
   * script ran.
   */
  readonly program: string;
  /** Set if it needs a newer Node.js than we do. */
  readonly needsNode?: '24';
}

const { platform, arch } = process;

/** The published hosts, by the names of their relays. */
export const published: Readonly<Record<string, PublishedHost>> = {
  'claude-code': {
    package: '@anthropic-ai/claude-code@2.1.332',
    program: `@anthropic-ai/claude-code-${platform}-${arch}/claude`,
  },
  'gemini-cli': { package: '@google/gemini-cli@0.61', program: '.bin/gemini' },
  'qwen-code': { package: '@qwen-code/qwen-code@0.24', program: '.bin/qwen' },
  codex: { package: '@openai/codex@0.171', program: '.bin/codex' },
  copilot: { package: '@github/copilot@1.0.102', program: '.bin/copilot' },
  opencode: {
    package: 'opencode-ai@1.18.33',
    program: `opencode-${platform}-${arch}/bin/opencode`,
  },
  kilo: {
    package: `@kilocode/cli-${platform}-${arch}@7.7.9`,
    program: `@kilocode/cli-${platform}-${arch}/bin/kilo`,
  },
  kimi: { package: '@moonshot-ai/kimi-code@2.1.0', program: '.bin/kimi', needsNode: '24' },
  cline: {
    package: `@cline/cli-${platform}-${arch}@3.0.65`,
    program: `@cline/cli-${platform}-${arch}/bin/cline`,
  },
  openclaw: { package: 'openclaw@2026.9.6', program: '.bin/openclaw', needsNode: '24' },
  pi: { package: '@earendil-works/pi-coding-agent@1.6.0', program: '.bin/pi', needsNode: '24' },
};

/** The Node.js for hosts that need a newer one than we do. */
export const newerNode = `node-${platform}-${arch}`;

/** The search path on which a host finds its Node.js. */
export function pathFor(host: string): string {
  const { PATH = '' } = process.env;
  return published[host]?.needsNode === undefined
    ? PATH
    : `${join(hostsFolder, 'node_modules', newerNode, 'bin')}:${PATH}`;
}

/** The program of a host, if it is installed. */
export function programOf(host: string): string | undefined {
  const program = join(hostsFolder, 'node_modules', published[host]!.program);
  return existsSync(program) ? program : undefined;
}
