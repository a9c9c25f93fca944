import { Badge, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { COMPARED, valuesOf } from './protocol/comparison.js';
import type { Run } from './protocol/experiments.js';
import { decisionOf } from './protocol/stages.js';
import { useExperimentLabel } from './texts/experiment-label.js';
import { texts } from './texts/laboratory-texts.js';
import { stageTexts } from './texts/stage-texts.js';

export interface ComparisonProps {
  readonly shown: Run;
  readonly other: Run;
  readonly windowSeconds: number;
  onClose(): void;
}

/** Two experiments side by side: what they have in common, and what differs. Of copies, the first. */
export function Comparison({ shown, other, windowSeconds, onClose }: ComparisonProps) {
  const t = useTexts(texts);
  const { stages } = useTexts(stageTexts);
  const { number } = useFormats();
  const labelOf = useExperimentLabel();
  const title = t.comparison(number(shown.id), number(other.id));
  const runs = [shown, other] as const;
  const numbers = [t.numbered(number(shown.id)), t.numbered(number(other.id))] as const;
  const [ours, theirs] = [valuesOf(shown.exchanges[0]), valuesOf(other.exchanges[0])];
  const [stage, otherStage] = runs.map(({ exchanges: [exchange] }) => {
    const decision = decisionOf(exchange, windowSeconds);
    return decision.kind === 'refused' && decision.stage !== null ? stages[decision.stage].name : null;
  });
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={3} size="h6">
            {title}
          </Title>
          <Button size="xs" variant="subtle" onClick={onClose}>
            {t.endComparison}
          </Button>
        </Group>
        <Row
          numbers={numbers}
          name={t.rows.experiment}
          values={[labelOf(shown.experiment), labelOf(other.experiment)]}
        />
        {COMPARED.map((each) =>
          ours[each] === null && theirs[each] === null ? null : (
            <Row key={each} numbers={numbers} name={t.rows[each]} values={[ours[each], theirs[each]]} />
          ),
        )}
        <Row numbers={numbers} name={t.rows.stage} values={[stage ?? null, otherStage ?? null]} />
      </Stack>
    </Paper>
  );
}

interface RowProps {
  readonly numbers: readonly [string, string];
  readonly name: string;
  readonly values: readonly [string | null, string | null];
}

function Row({ numbers, name, values }: RowProps) {
  const t = useTexts(texts);
  const [ours, theirs] = values;
  const isSame = ours === theirs;
  return (
    <Stack gap={2} data-compared={name}>
      <Group gap="xs">
        <Text size="xs" fw={600}>
          {name}
        </Text>
        <Badge size="sm" color={isSame ? 'gray' : 'orange'} variant="dot">
          {isSame ? t.same : t.different}
        </Badge>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: isSame ? 1 : 2 }} spacing={4} verticalSpacing={2}>
        <Value number={isSame ? null : numbers[0]}>{ours}</Value>
        {!isSame && <Value number={numbers[1]}>{theirs}</Value>}
      </SimpleGrid>
    </Stack>
  );
}

interface ValueProps {
  /** Null: it is the value of both. */
  readonly number: string | null;
  readonly children: string | null;
}

function Value({ number, children }: ValueProps) {
  const t = useTexts(texts);
  return (
    <div>
      {number !== null && (
        <Text size="xs" c="dimmed">
          {number}
        </Text>
      )}
      <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {children ?? t.none}
      </Text>
    </div>
  );
}
