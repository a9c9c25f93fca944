import { Badge, Card, Code, Group, Progress, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import type { Counter } from './explanation.js';
import { texts } from './texts.js';
import { TimeLeft } from './time-left.js';

export interface CounterCardProps {
  readonly counter: Counter;
  /** What the user may do about it. */
  readonly action: ReactNode;
}

/** One counter: what it counts, how far it is, until when it locks. */
export function CounterCard({ counter, action }: CounterCardProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { address, limit, state, failures = 0, inFlight = 0 } = counter;
  const kind = counter.counter === 'subject' && address !== null ? 'subjectAt' : counter.counter;
  const isLocked = state === 'locked';
  return (
    <Card withBorder padding="md" component="section" aria-label={[t.names[kind], address].join(' ').trim()}>
      <Stack gap="xs" h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={4} size="h5">
            {t.names[kind]}
          </Title>
          <Badge color={isLocked ? 'red' : 'teal'} variant="light">
            {isLocked ? t.lockedBadge : t.countingBadge}
          </Badge>
        </Group>
        {address !== null && <Code style={{ overflowWrap: 'anywhere', alignSelf: 'flex-start' }}>{address}</Code>}
        <Text size="sm" c="dimmed">
          {t.meanings[kind]}
        </Text>
        {isLocked ? (
          <LockEnd counter={counter} />
        ) : (
          <>
            <Progress
              value={(100 * Math.min(failures, limit)) / limit}
              color={failures * 2 >= limit ? 'orange' : 'teal'}
              aria-label={t.failures(number(failures), number(limit))}
            />
            <Text size="sm">{t.failures(number(failures), number(limit))}</Text>
            {inFlight > 0 && <Text size="sm">{t.inFlight(number(inFlight))}</Text>}
          </>
        )}
        {!isLocked && <WindowEnd counter={counter} />}
        {action}
      </Stack>
    </Card>
  );
}

function LockEnd({ counter: { lockedUntil, limit } }: { readonly counter: Counter }) {
  const t = useTexts(texts);
  const { dateTime, number } = useFormats();
  return (
    <div>
      <Text size="xs" c="dimmed">
        {t.lockEnds}
      </Text>
      {lockedUntil !== undefined && (
        <>
          <Text fw={700}>
            <TimeLeft until={lockedUntil} />
          </Text>
          <Text size="sm">{dateTime(lockedUntil)}</Text>
        </>
      )}
      <Text size="sm" c="dimmed">
        {t.locksAt(number(limit))}
      </Text>
    </div>
  );
}

function WindowEnd({ counter: { failures = 0, inFlight = 0, windowEndsAt } }: { readonly counter: Counter }) {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const isZero = failures + inFlight === 0 || windowEndsAt == null;
  return (
    <Text size="sm" c="dimmed">
      {isZero ? t.zero : t.windowEnds(dateTime(windowEndsAt))}
    </Text>
  );
}
