import './trusted-types.js';
import '@mantine/core/styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { PageFault } from './feedback/page-fault.js';
import { loadExplanation } from './feedback/refusal.js';
import { LanguageProvider } from './language/language.js';
import { loadAhead } from './load-ahead.js';
import { pageNonce } from './page-nonce.js';
import { type Connection, openConnection } from './service/connection.js';
import { createQueries } from './service/queries.js';
import { ServiceProvider } from './service/service.js';
import { cssVariablesResolver, theme } from './theme.js';

// Both sides begin with these. In one script with the rest, they compress better.
import './feedback/notice.js';
import './session/captcha.js';
import './session/encryption.js';
import './shell/preferences.js';

/** The two sides have nothing to load of each other. */
const AdminSide = lazy(() => import('./admin-side.js'));
const AppSide = lazy(() => import('./app-side/app-side.js'));

// A lost network is explained without the network.
loadAhead(loadExplanation);

const isAppSide = /^\/console\/app(?:\/|$)/.test(location.pathname);
const keptAt = isAppSide ? 'sallyport.app-token' : 'sallyport.token';

/** Whether a sign-in counts in new tabs, too: the service writes its choice into the page. An app has one page. */
const isShared =
  !isAppSide && document.querySelector<HTMLMetaElement>('meta[name="console-session"]')?.content === 'browser';

/** Opens the connection: with the session of this tab, or of another one where they share it. */
async function connect(): Promise<Connection> {
  if (!isShared) return openConnection(keptAt);
  const { share, takeOver } = await import('./service/shared-session.js');
  const kept = sessionStorage.getItem(keptAt) ?? (await takeOver(keptAt));
  if (kept !== null) sessionStorage.setItem(keptAt, kept);
  const connection = openConnection(keptAt);
  share(connection, keptAt);
  return connection;
}

/** Shows the page. */
function start(connection: Connection): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no element #root');
  const queries = createQueries();
  let lastSession = connection.session;
  connection.subscribe(() => {
    // The service confirms a sign-out later. Until then the user may have gone on, such as to a new password.
    if (connection.session === lastSession) return;
    lastSession = connection.session;
    if (connection.session === 'none') {
      // The next user sees nothing that the last one read, nor the filters in the address.
      queries.clear();
      history.replaceState(null, '', isAppSide ? '/console/app' : '/console/');
    }
    if (connection.session !== 'open') return;
    // What the end of a session refused is read again after the next sign-in.
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  });

  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        cssVariablesResolver={cssVariablesResolver}
        theme={theme}
        defaultColorScheme="auto"
        getStyleNonce={() => pageNonce}
      >
        <LanguageProvider>
          <QueryClientProvider client={queries}>
            <ServiceProvider connection={connection}>
              <PageFault>
                <Suspense>{isAppSide ? <AppSide /> : <AdminSide />}</Suspense>
              </PageFault>
            </ServiceProvider>
          </QueryClientProvider>
        </LanguageProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

// The entry must not wait: a chunk that it loads meanwhile imports it, and would wait for it.
void connect().then(start);
