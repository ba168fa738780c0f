/** One sample of a metric, as Prometheus would keep it. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
// Prometheus reads NaN in any letter case, and prom-client writes `Nan`.
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|Nan|[+-]Inf|[-+.eE0-9]+)$`);
const COMMENT = new RegExp(
  `^# (?:HELP ${NAME} .+|TYPE ${NAME} (?:counter|gauge|histogram|summary|untyped))$`,
);

/** A parsed scrape, read as strictly as Prometheus reads it: any malformed line is an error. */
export class Exposition {
  private constructor(readonly samples: readonly Sample[]) {}

  static async scrape(url: string): Promise<Exposition> {
    const response = await fetch(new URL('/metrics', url));
    if (!response.ok) throw new Error(`The scrape was answered ${response.status}`);
    return Exposition.parse(await response.text());
  }

  static parse(text: string): Exposition {
    if (!text.endsWith('\n')) throw new Error('The last line has no line feed.');
    const lines = text.split('\n').filter((line) => line !== '');
    const samples = lines.filter((line) => !line.startsWith('#')).map(toSample);
    const odd = lines.find((line) => line.startsWith('#') && !COMMENT.test(line));
    if (odd !== undefined) throw new Error(`Malformed comment: ${odd}`);
    const series = samples.map(({ name, labels }) => name + JSON.stringify(Object.entries(labels).sort()));
    const twice = series.find((each, index) => series.indexOf(each) !== index);
    if (twice !== undefined) throw new Error(`Duplicate series: ${twice}`);
    return new Exposition(samples);
  }

  /** The samples of a metric that have these labels, and perhaps others. */
  samplesOf(name: string, labels: Readonly<Record<string, string>> = {}): readonly Sample[] {
    const wanted = Object.entries(labels);
    return this.samples.filter(
      (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
    );
  }

  /** The value of the only sample; undefined when there is none, an error when there are several. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.samplesOf(name, labels);
    if (found.length > 1) throw new Error(`There are ${found.length} samples of ${name}`);
    return found[0]?.value;
  }

  /** The sum over all labels that are not given; 0 without a sample. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.samplesOf(name, labels).reduce((sum, { value }) => sum + value, 0);
  }
}

function toSample(line: string): Sample {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`Malformed sample: ${line}`);
  return { name, labels: toLabels(labels, line), value: toNumber(value) };
}

function toLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`Malformed labels: ${line}`);
    labels[name] = value.replace(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark));
  }
  return labels;
}

function toNumber(text: string): number {
  return Number(text.replace('Inf', 'Infinity'));
}
