import { Flag } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';

export class ReportOptions {
  @Flag(
    'Adds what the page says about itself to the record: description, language, author, Open Graph, icons, feeds, JSON-LD, headings, links, images, fonts and the number of words.',
  )
  metadata = false;
}

export const report = defineFamily(
  { name: 'report', doc: 'What the record says about the page, besides its title.' },
  ReportOptions,
);
