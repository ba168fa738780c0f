import { Alert } from '@mantine/core';
import type { LinkedForm } from './form/form-link.js';

/** What a link or a record could not bring into the form. */
export function LinkNotice({ linked }: { readonly linked: LinkedForm | undefined }) {
  if (!linked) return null;
  const { fault, missing } = linked;
  if (fault === undefined && missing.length === 0) return null;
  return (
    <Alert color="yellow" role="status">
      {fault}
      {missing.length > 0 &&
        ` The capture had ${missing.join(', ')}, which its record does not show: enter it again if it is needed.`}
    </Alert>
  );
}
