import { describe, expect, it } from '@jest/globals';
import { FILTER_KINDS, type FilterKind, type RequestType } from '../filter-set.js';
import { compileFilters, type FilterTexts } from './compile-filters.js';
import { ListFilterSet } from './list-filter-set.js';

const PAGE = 'https://www.news.example/article';

const setOf = (texts: FilterTexts) => new ListFilterSet(compileFilters(texts));

function judge(
  texts: FilterTexts,
  url: string,
  over: { type?: RequestType; page?: string; kinds?: FilterKind[] } = {},
) {
  const { type = 'script', page = PAGE, kinds = [...FILTER_KINDS] } = over;
  return setOf(texts).judge({ url, type, documentUrl: page }, kinds);
}

describe('judge', () => {
  it('names the kind whose list blocks a request, and only when that kind is asked for', () => {
    const texts = { ads: '||ads.example^', trackers: '||stats.example^$third-party' };
    expect(judge(texts, 'https://ads.example/a.js')).toBe('ads');
    expect(judge(texts, 'https://cdn.stats.example/a.js')).toBe('trackers');
    expect(judge(texts, 'https://cdn.stats.example/a.js', { kinds: ['ads'] })).toBeUndefined();
    expect(judge(texts, 'https://other.example/a.js')).toBeUndefined();
  });

  it('takes the first kind asked for when several block', () => {
    const texts = { ads: '||both.example^', trackers: '||both.example^' };
    expect(judge(texts, 'https://both.example/', { kinds: ['trackers', 'ads'] })).toBe('trackers');
  });

  it('keeps to the types, parties and pages that a rule names', () => {
    const texts = { ads: '||a.example^$image\n||b.example^$third-party\n||c.example^$domain=news.example' };
    expect(judge(texts, 'https://a.example/x', { type: 'image' })).toBe('ads');
    expect(judge(texts, 'https://a.example/x', { type: 'script' })).toBeUndefined();
    expect(judge(texts, 'https://b.example/x', { page: 'https://www.b.example/' })).toBeUndefined();
    expect(judge(texts, 'https://c.example/x')).toBe('ads');
    expect(judge(texts, 'https://c.example/x', { page: 'https://else.example/' })).toBeUndefined();
  });

  it.each([
    ['fetch', '||a.example^$xmlhttprequest'],
    ['xhr', '||a.example^$xhr'],
    ['eventsource', '||a.example^$xhr'],
    ['document', '||a.example^$subdocument'],
    ['ping', '||a.example^$ping'],
    ['websocket', '||a.example^$websocket'],
  ] as const)('knows a request of type %s', (type, rule) => {
    const url = type === 'websocket' ? 'wss://a.example/x' : 'https://a.example/x';
    expect(judge({ ads: rule }, url, { type })).toBe('ads');
    expect(judge({ ads: rule }, url, { type: 'font' })).toBe(type === 'websocket' ? 'ads' : undefined);
  });

  it('lets the exceptions of the list of one kind hold for the rules of another', () => {
    const texts = { ads: '||ads.example^', cookies: '@@||ads.example/needed.js$script' };
    expect(judge(texts, 'https://ads.example/needed.js', { kinds: ['ads'] })).toBe('allowed');
    expect(judge(texts, 'https://ads.example/other.js', { kinds: ['ads'] })).toBe('ads');
  });

  it('lets an important rule beat an exception, and an important exception beat it', () => {
    const exception = '@@||ads.example^';
    expect(judge({ ads: `||ads.example^$important\n${exception}` }, 'https://ads.example/')).toBe('ads');
    const important = `||ads.example^$important\n${exception}$important`;
    expect(judge({ ads: important }, 'https://ads.example/')).toBe('allowed');
  });

  it('turns a rule off that a list of any kind calls bad', () => {
    const texts = { ads: '||ads.example^$image', trackers: '||ads.example^$image,badfilter' };
    expect(judge(texts, 'https://ads.example/', { type: 'image' })).toBeUndefined();
  });

  it('blocks nothing on a page that an exception names as a document', () => {
    const texts = { ads: '||ads.example^', annoyances: '@@||news.example^$document' };
    expect(judge(texts, 'https://ads.example/a.js')).toBe('allowed');
    expect(judge(texts, 'https://ads.example/a.js', { page: 'https://else.example/' })).toBe('ads');
  });

  it('does not take an exception of the requests to a host for one of its pages', () => {
    const texts = { ads: '||ads.example^\n@@||news.example^' };
    expect(judge(texts, 'https://ads.example/a.js')).toBe('ads');
  });

  it('blocks what a list would redirect, and ignores rules that change an answer', () => {
    expect(judge({ ads: '||a.example/x.js$script,redirect=noopjs' }, 'https://a.example/x.js')).toBe('ads');
    const ignored = [
      '||a.example^$redirect-rule=noopjs',
      '||a.example^$removeparam=utm',
      "||a.example^$csp=script-src 'none'",
      '||a.example^$replace=/a/b/',
    ];
    expect(judge({ ads: ignored.join('\n') }, 'https://a.example/x.js?utm=1')).toBeUndefined();
  });
});

