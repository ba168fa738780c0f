import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DnsServer } from '../../../test/support/dns-server.js';
import { eventually } from '../../../test/support/eventually.js';
import { NameServers } from './name-servers.js';
import { Resolver, UnknownNameError } from './resolver.js';
import { NameServersAwayError, WatchedResolver } from './watched-resolver.js';

Logger.overrideLogger(false);

/** Resolves every name, or fails as `lookup` does. */
class FailingResolver extends Resolver {
  failure: Error | null = null;

  resolve(): Promise<string[]> {
    return this.failure ? Promise.reject(this.failure) : Promise.resolve(['192.0.2.1']);
  }
}

describe(WatchedResolver.name, () => {
  let server: DnsServer;
  let names: FailingResolver;
  let resolver: WatchedResolver;

  beforeEach(async () => {
    server = await DnsServer.open();
    names = new FailingResolver();
    resolver = new WatchedResolver(names, new NameServers([server.address]));
  });
  afterEach(() => server.close());

  const noAnswer = Object.assign(new Error('getaddrinfo EAI_AGAIN a.example'), { code: 'EAI_AGAIN' });

  it('asks the name servers nothing while names resolve or do not exist', async () => {
    await resolver.resolve('a.example');
    names.failure = new UnknownNameError('b.example');
    await expect(resolver.resolve('b.example')).rejects.toThrow(names.failure);
    expect([server.questions, resolver.areServersAway]).toEqual([0, false]);
  });

  it('blames only the name when the name servers answer about others', async () => {
    names.failure = noAnswer;
    await expect(resolver.resolve('a.example')).rejects.toThrow(noAnswer);
    expect([server.questions, resolver.areServersAway]).toEqual([1, false]);
    await expect(resolver.answers()).resolves.toBeUndefined();
  });

  it.each(['servFail', 'refused', null] as const)(
    'knows that they are away when they respond with %s, until they answer again',
    async (answer) => {
      [names.failure, server.answer] = [noAnswer, answer];
      await expect(resolver.resolve('a.example')).rejects.toThrow(NameServersAwayError);
      expect(resolver.areServersAway).toBe(true);
      await expect(resolver.answers()).rejects.toThrow('No name server answers.');
      server.answer = 'nxDomain';
      await eventually('they answer again', () => {
        resolver.recheck();
        return !resolver.areServersAway;
      });
    },
  );

  it('asks once for many lookups that fail together', async () => {
    [names.failure, server.answer] = [noAnswer, 'refused'];
    const hosts = Array.from({ length: 50 }, (_, n) => `${n}.example`);
    const outcomes = await Promise.allSettled(hosts.map((host) => resolver.resolve(host)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    const asked = server.questions;
    // One check may ask twice.
    expect(asked).toBeLessThan(5);
  });
});
