import { Badge, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { FilterBar } from '../../lists/filter-bar.js';
import { choiceOf, given, useFilters } from '../../lists/filters.js';
import { List } from '../../lists/list.js';
import { SESSIONS_KEY } from '../../service/queries.js';
import { useApi } from '../../service/service.js';
import { useMay, useProfile } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { EndChosen, EndSession, placeOf, type Session, useMayEnd } from './end-sessions.js';
import { texts } from './texts.js';
import { agentOf } from './user-agent.js';

const AUDIENCES = ['admin', 'app'] as const;

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

  const mayEnd = useMayEnd();
  const nameOf = ({ userName, subject }: Session) => userName ?? (subject === profile.id ? profile.username : subject);
  const agentName = (userAgent = '') => {
    const agent = agentOf(userAgent);
    return agent === null ? userAgent : t.on(agent.browser, agent.system);
  };
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(new Set());
  // What is not shown any more is not ended.
  const chosen = query.data?.data.filter((session) => chosenIds.has(session.id) && mayEnd(session)) ?? [];

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
      {chosen.length > 0 && (
        <Group gap="xs" role="group" aria-label={t.chosen}>
          <EndChosen sessions={chosen} />
          <Button size="xs" variant="default" onClick={() => setChosenIds(new Set())}>
            {t.chooseNone}
          </Button>
        </Group>
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
                {nameOf(session)}
                {session.current && <Badge variant="light">{t.current}</Badge>}
                {session.purpose !== undefined && (
                  <Badge variant="outline" color="gray">
                    {t.incomplete}
                  </Badge>
                )}
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
                  {agentName(session.userAgent)}
                </Text>
              </Stack>
            ),
          },
          { title: t.issuedAt, render: ({ issuedAt }) => dateTime(issuedAt) },
          { title: t.lastSeenAt, render: ({ lastSeenAt }) => dateTime(lastSeenAt) },
          {
            title: t.expiresAt,
            render: ({ expiresAt, idleExpiresAt }) => (
              <Stack gap={0}>
                {dateTime(Math.min(expiresAt, idleExpiresAt))}
                {idleExpiresAt < expiresAt && (
                  <Text size="xs" c="dimmed">
                    {t.ifNotUsed}
                  </Text>
                )}
              </Stack>
            ),
          },
        ]}
        actions={(session) => <EndSession session={session} />}
        choice={{ chosen: chosenIds, choose: setChosenIds, mayChoose: mayEnd, nameOf }}
      />
    </Page>
  );
}
