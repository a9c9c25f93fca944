import { Button, Group, Stack, Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmedAction } from '../feedback/confirmed-action.js';
import { Dialog } from '../feedback/dialog.js';
import { notifyDone } from '../feedback/notify.js';
import { useFormats } from '../language/formats.js';
import { useTexts } from '../language/language.js';
import { List } from '../lists/list.js';
import { useApi } from '../service/service.js';
import { useWrite } from '../service/write.js';
import { Enrolment } from './enrolment.js';
import { FACTORS_KEY, type Factor, useFactors } from './factors.js';
import { FirstCodes, RecoveryCodes } from './recovery-codes.js';
import { texts } from './texts.js';

/**
 * The own second factors: what is set up, and its changes. The service asks for a proof before each of them, and
 * refuses all of them while the mode is OFF.
 *
 * @param whileOff shown with the sentence that says so
 */
export default function OwnFactors({ whileOff }: { readonly whileOff?: ReactNode }) {
  const t = useTexts(texts);
  const api = useApi();
  const queries = useQueryClient();
  const { dateTime, number } = useFormats();
  const [isAdding, setAdding] = useState(false);
  const [isFirst, setFirst] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const query = useFactors();
  const make = useWrite(async () => dataOf(await api.POST('/auth/second-factors/recovery-codes')).data, {
    changes: [FACTORS_KEY],
    onDone: (made) => setCodes(made?.codes ?? null),
  });
  const factors = query.data?.data ?? [];
  const hasCodes = factors.some(({ codesLeft }) => codesLeft !== undefined && codesLeft > 0);
  const isOff = query.data?.mode === 'OFF';
  const readAgain = () => void queries.invalidateQueries({ queryKey: FACTORS_KEY });
  const nameOf = ({ kind, name }: Factor) => name ?? t.ways[kind];

  const removal = (factor: Factor) => <RemoveFactor id={factor.id} name={nameOf(factor)} />;

  function leaveFirstCodes() {
    setFirst(false);
    readAgain();
  }

  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t.ownPurpose}
      </Text>
      <List
        label={t.own}
        query={query}
        keyOf={({ id }) => id}
        empty={t.none}
        columns={[
          {
            title: t.name,
            render: (factor) => (
              <Stack gap={0}>
                <Text size="sm" fw={500}>
                  {nameOf(factor)}
                </Text>
                <Text size="xs" c="dimmed">
                  {factor.codesLeft === undefined ? t.ways[factor.kind] : t.codesLeft(number(factor.codesLeft))}
                </Text>
              </Stack>
            ),
          },
          { title: t.created, render: ({ createdAt }) => dateTime(createdAt) },
          { title: t.lastUsed, render: ({ lastUsedAt }) => (lastUsedAt === null ? t.never : dateTime(lastUsedAt)) },
        ]}
        {...(isOff ? {} : { actions: removal })}
      />
      {isOff && (
        <Text size="sm">
          {t.off} {whileOff}
        </Text>
      )}
      {query.data !== undefined && !isOff && (
        <Group gap="sm">
          <Button onClick={() => setAdding(true)}>{t.add}</Button>
          {factors.length > 0 && !hasCodes && (
            <Button variant="light" onClick={() => setFirst(true)}>
              {t.newCodes}
            </Button>
          )}
          {hasCodes && (
            <ConfirmedAction
              size="sm"
              label={t.newCodes}
              consequence={t.newCodesConsequence}
              action={make}
              onConfirm={(done) => make.mutate(undefined, { onSuccess: done })}
            />
          )}
        </Group>
      )}
      <Dialog opened={isAdding} title={t.add} onClose={() => setAdding(false)}>
        <Enrolment
          onEnrolled={() => {
            setAdding(false);
            notifyDone(t.added);
            setFirst(factors.length === 0);
            readAgain();
          }}
        />
      </Dialog>
      <Dialog opened={isFirst} title={t.codesTitle} onClose={leaveFirstCodes}>
        <Stack>
          <FirstCodes onDone={leaveFirstCodes} />
        </Stack>
      </Dialog>
      <Dialog opened={codes !== null} title={t.codesTitle} onClose={() => setCodes(null)}>
        <Stack>
          {codes !== null && <RecoveryCodes codes={codes} />}
          <Button onClick={() => setCodes(null)}>{t.goOn}</Button>
        </Stack>
      </Dialog>
    </Stack>
  );
}

function RemoveFactor({ id, name }: { readonly id: string; readonly name: string }) {
  const t = useTexts(texts);
  const api = useApi();
  const remove = useWrite(
    async () => dataOf(await api.DELETE('/auth/second-factors/{id}', { params: { path: { id } } })),
    { changes: [FACTORS_KEY], onDone: () => notifyDone(t.removed) },
  );
  return (
    <ConfirmedAction
      size="compact-sm"
      label={t.remove}
      consequence={t.removeConsequence(name)}
      action={remove}
      onConfirm={(done) => remove.mutate(undefined, { onSuccess: done })}
    />
  );
}
