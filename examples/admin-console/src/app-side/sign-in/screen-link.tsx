import { Anchor } from '@mantine/core';
import type { MouseEvent } from 'react';
import { navigate } from 'wouter/use-browser-location';

/** Leads to a screen before the sign-in, in the same page: what was typed stays. */
export function ScreenLink({ path, children }: { readonly path: string; readonly children: string }) {
  function follow(event: MouseEvent) {
    // With these, the browser opens a tab or a window of its own.
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    navigate(path);
  }
  return (
    <Anchor href={path} size="sm" ta="center" onClick={follow}>
      {children}
    </Anchor>
  );
}
