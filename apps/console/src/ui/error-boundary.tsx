import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, useState, type ReactNode } from 'react';
import { isServiceThere, PartNotLoaded } from './lazy-part.js';
import { ProblemAlert } from './problem-alert.js';

interface State {
  readonly error: unknown;
}

/** Shows what failed in a page instead of an empty window, such as a part that could not be loaded. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (error instanceof PartNotLoaded) return <NotLoaded error={error} />;
    return <ProblemAlert error={error} title="The page cannot be shown" onRetry={reload} />;
  }
}

function reload(): void {
  window.location.reload();
}

function NotLoaded({ error }: { readonly error: PartNotLoaded }) {
  const [isThere, setIsThere] = useState(error.isServiceThere);
  const [isChecking, setIsChecking] = useState(false);
  /** Without the service, a reload would leave the person with the error page of the browser. */
  const tryAgain = async () => {
    setIsChecking(true);
    if (await isServiceThere()) return reload();
    setIsThere(false);
    setIsChecking(false);
  };
  return (
    <Alert color="yellow" title="This part of the console could not be loaded" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text>
          {isThere
            ? 'The service may have been updated while this page was open.'
            : 'The service does not answer. Try again when the connection is back.'}{' '}
          The page is then loaded again, and what you have entered but not submitted is lost.
        </Text>
        <Button variant="default" loading={isChecking} onClick={() => void tryAgain()}>
          {isThere ? 'Reload the page' : 'Try again'}
        </Button>
      </Stack>
    </Alert>
  );
}
