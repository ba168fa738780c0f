import { Tooltip } from '@mantine/core';
import { age, time } from './format.js';
import { useNow } from './use-now.js';

const RENEWED_MS = 15_000;

/** How long ago something was; the exact time, with its zone, on hover and for screen readers. */
export function TimeText({ iso }: { readonly iso: string }) {
  const now = useNow(RENEWED_MS);
  const exact = time(iso);
  return (
    <Tooltip label={exact}>
      <time dateTime={iso} aria-label={exact} className="numeric">
        {age(iso, now)}
      </time>
    </Tooltip>
  );
}
