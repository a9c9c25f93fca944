import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, useState } from 'react';
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
