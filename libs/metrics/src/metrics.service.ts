import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type LabelValues } from 'prom-client';
import type { CounterSpec, GaugeSpec, HistogramSpec } from './metric-spec.js';

/**
 * The values of the only label of a metric that are known before they occur. Their series begin with 0: a series that begins with
 * its first event hides it from `increase()`.
 */
type KnownValues<Label extends string> = Readonly<Partial<Record<Label, readonly string[]>>>;

/** The registry of this process. */
@Injectable()
export class MetricsService {
  private readonly registry = new Registry();
  private readonly refreshers: (() => Promise<void> | void)[] = [];
  private readonly documents = new Map<string, () => Promise<object>>();

  counter<Label extends string>(
    { name, help, labels }: CounterSpec<Label>,
    known?: KnownValues<Label>,
  ): Counter<Label> {
    const counter = new Counter({ name, help, labelNames: labels, registers: [this.registry] });
    for (const series of seriesOf(known)) counter.inc(series, 0);
    return counter;
  }

  gauge<Label extends string>({ name, help, labels }: GaugeSpec<Label>): Gauge<Label> {
    return new Gauge({ name, help, labelNames: labels, registers: [this.registry] });
  }

  histogram<Label extends string>(
    { name, help, labels, buckets }: HistogramSpec<Label>,
    known?: KnownValues<Label>,
  ): Histogram<Label> {
    const histogram = new Histogram({
      name,
      help,
      labelNames: labels,
      buckets: [...buckets],
      registers: [this.registry],
    });
    for (const series of seriesOf(known)) histogram.zero(series);
    return histogram;
  }

  /** Adds memory, CPU, file descriptors, garbage collection and event-loop lag, with the names that common dashboards use. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Calls `refresh` before each scrape, to set gauges. The scrape waits for it, so it must settle soon even during an outage. */
  beforeScrape(refresh: () => Promise<void> | void): void {
    this.refreshers.push(refresh);
  }

  /**
   * Serves what `read` resolves to as JSON at `path` of the metrics port. An AppError that it rejects with is answered with a
   * problem document.
   */
  serveJson(path: string, read: () => Promise<object>): void {
    this.documents.set(path, read);
  }

  /** What reads the document at this path; undefined without one. */
  documentAt(path: string): (() => Promise<object>) | undefined {
    return this.documents.get(path);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in the text format of Prometheus. */
  async expose(): Promise<string> {
    await Promise.all(this.refreshers.map(async (refresh) => refresh()));
    return this.registry.metrics();
  }
}

function seriesOf<Label extends string>(known?: KnownValues<Label>): LabelValues<Label>[] {
  return Object.entries<readonly string[] | undefined>(known ?? {}).flatMap(([label, values = []]) =>
    values.map((value) => ({ [label]: value }) as LabelValues<Label>),
  );
}
