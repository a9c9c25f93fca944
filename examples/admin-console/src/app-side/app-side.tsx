import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { Router } from 'wouter';
import { openConnection } from '../service/connection.js';
import { createQueries } from '../service/queries.js';
import { ServiceProvider } from '../service/service.js';
import { AccountGate } from './account/account-gate.js';
import { CodeInputs } from './outbox/code-inputs.js';
import { Phone } from './phone/phone.js';
import { VisitProvider } from './visit/visit.js';

/** The app user's side: a phone, and beside it, in development, the messages that it would get. */
export default function AppSide() {
  const [connection] = useState(() => openConnection('sallyport.app-token'));
  const [queries] = useState(createQueries);
  return (
    <QueryClientProvider client={queries}>
      <ServiceProvider connection={connection}>
        <Router base="/console/app">
          <VisitProvider>
            <CodeInputs>
              <Phone>
                <AccountGate />
              </Phone>
            </CodeInputs>
          </VisitProvider>
        </Router>
      </ServiceProvider>
    </QueryClientProvider>
  );
}
