import type { Command, Option } from 'commander';

/** What can be completed after a command. */
export interface CompletedCommand {
  /** The names from the program on, such as `jobs create`; empty for the program itself. */
  readonly path: string;
  /** The commands below it, and the words that its arguments may be. */
  readonly words: readonly Described[];
  readonly options: readonly CompletedOption[];
  /** Whether an argument may be a file. */
  readonly takesFiles: boolean;
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface CompletedOption extends Described {
  /** All spellings: `-o` and `--output`. */
  readonly flags: readonly string[];
  /** What follows it: nothing, one of several words, a file, or some text. */
  readonly value: 'none' | 'file' | 'text' | readonly string[];
}

/** The names of arguments that may be files. */
const FILES = new Set(['page', 'body']);

/** The first sentences are enough beside a word. */
const MAX_DESCRIPTION = 72;

/** All commands of the program, itself first. */
export function commandTree(program: Command, path = ''): CompletedCommand[] {
  const own: CompletedCommand = {
    path,
    words: [
      ...program.commands.map((command) => describe(command.name(), command.description())),
      ...program.registeredArguments.flatMap(({ argChoices = [] }) =>
        argChoices.map((name) => describe(name, '')),
      ),
    ],
    options: [...program.options.filter(({ hidden }) => !hidden).map(completed), HELP],
    takesFiles: program.registeredArguments.some((argument) => FILES.has(argument.name())),
  };
  const below = program.commands.flatMap((command) =>
    commandTree(command, `${path} ${command.name()}`.trim()),
  );
  return [own, ...below];
}

const describe = (name: string, description: string): Described => ({
  name,
  description: shortened(description),
});

const HELP: CompletedOption = {
  name: '--help',
  flags: ['--help'],
  description: 'print the help',
  value: 'none',
};

function completed(option: Option): CompletedOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const takesValue = option.required || option.optional;
  const value = !takesValue ? 'none' : (option.argChoices ?? (/<path>/.test(option.flags) ? 'file' : 'text'));
  return { name: option.long ?? option.flags, flags, description: shortened(option.description), value };
}

/** The description in one line, without characters that a shell or its completion reads. */
function shortened(text: string): string {
  const plain = text.replace(/\s+/g, ' ').replace(/['"`\\$:[\]]/g, '');
  return plain.length <= MAX_DESCRIPTION ? plain : `${plain.slice(0, MAX_DESCRIPTION - 1).trimEnd()}…`;
}
