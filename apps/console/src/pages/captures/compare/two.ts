/** What is compared. */
export type Two<Value> = readonly [a: Value, b: Value];
