import { Badge } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import type { AuditRecord } from './audit-records.js';
import { texts } from './texts.js';

const COLORS = { success: 'teal', failure: 'red', refused: 'orange', unknown: 'gray' } as const;

export function OutcomeBadge({ outcome }: Pick<AuditRecord, 'outcome'>) {
  const t = useTexts(texts);
  return (
    <Badge variant="light" color={COLORS[outcome]} w="max-content">
      {t.outcomes[outcome]}
    </Badge>
  );
}
