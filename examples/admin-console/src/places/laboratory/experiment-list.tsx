import { Button, NativeSelect, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { choiceOf } from '../../lists/filters.js';
import { canFlip, FLIPPABLE, type Flippable } from './protocol/envelope.js';
import {
  type CopiesOf,
  copiesOf,
  EXPERIMENTS,
  type Experiment,
  type ExperimentName,
  MAX_MINUTES,
  minutesOf,
  obstacleTo,
} from './protocol/experiments.js';
import { Section } from './section.js';
import { texts } from './texts/laboratory-texts.js';
import type { Laboratory } from './use-laboratory.js';

/** The buttons, each with what it does, or with the reason why it can't be done. */
export function ExperimentList({ laboratory }: { readonly laboratory: Laboratory }) {
  const t = useTexts(texts);
  const { draft, last, isKeyTaken, run, name } = laboratory;
  const [part, setPart] = useState<Flippable>('ct');
  /** A text while it is typed, such as a sign alone. */
  const [minutes, setMinutes] = useState<number | string>(10);
  const [copies, setCopies] = useState<CopiesOf>('envelope');
  const situation = { isSealing: draft.envelope !== null, request: name, last: last?.request ?? null, isKeyTaken };
  const kinds = copiesOf(situation);
  const kind = kinds.includes(copies) ? copies : (kinds[0] ?? 'content');
  const wholeMinutes = minutesOf(minutes);
  const isEmpty = draft.envelope !== null && !canFlip(draft.envelope, part);

  const chosen: Readonly<Record<ExperimentName, Experiment>> = {
    send: { name: 'send' },
    again: { name: 'again' },
    retry: { name: 'retry' },
    change: { name: 'change' },
    flip: { name: 'flip', part },
    clock: { name: 'clock', minutes: wholeMinutes ?? 0 },
    drop: { name: 'drop' },
    copies: { name: 'copies', of: kind },
  };

  const inputs: Readonly<Partial<Record<ExperimentName, ReactNode>>> = {
    flip: (
      <NativeSelect
        size="xs"
        label={t.flipIn}
        value={part}
        disabled={!situation.isSealing}
        data={FLIPPABLE.map((value) => ({ value, label: t.parts[value] }))}
        onChange={({ currentTarget }) => setPart(choiceOf(FLIPPABLE, currentTarget.value) ?? 'ct')}
      />
    ),
    clock: (
      <NumberInput
        size="xs"
        label={t.minutes}
        value={minutes}
        disabled={!situation.isSealing}
        min={-MAX_MINUTES}
        max={MAX_MINUTES}
        allowDecimal={false}
        onChange={setMinutes}
      />
    ),
    copies: (
      <NativeSelect
        size="xs"
        label={t.copiesOf}
        value={kind}
        data={kinds.map((value) => ({ value, label: t.copies[value] }))}
        onChange={({ currentTarget }) => setCopies(choiceOf(kinds, currentTarget.value) ?? 'envelope')}
      />
    ),
  };

  return (
    <Section title={t.experiments}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
        {EXPERIMENTS.map((each) => {
          const obstacle = obstacleTo(each, situation);
          const missing =
            each === 'flip' && isEmpty
              ? t.noCiphertext
              : each === 'clock' && wholeMinutes === null
                ? t.noMinutes
                : null;
          const reason = obstacle === null ? missing : t.obstacle[obstacle];
          return (
            <ExperimentButton
              key={each}
              label={t.experiment[each].label}
              task={(situation.isSealing ? undefined : t.experiment[each].plainTask) ?? t.experiment[each].task}
              reason={reason}
              isMain={each === 'send'}
              isPending={run.isPending && run.variables.name === each}
              isBusy={run.isPending}
              onRun={() => run.mutate(chosen[each])}
            >
              {inputs[each]}
            </ExperimentButton>
          );
        })}
      </SimpleGrid>
      <Refusal error={run.error} />
    </Section>
  );
}

interface ExperimentButtonProps {
  readonly label: string;
  readonly task: string;
  /** Why it can't be done. Null: it can. */
  readonly reason: string | null;
  readonly isMain: boolean;
  readonly isPending: boolean;
  readonly isBusy: boolean;
  readonly children: ReactNode;
  onRun(): void;
}

function ExperimentButton({ label, task, reason, isMain, isPending, isBusy, children, onRun }: ExperimentButtonProps) {
  const id = useId();
  return (
    <Stack gap={6} justify="flex-start">
      <Button
        fullWidth
        px="xs"
        py={6}
        h="auto"
        mih={36}
        variant={isMain ? 'filled' : 'default'}
        loading={isPending}
        disabled={reason !== null || (isBusy && !isPending)}
        aria-describedby={id}
        onClick={onRun}
        styles={{ label: { whiteSpace: 'normal', lineHeight: 1.2 } }}
      >
        {label}
      </Button>
      <Text size="xs" c="dimmed" id={id}>
        {reason ?? task}
      </Text>
      {children}
    </Stack>
  );
}
