import { OPTION_CATALOGUE, OPTION_FAMILIES, type CatalogueOption } from '@capture-service/client';
import type { Command } from 'commander';
import { styleText } from 'node:util';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { addCommand } from '../context/global-options.js';
import { nearest } from '../options/nearest.js';
import { flagOf } from '../options/flag-names.js';
import { flagTerm } from '../options/option-flags.js';
import { helpOf, inFlags, longHelpOf } from '../options/option-help.js';
import { printList, write } from '../terminal/output.js';

const FALLBACK_WIDTH = 100;

/** `capture options`: all options of a capture, those of a family, or one in full. */
export function registerOptions(program: Command, context: CliContext): void {
  addCommand(
    program,
    'options [name]',
    'all options of a capture; of a family, such as pdf; or one in full',
  ).action(async (name: string | undefined) => {
    const chosen = chosenBy(name);
    if (context.json) return printList(context, chosen, []);
    const width = context.stdout.columns || FALLBACK_WIDTH;
    const help = program.createHelp();
    const wrap = (text: string, indent: string): string =>
      help.boxWrap(text, Math.max(40, Math.min(width, 120) - indent.length)).replace(/^/gm, indent);
    const isOne = chosen.length === 1;
    const families = OPTION_FAMILIES.flatMap((family) => {
      const options = chosen.filter((option) => option.family === family.name);
      if (options.length === 0) return [];
      const items = options.map(
        (option) =>
          `  ${styleText('bold', flagTerm(option))}\n${wrap(isOne ? longHelpOf(option) : helpOf(option), '      ')}`,
      );
      const head = `${styleText('bold', family.name.toUpperCase())}: ${inFlags(family.description)}`;
      return [`${wrap(head, '')}\n${items.join('\n')}`];
    });
    await write(context, `${families.join('\n\n')}\n`);
  });
}

function chosenBy(name: string | undefined): readonly CatalogueOption[] {
  if (name === undefined) return OPTION_CATALOGUE;
  const wanted = name
    .replace(/^--(no-)?/, '')
    .replaceAll('-', '_')
    .toLowerCase();
  const one = OPTION_CATALOGUE.filter((option) => option.name === wanted);
  if (one.length > 0) return one;
  const ofFamily = OPTION_CATALOGUE.filter(({ family }) => family.replaceAll(' ', '_') === wanted);
  if (ofFamily.length > 0) return ofFamily;
  const names = [
    ...OPTION_CATALOGUE.map((option) => option.name),
    ...OPTION_FAMILIES.map((family) => family.name),
  ];
  const near = nearest(wanted, names);
  const advice = near ? `Did you mean ${near.replaceAll('_', '-')}?` : 'Run `capture options` to see all.';
  throw new CliError(`No option and no family of options is called ${flagOf(wanted).slice(2)}. ${advice}`);
}
