import '@mantine/core/styles.css';
import { MantineProvider } from '@mantine/core';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { LanguageProvider } from './language/language.js';
import { pageNonce } from './page-nonce.js';
import { cssVariablesResolver, theme } from './theme.js';

/** The two sides have nothing to load of each other. */
const AdminSide = lazy(() => import('./admin-side.js'));
const AppSide = lazy(() => import('./app-side/app-side.js'));

const isAppSide = /^\/console\/app(?:\/|$)/.test(location.pathname);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root');

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      cssVariablesResolver={cssVariablesResolver}
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={() => pageNonce}
    >
      <LanguageProvider>
        <Suspense>{isAppSide ? <AppSide /> : <AdminSide />}</Suspense>
      </LanguageProvider>
    </MantineProvider>
  </StrictMode>,
);
