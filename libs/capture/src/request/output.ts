import { FORMAT_NAMES, type Format } from '../formats/index.js';
import { defineFamily } from '../pipeline/family.js';
import { Choice } from '../pipeline/option-fields.js';

export class OutputOptions {
  @Choice(FORMAT_NAMES, 'Format of the file.', {
    exposure: 'public',
    alsoCalled: ['type', 'file_type', 'output'],
  })
  format: Format = 'png';

  @Choice(
    ['main', 'full'],
    'What a text is made of, unless `selector` names it: `main` is the main content without navigation, advertisements and comments; `full` is everything that is visible. Where a page has no article and no part with most of its text, such as a list of teasers, `main` becomes `full`, as `content` in `files` of the record says.',
    { exposure: 'public' },
  )
  content: 'main' | 'full' = 'main';
}

export const output = defineFamily({ name: 'output', doc: 'The format of the file.' }, OutputOptions);
