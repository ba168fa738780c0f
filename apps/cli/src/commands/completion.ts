import { Argument, type Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { bashScript } from '../completion/bash.js';
import { commandTree } from '../completion/command-tree.js';
import { fishScript } from '../completion/fish.js';
import { zshScript } from '../completion/zsh.js';
import { write } from '../terminal/output.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

type Shell = keyof typeof SCRIPTS;

/** `capture completion <shell>`. The script holds all names, so that nothing runs while a person types. */
export function registerCompletion(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('print a completion script for bash, zsh or fish')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
bash  source <(capture completion bash)             in ~/.bashrc
zsh   source <(capture completion zsh)              in ~/.zshrc, after compinit
fish  capture completion fish | source              in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell) => write(context, SCRIPTS[shell](commandTree(program))));
}
