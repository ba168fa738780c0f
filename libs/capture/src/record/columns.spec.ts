import { describe, expect, it } from '@jest/globals';
import { columnsOfFacts, FACT_COLUMNS, recordFields } from './columns.js';
import { EXAMPLE_FACTS, fieldSchemas, openFields } from './documentation.js';
import { FACTS, noFacts, NO_FACTS, RECORD_PARTS } from './facts.js';
import { PAGE_LISTS, type PageMetadata } from './page-metadata.js';
import { nothingBlocked } from './requests.js';

const PAGE = {
  title: 'A page',
  words: 3,
  more_links: 4,
  truncated: ['title'],
  ...Object.fromEntries(PAGE_LISTS.map((name) => [name, [name]])),
} as unknown as PageMetadata;

describe(columnsOfFacts, () => {
  it('has a value for every column of a capture that succeeded', () => {
    const columns = columnsOfFacts({ ...noFacts(), change: null, textHash: null });
    expect(Object.keys(columns)).toEqual(FACT_COLUMNS.map(({ property }) => property));
  });

  it('leaves out what a failed capture does not report', () => {
    expect(columnsOfFacts(NO_FACTS)).toEqual({
      ...NO_FACTS,
      blockedRequests: 0,
    });
  });

  it('counts the blocked requests', () => {
    const blocked = { ...nothingBlocked(), ads: 2, rules: 3 };
    expect(columnsOfFacts({ blocked })).toEqual({ blocked, blockedRequests: 5 });
  });

  it('has nothing for a page that lacks nothing', () => {
    expect(columnsOfFacts({ missing: noFacts().missing })).toEqual({ missing: null });
    const missing = { ...noFacts().missing, sections: 1 };
    expect(columnsOfFacts({ missing })).toEqual({ missing });
  });

  it('keeps the lists of a page apart, which the record joins again', () => {
    const columns = columnsOfFacts({ page: PAGE });
    expect(columns.page).toEqual({ title: 'A page', words: 3, more_links: 4, truncated: ['title'] });
    expect(recordFields(RECORD_PARTS.reports, columns).page).toEqual(PAGE);
    const { page } = recordFields(RECORD_PARTS.reports, { ...columns, pageLists: undefined });
    expect(page).toMatchObject({ links: [], truncated: ['title', ...PAGE_LISTS] });
  });
});

describe(recordFields, () => {
  it('has the fields in the order of their documentation', () => {
    const fields = recordFields(FACTS, columnsOfFacts(EXAMPLE_FACTS));
    expect(Object.keys(fields)).toEqual(Object.keys(fieldSchemas(FACTS)));
  });

  it('shows nothing but counts before anything is found', () => {
    const found = Object.entries(openFields()).filter(([, value]) => value !== null);
    expect(Object.fromEntries(found)).toEqual({ blocked_requests: 0, failed_requests: 0 });
  });
});
