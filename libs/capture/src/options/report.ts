import { defineFamily } from '../pipeline/family.js';
import { Flag } from '../pipeline/option-fields.js';

export class ReportOptions {
  @Flag(
    'Adds what the page says about itself to the record: description, language, author, Open Graph, icons, feeds, JSON-LD, headings, links, images, fonts and the number of words.',
    { exposure: 'public' },
  )
  metadata = false;
}

export const report = defineFamily(
  { name: 'report', doc: 'What the record says about the page, besides its title.' },
  ReportOptions,
);
