import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { openConnection } from './service/connection.js';
import { createQueries } from './service/queries.js';
import { ServiceProvider } from './service/service.js';
import { SessionGate } from './session/session-gate.js';

/** Not loaded for the sign-in page. */
const Frame = lazy(() => import('./shell/frame.js'));

/** The administrators' side. */
export default function AdminSide() {
  const [connection] = useState(() => openConnection('sallyport.token'));
  const [queries] = useState(createQueries);
  // What the end of a session refused is read again after the next sign-in.
  useEffect(
    () =>
      connection.subscribe(() => {
        if (connection.session !== 'open') return;
        void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
      }),
    [connection, queries],
  );
  return (
    <QueryClientProvider client={queries}>
      <ServiceProvider connection={connection}>
        <SessionGate>
          <Frame />
        </SessionGate>
      </ServiceProvider>
    </QueryClientProvider>
  );
}
