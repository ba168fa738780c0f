import type { LinkOptions } from '@capture-service/client';
import { Option, type Command } from 'commander';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { addCommand, addGroup } from '../context/global-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { wholeNumber } from '../options/option-values.js';
import { printRecord } from '../terminal/output.js';
import { pageOptions } from '../options/page-options.js';

interface LinkFlags {
  readonly expiresInS?: number;
  readonly neverExpires?: boolean;
  readonly onError?: 'problem' | 'image';
}

/** `capture links sign`. */
export function registerLinks(program: Command, context: CliContext): void {
  const links = addGroup(program, 'links', 'links to captures, for an <img>');
  const sign = addCommand(links, 'sign [page]', 'sign a link to a capture; takes the options of a capture')
    .addOption(
      new Option('--expires-in-s <s>', 'seconds for which the link is valid')
        .argParser(wholeNumber)
        .conflicts('neverExpires'),
    )
    .option('--never-expires', 'the link does not expire, if the operator allows it')
    .addOption(
      new Option('--on-error <answer>', 'what an error is answered with (default: problem)').choices([
        'problem',
        'image',
      ]),
    );
  // Seconds for which the file of a capture is kept; here the flag is about the link.
  addCaptureOptions(sign, ['expires_in_s']).action(async (page: string | undefined, flags: LinkFlags) => {
    const { expires_in_s: _life, ...options } = await pageOptions(context, sign, page);
    const life = flags.neverExpires ? ({ neverExpires: true } as const) : { expiresInS: requiredLife(flags) };
    const link = await context
      .client()
      .links.sign(
        options as unknown as LinkOptions,
        { ...life, onError: flags.onError },
        { signal: context.signal },
      );
    await printRecord(context, link, () => link.url);
  });
}

function requiredLife({ expiresInS }: LinkFlags): number {
  if (expiresInS !== undefined) return expiresInS;
  throw new CliError('When does the link expire? Add --expires-in-s <seconds> or --never-expires.');
}
