import '@mantine/notifications/styles.css';
import { AppShell, Burger, Center, Group, Loader, Menu, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Notifications, notifications } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { useDraftKeeping } from '../drafts/drafts.js';
import { PageFault } from '../feedback/page-fault.js';
import { defineTexts, useTexts } from '../language/language.js';
import { placeNames, places } from '../places/places.js';
import { useConnection } from '../service/service.js';
import { EncryptionBadge } from '../session/encryption-badge.js';
import { useMay, useProfile } from '../session/profile.js';
import { Mark } from './mark.js';
import { useIsNarrow } from './narrow.js';
import { Navigation } from './navigation.js';
import { NotFound } from './not-found.js';
import { Preferences } from './preferences.js';
import { CONTENT_ID, SkipLink } from './skip-link.js';

const ProfilePage = lazy(() => import('../places/profile/profile-page.js'));

const PROFILE_PATH = '/profile';

const texts = defineTexts({
  en: {
    navigation: 'Navigation',
    profile: 'Profile and password',
    signOut: 'Sign out',
    loading: 'Loading',
    user: (name: string) => `User menu: ${name}`,
  },
  'zh-CN': {
    navigation: '导航',
    profile: '个人资料与密码',
    signOut: '退出登录',
    loading: '加载中',
    user: (name: string) => `用户菜单：${name}`,
  },
});

/** The page around the places: navigation, the user's menu, language and colors. */
export default function Frame() {
  // The next user is told nothing of the last one's.
  useEffect(() => () => notifications.clean(), []);
  useDraftKeeping();
  return (
    <Router base="/console">
      {/* On the right it would cover the buttons of a dialog. */}
      <Notifications position="bottom-left" />
      <Room />
    </Router>
  );
}

function Room() {
  const t = useTexts(texts);
  const names = useTexts(placeNames);
  const may = useMay();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const isNarrow = useIsNarrow();
  const content = useRef<HTMLElement>(null);
  const [location] = useLocation();
  const open = places.filter(({ permissions }) => permissions.length === 0 || permissions.some(may));
  const here = open.find(({ path }) => location === path || location.startsWith(`${path}/`));
  const title = here === undefined ? null : names[here.name];

  useEffect(() => {
    document.title = title === null ? 'Sallyport' : `${title} – Sallyport`;
    close();
  }, [title, close]);

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <SkipLink content={content} />
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t.navigation} />
            <Mark size={26} />
            <Text fw={700} visibleFrom="xs">
              Sallyport
            </Text>
            <EncryptionBadge />
          </Group>
          <Group gap="sm" wrap="nowrap">
            {!isNarrow && <Preferences />}
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label={t.navigation}>
        {/* On a low window it scrolls. */}
        <AppShell.Section grow mih={0} style={{ overflowY: 'auto' }}>
          <Navigation open={open} here={here} onChoose={close} />
        </AppShell.Section>
        {isNarrow && (
          <AppShell.Section>
            <Preferences />
          </AppShell.Section>
        )}
      </AppShell.Navbar>
      <AppShell.Main ref={content} id={CONTENT_ID} tabIndex={-1} style={{ outline: 'none' }}>
        <PageFault key={location}>
          <Suspense
            fallback={
              <Center p="xl">
                <Loader role="status" aria-label={t.loading} />
              </Center>
            }
          >
            <Switch>
              {open.map(({ path, page }) => (
                <Route key={path} path={path} component={page} />
              ))}
              <Route path={PROFILE_PATH} component={ProfilePage} />
              <Route path="/">{open[0] !== undefined && <Redirect to={open[0].path} replace />}</Route>
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </PageFault>
      </AppShell.Main>
    </AppShell>
  );
}

function UserMenu() {
  const t = useTexts(texts);
  const { displayName, username } = useProfile();
  const connection = useConnection();
  const [, navigate] = useLocation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton aria-label={t.user(displayName)}>
          <Group gap={4} wrap="nowrap">
            <Text size="sm" truncate maw={{ base: 160, sm: 320 }}>
              {displayName}
            </Text>
            <span aria-hidden>▾</span>
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{username}</Menu.Label>
        <Menu.Item onClick={() => navigate(PROFILE_PATH)}>{t.profile}</Menu.Item>
        <Menu.Item onClick={connection.signOut}>{t.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
