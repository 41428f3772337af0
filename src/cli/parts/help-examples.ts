import type { Command } from 'commander';

/** Examples for the help of commands that say nothing else there, by their words. */
const examples: Readonly<Record<string, readonly string[]>> = {
  'approvals answer': [
    'hookmachine approvals answer ap-12 approve --as ann',
    'hookmachine approvals answer ap-12 deny --note "Use the staging database."',
  ],
  'approvals answer-all': [
    'hookmachine approvals answer-all deny --tool run_shell_command --search deploy',
    'hookmachine approvals answer-all deny --search deploy --as ann --note "Not today." --yes',
  ],
  'approvals inspect': ['hookmachine approvals inspect --open'],
  'approvals list': [
    'hookmachine approvals list --tool write_file --after ap-100',
    'hookmachine approvals list --all --json',
  ],
  'approvals show': ['hookmachine approvals show ap-12'],
  'approvals watch': ['hookmachine approvals watch'],
  check: ['hookmachine check', 'hookmachine check --tool deploy --json'],
  completion: ['source <(hookmachine completion bash)'],
  disable: ['hookmachine disable no-env'],
  doctor: ['hookmachine doctor', 'hookmachine doctor --live'],
  'durable audit': ['hookmachine durable audit call-7 --json'],
  'durable check': ['hookmachine durable check'],
  'durable hold lift': ['hookmachine durable hold lift hold-3 --as ann'],
  'durable hold list': ['hookmachine durable hold list'],
  'durable hold place': [
    'hookmachine durable hold place --session s-1 --note "case 4711" --as ann',
  ],
  'durable metrics': ['hookmachine durable metrics'],
  'durable migrate': ['hookmachine durable migrate'],
  'durable policy list': ['hookmachine durable policy list'],
  'durable policy push': ['hookmachine durable policy push acme-guards-1.0.0.tgz --as ann'],
  'durable policy show': ['hookmachine durable policy show acme-guards@1.0.0'],
  'durable policy use': ['hookmachine durable policy use acme-guards@1.0.0'],
  'durable prune': ['hookmachine durable prune --older-than 90d --yes'],
  'durable seal': ['hookmachine durable seal'],
  'durable verify': ['hookmachine durable verify --expect 9f2c...'],
  'hub join': ['hookmachine hub join https://hub.example --code hmi_...'],
  'hub leave': ['hookmachine hub leave'],
  'hub login': ['hookmachine hub login https://hub.example < token'],
  'hub logout': ['hookmachine hub logout'],
  'hub machines invite': [
    'hookmachine hub machines invite laptop-7 --owner ben',
    'hookmachine hub machines invite build-3 --workspace shop --lasts 15m',
  ],
  'hub machines list': ['hookmachine hub machines list'],
  'hub machines revoke': ['hookmachine hub machines revoke laptop-7'],
  'hub people add': ['hookmachine hub people add ann --email ann@example.com'],
  'hub people grant': ['hookmachine hub people grant ann answers "laptop-*"'],
  'hub people list': ['hookmachine hub people list'],
  'hub people remove': ['hookmachine hub people remove ann'],
  'hub people take-back': ['hookmachine hub people take-back ann answers shop'],
  'hub people token': ['hookmachine hub people token ann --lasts 30d'],
  'hub renew': ['hookmachine hub renew'],
  'hub report': ['hookmachine hub report --days 30 --json'],
  'hub send': ['hookmachine hub send'],
  'hub whoami': ['hookmachine hub whoami'],
  enable: ['hookmachine enable no-env'],
  'guards explain': ['hookmachine guards explain "git push --force"'],
  init: ['hookmachine init', 'hookmachine init --lang python --yes'],
  list: ['hookmachine list', 'hookmachine list --all'],
  'policy add': ['hookmachine policy add https://policies.acme.example/acme-guards.tgz'],
  'policy list': ['hookmachine policy list'],
  'policy pack': ['hookmachine policy pack acme-guards --output acme-guards.tgz'],
  'policy remove': ['hookmachine policy remove acme-guards'],
  'policy sign': ['hookmachine policy sign acme-guards --key ~/.ssh/id_ed25519'],
  'policy test': ['hookmachine policy test acme-guards --unsigned'],
  'policy update': ['hookmachine policy update', 'hookmachine policy update acme-guards'],
  'policy verify': ['hookmachine policy verify acme-guards.tgz'],
  schema: ['hookmachine schema > settings.schema.json'],
  trust: ['hookmachine trust --show', 'hookmachine trust --yes'],
  uninstall: ['hookmachine uninstall claude-code --dry-run'],
};

/** Adds the examples to the commands of a program, as far as it has them. */
export function addExamples(program: Command): void {
  for (const [words, lines] of Object.entries(examples)) {
    const title = lines.length > 1 ? 'Examples' : 'Example';
    commandOf(program, words.split(' '))?.addHelpText(
      'after',
      `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    );
  }
}

const commandOf = (program: Command, words: readonly string[]): Command | undefined =>
  words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((inner) => inner.name() === word),
    program,
  );
