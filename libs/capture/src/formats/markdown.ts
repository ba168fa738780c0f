import { readContent, type ContentOptions } from './contents/read-content.js';
import { Markdown } from './contents/markdown.js';
import { defineFormat } from '../pipeline/format.js';

export const markdown = defineFormat({
  name: 'markdown',
  label: 'Markdown',
  kind: 'text',
  doc: 'What `text` holds, as GitHub Flavored Markdown in UTF-8: headings, lists, tables, code blocks with their language, footnotes and formulas, with absolute links, and images with their alternative text.',
  contentType: 'text/markdown; charset=utf-8',
  extension: 'md',
  otherExtensions: ['markdown'],
  disposition: 'attachment',
  isLossy: false,
  isCompressed: false,
  isSeenByModels: false,
  comparedAs: 'markdown',
  options: ['selector', 'content', 'compare_with'],
  render: (visit, options: ContentOptions, { maxBytes }) =>
    readContent(visit, options, { maxBytes, hasMarkup: true, newLayout: () => new Markdown() }),
});
