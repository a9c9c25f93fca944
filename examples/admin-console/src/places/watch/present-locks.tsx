import { Anchor, Code, Stack, Text, Title } from '@mantine/core';
import { type components, dataOf } from '@sallyport/api-client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useTexts } from '../../language/language.js';
import { List } from '../../lists/list.js';
import { useApi } from '../../service/service.js';
import { useMay } from '../../session/profile.js';
import { ClearAddress, ClearName } from '../login-limits/clear-limits.js';
import { LIMITS_KEY, plainAddress } from '../login-limits/explanation.js';
import { TimeLeft } from '../login-limits/time-left.js';
import type { LiveActivity } from './follow-activity.js';
import { texts } from './texts.js';

type Lock = components['schemas']['PresentLock'];

const keyOf = (lock: Lock) => [lock.audience, lock.username, lock.terminal, lock.scope, lock.clientIp].join(' ');

interface PresentLocksProps {
  readonly isRead: boolean;
  /** Those of the stream. Null: nothing has come. */
  readonly live: LiveActivity['locks'];
  readonly locksSoFar: number;
}

/**
 * Who is locked now, with the way to clear it.
 *
 * They come with the stream: a list that is read is a record of its own. Without a stream, it is read again when the
 * count of locks changes.
 */
export function PresentLocks({ isRead, live, locksSoFar }: PresentLocksProps) {
  const t = useTexts(texts);
  const api = useApi();
  const maySeeLog = useMay()('api:admin:audit-records:list');
  const query = useQuery({
    queryKey: [...LIMITS_KEY, 'locks', locksSoFar],
    queryFn: async ({ signal }) => dataOf(await api.GET('/admin/login-policy/locks', { signal })),
    placeholderData: keepPreviousData,
    enabled: isRead,
  });
  const shown = isRead || live === null ? query.data : { data: live.data, page: {} };
  return (
    <Stack gap="xs" component="section" aria-label={t.locked}>
      <Title order={2} size="h4">
        {t.locked}
      </Title>
      <List
        label={t.locked}
        query={{ ...query, data: shown } as typeof query}
        keyOf={keyOf}
        empty={t.nobody}
        columns={[
          { title: t.name, render: ({ username }) => username },
          { title: t.address, render: ({ clientIp }) => <Code>{clientIp}</Code> },
          { title: t.terminal, render: ({ terminal }) => terminal },
          { title: t.scope, render: ({ scope }) => t.scopes[scope] },
          { title: t.ends, render: ({ lockedUntil }) => <TimeLeft until={lockedUntil} /> },
        ]}
        actions={(lock) => (
          <>
            {maySeeLog && (
              <Anchor component={Link} href={logPathOfLock(lock)} size="sm">
                {t.inLog}
              </Anchor>
            )}
            <ClearLock lock={lock} onCleared={() => isRead && void query.refetch()} />
          </>
        )}
      />
      {shown !== undefined && locksSoFar > shown.data.length && (
        <Text size="sm" c="dimmed">
          {t.notListed}
        </Text>
      )}
    </Stack>
  );
}

/** The locks of its name, or of its address. */
function logPathOfLock({ audience, username, clientIp }: Lock): string {
  // The numbers of app users are masked here.
  if (audience === 'admin' && username !== null) {
    return `/audit-log?${new URLSearchParams({ action: 'auth.lock', target: username })}`;
  }
  return `/audit-log?${new URLSearchParams({ action: 'auth.lock', ip: plainAddress(clientIp) })}`;
}

/** The number of an app user is masked. The operator types it in the place of the limits. */
function ClearLock({ lock, onCleared }: { readonly lock: Lock; onCleared(): void }) {
  const t = useTexts(texts);
  const { audience, username, terminal, clientIp } = lock;
  if (username === null) return <ClearAddress address={plainAddress(clientIp)} onCleared={onCleared} />;
  if (audience === 'admin') return <ClearName user={username} terminal={terminal} onCleared={onCleared} />;
  return (
    <Anchor component={Link} href={`/login-limits?terminal=${encodeURIComponent(terminal)}`} size="sm">
      {t.explain}
    </Anchor>
  );
}
