import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

/** What an expression reads: a metric with the labels that it selects by. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly { readonly name: string; readonly op: string; readonly value: string }[];
}

export interface Expression {
  /** The alert, the panel or the page. */
  readonly place: string;
  readonly text: string;
  readonly selectors: readonly Selector[];
  /** The labels by which it groups. */
  readonly groupedBy: readonly string[];
}

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

/** Parses with the grammar of Prometheus. */
export function parsePromql(place: string, text: string): Expression {
  const selectors: { metric: string; labels: { name: string; op: string; value: string }[] }[] = [];
  const groupedBy: string[] = [];
  parser.parse(text).iterate({
    enter: ({ name, from, to, type, node }) => {
      const part = text.slice(from, to);
      if (type.isError) throw new Error(`${place} is no PromQL at character ${from}: ${text}`);
      if (name === 'VectorSelector') selectors.push({ metric: part.split('{')[0] ?? '', labels: [] });
      if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') groupedBy.push(part);
      if (name === 'UnquotedLabelMatcher') {
        const [, label = '', op = '', value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/s.exec(part) ?? [];
        selectors.at(-1)?.labels.push({ name: label, op, value: value.replaceAll('\\\\', '\\') });
      }
    },
  });
  return { place, text, selectors, groupedBy };
}

export function alerts(): Alert[] {
  const { groups } = parse(readFileSync('docs/monitoring/alerts.yml', 'utf8')) as {
    groups: { rules: Alert[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** Every expression of the alerts, of the dashboard and of docs/operations.md. */
export function documentedExpressions(): Expression[] {
  const { panels } = JSON.parse(readFileSync('docs/monitoring/grafana.json', 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const page = readFileSync('docs/operations.md', 'utf8');
  const quoted = [...page.matchAll(/```promql\n(.*?)```/gs), ...page.matchAll(/`(sum by [^`]+)`/g)];
  return [
    ...alerts().map(({ alert, expr }) => parsePromql(alert, expr)),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => parsePromql(title, expr))),
    ...quoted.map(([, text = '']) => parsePromql('docs/operations.md', text)),
  ];
}
