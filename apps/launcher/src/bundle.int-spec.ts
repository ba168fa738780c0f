import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = path.resolve('.');

describe('the bundles of the applications', () => {
  let folder: string;

  beforeAll(async () => {
    // As deep as dist/bundles, below the packages that stay outside.
    folder = await mkdtemp(path.join(ROOT, 'dist/bundles-'));
    await promisify(execFile)(process.execPath, ['apps/launcher/src/bundle.mjs', folder], { cwd: ROOT });
  });

  afterAll(() => rm(folder, { recursive: true }));

  const scripts = async (): Promise<string[]> => {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.js'));
    return Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  };

  it('start, and say what is wrong with a variable', async () => {
    for (const app of ['api', 'worker']) {
      const started = promisify(execFile)(process.execPath, [path.join(folder, `${app}.js`)], {
        env: { PATH: process.env.PATH, DATABASE_URL: 'postgres://capture@127.0.0.1:1/capture' },
      });
      await expect(started).rejects.toThrow('The database of DATABASE_URL cannot be used');
    }
  });

  it('name the lines of our TypeScript in traces', async () => {
    const [code, map] = await Promise.all(
      ['worker.js', 'worker.js.map'].map((file) => readFile(path.join(folder, file), 'utf8')),
    );
    const lines = (code ?? '').split('\n');
    const line = lines.findIndex((text) => text.includes('unhandled promise rejection'));
    const entry = new SourceMap(JSON.parse(map ?? '') as SourceMapPayload).findEntry(
      line,
      lines[line]?.indexOf('logger') ?? 0,
    ) as { readonly originalSource: string; readonly originalLine: number };
    const source = path.resolve(folder, entry.originalSource);
    expect(path.relative(ROOT, source)).toBe('apps/worker/src/main.ts');
    const original = (await readFile(source, 'utf8')).split('\n')[entry.originalLine];
    expect(original).toContain('unhandled promise rejection');
  });

  it('have no maps of packages, which Node would read at each start', async () => {
    const maps = (await readdir(folder)).filter((file) => file.endsWith('.map'));
    const texts = await Promise.all(maps.map((file) => readFile(path.join(folder, file), 'utf8')));
    const sources = texts.flatMap((text) => (JSON.parse(text) as { readonly sources: string[] }).sources);
    expect(sources.filter((source) => source.endsWith('.ts')).length).toBeGreaterThan(600);
    expect(sources.filter((source) => source.includes('node_modules'))).toEqual([]);
  });

  it('rename no class of the captures: pages run those by their texts, which would not know their new names', async () => {
    const modules = (await scripts()).flatMap((text) => text.split(/^\/\/ (?=dist\/|node_modules\/)/m));
    const ours = modules.filter((text) => text.startsWith('dist/libs/capture/'));
    expect(ours.length).toBeGreaterThan(100);
    expect(ours.filter((text) => text.includes('__name(this'))).toEqual([]);
  });

  it('find the files beside their modules', async () => {
    const texts = await scripts();
    const threads = texts.flatMap((text) =>
      [...text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)].map(([, place = '']) => place),
    );
    expect(threads.length).toBeGreaterThan(5);
    for (const place of threads)
      expect((await readFile(path.resolve(folder, place))).length).toBeGreaterThan(0);
  });
});
