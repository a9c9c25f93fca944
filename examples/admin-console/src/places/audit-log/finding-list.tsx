import { Badge, Stack, Text, Title } from '@mantine/core';
import type { components } from '@sallyport/api-client';
import { CopyableText } from '../../feedback/copyable-text.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { RowList } from '../../lists/list.js';
import { verificationTexts } from './verification-texts.js';

type Finding = components['schemas']['AuditFinding'];

export interface FindingListProps {
  /** The first ones. */
  readonly findings: readonly Finding[];
  readonly count: number;
}

/** The end of an id distinguishes records: its beginning is a time. */
const SHOWN_LENGTH = 12;

/** What a verification found, each with its meaning for the reader. */
export function FindingList({ findings, count }: FindingListProps) {
  const t = useTexts(verificationTexts);
  const { number } = useFormats();
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        {t.findings}
      </Title>
      {count > findings.length && <Text size="sm">{t.firstOnly(number(findings.length))}</Text>}
      <RowList
        label={t.findings}
        rows={findings}
        keyOf={({ kind, sequence, id, detail }) => `${kind} ${sequence} ${id} ${detail}`}
        columns={[
          {
            title: t.finding,
            render: ({ kind }) => (
              <Badge color="red" variant="light" w="max-content">
                {t.kinds[kind]}
              </Badge>
            ),
          },
          {
            title: t.rows,
            // A pending record has no row yet.
            render: ({ sequence, lastSequence }) => (sequence === 0 ? null : rangeOf(sequence, lastSequence)),
          },
          {
            title: t.meaning,
            render: ({ kind, detail }) => (
              <Stack gap={2}>
                <span>{t.meanings[kind]}</span>
                <Text size="xs" c="dimmed">
                  {t.detail(detail)}
                </Text>
              </Stack>
            ),
          },
          {
            title: t.recordId,
            render: ({ id }) =>
              id && (
                <CopyableText label={t.recordId} hasLabel={false} value={id} shown={`…${id.slice(-SHOWN_LENGTH)}`} />
              ),
          },
        ]}
      />
    </Stack>
  );

  function rangeOf(first: number, last: number): string {
    return last > first ? t.range(number(first), number(last)) : number(first);
  }
}
