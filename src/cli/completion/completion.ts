import tab from '@bomb.sh/tab/commander';
import { type Command } from 'commander';
import { hosts } from '../../hosts/all/hosts.ts';
import { scripts } from './scripts.ts';

const shells = Object.keys(scripts) as (keyof typeof scripts)[];

/** `hookmachine completion`: what has a shell complete the commands that were added before. */
export function addCompletion(program: Command): void {
  const completions = tab(program, { completionCommandName: 'completion' });
  for (const command of completions.commands.values())
    if (command.arguments.has('host'))
      command.argument('host', (complete) => {
        for (const { name } of hosts) complete(name, '');
      });
  const command = program.commands.find((one) => one.name() === 'completion')!;
  command.registeredArguments[0]!.choices(shells);
  command
    .description('print a script with which a shell completes commands, options and agents')
    .addHelpText(
      'after',
      `
Put one of these into the shell's own file:
  source <(hookmachine completion bash)     # ~/.bashrc
  source <(hookmachine completion zsh)      # ~/.zshrc, after compinit
  hookmachine completion fish | source      # ~/.config/fish/config.fish`,
    )
    .action((shell: keyof typeof scripts) => void process.stdout.write(scripts[shell]));
}
