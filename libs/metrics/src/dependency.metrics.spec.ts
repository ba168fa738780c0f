import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Exposition } from '../../../test/support/exposition.js';
import { DependencyMetrics, MetricsService } from './index.js';

Logger.overrideLogger(false);

describe(DependencyMetrics.name, () => {
  const start = () => {
    const metrics = new MetricsService();
    const scrape = async () => {
      const samples = Exposition.parse(await metrics.expose()).samplesOf('capture_dependency_up');
      return new Map(samples.map(({ labels, value }) => [labels.dependency, value]));
    };
    return { dependencies: new DependencyMetrics(metrics), scrape };
  };

  it('has a series for what is watched or set, and for nothing else', async () => {
    const { dependencies, scrape } = start();
    dependencies.watch('queue', () => Promise.resolve());
    dependencies.set('dns', true);
    expect(await scrape()).toEqual(new Map(Object.entries({ queue: 1, dns: 1 })));
  });

  it('shows at each scrape whether the check passes', async () => {
    const { dependencies, scrape } = start();
    let isBroken = false;
    dependencies.watch('store', () => (isBroken ? Promise.reject(new Error('full')) : Promise.resolve()));
    expect(await scrape()).toEqual(new Map(Object.entries({ store: 1 })));
    isBroken = true;
    expect(await scrape()).toEqual(new Map(Object.entries({ store: 0 })));
    isBroken = false;
    expect(await scrape()).toEqual(new Map(Object.entries({ store: 1 })));
  });

  it('counts a check that throws at once, or never settles, as down', async () => {
    const { dependencies, scrape } = start();
    dependencies.watch('database', () => {
      throw new Error('no pool');
    });
    dependencies.watch('queue', () => new Promise(() => undefined));
    expect(await scrape()).toEqual(new Map(Object.entries({ database: 0, queue: 0 })));
  });

  it('keeps what was set until it is set again', async () => {
    const { dependencies, scrape } = start();
    dependencies.set('secrets', false);
    await scrape();
    expect(await scrape()).toEqual(new Map(Object.entries({ secrets: 0 })));
    dependencies.set('secrets', true);
    expect(await scrape()).toEqual(new Map(Object.entries({ secrets: 1 })));
  });
});
