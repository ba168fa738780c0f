import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { EgressGuard } from './egress-guard.js';
import { EgressHints } from './egress-hints.js';

const open = { allow: [], deny: [], ports: new Set([80, 443]) };

/** The lines that are logged when the guard refuses these URLs. */
function linesOf(urls: readonly string[]): string[] {
  const lines: string[] = [];
  const hints = new EgressHints((line) => lines.push(line));
  const guard = new EgressGuard(open, hints);
  for (const url of urls) expect(() => guard.admit(new URL(url))).toThrow(AppError);
  return lines;
}

describe(EgressHints.name, () => {
  it.each([
    ['http://localhost:5173/app?token=secret', 'EGRESS_ALLOW=localhost:5173 '],
    ['http://127.1/', 'EGRESS_ALLOW=127.0.0.1:80 '],
    ['https://[::1]:8443/', 'EGRESS_ALLOW=[::1]:8443 '],
    ['https://wiki.corp/', 'EGRESS_ALLOW=wiki.corp:443 '],
    ['http://example.com:3000/', 'Add 3000 to EGRESS_PORTS'],
  ])('names the setting that allows %s, and no more of the URL', (url, setting) => {
    const [line, ...more] = linesOf([url]);
    expect(line).toContain(setting);
    expect(line).not.toMatch(/secret|app\?/);
    expect(more).toEqual([]);
  });

  it('logs each target once, and a limited number of targets', () => {
    expect(linesOf(['http://localhost:1/', 'http://localhost:1/x', 'http://localhost:2/'])).toHaveLength(2);
    expect(linesOf(Array.from({ length: 200 }, (_, i) => `http://localhost:${i + 1}/`))).toHaveLength(50);
  });

  it('logs nothing for a scheme that cannot be allowed, nor for an admitted URL', () => {
    expect(linesOf(['ftp://example.com/'])).toEqual([]);
    const lines: string[] = [];
    new EgressGuard(open, new EgressHints((line) => lines.push(line))).admit(new URL('https://example.com/'));
    expect(lines).toEqual([]);
  });
});
