import { Alert, Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { ClearAddress, type ClearOutcome } from './clear-limits.js';
import { CodeLimits } from './code-limits.js';
import { CounterCard } from './counter-card.js';
import { type Explanation, plainAddress } from './explanation.js';
import { texts } from './texts.js';
import { TimeLeft } from './time-left.js';

export interface ExplainedLimitsProps {
  readonly explanation: Explanation;
  /** The address that was asked for. */
  readonly address: string | undefined;
  onCleared(outcome: ClearOutcome): void;
}

/** Each counter of a name, its devices and its codes. */
export function ExplainedLimits({ explanation, address, onCleared }: ExplainedLimitsProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { counters, devices, codes } = explanation;
  return (
    <Stack gap="md">
      <Summary explanation={explanation} address={address} />
      <Title order={3} size="h4">
        {t.counters}
      </Title>
      {counters.length === 0 && <Text c="dimmed">{t.noCounters}</Text>}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {counters.map((counter) => (
          <CounterCard
            key={`${counter.counter} ${counter.address}`}
            counter={counter}
            action={
              counter.counter === 'ip' &&
              counter.address !== null &&
              counter.address !== address &&
              counter.state === 'locked' && (
                <div>
                  <ClearAddress address={plainAddress(counter.address)} onCleared={onCleared} />
                </div>
              )
            }
          />
        ))}
      </SimpleGrid>
      <Card withBorder padding="md" component="section" aria-label={t.devices}>
        <Title order={3} size="h4" mb={4}>
          {t.devices}
        </Title>
        <Text size="sm">{t.devicesKnown(number(devices.known))}</Text>
        {devices.known > 0 && <Text size="sm">{t.devicesLocked(number(devices.locked))}</Text>}
        {devices.known > 0 && (
          <Text size="sm" c="dimmed">
            {t.devicesMeaning}
          </Text>
        )}
      </Card>
      {codes === undefined ? (
        <Text size="xs" c="dimmed">
          {t.sameForAll}
        </Text>
      ) : (
        <CodeLimits codes={codes} />
      )}
    </Stack>
  );
}

function Summary({ explanation, address }: Pick<ExplainedLimitsProps, 'explanation' | 'address'>) {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const { lockedUntil, counters } = explanation;
  if (lockedUntil === null) {
    return (
      <Alert color="teal" title={t.unlocked} role="status">
        {address === undefined ? t.unlockedMeaning : t.unlockedAtAddress(address)}
      </Alert>
    );
  }
  const locked = counters.filter(({ state }) => state === 'locked');
  const isEverywhere = locked.some((counter) => counter.address === null);
  const addresses = [...new Set(locked.map((counter) => counter.address))].join(', ');
  return (
    <Alert color="red" title={isEverywhere ? t.lockedEverywhere : t.lockedSomewhere(addresses)} role="status">
      {t.lastLockEnds(dateTime(lockedUntil))} (<TimeLeft until={lockedUntil} />)
    </Alert>
  );
}
