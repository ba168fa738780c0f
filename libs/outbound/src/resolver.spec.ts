import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SystemResolver, UnknownNameError } from './resolver.js';

/** What getaddrinfo answers: no test may depend on the name servers of its machine. */
const lookup = jest.fn<(host: string, options: object) => Promise<{ readonly address: string }[]>>();

describe(SystemResolver.name, () => {
  const resolver = new SystemResolver();
  const { lookup: ofMachine } = dns;

  beforeEach(() => {
    lookup.mockReset();
    answerWith(lookup);
  });

  afterAll(() => {
    answerWith(ofMachine);
  });

  it('returns all addresses in the order of the machine', async () => {
    lookup.mockResolvedValue([{ address: '2001:db8::1' }, { address: '192.0.2.1' }]);
    expect(await resolver.resolve('a.example')).toEqual(['2001:db8::1', '192.0.2.1']);
    expect(lookup).toHaveBeenCalledWith('a.example', { all: true, verbatim: true });
  });

  it.each(['ENOTFOUND', 'ENODATA', 'EINVAL'])('says with %s that there is no such name', async (code) => {
    lookup.mockRejectedValue(Object.assign(new Error(code), { code }));
    await expect(resolver.resolve('a.example')).rejects.toThrow(UnknownNameError);
  });

  it.each(['EAI_AGAIN', 'EAI_FAIL', 'ETIMEOUT', 'EMFILE'])(
    'says with %s that nothing is known of the name, which may exist',
    async (code) => {
      const failure = Object.assign(new Error(code), { code });
      lookup.mockRejectedValue(failure);
      await expect(resolver.resolve('a.example')).rejects.toBe(failure);
    },
  );

  it('asks nobody about a name that never exists', async () => {
    await expect(resolver.resolve('base.invalid')).rejects.toThrow(UnknownNameError);
    expect(lookup).not.toHaveBeenCalled();
  });
});

/** Replaces the function of Node, also where it was imported by its name. */
function answerWith(answer: unknown): void {
  Object.assign(dns, { lookup: answer });
  syncBuiltinESMExports();
}
