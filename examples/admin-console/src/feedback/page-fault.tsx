import { Component, type ReactNode } from 'react';
import { Refusal } from './refusal.js';

/** Shows a fault of a place in its room, so that the navigation stays. */
export class PageFault extends Component<{ readonly children: ReactNode }, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // A part of the page that could not be loaded, or that a newer version replaced, needs a new page.
    const isNotLoaded = error instanceof TypeError && error.message.includes('module');
    const retry = () => (isNotLoaded ? location.reload() : this.setState({ error: null }));
    return <Refusal error={error} onRetry={retry} />;
  }
}
