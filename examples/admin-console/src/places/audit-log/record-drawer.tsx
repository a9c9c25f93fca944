import { Anchor, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyableText } from '../../feedback/copyable-text.js';
import { Loading } from '../../feedback/loading.js';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useActionNames } from './action-names.js';
import { useActorName, useTargetName } from './actor.js';
import type { AuditRecord, useOpenRecord } from './audit-records.js';
import { hasMarks, MarkedText, MaskedJson } from './masked-json.js';
import { OutcomeBadge } from './outcome-badge.js';
import { texts } from './texts.js';

/** Everything that the log knows of one event. */
export function RecordDrawer({ open }: { readonly open: ReturnType<typeof useOpenRecord> }) {
  const t = useTexts(texts);
  const { isOpen, record, error, refetch, close } = open;
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="right"
      size="lg"
      title={t.record}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      {error !== null && <Refusal error={error} onRetry={() => void refetch()} />}
      {error === null && record === undefined && <Loading />}
      {record === null && <Text role="alert">{t.recordGone}</Text>}
      {record && <RecordDetail record={record} />}
    </Drawer>
  );
}

function RecordDetail({ record }: { readonly record: AuditRecord }) {
  const t = useTexts(texts);
  const { dateTime, number } = useFormats();
  const actorName = useActorName();
  const targetName = useTargetName();
  const actionNames = useActionNames();
  const { action, actor, clientIp, durationMillis, extra, outcome, parameters, reason, target } = record;
  const path = [extra.method, extra.path].filter((part) => part !== null).join(' ');
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
          {actionNames.get(action) ?? action}
        </Title>
        <OutcomeBadge outcome={outcome} />
      </Group>
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          <Field label={t.time}>{dateTime(record.occurredAt)}</Field>
          <Field label={t.actor} filter={{ actor }}>
            {actorName(actor)}
            {actor !== null && actor !== actorName(actor) && <Id label={t.actor} value={actor} />}
          </Field>
          <Field label={t.action} filter={{ action }}>
            {action}
          </Field>
          {target !== null && (
            <Field label={t.target} filter={{ target }}>
              {target !== targetName(target) && targetName(target)}
              <Id label={t.target} value={target} />
            </Field>
          )}
          {reason !== null && <Field label={t.reason}>{reason}</Field>}
          <Field label={t.address} filter={{ ip: clientIp }}>
            {clientIp}
          </Field>
          {path !== '' && (
            <Field label={t.request}>
              <MarkedText text={path} />
            </Field>
          )}
          <Field label={t.requestId} filter={{ requestId: extra.requestId }}>
            {extra.requestId !== null && <Id label={t.requestId} value={extra.requestId} />}
          </Field>
          <Field label={t.duration}>{t.millis(number(durationMillis))}</Field>
          {extra.terminal !== null && <Field label={t.terminal}>{extra.terminal}</Field>}
          {extra.userAgent !== null && (
            <Field label={t.userAgent}>
              <MarkedText text={extra.userAgent} />
            </Field>
          )}
          {extra.exception !== null && (
            <Field label={t.exception}>
              <MarkedText text={extra.exception} />
            </Field>
          )}
          <Field label={t.recordId}>
            <Id label={t.recordId} value={record.id} />
          </Field>
        </Table.Tbody>
      </Table>
      <Title order={3} size="h5">
        {t.parameters}
      </Title>
      {hasMarks(record) && (
        <Text size="sm" c="dimmed">
          {t.maskedNote}
        </Text>
      )}
      {isEmpty(parameters) ? <Text size="sm">{t.noParameters}</Text> : <MaskedJson value={parameters} />}
    </Stack>
  );
}

interface FieldProps {
  readonly label: string;
  /** Leads to the records with the same value. None for a value that the record does not have. */
  readonly filter?: Readonly<Record<string, string | null>>;
  readonly children: ReactNode;
}

function Field({ label, filter = {}, children }: FieldProps) {
  const t = useTexts(texts);
  const [entry] = Object.entries(filter);
  const value = entry?.[1] ?? null;
  if (entry !== undefined && value === null && entry[0] !== 'actor') return null;
  return (
    <Table.Tr>
      <Table.Th scope="row" w={120}>
        {label}
      </Table.Th>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {children}
        {entry !== undefined && value !== null && (
          <Anchor
            component={Link}
            href={`/audit-log?${new URLSearchParams([[entry[0], value]])}`}
            size="xs"
            display="block"
            aria-label={`${t.onlyThese}: ${label}`}
          >
            {t.onlyThese}
          </Anchor>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Id({ label, value }: { readonly label: string; readonly value: string }) {
  return <CopyableText label={label} hasLabel={false} value={value} />;
}

function isEmpty(parameters: unknown): boolean {
  return parameters === null || parameters === undefined || JSON.stringify(parameters) === '{}';
}
