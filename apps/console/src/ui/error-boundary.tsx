import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { PartNotLoaded } from './lazy-part.js';
import { ProblemAlert } from './problem-alert.js';

interface State {
  readonly error: unknown;
}

/** Shows what failed in a page instead of an empty window. A part that could not be loaded can be loaded again. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (!(error instanceof PartNotLoaded))
      return <ProblemAlert error={error} title="The page cannot be shown" onRetry={reload} />;
    const tryAgain = () => {
      error.forget();
      this.setState({ error: null });
    };
    return <NotLoaded isServiceThere={error.isServiceThere} tryAgain={tryAgain} />;
  }
}

function reload(): void {
  window.location.reload();
}

interface NotLoadedProps {
  readonly isServiceThere: boolean;
  readonly tryAgain: () => void;
}

function NotLoaded({ isServiceThere, tryAgain }: NotLoadedProps) {
  return (
    <Alert color="yellow" title="This part of the console could not be loaded" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text>
          {isServiceThere
            ? 'The service may have been updated while this page was open. Reload the page to get the new version. What you have entered here and not submitted is lost.'
            : 'The service does not answer. Try again when the connection is back.'}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={tryAgain}>
            Try again
          </Button>
          {isServiceThere && <Button onClick={reload}>Reload the page</Button>}
        </Group>
      </Stack>
    </Alert>
  );
}
