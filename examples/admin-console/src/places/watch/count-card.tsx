import { Anchor, Card, Group, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useMay } from '../../session/profile.js';
import { type Activity, type ActivityKind, logPathOf, totalOf } from './activity.js';
import { Bars } from './bars.js';
import { texts } from './texts.js';

export interface CountCardProps {
  readonly kind: ActivityKind;
  readonly activity: Activity;
}

/** The counts of one kind: their sum, a bar for each interval, and the way to the audit log. */
export function CountCard({ kind, activity }: CountCardProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const maySeeLog = useMay()('api:admin:audit-records:list');
  const { from, interval } = activity;
  const counts = activity.kinds[kind];
  const total = totalOf(counts);
  const path = logPathOf(kind, from);
  return (
    <Card withBorder padding="md" component="section" aria-label={t.kinds[kind]}>
      <Group justify="space-between" align="baseline" wrap="nowrap">
        <Title order={2} size="h5">
          {t.kinds[kind]}
        </Title>
        <Text fw={700} fz="xl" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {number(total)}
        </Text>
      </Group>
      <Bars kind={kind} counts={counts} from={from} interval={interval} isLinked={maySeeLog} />
      {kind === 'sign-in.not-allowed' && total > 0 && (
        <Text size="sm" c="dimmed">
          {t.notAllowed}
        </Text>
      )}
      {maySeeLog && path !== null && total > 0 && (
        <Anchor component={Link} href={path} size="sm">
          {t.inLog}
        </Anchor>
      )}
      {path === null && total > 0 && (
        <Text size="sm" c="dimmed">
          {t.notInLog}
        </Text>
      )}
    </Card>
  );
}
