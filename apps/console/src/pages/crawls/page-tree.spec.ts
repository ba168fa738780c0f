import { describe, expect, it } from '@jest/globals';
import type { CrawlPage } from '@capture-service/client';
import { foldersOf, moveOf, rowsOf, totalOf, treeOf, type TreeRow } from './page-tree.js';

const HOST = 'https://docs.example/';
const page = (path: string, outcome: CrawlPage['outcome'] = 'ok', number = 1) =>
  ({ number, url: path.startsWith('http') ? path : `${HOST}${path}`, outcome }) as CrawlPage;
const open = () => true;
/** Each row with a space for every level. */
const drawn = (rows: readonly TreeRow[]) => rows.map(({ node, level }) => `${' '.repeat(level)}${node.name}`);

describe('the tree of the paths of a crawl', () => {
  it('has folders first, then pages, both by name and number', () => {
    const paths = ['b', 'guide/10.html', 'guide/9.html', '', 'a?sort=up', 'guide/deep/er/', 'guide'];
    expect(drawn(rowsOf(treeOf(paths.map((path) => page(path))), open))).toEqual([
      ' docs.example',
      '  guide/',
      '   deep/',
      '    er/',
      '   9.html',
      '   10.html',
      '  a?sort=up',
      '  b',
      '  guide',
    ]);
  });

  it('has a place for every address, also of a query with slashes and of another host', () => {
    const urls = [
      `${HOST}a/?next=/b/c`,
      `${HOST}a/`,
      `${HOST}a`,
      'http://docs.example:81/x',
      `${HOST}?q=//`,
    ].map((url) => page(url));
    const rows = rowsOf(treeOf(urls), open);
    expect(rows.flatMap(({ node }) => node.page?.url ?? []).sort()).toEqual(
      urls.map(({ url }) => url).sort(),
    );
    expect(rows.filter(({ node }) => node.page).every(({ node }) => node.key === node.page?.url)).toBe(true);
  });

  it('counts the pages of a folder by their outcome, with its own', () => {
    const pages = [page('g/'), page('g/a', 'broken'), page('g/h/b', null), page('c', 'canceled')];
    const [host, folder] = rowsOf(treeOf(pages), open);
    expect(host?.node.counts).toEqual({ ok: 1, broken: 1, pending: 1, canceled: 1 });
    expect(totalOf(folder?.node.counts ?? { ok: 0, broken: 0, pending: 0, canceled: 0 })).toBe(3);
  });

  it('has no rows of what is in a closed folder', () => {
    const tree = treeOf([page('a/b/c'), page('d')]);
    const toStart = foldersOf(`${HOST}a/`);
    expect(drawn(rowsOf(tree, ({ key }) => toStart.has(key)))).toEqual([
      ' docs.example',
      '  a/',
      '   b/',
      '  d',
    ]);
    expect(rowsOf(tree, () => false)).toHaveLength(1);
  });

  it('is moved through by keys', () => {
    const rows = rowsOf(treeOf([page('a/b'), page('a/c'), page('d')]), ({ key }) => key !== `${HOST}a/`);
    expect(drawn(rows)).toEqual([' docs.example', '  a/', '  d']);
    const move = (key: string, active: number) => moveOf(key, { rows, active, inView: 10 });
    expect(move('ArrowDown', 0)).toEqual({ active: 1 });
    expect(move('ArrowUp', 0)).toEqual({ active: 0 });
    expect(move('End', 0)).toEqual({ active: 2 });
    expect(move('PageUp', 2)).toEqual({ active: 0 });
    expect(move('ArrowRight', 1)).toEqual({ toggle: rows[1]?.node });
    expect(move('ArrowRight', 0)).toEqual({ active: 1 });
    expect(move('ArrowRight', 2)).toBeUndefined();
    expect(move('ArrowLeft', 2)).toEqual({ active: 0 });
    expect(move('ArrowLeft', 0)).toEqual({ toggle: rows[0]?.node });
    expect(move(' ', 2)).toBeUndefined();
    expect(move('x', 2)).toBeUndefined();
    expect(moveOf('End', { rows: [], active: 0, inView: 10 })).toBeUndefined();
  });
});
