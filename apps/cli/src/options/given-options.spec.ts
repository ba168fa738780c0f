import { PassThrough } from 'node:stream';
import { OPTION_CATALOGUE, type CatalogueOption } from '@capture-service/client';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { OPTION_SAMPLES } from '../../../../test/support/option-samples.js';
import { CliContext } from '../context/cli-context.js';
import { flagOf, flagOfPointer } from './flag-names.js';
import { givenOptions } from './given-options.js';
import { addCaptureOptions } from './option-flags.js';

const stream = new PassThrough();
const context = new CliContext({
  stdin: stream,
  stdout: stream,
  stderr: stream,
  env: {},
  exit: () => undefined,
});

async function given(...args: string[]): Promise<unknown> {
  const command = addCaptureOptions(new Command().exitOverride().configureOutput({ outputError: () => {} }));
  command.parse(args, { from: 'user' });
  return givenOptions(context, command);
}

describe('flags', () => {
  it.each([
    [['--header', 'A: b: c', '--headers', 'D:e'], { headers: { A: 'b: c', D: 'e' } }],
    [['--headers', '{"A":"b"}'], { headers: { A: 'b' } }],
    [
      ['--hide-selectors', '[hidden]', '--hide-selectors', '["a","b"]'],
      { hide_selectors: ['[hidden]', 'a', 'b'] },
    ],
    [['--hide-selectors', 'a, b'], { hide_selectors: ['a, b'] }],
    [['--fail-on-status', '404, 5xx'], { fail_on_status: ['404', '5xx'] }],
    [['--block-resource-types', 'image,font'], { block_resource_types: ['image', 'font'] }],
    [
      ['--outputs', '{"name":"a"}', '--outputs', '[{"name":"b"}]'],
      { outputs: [{ name: 'a' }, { name: 'b' }] },
    ],
    [
      ['--recording', 'test/support/recordings/frames.json'],
      { recording: expect.objectContaining({ title: 'In frames', timeout: 5_000 }) },
    ],
    [['--recording', '{"steps":[]}'], { recording: { steps: [] } }],
    [['--actions', '[{"type":"back"}]'], { actions: [{ type: 'back' }] }],
    [['--secrets', 'password: correct horse'], { secrets: { password: 'correct horse' } }],
    [['--latitude', '-12.5', '--longitude=.5'], { latitude: -12.5, longitude: 0.5 }],
    [['--full-page', '--no-full-page'], { full_page: false }],
    [['--html-file', 'LICENSE'], { html: expect.stringContaining('Apache License') }],
    [
      [
        '--cookie',
        'a=b=c; Domain=A.example; Path=/; Expires=Thu, 01 Jan 2099 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
      ],
      {
        cookies: [
          {
            name: 'a',
            value: 'b=c',
            domain: 'a.example',
            path: '/',
            expires: 4_070_908_800,
            http_only: true,
            secure: true,
            same_site: 'lax',
          },
        ],
      },
    ],
  ])('%j become options', async (args, options) => {
    expect(await given(...args)).toEqual(options);
  });

  it.each([
    [['--cookie', 'nothing'], "It takes 'name=value' or JSON."],
    [['--cookie', 'a=b; Colour=red'], 'Colour is no attribute of a cookie'],
    [['--cookie', 'a=b; Expires=soon'], 'Expires=soon is no date.'],
    [['--outputs', 'phone'], 'It takes JSON, or @file with JSON.'],
    [['--outputs', '[{'], 'It takes JSON, or @file with JSON.'],
    [['--image-width', '1e3'], 'It takes a whole number.'],
  ])('%j are refused', async (args, message) => {
    await expect(given(...args)).rejects.toThrow(message);
  });

  it('name the option of a JSON pointer', () => {
    expect(['/url', '/viewport_width', '/hide_selectors/1', '/headers/A~1B', ''].map(flagOfPointer)).toEqual([
      'The URL',
      '--viewport-width',
      '--hide-selectors (value 2)',
      '--headers (A/B)',
      'The request',
    ]);
  });

  it.each(OPTION_CATALOGUE.map((option) => [option.name, option] as const))(
    'set %s',
    async (name, option) => {
      const [, value] = OPTION_SAMPLES[name] ?? [];
      expect(value).toBeDefined();
      expect(await given(...argsOf(option, value))).toEqual({ [name]: value });
    },
  );
});

function argsOf({ name, schema }: CatalogueOption, value: unknown): string[] {
  const flag = flagOf(name);
  if (schema.type === 'boolean') return [value === false ? flag.replace('--', '--no-') : flag];
  if (schema.type === 'object' || schema.items?.type === 'object') return [flag, JSON.stringify(value)];
  return [value].flat().flatMap((item) => [flag, String(item)]);
}
