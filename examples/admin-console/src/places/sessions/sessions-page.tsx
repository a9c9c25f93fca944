import { Badge, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { notifyDone } from '../../feedback/notify.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { FilterBar } from '../../lists/filter-bar.js';
import { choiceOf, given, useFilters } from '../../lists/filters.js';
import { List } from '../../lists/list.js';
import { SESSIONS_KEY } from '../../service/queries.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { useMay, useProfile } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { texts } from './texts.js';

type Session = components['schemas']['Session'];

const AUDIENCES = ['admin', 'app'] as const;

function placeOf({ clientIp, terminal }: Pick<Session, 'clientIp' | 'terminal'>): string {
  return [clientIp, terminal].filter((part) => part !== undefined).join(' · ');
}

/** The sessions of all users for those who may see them, and one's own for everybody. */
export default function SessionsPage() {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const may = useMay();
  const profile = useProfile();
  const api = useApi();
  const filters = useFilters(['whose', 'audience', 'user', 'address']);
  const { whose = 'all', user, address } = filters.values;
  const audience = choiceOf(AUDIENCES, filters.values.audience);
  const maySeeAll = may('api:admin:sessions:list');
  const isAll = maySeeAll && whose === 'all';
  const { after } = filters;

  const query = useQuery({
    queryKey: [...SESSIONS_KEY, isAll, audience, user, address, after],
    queryFn: async ({ signal }) => {
      const found = given({ audience, user, address });
      const scope = isAll ? { scope: 'all' as const, ...found } : {};
      const sessionQuery = { ...scope, ...given({ after }) };
      return dataOf(await api.GET('/admin/sessions', { params: { query: sessionQuery }, signal }));
    },
  });

  return (
    <Page title={t.title} purpose={maySeeAll ? t.purpose : t.ownPurpose}>
      {maySeeAll && (
        <FilterBar filters={filters}>
          <NativeSelect
            name="whose"
            label={t.whose}
            defaultValue={whose}
            data={[
              { value: 'all', label: t.everybody },
              { value: 'own', label: t.mine },
            ]}
          />
          <NativeSelect
            name="audience"
            label={t.audience}
            defaultValue={audience ?? ''}
            data={[
              { value: '', label: t.allAudiences },
              { value: 'admin', label: t.audiences.admin },
              { value: 'app', label: t.audiences.app },
            ]}
          />
          <TextInput name="user" label={t.user} defaultValue={user ?? ''} />
          <TextInput name="address" label={t.address} defaultValue={address ?? ''} />
        </FilterBar>
      )}
      <List
        label={t.title}
        query={query}
        keyOf={({ id }) => id}
        cursor={filters}
        columns={[
          {
            title: t.user,
            render: (session) => (
              <Group gap="xs">
                {session.userName ?? (session.subject === profile.id ? profile.username : session.subject)}
                {session.current && <Badge variant="light">{t.current}</Badge>}
              </Group>
            ),
          },
          { title: t.audience, render: ({ audience: side }) => t.audiences[side] },
          {
            title: t.from,
            render: (session) => (
              <Stack gap={0}>
                <Text size="sm">{placeOf(session)}</Text>
                <Text size="xs" c="dimmed" lineClamp={1} title={session.userAgent}>
                  {session.userAgent}
                </Text>
              </Stack>
            ),
          },
          { title: t.issuedAt, render: ({ issuedAt }) => dateTime(issuedAt) },
          { title: t.lastSeenAt, render: ({ lastSeenAt }) => dateTime(lastSeenAt) },
          { title: t.expiresAt, render: ({ expiresAt }) => dateTime(expiresAt) },
        ]}
        actions={(session) => <EndSession session={session} />}
      />
    </Page>
  );
}

/** One's own other sessions are ended without a permission. The present one ends by signing out. */
function EndSession({ session }: { readonly session: Session }) {
  const t = useTexts(texts);
  const api = useApi();
  const may = useMay();
  const end = useWrite(
    async () => dataOf(await api.DELETE('/admin/sessions/{id}', { params: { path: { id: session.id } } })),
    { changes: [SESSIONS_KEY], onDone: () => notifyDone(t.ended) },
  );
  if (session.current) return null;
  if (!may('api:admin:sessions:end')) return null;
  const name = session.userName ?? session.subject;
  return (
    <ConfirmedAction
      label={t.end}
      consequence={t.consequence(name, placeOf(session))}
      action={end}
      onConfirm={(done) => end.mutate(undefined, { onSuccess: done })}
    />
  );
}
