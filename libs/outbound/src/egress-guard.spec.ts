import { describe, expect, it } from '@jest/globals';
import { AppError, ERRORS } from '@app/kernel';
import { FORBIDDEN, PUBLIC } from '../../../test/support/addresses.js';
import { EgressGuard } from './egress-guard.js';
import { readEgressPolicy } from './egress-policy.js';

function aGuard(env: { allow?: string; deny?: string; ports?: string } = {}): EgressGuard {
  return new EgressGuard(
    readEgressPolicy({
      EGRESS_ALLOW: env.allow ?? '',
      EGRESS_DENY: env.deny ?? '',
      EGRESS_PORTS: env.ports ?? '80,443,8080,8443',
    }),
  );
}

function codeOf(guard: EgressGuard, url: string): string {
  try {
    guard.admit(new URL(url));
    return 'admitted';
  } catch (thrown) {
    return AppError.from(thrown).code;
  }
}

describe(EgressGuard.name, () => {
  const guard = aGuard();

  it.each(FORBIDDEN)('refuses %s, %s', (url) => {
    expect(codeOf(guard, url)).toBe('target_forbidden');
  });

  it.each(PUBLIC)('admits %s', (url) => {
    expect(codeOf(guard, url)).toBe('admitted');
  });

  it('refuses other schemes than those of the web', () => {
    expect(codeOf(guard, 'file:///etc/passwd')).toBe('target_forbidden');
    expect(codeOf(guard, 'ftp://example.com/')).toBe('target_forbidden');
  });

  it('does not reveal which address was refused or why', () => {
    try {
      guard.admit(new URL('http://169.254.169.254/secret'));
      throw new Error('was admitted');
    } catch (thrown) {
      const body = JSON.stringify(AppError.from(thrown).toBody());
      expect(body).toContain('target_forbidden');
      expect(body).not.toMatch(/169|secret|metadata/);
      expect((thrown as AppError).message).toBe(ERRORS.target_forbidden.doc);
    }
  });

  describe('with EGRESS_ALLOW', () => {
    it('allows exactly the pair of an address and a port', () => {
      const opened = aGuard({ allow: '127.0.0.1:9000' });
      expect(codeOf(opened, 'http://127.0.0.1:9000/')).toBe('admitted');
      expect(codeOf(opened, 'http://0x7f.1:9000/')).toBe('admitted');
      for (const url of [
        'http://127.0.0.1/',
        'http://127.0.0.1:8080/',
        'http://127.0.0.2:9000/',
        'http://[::1]:9000/',
        'http://[::ffff:127.0.0.1]:9000/',
        'http://localhost:9000/',
        'http://example.com:9000/',
        'http://93.184.216.34:9000/',
      ]) {
        expect([url, codeOf(opened, url)]).toEqual([url, 'target_forbidden']);
      }
    });

    it('allows a range on its port', () => {
      const opened = aGuard({ allow: '10.1.2.0/24:8080,[fd00::/8]:443' });
      expect(codeOf(opened, 'http://10.1.2.200:8080/')).toBe('admitted');
      expect(codeOf(opened, 'https://[fd12::1]/')).toBe('admitted');
      expect(codeOf(opened, 'http://10.1.3.1:8080/')).toBe('target_forbidden');
      expect(codeOf(opened, 'http://[fd12::1]/')).toBe('target_forbidden');
    });

    it('allows a name on its port, and its addresses only for that name', () => {
      const opened = aGuard({ allow: 'Intranet:80,wiki.corp:9000' });
      expect(codeOf(opened, 'http://intranet/')).toBe('admitted');
      expect(codeOf(opened, 'http://wiki.corp:9000/')).toBe('admitted');
      expect(codeOf(opened, 'https://intranet/')).toBe('target_forbidden');
      expect(codeOf(opened, 'http://x.intranet/')).toBe('target_forbidden');
      expect(opened.isAllowedAddress('10.0.0.5', 80, 'INTRANET.')).toBe(true);
      expect(opened.isAllowedAddress('10.0.0.5', 80)).toBe(false);
      expect(opened.isAllowedAddress('10.0.0.5', 80, 'evil.example')).toBe(false);
      expect(opened.isAllowedAddress('10.0.0.5', 443, 'intranet')).toBe(false);
    });
  });

  it('denies the addresses of EGRESS_DENY, also those that a pair allows', () => {
    const closed = aGuard({ allow: '10.0.0.0/8:80', deny: '93.184.216.0/24,10.9.0.0/16,2606:4700::/32' });
    expect(codeOf(closed, 'http://93.184.216.34/')).toBe('target_forbidden');
    expect(codeOf(closed, 'http://[2606:4700::1111]/')).toBe('target_forbidden');
    expect(codeOf(closed, 'http://10.9.1.1/')).toBe('target_forbidden');
    expect(codeOf(closed, 'http://10.8.1.1/')).toBe('admitted');
    expect(codeOf(closed, 'http://93.184.217.34/')).toBe('admitted');
  });

  it('checks resolved addresses in the same way as literal ones', () => {
    expect(guard.isAllowedAddress('93.184.216.34', 443, 'example.com')).toBe(true);
    expect(guard.isAllowedAddress('93.184.216.34', 22, 'example.com')).toBe(false);
    expect(guard.isAllowedAddress('127.0.0.1', 80, 'example.com')).toBe(false);
    expect(guard.isAllowedAddress('::ffff:127.0.0.1', 80)).toBe(false);
    expect(guard.isAllowedAddress('fe80::1%eth0', 80)).toBe(false);
    expect(guard.isAllowedAddress('not an address', 80)).toBe(false);
  });
});

