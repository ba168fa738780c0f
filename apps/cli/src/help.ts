import { Help, type HelpConfiguration, type Option } from 'commander';
import { EVERY_COMMAND } from './global-options.js';
import { FAMILY_HEADINGS } from './options/option-help.js';

/** Options that `capture options` shows are no part of the help of a command, but are known, as for suggestions. */
const isShown = (option: Option): boolean => !FAMILY_HEADINGS.has(option.helpGroupHeading ?? '');

/** How the help of every command looks. */
export const HELP_SETTINGS: HelpConfiguration = {
  groupItems<T>(unsorted: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
    const groups = Help.prototype.groupItems.call(
      this,
      unsorted as never,
      visible as never,
      groupOf as never,
    );
    for (const heading of FAMILY_HEADINGS) groups.delete(heading);
    // What a command has of its own comes first.
    const last = groups.get(EVERY_COMMAND);
    groups.delete(EVERY_COMMAND);
    if (last) groups.set(EVERY_COMMAND, last);
    return groups as unknown as Map<string, T[]>;
  },
  subcommandTerm: (command) =>
    [
      command.name(),
      ...command.registeredArguments.map((argument) =>
        argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      ),
    ].join(' '),
  /** `--header <name: value>` is enough for a reader; `--headers` is known, too. */
  optionTerm: ({ flags }) => flags.replace(/^(--\w+), \1s\b/, '$1'),
  /** The texts of the catalogue state choices and defaults. */
  optionDescription: ({ description }) => description,
  longestOptionTermLength(command, helper): number {
    const shown = helper.visibleOptions(command).filter(isShown);
    return Math.max(0, ...shown.map((option) => helper.displayWidth(helper.optionTerm(option))));
  },
};
