import { describe, expect, it } from '@jest/globals';
import { argumentSchema } from './argument-schema.js';
import { CAPTURE } from './tools/capture.js';
import { CAPTURE_MANY } from './tools/capture-many.js';

describe(argumentSchema, () => {
  const refusalOf = async (tool: typeof CAPTURE, args: object): Promise<string> => {
    const schema = argumentSchema(tool.inputSchema(false), false);
    const { issues } = await schema['~standard'].validate(args);
    return (issues ?? []).map(({ message }) => message).join();
  };

  it('lists all faults', async () => {
    const text = await refusalOf(CAPTURE, { full_page: 1, format: 'gif', options: { scroll: 1 } });
    for (const name of ['url', 'full_page', 'format', 'options.scroll'])
      expect(text).toContain(`\`${name}\``);
  });

  it('refuses names and lists of megabytes without blocking the process for long', async () => {
    const start = process.cpuUsage();
    const long = 'a'.repeat(4_000_000);
    expect(await refusalOf(CAPTURE, { url: 'x', [long]: 1 })).toContain('is not an argument');
    expect(await refusalOf(CAPTURE, { url: 'x', options: { [long]: 1 } })).toMatch(/^.{0,5000}$/);
    const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`a${i}`, 1]));
    expect(await refusalOf(CAPTURE, { url: 'x', ...many })).toContain('at most 200 arguments');
    expect(await refusalOf(CAPTURE, { url: 'x', options: many })).toContain('at most 200 arguments');
    const urls = Array.from({ length: 2_000_000 }, () => 1);
    expect(await refusalOf(CAPTURE_MANY, { urls })).toContain('`urls`');
    // A comparison of whole names takes 40 s.
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(10_000);
  });

  it('refuses names of prototypes', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const args = JSON.parse(`{"url":"x","${name}":{"js":"1"},"options":{}}`) as object;
      expect(await refusalOf(CAPTURE, args)).toContain(`\`${name}\` is not an argument`);
      const nested = JSON.parse(`{"url":"x","options":{"${name}":{"js":"1"}}}`) as object;
      expect(await refusalOf(CAPTURE, nested)).toContain(`\`${name}\` is not an argument`);
    }
  });
});
