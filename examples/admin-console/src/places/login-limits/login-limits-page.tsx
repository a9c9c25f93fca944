import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { Loading } from '../../feedback/loading.js';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { FilterBar } from '../../lists/filter-bar.js';
import { useFilters } from '../../lists/filters.js';
import { useMay } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { ClearAddress, ClearName, type ClearOutcome, useMayClear } from './clear-limits.js';
import { Cleared } from './clear-outcome.js';
import { ExplainedLimits } from './explained-limits.js';
import { type Subject, useExplanation } from './explanation.js';
import { texts } from './texts.js';
import { ClockLead } from './time-left.js';

/** Of an input: the whole line on a phone. */
const WIDTH = { base: '100%', xs: 'auto' } as const;

/** Explains why a name is refused, and clears names and addresses. */
export default function LoginLimitsPage() {
  const t = useTexts(texts);
  const filters = useFilters(['user', 'terminal', 'address']);
  const { user, terminal, address } = filters.values;
  const may = useMay();
  const mayExplain = may('api:admin:login-policy:explain');
  const mayExplainNumbers = !mayExplain || may('api:admin:app-users:list');
  const mayClear = useMayClear();
  const hint = mayClear.address ? t.askForName : t.askForNameOnly;
  const mayClearAny = mayClear.name || mayClear.address;
  const purpose = !mayExplain ? t.clearPurpose : mayClearAny ? t.purpose : t.explainPurpose;
  return (
    <Page title={t.title} purpose={purpose}>
      <FilterBar filters={filters}>
        <TextInput
          name="user"
          label={t.user}
          description={mayExplainNumbers ? t.userHint : t.userHintNames}
          defaultValue={user ?? ''}
          w={WIDTH}
        />
        <TextInput
          name="terminal"
          label={t.terminal}
          description={t.terminalHint}
          defaultValue={terminal ?? ''}
          w={WIDTH}
        />
        <TextInput
          name="address"
          label={t.address}
          description={t.addressHint}
          defaultValue={address ?? ''}
          w={WIDTH}
        />
      </FilterBar>
      {user === undefined && <Text c="dimmed">{mayExplain ? hint : t.mayNotExplain}</Text>}
      {(user !== undefined || address !== undefined) && (
        // What was cleared before says nothing about another subject.
        <Limits key={JSON.stringify(filters.values)} subject={{ user, terminal, address }} mayExplain={mayExplain} />
      )}
    </Page>
  );
}

interface LimitsProps {
  readonly subject: Subject;
  readonly mayExplain: boolean;
}

function Limits({ subject, mayExplain }: LimitsProps) {
  const t = useTexts(texts);
  const [outcome, setOutcome] = useState<ClearOutcome | null>(null);
  const query = useExplanation(subject, mayExplain);
  const { user, terminal, address } = subject;
  const { data } = query;
  const name = data === undefined ? user : `${data.explanation.username} · ${data.explanation.terminal}`;
  return (
    <ClockLead value={data?.clockLead ?? 0}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {name ?? address}
          </Title>
          <Group gap="xs">
            {user !== undefined && mayExplain && (
              <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
                {t.refresh}
              </Button>
            )}
            {user !== undefined && (
              <ClearName user={user} terminal={data?.explanation.terminal ?? terminal} onCleared={setOutcome} />
            )}
            {address !== undefined && <ClearAddress address={address} onCleared={setOutcome} />}
          </Group>
        </Group>
        {outcome !== null && <Cleared outcome={outcome} onCleared={setOutcome} />}
        <Refusal error={query.error} onRetry={() => void query.refetch()} />
        {query.isLoading && <Loading />}
        {data !== undefined && (
          <ExplainedLimits explanation={data.explanation} address={address} onCleared={setOutcome} />
        )}
      </Stack>
    </ClockLead>
  );
}
