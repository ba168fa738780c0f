import { describe, expect, it } from '@jest/globals';
import { DefaultOptions } from '@app/capture';
import { SecretBox } from '@app/kernel';
import type { CrawlRules } from '../crawl-rules.js';
import { CrawlOptionsService } from './crawl-options.service.js';

const ID = '019ac101-3b5c-7b1e-8f2a-5d6c7e8f9a0b';
const secretBox = new SecretBox(Buffer.alloc(32, 1).toString('base64'));

const optionsOf = (own: object | null, operator: object = {}, source = 'links'): Record<string, unknown> => {
  const service = new CrawlOptionsService(new DefaultOptions({ ...operator }), secretBox);
  const defaults = own && secretBox.seal({ ...own }, ID);
  return service.optionsOf({ id: ID, defaults, rules: { source } as CrawlRules });
};

describe(CrawlOptionsService, () => {
  it('asks for the links of pages, unless only sitemaps count', () => {
    expect(optionsOf(null)).toEqual({ metadata: true, fail_on_status: ['429', '503'] });
    expect(optionsOf({ format: 'pdf' }, {}, 'sitemap')).toEqual({
      format: 'pdf',
      fail_on_status: ['429', '503'],
    });
  });

  it.each<[string, object | null, object, string[]]>([
    ['the caller', { fail_on_status: ['404'] }, { fail_on_status: ['5xx'] }, ['404', '429', '503']],
    ['the operator', null, { fail_on_status: ['5xx', '503'] }, ['5xx', '503', '429']],
  ])('adds to the statuses of %s that make a capture fail', (_, own, operator, expected) => {
    expect(optionsOf(own, operator).fail_on_status).toEqual(expected);
  });

  it('leaves a list alone that has no room', () => {
    const full = Array.from({ length: 49 }, (_, i) => String(200 + i));
    expect(optionsOf({ fail_on_status: full }).fail_on_status).toEqual(full);
  });
});
