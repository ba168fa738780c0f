import { age, time } from '../../ui/format.js';
import { useNow } from '../../ui/use-now.js';

const RENEWED_MS = 15_000;

/** How long ago a capture was made. The list has many of them, and draws them faster than with a tooltip of the library. */
export function ListTime({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={time(iso)} className="numeric">
      {age(iso, useNow(RENEWED_MS))}
    </time>
  );
}
