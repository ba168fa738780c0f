interface Described<Label extends string> {
  /** `capture_…`, in base units: seconds, bytes; a counter ends in `_total`. */
  readonly name: string;
  /** One sentence that says what is counted or measured. */
  readonly help: string;
  readonly labels: readonly Label[];
}

export interface CounterSpec<Label extends string = string> extends Described<Label> {
  readonly kind: 'counter';
}

export interface GaugeSpec<Label extends string = string> extends Described<Label> {
  readonly kind: 'gauge';
}

export interface HistogramSpec<Label extends string = string> extends Described<Label> {
  readonly kind: 'histogram';
  readonly buckets: readonly number[];
}

/** A metric as data, from which both the registry and the documentation are made. */
export type MetricSpec = CounterSpec | GaugeSpec | HistogramSpec;

/** All metrics of a process. */
export type MetricCatalogue = Readonly<Record<string, MetricSpec>>;
