import { Button, Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { List } from '../../lists/list.js';
import { useApi } from '../../service/service.js';
import { Page } from '../../shell/page.js';
import { texts } from './texts.js';

/** The largest page. Older messages are kept for a day. */
const SHOWN = 200;

/** The messages of the service and their states. */
export default function NotificationsPage() {
  const t = useTexts(texts);
  const { dateTime, number } = useFormats();
  const api = useApi();
  const query = useQuery({
    queryKey: ['notifications'],
    queryFn: async ({ signal }) =>
      dataOf(await api.GET('/admin/notifications', { params: { query: { size: SHOWN } }, signal })),
  });
  const total = query.data?.page.total ?? 0;
  return (
    <Page
      title={t.title}
      purpose={t.purpose}
      actions={
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {t.refresh}
        </Button>
      }
    >
      {total > SHOWN && <Text size="sm">{t.newest(number(SHOWN), number(total))}</Text>}
      <List
        label={t.title}
        query={query}
        keyOf={({ id }) => id}
        empty={t.empty}
        columns={[
          { title: t.recipient, render: ({ recipient }) => recipient },
          { title: t.kind, render: ({ kind }) => t.kinds[kind] },
          { title: t.state, render: ({ state }) => t.states[state] },
          { title: t.attempts, render: ({ attempts }) => number(attempts) },
          { title: t.queuedAt, render: ({ queuedAt }) => dateTime(queuedAt) },
          {
            title: t.finishedAt,
            render: ({ finishedAt }) => (finishedAt === undefined ? null : dateTime(finishedAt)),
          },
        ]}
      />
    </Page>
  );
}
