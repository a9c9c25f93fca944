import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { Comparison } from './comparison.js';
import type { Run } from './protocol/experiments.js';
import { countOutcomes } from './protocol/outcome.js';
import { decisionOf } from './protocol/stages.js';
import { Section } from './section.js';
import { useExperimentLabel } from './texts/experiment-label.js';
import { texts } from './texts/laboratory-texts.js';
import { stageTexts } from './texts/stage-texts.js';
import type { Laboratory } from './use-laboratory.js';

/** What was done, the newest first. */
export function RunLog({
  laboratory,
  windowSeconds,
}: {
  readonly laboratory: Laboratory;
  readonly windowSeconds: number;
}) {
  const t = useTexts(texts);
  const { log, shown, compared } = laboratory;
  return (
    <Section title={t.log} hint={log.length === 0 ? t.emptyLog : t.logHint}>
      {shown !== null && compared !== null && (
        <Comparison
          shown={shown}
          other={compared}
          windowSeconds={windowSeconds}
          onClose={() => laboratory.compare(null)}
        />
      )}
      <Stack gap="xs" role="list" aria-label={t.log}>
        {log.map((run) => (
          <LogEntry key={run.id} run={run} laboratory={laboratory} windowSeconds={windowSeconds} />
        ))}
      </Stack>
    </Section>
  );
}

interface LogEntryProps {
  readonly run: Run;
  readonly laboratory: Laboratory;
  readonly windowSeconds: number;
}

function LogEntry({ run, laboratory, windowSeconds }: LogEntryProps) {
  const t = useTexts(texts);
  const { dateTime, number } = useFormats();
  const labelOf = useExperimentLabel();
  const { shown, compared } = laboratory;
  const isShown = shown?.id === run.id;
  return (
    <Paper withBorder p="xs" role="listitem" bg={isShown ? 'var(--mantine-color-default-hover)' : 'transparent'}>
      <Group justify="space-between" gap="xs">
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={600}>
            {number(run.id)}. {labelOf(run.experiment)}
          </Text>
          <Text size="xs" c="dimmed">
            {dateTime(run.at)} · {t.requests[run.exchanges[0].sent.request.name]}
          </Text>
          <Outcomes run={run} windowSeconds={windowSeconds} />
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={isShown}
            {...(!isShown && { 'aria-label': t.open(number(run.id)) })}
            onClick={() => laboratory.show(run.id)}
          >
            {isShown ? t.opened : t.openShort}
          </Button>
          {!isShown && (
            <Button
              size="xs"
              variant="subtle"
              disabled={shown === null || compared?.id === run.id}
              aria-label={t.compare(number(run.id))}
              onClick={() => laboratory.compare(run.id)}
            >
              {t.compareShort}
            </Button>
          )}
        </Group>
      </Group>
    </Paper>
  );
}

function Outcomes({ run, windowSeconds }: Pick<LogEntryProps, 'run' | 'windowSeconds'>) {
  const t = useTexts(texts);
  const { stages } = useTexts(stageTexts);
  const { number } = useFormats();
  const isMany = run.exchanges.length > 1;
  return (
    <Stack gap={2} mt={4}>
      {countOutcomes(run.exchanges, windowSeconds).map(({ outcome, exchanges }) => {
        const [exchange] = exchanges;
        const decision = decisionOf(exchange, windowSeconds);
        const { answer } = exchange;
        const color = decision.kind === 'executed' ? 'teal' : decision.kind === 'refused' ? 'red' : 'yellow';
        return (
          <Group key={outcome} gap={6}>
            <Badge color={color} variant="dot">
              {isMany && `${number(exchanges.length)} × `}
              {answer.kind === 'answered' ? answer.status : '?'} {t.verdict[decision.kind]}
            </Badge>
            {decision.kind === 'refused' && decision.stage !== null && (
              <Text size="xs">{stages[decision.stage].name}</Text>
            )}
          </Group>
        );
      })}
    </Stack>
  );
}
