import { describe, expect, it } from '@jest/globals';
import { filtersOf } from '../../../../test/support/filters.js';
import { RequestFilter } from './request-filter.js';

describe(RequestFilter.name, () => {
  it('does not block the connections of a host after one of its requests has passed', () => {
    const filters = filtersOf({ ads: '||cdn.test^\n@@||cdn.test^$domain=frame.test' });
    const filter = new RequestFilter(filters, ['ads'], 'https://page.test/');
    const request = (url: string, frameId: string, type: 'document' | 'script' = 'script') =>
      filter.judge({ url, type, frameId, topFrameId: 'top', referrer: undefined });
    expect(request('https://cdn.test/library.js', 'top')).toBe('ads');
    expect(filter.judgeHost('cdn.test')).toBe('ads');
    expect(request('https://frame.test/', 'frame', 'document')).toBeUndefined();
    expect(request('https://cdn.test/library.js', 'frame')).toBeUndefined();
    expect(filter.judgeHost('cdn.test')).toBeUndefined();
    expect(request('https://cdn.test/library.js', 'top')).toBe('ads');
  });
});