describe(readEgressPolicy.name, () => {
  const env = { EGRESS_ALLOW: '', EGRESS_DENY: '', EGRESS_PORTS: '80' };

  it.each([
    '10.0.0.0/8',
    '10.0.0.0/33:80',
    '10/8:80',
    '0.0.0.0/0:80',
    '[::/0]:80',
    'fd00::/8:80',
    'host:0',
    'host:65536',
    'host:http',
    '*.corp:80',
    '[intranet]:80',
    '256.1.1.1:80',
    'http://intranet:80',
    ':80',
  ])('refuses the pair %s and names it', (entry) => {
    expect(() => readEgressPolicy({ ...env, EGRESS_ALLOW: `127.0.0.1:8080, ${entry}` })).toThrow(
      `EGRESS_ALLOW "${entry}"`,
    );
  });

  it('refuses an invalid range and an invalid port', () => {
    expect(() => readEgressPolicy({ ...env, EGRESS_DENY: '10.0.0.0/8,example.com' })).toThrow(
      'EGRESS_DENY "example.com"',
    );
    expect(() => readEgressPolicy({ ...env, EGRESS_PORTS: '80,0,70000' })).toThrow(
      /EGRESS_PORTS "0".*\n.*EGRESS_PORTS "70000"/,
    );
  });

  it('accepts empty lists, white space and trailing commas', () => {
    const policy = readEgressPolicy({ EGRESS_ALLOW: ' ', EGRESS_DENY: '', EGRESS_PORTS: '80, 443,' });
    expect(policy.allow).toEqual([]);
    expect([...policy.ports]).toEqual([80, 443]);
  });

  it.each([
    ['http://127.0.0.1:8080/hook', true],
    ['http://127.0.0.1:8081/', false],
    ['http://127.0.0.2:8080/', false],
    ['http://intranet/', true],
    ['http://intranet:8080/', false],
    ['https://example.com/', false],
    ['http://[fd00::1]:9000/', true],
  ])('knows whether the operator has allowed exactly %s', (url, isOpened) => {
    const opening = aGuard({ allow: '127.0.0.1:8080,intranet:80,[fd00::/8]:9000' });
    expect(opening.isOpened(new URL(url))).toBe(isOpened);
  });
});
