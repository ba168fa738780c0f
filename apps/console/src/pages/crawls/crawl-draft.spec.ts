import { describe, expect, it } from '@jest/globals';
import { CaptureError, type CrawlRecord } from '@capture-service/client';
import { draftOf, EMPTY_DRAFT, faultsOf, requestOf } from './crawl-draft.js';

const DRAFT = { ...EMPTY_DRAFT, url: 'docs.example' };
const refusal = (...errors: readonly { pointer: string; detail: string }[]) =>
  new CaptureError({
    code: 'invalid_request',
    detail: 'The request is not valid.',
    problem: { errors: errors.map((fault) => ({ ...fault, code: 'invalid_value' })) },
  } as unknown as ConstructorParameters<typeof CaptureError>[0]);

describe('the form of a new crawl', () => {
  it('states what is filled in', () => {
    expect(requestOf({ ...DRAFT, limit: '', max_depth: 0, include: ' */guide/* \n\n*/api/*' })).toEqual({
      url: 'https://docs.example',
      source: 'both',
      same: 'host',
      robots: 'obey',
      max_depth: 0,
      limit_per_pattern: 200,
      include: ['*/guide/*', '*/api/*'],
    });
    const more = { defaults: { format: 'markdown' }, webhook_url: ' https://a.example/hook ' };
    expect(requestOf({ ...DRAFT, ...more })).toMatchObject({
      defaults: { format: 'markdown' },
      webhook_url: 'https://a.example/hook',
    });
  });

  it('takes the rules of an earlier crawl', () => {
    const crawl = {
      url: 'https://docs.example/',
      source: 'links',
      same: 'prefix',
      robots: 'obey',
      limit: 20,
      max_depth: 2,
      limit_per_pattern: 5,
      include: [],
      exclude: ['*?a=*', '*?b=*'],
      dry_run: true,
    } as unknown as CrawlRecord;
    const { dry_run: _, include: __, ...rules } = crawl;
    expect(requestOf(draftOf(crawl))).toEqual(rules);
  });

  it('shows a fault at its field until the field says something else', () => {
    const draft = { ...DRAFT, exclude: 'a\nb', defaults: { format: 'gif', wait_ms: -1 } };
    const error = refusal(
      { pointer: '/exclude/1', detail: 'is too long' },
      { pointer: '/defaults/format', detail: 'must be png' },
      { pointer: '/url', detail: 'is no address' },
    );
    const { fields, defaults } = faultsOf(error, requestOf(draft), { ...draft, url: 'other.example' });
    expect([fields.get('exclude'), defaults.get('format')]).toEqual(['line 2 is too long', 'must be png']);
    expect(fields.has('url')).toBe(false);
    expect(faultsOf(error, requestOf(draft), { ...draft, defaults: {} }).defaults.size).toBe(0);
    expect(faultsOf(null, undefined, draft).fields.size).toBe(0);
  });
});
