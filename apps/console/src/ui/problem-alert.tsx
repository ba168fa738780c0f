import { Alert, Anchor, Button, Code, List, Stack, Text } from '@mantine/core';
import { CaptureError, type FieldError } from '@capture-service/client';
import { DOCS_URL } from '../api/client.js';

interface ProblemAlertProps {
  readonly error: unknown;
  readonly title?: string;
  /** Offers to try again. */
  readonly onRetry?: (() => void) | undefined;
}

const SHOWN_FAULTS = 20;
const FORBIDDEN = 'target_forbidden';

/** What failed, in the words of the problem document: its text, each fault with its field, its code and request. */
export function ProblemAlert({ error, title, onRetry }: ProblemAlertProps) {
  const known = error instanceof CaptureError ? error : undefined;
  // A detail that is about one fault says it already.
  const faults = (known?.errors ?? []).filter((fault) => !known?.detail.includes(faultText(fault)));
  return (
    <Alert
      color="red"
      variant="light"
      title={title ?? known?.problem?.title ?? 'Something went wrong'}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text className="breaks">{known?.detail ?? String(error)}</Text>
        {faults.length > 0 && <FaultList faults={faults} />}
        {known?.code === FORBIDDEN && <ForbiddenHint />}
        {known && <ProblemCode error={known} />}
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The same for every refused address: what a name resolves to, and why it is refused, is not for callers to know. */
function ForbiddenHint() {
  return (
    <Text className="breaks">
      Captures reach public web addresses only, and not localhost or a private network. If you run this
      service and trust the host, start it with its host and port in <Code>EGRESS_ALLOW</Code>, such as{' '}
      <Code>EGRESS_ALLOW=localhost:8000</Code>. See docs/security.md.
    </Text>
  );
}

function FaultList({ faults }: { readonly faults: readonly FieldError[] }) {
  return (
    <List size="sm" spacing={2}>
      {faults.slice(0, SHOWN_FAULTS).map((fault, i) => (
        <List.Item key={i} className="breaks">
          {faultText(fault)}
        </List.Item>
      ))}
      {faults.length > SHOWN_FAULTS && <List.Item>and {faults.length - SHOWN_FAULTS} more</List.Item>}
    </List>
  );
}

function faultText({ row, column, pointer, detail }: FieldError): string {
  const field = column ?? pointer.slice(1).replaceAll('/', '.');
  return `${row === undefined ? '' : `row ${row}: `}${field} ${detail}`;
}

function ProblemCode({ error: { code, problem, requestId } }: { readonly error: CaptureError }) {
  return (
    <Text size="xs" c="dimmed" className="breaks">
      {/* The documents explain the codes of the service, not those of the client, such as connection_failed. */}
      {problem ? (
        <Anchor href={`${DOCS_URL}/errors#${code}`} target="_blank" rel="noreferrer" size="xs" c="inherit">
          {code}
        </Anchor>
      ) : (
        code
      )}
      {requestId !== undefined && ` · request ${requestId}`}
    </Text>
  );
}