describe('lists compiled apart', () => {
  const judgeBoth = (one: FilterTexts, other: FilterTexts, url: string) =>
    new ListFilterSet(compileFilters(one), compileFilters(other)).judge(
      { url, type: 'script', documentUrl: PAGE },
      FILTER_KINDS,
    );

  it('block what either blocks, and the exceptions of one hold for the other', () => {
    const one = { ads: '||ads.example^' };
    const other = { ads: '||more.example^', trackers: '@@||ads.example/needed.js' };
    expect(judgeBoth(one, other, 'https://ads.example/a.js')).toBe('ads');
    expect(judgeBoth(one, other, 'https://more.example/a.js')).toBe('ads');
    expect(judgeBoth(one, other, 'https://ads.example/needed.js')).toBe('allowed');
    expect(judgeBoth(other, one, 'https://ads.example/needed.js')).toBe('allowed');
  });

  it('turn off what one of them calls bad, a rule or an exception', () => {
    expect(
      judgeBoth({ ads: '||ads.example^' }, { ads: '||ads.example^$badfilter' }, 'https://ads.example/'),
    ).toBe(undefined);
    const one = { ads: '||ads.example^\n@@||ads.example^' };
    expect(judgeBoth(one, { ads: '@@||ads.example^$badfilter' }, 'https://ads.example/')).toBe('ads');
  });

  it('hide what either hides, unless the other shows it again', () => {
    const set = new ListFilterSet(
      compileFilters({ ads: 'news.example##.one\nnews.example##.two' }),
      compileFilters({ ads: 'news.example##.three', chats: 'news.example#@#.two' }),
    );
    const styles = set.stylesFor(PAGE, ['ads']);
    expect(styles).toContain('.one');
    expect(styles).toContain('.three');
    expect(styles).not.toContain('.two');
  });
});

describe('judgeHost', () => {
  const judgeHost = (texts: FilterTexts, host: string, page = PAGE) =>
    setOf(texts).judgeHost(host, page, FILTER_KINDS);

  it('blocks a host of which all is blocked, and its subdomains', () => {
    expect(judgeHost({ ads: '||ads.example^' }, 'ads.example')).toBe('ads');
    expect(judgeHost({ ads: '||ads.example^$third-party' }, 'cdn.ads.example')).toBe('ads');
    expect(judgeHost({ ads: '||ads.example^' }, 'notads.example')).toBeUndefined();
  });

  it.each([
    '||ads.example/path',
    '||ads.example^$script',
    '||ads.example^*.js',
    '/ads.',
    '||ads.example/|',
    '/ads\\.example/',
  ])('does not count %s, which says nothing of the whole host', (rule) => {
    expect(judgeHost({ ads: rule }, 'ads.example')).toBeUndefined();
  });

  it.each([
    '@@||ads.example/needed.js',
    '@@||ads.example^$script',
    '@@||cdn.ads.example/x$domain=news.example',
    '@@||cdn.*.example/ok^',
    '@@||cdn.',
    '@@/ok.js$domain=news.example',
    '@@/regex/$domain=news.example',
    '@@||news.example^$document',
  ])('does not block a host of which %s may except a request', (exception) => {
    const texts = { ads: '||ads.example^', chats: exception };
    expect(judgeHost(texts, 'cdn.ads.example')).toBe('allowed');
  });

  it.each([
    '@@||ads.example/x$domain=else.example',
    '@@||other.example/x',
    '@@||www.ads.example/x',
    '@@||ads.example^$~third-party',
    '@@||img*.ads.example^',
    '@@||ads.example^$document',
  ])('blocks a host although there is %s, which is for other requests', (exception) => {
    expect(judgeHost({ ads: '||ads.example^', chats: exception }, 'cdn.ads.example')).toBe('ads');
  });
});

describe('stylesFor', () => {
  const features = { classes: ['ad-box'], ids: ['sponsor'], hrefs: ['https://click.example/x'] };

  it('hides what the lists name for the host, and the generic rules that fit the features', () => {
    const set = setOf({
      ads: 'news.example##.promo\n##.ad-box\n###sponsor\n##.absent\n##a[href^="https://click.example/"]\n##div[data-ad]',
    });
    const forHost = set.stylesFor(PAGE, ['ads']);
    expect(forHost).toContain('.promo');
    expect(forHost).not.toContain('.ad-box');
    const full = set.stylesFor(PAGE, ['ads'], features);
    for (const selector of ['.promo', '.ad-box', '#sponsor', 'a[href^=', 'div[data-ad]']) {
      expect(full).toContain(selector);
    }
    expect(full).not.toContain('.absent');
    expect(set.stylesFor(PAGE, ['trackers'], features)).toBe('');
    expect(set.stylesFor('https://else.example/', ['ads'])).toBe('');
  });

  it('shows what a list of any kind shows again', () => {
    const set = setOf({
      ads: 'news.example##.promo\n##.ad-box\n##div[data-ad]',
      cookies: 'news.example#@#.promo\nnews.example#@#.ad-box\nnews.example#@#div[data-ad]',
    });
    expect(set.stylesFor(PAGE, ['ads'], features)).toBe('');
    expect(set.stylesFor('https://else.example/', ['ads'], features)).toContain('div[data-ad]');
  });

  it.each([
    ['$generichide', 'news.example##.promo', '##.ad-box'],
    ['$elemhide', undefined, '##.ad-box'],
    ['$document', undefined, '##.ad-box'],
  ])('keeps to an exception with %s', (option, kept, gone) => {
    const set = setOf({
      ads: ['news.example##.promo', '##.ad-box'].join('\n'),
      trackers: `@@||news.example^${option}`,
    });
    const styles = set.stylesFor(PAGE, ['ads'], features);
    if (kept !== undefined) expect(styles).toContain('.promo');
    else expect(styles).toBe('');
    expect(styles).not.toContain(gone.slice(2));
  });

  it('has nothing for a page without a host', () => {
    expect(setOf({ ads: '##.ad-box' }).stylesFor('about:blank', ['ads'], features)).toBe('');
  });
});
