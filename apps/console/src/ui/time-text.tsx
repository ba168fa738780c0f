import { Tooltip } from '@mantine/core';
import { time } from './format.js';
import { useAge } from './use-now.js';

/** How long ago something was; the exact time, with its zone, on hover and for screen readers. */
export function TimeText({ iso }: { readonly iso: string }) {
  const text = useAge(iso);
  const exact = time(iso);
  return (
    <Tooltip label={exact}>
      <time dateTime={iso} aria-label={exact} className="numeric">
        {text}
      </time>
    </Tooltip>
  );
}
