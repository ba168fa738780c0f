/** A number with what it counts: `1 row is`, `2 rows are`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
