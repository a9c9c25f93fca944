import '@mantine/notifications/styles.css';
import { Center, Loader } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { lazy, Suspense, useEffect } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { PageFault } from '../../feedback/page-fault.js';
import { useTexts } from '../../language/language.js';
import { NotFound } from '../../shell/not-found.js';
import { APP_PATH } from '../paths.js';
import { filesIcon, lockIcon, personIcon } from '../phone/icons.js';
import { Screen } from '../phone/screen.js';
import { TabBar } from '../phone/tab-bar.js';
import { ProfileScreen } from './profile-screen.js';
import { texts } from './texts.js';

const FilesScreen = lazy(() => import('../files/files-screen.js'));
const SecurityScreen = lazy(() => import('./security-screen.js'));

/** The app of a signed-in user. */
export default function SignedIn() {
  return (
    <Router base={APP_PATH}>
      <Screens />
    </Router>
  );
}

function Screens() {
  const t = useTexts(texts);
  const [location] = useLocation();
  const tabs = [
    { path: '/profile', name: t.profile, icon: personIcon },
    { path: '/files', name: t.files, icon: filesIcon },
    { path: '/security', name: t.security, icon: lockIcon },
  ];
  const title = tabs.find(({ path }) => path === location)?.name;
  useEffect(() => {
    if (title !== undefined) document.title = `${title} – Sallyport`;
    return () => {
      document.title = 'Sallyport';
    };
  }, [title]);

  return (
    <>
      <Screen>
        <PageFault key={location}>
          <Suspense
            fallback={
              <Center p="xl">
                <Loader role="status" aria-label={t.loading} />
              </Center>
            }
          >
            <Switch>
              <Route path="/profile" component={ProfileScreen} />
              <Route path="/files" component={FilesScreen} />
              <Route path="/security" component={SecurityScreen} />
              <Route path="/">
                <Redirect to="/profile" replace />
              </Route>
              <Route path="/recover">
                <Redirect to="/security" replace />
              </Route>
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </PageFault>
      </Screen>
      <Notifications withinPortal={false} position="top-center" autoClose={3000} />
      <TabBar label={t.navigation} tabs={tabs} />
    </>
  );
}
