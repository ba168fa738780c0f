import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { CliContext } from './context/cli-context.js';
import { run } from './run.js';

/** Runs a command line that needs no service. */
async function runHere(args: readonly string[], env: Record<string, string> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const settings = {
    CAPTURE_URL: 'http://127.0.0.1:9',
    CAPTURE_API_KEY: 'key',
    HOME: '/nonexistent',
    ...env,
  };
  const context = new CliContext({ stdin, stdout, stderr, env: settings, exit: () => undefined });
  const code = await run(args, context);
  const text = (stream: PassThrough): string => String(stream.read() ?? '');
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

const PAGE = 'https://a.example';

describe('a command line', () => {
  it.each([
    [[PAGE, '--full-pag'], "unknown option '--full-pag' (Did you mean --full-page?)"],
    [[PAGE, '--pdf-papr', 'a4'], "unknown option '--pdf-papr' (Did you mean --pdf-paper?)"],
    [['captures', 'list', '--hots', 'x'], "unknown option '--hots' (Did you mean --host?)"],
    [['jobs', 'cansel', 'x'], "unknown command 'cansel' (Did you mean cancel?)"],
    [['captues'], 'No file is called captues. Did you mean `capture captures`?'],
    [['example.com'], 'No file is called example.com. To capture the page, write https://example.com.'],
    [['missing.html'], 'No file is called missing.html.'],
    [['missing'], 'No file is called missing. A URL begins with http:// or https://.'],
    [['/'], '/ is a folder. Name a file with a list of pages, or a URL.'],
    [[PAGE, PAGE], expect.stringContaining('One page is captured at a time.')],
    [[PAGE, '--css-file', 'no.css'], 'no.css cannot be read: there is no such file.'],
    [[PAGE, '--css-file', '/'], '/ cannot be read: it is a folder.'],
    [[PAGE, '--css', 'a', '--css-file', 'b'], '--css and --css-file exclude each other.'],
    [[PAGE, '--html', 'x'], 'The page is given twice: as an argument and by --html.'],
    [['--full-page'], 'Which page? Name a URL, such as https://example.com, or a file with HTML.'],
    [[PAGE, '-o', 'a.gif'], expect.stringContaining('The extension .gif belongs to no format.')],
    [[PAGE, '-o', 'no/a.png'], 'The folder no does not exist.'],
    [[PAGE, '-o', 'package.json/'], expect.stringMatching(/^The folder .*package.json does not exist\.$/)],
    [[PAGE, '--format', 'gif'], expect.stringContaining('Allowed choices are png, jpeg')],
    [[PAGE, '--viewport-width', 'wide'], expect.stringContaining('It takes a whole number.')],
    [[PAGE, '--device-scale-factor', '1,5'], expect.stringContaining('It takes a number.')],
    [
      [PAGE, '--headers', 'nothing'],
      expect.stringContaining("It takes 'Name: value', a JSON object, or @file with one."),
    ],
    [[PAGE, '--outputs', '@no.json'], 'no.json cannot be read: there is no such file.'],
    [[PAGE, '--show'], expect.stringContaining('--show needs kitty')],
    [
      [PAGE, '--server', 'ftp://x'],
      '"ftp://x" is not the URL of a service, such as https://capture.example.com.',
    ],
    [['--full-page', 'jobs', 'get', 'x'], 'Write --full-page after `get`, if it is an option of it.'],
    [['captures', 'list', '--limit', '0'], expect.stringContaining('It takes a whole number from 1.')],
    [
      ['keys', 'create', '--account', 'x'],
      expect.stringContaining('npm run keys -- create|list|revoke|set|signing'),
    ],
    [['links', 'sign', PAGE], 'When does the link expire? Add --expires-in-s <seconds> or --never-expires.'],
    [
      ['links', 'sign', PAGE, '--expires-in-s', '9', '--js', 'x'],
      expect.stringContaining('js cannot be part of a link'),
    ],
    [['webhooks', 'verify'], 'Set CAPTURE_WEBHOOK_SECRET, or add --secret <whsec_…>.'],
    [['crawl', PAGE], 'The files of a crawl need a folder: add -o <folder>, or --detach.'],
    [['crawl', PAGE, '-o', '-'], 'The files of a crawl need a folder: -o <folder>.'],
    [['crawl', PAGE, '-o', 'site', '--dry-run'], '--dry-run captures nothing: it takes no -o.'],
    [['crawl', PAGE, '-o', 'site', '--limit', 'all'], expect.stringContaining('It takes a whole number.')],
    [['crawl', PAGE, '-o', 'site', '--html', 'x'], expect.stringContaining("unknown option '--html'")],
    [['crawls', 'download', 'x', '-o', '-'], expect.stringContaining('-o takes a file, such as all.zip.')],
    [['completion', 'tcsh'], expect.stringContaining('Allowed choices are bash, zsh, fish.')],
    [
      ['options', 'pdf-papr'],
      'No option and no family of options is called pdf-papr. Did you mean pdf-paper?',
    ],
  ])('that is wrong ends with 2 and one line: %j', async (args, line) => {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr.slice('error: '.length, -1)).toEqual(line);
  });

  it('that is wrong is a problem with --json', async () => {
    const { code, stdout } = await runHere([PAGE, '--full-pag', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage', retryable: false } });
  });

  it.each([
    ['is wrong', ['--response', 'json'], 2],
    ['fails', [PAGE, '--response', 'json'], 4],
  ])('that asks for the record and %s is a problem, as with --json', async (_, args, exitCode) => {
    const { code, stdout } = await runHere(args);
    expect(code).toBe(exitCode);
    expect(JSON.parse(stdout)).toMatchObject({ error: { retryable: exitCode === 4 } });
    expect(await runHere(args.filter((word) => word !== '--response' && word !== 'json'))).toMatchObject({
      stdout: '',
    });
  });

  it('without words prints the help and ends with 2', async () => {
    const { code, stdout, stderr } = await runHere([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: capture');
    expect(await runHere(['jobs'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('create [page]'),
    });
  });

  it('prints help that shows the most used options, and all of them with `capture options`', async () => {
    const help = await runHere(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('--full-page');
    expect(help.stdout).not.toContain('--pdf-paper');
    const all = await runHere(['options']);
    expect(all.stdout).toContain('--[no-]pdf-landscape');
    expect((await runHere(['options', 'pdf'])).stdout).not.toContain('--full-page');
    expect((await runHere(['options', 'stable'])).stdout).toContain('The clock of the page starts at');
  });

  it('verifies a webhook', async () => {
    const args = [
      'webhooks',
      'verify',
      'package.json',
      '--header',
      'webhook-id: a',
      '--header',
      'webhook-timestamp: 1',
    ];
    const signed = [...args, '--header', 'webhook-signature: v1,AA==', '--secret', 'whsec_AA=='];
    expect(await runHere(signed)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is too old'),
    });
  });
});
