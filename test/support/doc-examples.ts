import { readdirSync, readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';

/** A request that the documentation shows as an example. */
export interface DocumentedRequest {
  /** The page and the name or number of the example. */
  readonly place: string;
  readonly route: string;
  readonly type: string;
  readonly body: unknown;
}

type Content = Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>;

/** The examples of request bodies in docs/openapi.json. */
export function requestsOfDocument(): DocumentedRequest[] {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as OpenAPIObject;
  return Object.entries(paths).flatMap(([route, { post }]) => {
    const { content = {} } = (post?.requestBody ?? {}) as { content?: Content };
    return Object.entries(content).flatMap(([type, { example, examples = {} }]) => {
      const named = Object.entries(examples).map(([name, { value }]) => ({
        place: `${route} ${name}`,
        value,
      }));
      const all = example === undefined ? named : [...named, { place: `${route} ${type}`, value: example }];
      return all.map(({ place, value }) => ({ place, route, type, body: value }));
    });
  });
}

/** The bodies of captures and batches in README.md and docs/*.md. */
export function bodiesOfPages(): DocumentedRequest[] {
  return pages().flatMap((page) =>
    jsonOf(page).flatMap((body, i) => {
      const route = routeOf(body);
      return route === undefined
        ? []
        : { place: `${page}, JSON ${i + 1}`, route, type: 'application/json', body };
    }),
  );
}

function routeOf(body: object): string | undefined {
  const has = (name: string): boolean => Object.hasOwn(body, name);
  if (['defaults', 'items', 'retry_failed_of'].some(has)) return '/v1/bulk/json';
  return has('url') && !has('id') ? '/v1/capture' : undefined;
}

/** An example of a capture, and what the page shows of its record. */
export interface DocumentedCapture {
  readonly options: Readonly<Record<string, unknown>>;
  readonly record: Readonly<Record<string, unknown>> | undefined;
}

/** The captures of a page. The record of each, if the page shows one, is in the next block of JSON. */
export function capturesOfPage(page: string): DocumentedCapture[] {
  const all = jsonOf(page);
  const isCapture = (body: object | undefined): boolean =>
    body !== undefined && routeOf(body) === '/v1/capture';
  return all.flatMap((options, i) => {
    const next = all[i + 1];
    const isRecord = next && routeOf(next) === undefined;
    return isCapture(options) ? [{ options, record: isRecord ? next : undefined } as DocumentedCapture] : [];
  });
}

function jsonOf(page: string): object[] {
  return blocksOf(page, 'json').map((text) => JSON.parse(text) as object);
}

/**
 * The shell commands of the pages, each page as one script. `$ cat FILE` is followed by the text of the file; any other
 * line without a `$` is output, unless the block has no `$` at all.
 */
export function scriptsOfPages(): { readonly page: string; readonly script: string }[] {
  return pages()
    .map((page) => ({
      page,
      blocks: blocksOf(page, '').filter((text) => /^(?:\$ )?curl|^\$ cat/m.test(text)),
    }))
    .filter(({ blocks }) => blocks.length > 0)
    .map(({ page, blocks }) => ({ page, script: blocks.map(scriptOf).join('\n') }));
}

function scriptOf(block: string): string {
  if (!block.includes('$ ')) return block;
  const file = /^\$ cat (\S+)\n((?:(?!\$ |\n).+\n)+)/m.exec(block);
  const written = file && !file[1]?.includes('$') ? [`cat > ${file[1]} <<'END'\n${file[2]}END`] : [];
  const commands = block.split('\n').filter((line) => line.startsWith('$ ') && !/^\$ cat /.test(line));
  return [...written, ...commands.map((line) => line.slice(2))].join('\n');
}

function pages(): string[] {
  return [
    'README.md',
    ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ];
}

function blocksOf(page: string, language: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
    .filter(([, of]) => of === language)
    .map(([, , text = '']) => text);
}
