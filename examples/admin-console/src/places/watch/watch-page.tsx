import { Alert, Badge, Button, Group, SimpleGrid, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import { Loading } from '../../feedback/loading.js';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { choiceOf, useFilters } from '../../lists/filters.js';
import { useMay } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { type Activity, type ActivityKind, totalOf, useAttention, useHealth, WINDOWS } from './activity.js';
import { CountCard } from './count-card.js';
import { useLiveActivity } from './live-activity.js';
import { PresentLocks } from './present-locks.js';
import { Sources } from './sources.js';
import { StreamNotice } from './stream-notice.js';
import { texts } from './texts.js';

/** What happens now, at first sight: counts, locks, health. Requirement CON-6. */
export default function WatchPage() {
  const t = useTexts(texts);
  const may = useMay();
  const filters = useFilters(['window']);
  const window = choiceOf(WINDOWS, filters.values.window) ?? 'hour';
  const { isPaused, goOn } = useAttention();
  const mayCount = may('api:admin:activity:read');
  const { counts, live, state, seenAt, error, retry } = useLiveActivity(window, mayCount, isPaused);

  function choose(name: string): void {
    const form = new FormData();
    form.set('window', name);
    filters.apply(form);
  }

  return (
    <Page
      title={t.title}
      purpose={t.purpose}
      actions={
        mayCount && (
          <Group gap="xs" role="group" aria-label={t.window}>
            {WINDOWS.map((name) => (
              <Button
                key={name}
                size="compact-sm"
                variant={name === window ? 'filled' : 'default'}
                aria-pressed={name === window}
                onClick={() => choose(name)}
              >
                {t.windows[name]}
              </Button>
            ))}
          </Group>
        )
      }
    >
      {isPaused && (
        <Alert color="yellow" role="status">
          <Group justify="space-between">
            {t.paused}
            <Button size="compact-sm" variant="default" onClick={goOn}>
              {t.goOn}
            </Button>
          </Group>
        </Alert>
      )}
      <Health isPaused={isPaused} />
      {mayCount && !isPaused && error === null && <StreamNotice state={state} seenAt={seenAt} live={live} />}
      {error !== null && <Refusal error={error} onRetry={retry} />}
      {mayCount && counts === undefined && error === null && <Loading />}
      {counts !== undefined && <Counts activity={counts} />}
      {may('api:admin:login-policy:explain') && (
        <PresentLocks
          isRead={!mayCount || error !== null || state === 'away'}
          live={live?.locks ?? null}
          locksSoFar={totalOf(counts?.kinds['sign-in.lock'] ?? [])}
        />
      )}
      {counts !== undefined && live?.sources != null && <Sources sources={live.sources} from={counts.from} />}
    </Page>
  );
}

function Counts({ activity }: { readonly activity: Activity }) {
  const t = useTexts(texts);
  const { number, dateTime } = useFormats();
  const { from, interval } = activity;
  const kinds = Object.keys(activity.kinds) as ActivityKind[];
  const intervals = activity.kinds['sign-in.success'].map((_, index) => index);
  const busy = intervals.filter((index) => kinds.some((kind) => (activity.kinds[kind][index] ?? 0) > 0));
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {kinds.map((kind) => (
          <CountCard key={kind} kind={kind} activity={activity} />
        ))}
      </SimpleGrid>
      <VisuallyHidden>
        <Table>
          <Table.Caption>{t.counts}</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t.time}</Table.Th>
              {kinds.map((kind) => (
                <Table.Th key={kind} scope="col">
                  {t.kinds[kind]}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {busy.map((index) => (
              <Table.Tr key={index}>
                <Table.Th scope="row">{dateTime(from + index * interval)}</Table.Th>
                {kinds.map((kind) => (
                  <Table.Td key={kind}>{number(activity.kinds[kind][index] ?? 0)}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </VisuallyHidden>
    </>
  );
}

/** The parts of the service, for those who may see them. */
function Health({ isPaused }: { readonly isPaused: boolean }) {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const { data, isKnown, readAt } = useHealth(isPaused);
  const parts = Object.entries(data?.components ?? {});
  if (parts.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label={t.health}>
      <Title order={2} size="h4">
        {t.health}
      </Title>
      <Group gap="xs">
        {parts.map(([part, { status }]) => (
          <Badge key={part} variant="light" color={isKnown ? (status === 'UP' ? 'teal' : 'red') : 'gray'} tt="none">
            {isKnown ? (status === 'UP' ? t.up(part) : t.down(part)) : t.unknown(part)}
          </Badge>
        ))}
      </Group>
      {!isKnown && (
        <Text size="sm" role="status">
          {t.noAnswer(dateTime(readAt))}
        </Text>
      )}
    </Stack>
  );
}
