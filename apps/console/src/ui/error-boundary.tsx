import { Component, type ReactNode } from 'react';
import { ProblemAlert } from './problem-alert.js';

interface State {
  readonly error: unknown;
}

/** Shows what failed in a page instead of an empty window, such as a part that could not be loaded after an update. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <ProblemAlert error={error} title="The page cannot be shown" onRetry={() => window.location.reload()} />
    );
  }
}
