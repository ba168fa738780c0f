import { describe, expect, it } from '@jest/globals';
import { api, containerOf, named, selects, SERVICE, worker } from './support/kubernetes.js';

interface MonitorSpec {
  readonly selector: { readonly matchLabels: Record<string, string> };
  readonly podMetricsEndpoints: readonly {
    readonly port: string;
    readonly relabelings: readonly Record<string, unknown>[];
  }[];
}

describe('the monitors of the Prometheus operator', () => {
  it('have the label by which kube-prometheus-stack finds them, as the rules have', () => {
    const found = SERVICE.filter(({ apiVersion }) => apiVersion === 'monitoring.coreos.com/v1');
    expect(found.map(({ kind }) => kind).sort()).toEqual(['PodMonitor', 'PodMonitor', 'PrometheusRule']);
    for (const { metadata } of found)
      expect(metadata.labels).toMatchObject({ release: 'kube-prometheus-stack' });
  });

  it.each([
    ['capture-api', api, worker],
    ['capture-worker', worker, api],
  ])('scrape the pods of %s as the rules and the dashboard expect', (name, own, other) => {
    const { selector, podMetricsEndpoints } = named('PodMonitor', name).spec as MonitorSpec;
    expect([selects(selector.matchLabels, own), selects(selector.matchLabels, other)]).toEqual([true, false]);
    const [endpoint, ...more] = podMetricsEndpoints;
    expect(more).toEqual([]);
    expect(containerOf(own).ports?.map((port) => port.name)).toContain(endpoint?.port);
    expect(endpoint?.relabelings).toEqual([
      { targetLabel: 'job', replacement: name },
      { sourceLabels: ['__meta_kubernetes_namespace'], targetLabel: 'installation' },
    ]);
  });
});
