import { Anchor, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useMay } from '../../session/profile.js';
import { ClearName } from '../login-limits/clear-limits.js';
import { logPathOf } from './activity.js';
import type { Sources as FoundSources } from './follow-activity.js';
import { texts } from './texts.js';

export interface SourcesProps {
  readonly sources: FoundSources;
  /** The start of the window. */
  readonly from: number;
}

/** Where failed sign-ins come from, and what ends an attack: nothing that other places don't have. */
export function Sources({ sources, from }: SourcesProps) {
  const t = useTexts(texts);
  const may = useMay();
  const { names, addresses, networks } = sources;
  const failedOf = (more: Readonly<Record<string, string>>) => logPathOf('sign-in.failure', from, undefined, more)!;
  const toLog = (label: string, path: string) => may('api:admin:audit-records:list') && <To path={path}>{label}</To>;
  const toSessions = (query: Readonly<Record<string, string>>) =>
    may('api:admin:sessions:list') && <To path={`/sessions?${new URLSearchParams(query)}`}>{t.sessions}</To>;

  return (
    <Stack gap="xs" component="section" aria-label={t.sources}>
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h4">
          {t.sources}
        </Title>
        {may('api:admin:system-parameters:read') && <To path="/parameters?search=ip-whitelist">{t.whitelist}</To>}
      </Group>
      <Text size="sm" c="dimmed">
        {t.sourcesPurpose}
      </Text>
      <SourceTable
        title={t.names}
        empty={t.noNames}
        rows={names.map((row) => ({ ...row, key: row.id, text: row.name }))}
      >
        {({ audience, id, name }) => (
          <>
            {audience === 'admin' && toLog(t.failedInLog, failedOf({ target: name }))}
            {toLog(t.actsInLog, `/audit-log?${new URLSearchParams({ actor: `${audience}:${id}` })}`)}
            {toSessions({ audience, user: id })}
            {audience === 'admin' && <ClearName user={name} terminal={undefined} onCleared={() => {}} />}
          </>
        )}
      </SourceTable>
      <SourceTable
        title={t.addresses}
        empty={t.noAddresses}
        rows={addresses.map((row) => ({ ...row, key: row.address, text: row.address }))}
      >
        {({ address }) => (
          <>
            {toLog(t.failedInLog, failedOf({ ip: address }))}
            {toSessions({ address })}
          </>
        )}
      </SourceTable>
      <SourceTable
        title={t.networks}
        empty={t.noAddresses}
        rows={networks.map((row) => ({ ...row, key: row.network, text: row.network }))}
      >
        {({ network }) => toLog(t.failedInLog, failedOf({ network }))}
      </SourceTable>
    </Stack>
  );
}

function To({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  return (
    <Anchor component={Link} href={path} size="sm">
      {children}
    </Anchor>
  );
}

interface SourceRow {
  readonly key: string;
  readonly text: string;
  readonly failures: number;
}

interface SourceTableProps<Row> {
  readonly title: string;
  readonly empty: string;
  readonly rows: readonly Row[];
  /** What can be done about a row. Default: nothing. */
  children?(row: Row): ReactNode;
}

function SourceTable<Row extends SourceRow>({ title, empty, rows, children }: SourceTableProps<Row>) {
  const t = useTexts(texts);
  const { number } = useFormats();
  if (rows.length === 0) {
    return (
      <Text size="sm">
        {title}: {empty}
      </Text>
    );
  }
  return (
    <Table.ScrollContainer minWidth={300} type="native">
      <Table aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{title}</Table.Th>
            <Table.Th scope="col">{t.failures}</Table.Th>
            {children !== undefined && <Table.Th scope="col">{t.actions}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Th scope="row" fw={500} style={{ overflowWrap: 'break-word' }}>
                {row.text}
              </Table.Th>
              <Table.Td style={{ fontVariantNumeric: 'tabular-nums' }}>{number(row.failures)}</Table.Td>
              {children !== undefined && (
                <Table.Td>
                  <Group gap="sm">{children(row)}</Group>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
