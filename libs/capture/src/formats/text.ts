import { readContent, type ContentOptions } from './contents/read-content.js';
import { PlainText } from './contents/plain-text.js';
import { defineFormat } from '../pipeline/format.js';

export const text = defineFormat({
  name: 'text',
  label: 'Text',
  kind: 'text',
  doc: 'The visible text in UTF-8, with line breaks between blocks and tabs between cells, without the values of form fields and what `mask_selectors` covers: that of the main content, of `selector`, or of the whole page (`content`). Open shadow roots and frames of the same origin are included.',
  contentType: 'text/plain; charset=utf-8',
  extension: 'txt',
  disposition: 'attachment',
  isLossy: false,
  isCompressed: false,
  isSeenByModels: false,
  comparedAs: 'text',
  options: ['selector', 'content', 'compare_with'],
  render: (visit, options: ContentOptions, { maxBytes }) =>
    readContent(visit, options, { maxBytes, hasMarkup: false, newLayout: () => new PlainText() }),
});
