/** What a busy machine may add to a time that a response gives in whole seconds. */
const SLACK_S = 60;

/** Matches a header or a number of at least this many seconds: a machine under load may have taken some more meanwhile. */
export function secondsFrom(least: number): unknown {
  return {
    asymmetricMatch: (seconds: unknown): boolean =>
      /^\d+$/.test(String(seconds)) && Number(seconds) >= least && Number(seconds) <= least + SLACK_S,
    toString: () => `SecondsFrom<${least}>`,
  };
}
