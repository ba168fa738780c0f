import type { DataSource } from 'typeorm';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Returns how many rows the statement reads from indexes and tables, including those that it discards. */
export async function rowsRead(source: DataSource, statement: string, values: unknown[]): Promise<number> {
  const [plan]: { 'QUERY PLAN': [{ Plan: PlanNode }] }[] = await source.query(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
    values,
  );
  return plan ? readBy(plan['QUERY PLAN'][0].Plan) : NaN;
}

function readBy(node: PlanNode): number {
  const isScan = node['Node Type'].endsWith('Scan') && ('Relation Name' in node || 'Index Name' in node);
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, inner) => sum + readBy(inner), isScan ? own : 0);
}
