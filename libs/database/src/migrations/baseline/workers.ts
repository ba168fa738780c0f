/** The last report of each worker process. */
export const WORKERS = `
  CREATE TABLE workers (
    id text PRIMARY KEY,
    slots integer NOT NULL,
    busy integer NOT NULL,
    healthy integer NOT NULL,
    browser text NOT NULL,
    sandbox boolean NOT NULL,
    seen_at timestamptz(3) NOT NULL,
    filter_lists jsonb NOT NULL,
    features text[] NOT NULL
  );
`;
