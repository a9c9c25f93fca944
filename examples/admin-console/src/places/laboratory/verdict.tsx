import { Alert, Code, Stack, Text } from '@mantine/core';
import { CopyableText } from '../../feedback/copyable-text.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import type { Run } from './protocol/experiments.js';
import { countOutcomes, type OutcomeCount } from './protocol/outcome.js';
import { decisionOf } from './protocol/stages.js';
import { texts } from './texts/laboratory-texts.js';
import { outcomeTexts } from './texts/outcome-texts.js';
import { stageTexts } from './texts/stage-texts.js';

export interface VerdictProps {
  /** Null: nothing was sent yet. */
  readonly run: Run | null;
  readonly windowSeconds: number;
}

/** What became of an experiment, in sentences. */
export function Verdict({ run, windowSeconds }: VerdictProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const counts = run === null ? [] : countOutcomes(run.exchanges, windowSeconds);
  const copies = run?.exchanges.length ?? 0;
  const executed = counts
    .filter(({ outcome }) => outcome === 'read' || outcome === 'written')
    .reduce((sum, { exchanges }) => sum + exchanges.length, 0);
  return (
    <Stack gap="xs" role="status">
      {run === null && (
        <Text size="sm" c="dimmed">
          {t.verdict.waiting}
        </Text>
      )}
      {copies > 1 && (
        <Text size="sm" fw={700}>
          {t.verdict.executedOf(number(executed), number(copies))}
        </Text>
      )}
      {counts.map((count) => (
        <OutcomeNote key={count.outcome} count={count} isOneOfMany={copies > 1} windowSeconds={windowSeconds} />
      ))}
    </Stack>
  );
}

const COLORS = { executed: 'teal', refused: 'red', unknown: 'yellow' } as const;

interface OutcomeNoteProps {
  readonly count: OutcomeCount;
  readonly isOneOfMany: boolean;
  readonly windowSeconds: number;
}

function OutcomeNote({ count: { outcome, exchanges }, isOneOfMany, windowSeconds }: OutcomeNoteProps) {
  const t = useTexts(texts);
  const sentences = useTexts(outcomeTexts);
  const { stages } = useTexts(stageTexts);
  const { number } = useFormats();
  const [exchange] = exchanges;
  const decision = decisionOf(exchange, windowSeconds);
  const answered = exchange.answer.kind === 'answered' ? exchange.answer : null;
  const stage = decision.kind === 'refused' && decision.stage !== null ? stages[decision.stage].name : null;
  const title = stage === null ? t.verdict[decision.kind] : t.verdict.refusedAt(stage);
  return (
    <Alert
      color={COLORS[decision.kind]}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
      title={isOneOfMany ? `${number(exchanges.length)} × ${title}` : title}
      p="sm"
    >
      <Stack gap={6}>
        <Text size="sm">{sentences[outcome]}</Text>
        {answered !== null && (
          <Text size="xs" component="div">
            <Code>
              {answered.status}
              {answered.code !== null && ` ${answered.code}`}
            </Code>{' '}
            {answered.detail}
          </Text>
        )}
        {answered?.requestId !== undefined && answered.requestId !== null && !isOneOfMany && (
          <CopyableText label={t.requestId} value={answered.requestId} />
        )}
      </Stack>
    </Alert>
  );
}
