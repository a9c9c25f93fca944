import { Button, Group, Stack, Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
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
import { RecoveryCodes } from './recovery-codes.js';
import { texts } from './texts.js';

/** The own second factors: what is set up, and its changes. The service asks for a proof before each of them. */
export default function OwnFactors() {
  const t = useTexts(texts);
  const api = useApi();
  const queries = useQueryClient();
  const { dateTime, number } = useFormats();
  const [isAdding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const query = useFactors();
  const make = useWrite(async () => dataOf(await api.POST('/auth/second-factors/recovery-codes')).data, {
    changes: [FACTORS_KEY],
    onDone: (made) => setCodes(made?.codes ?? null),
  });
  const nameOf = ({ kind, name }: Factor) => name ?? t.ways[kind];

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
        actions={(factor) => <RemoveFactor id={factor.id} name={nameOf(factor)} />}
      />
      <Group gap="sm">
        <Button onClick={() => setAdding(true)}>{t.add}</Button>
        {(query.data?.data.length ?? 0) > 0 && (
          <ConfirmedAction
            size="sm"
            label={t.newCodes}
            consequence={t.newCodesConsequence}
            action={make}
            onConfirm={(done) => make.mutate(undefined, { onSuccess: done })}
          />
        )}
      </Group>
      <Dialog opened={isAdding} title={t.add} onClose={() => setAdding(false)}>
        <Enrolment
          onEnrolled={() => {
            setAdding(false);
            notifyDone(t.added);
            void queries.invalidateQueries({ queryKey: FACTORS_KEY });
          }}
        />
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
