import { Center, Flex, Group, MantineThemeProvider, Paper, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { EncryptionBadge } from '../../session/encryption-badge.js';
import { useOutbox } from '../outbox/use-outbox.js';

const Outbox = lazy(() => import('../outbox/outbox.js'));

const GROUND = 'light-dark(var(--mantine-color-gray-2), var(--mantine-color-dark-9))';

/** One column as wide as a phone, also on a desktop. */
export function Phone({ children }: { readonly children: ReactNode }) {
  const [body, setBody] = useState<HTMLElement | null>(null);
  // Dialogs open within the phone.
  const theme = useMemo(
    () => ({
      components: {
        // Not by `extend`, which would load it for the sign-in.
        Modal: {
          defaultProps: { centered: true, xOffset: 16, ...(body !== null && { portalProps: { target: body } }) },
        },
      },
    }),
    [body],
  );
  return (
    <Center bg={GROUND} h="100dvh" p={{ base: 0, sm: 'md' }}>
      <Flex
        direction={{ base: 'column', sm: 'row' }}
        align={{ base: 'stretch', sm: 'flex-start' }}
        gap={{ base: 0, sm: 'xl' }}
        w={{ base: '100%', sm: 'auto' }}
        h="100%"
        mah={{ base: 'none', sm: 840 }}
      >
        <Paper
          component="main"
          ref={setBody}
          display="flex"
          flex={{ base: '1 1 0', sm: '0 0 400px' }}
          mih={0}
          w={{ base: '100%', sm: 400 }}
          h={{ base: 'auto', sm: '100%' }}
          bdrs={{ base: 0, sm: 28 }}
          bd={{ base: 'none', sm: '1px solid var(--mantine-color-default-border)' }}
          shadow="lg"
          // What is fixed is fixed to the phone.
          style={{ flexDirection: 'column', overflow: 'hidden', contain: 'layout' }}
        >
          <Group px="md" h={48} justify="space-between" wrap="nowrap" flex="0 0 auto">
            <Text fw={700}>Sallyport</Text>
            <EncryptionBadge />
          </Group>
          <MantineThemeProvider theme={theme} inherit>
            {children}
          </MantineThemeProvider>
        </Paper>
        <OutboxOfDevelopment />
      </Flex>
    </Center>
  );
}

function OutboxOfDevelopment() {
  const { data } = useOutbox();
  // Not loaded for a service that has none.
  if (data === undefined || data === null) return null;
  return (
    <Suspense>
      <Outbox />
    </Suspense>
  );
}
