import { Anchor, Card, Group, Text, Title, VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useMay } from '../../session/profile.js';
import { type Activity, type ActivityKind, logPathOf, totalOf } from './activity.js';
import { texts } from './texts.js';

const [BAR, GAP, HEIGHT] = [6, 2, 48];

/** A bar for nothing, so that an empty interval can be told from one that is missing. */
const LEAST = 1;

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
      <VisuallyHidden>{t.most(number(Math.max(...counts)))}</VisuallyHidden>
      <Bars kind={kind} counts={counts} from={from} interval={interval} isLinked={maySeeLog} />
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

interface BarsProps {
  readonly kind: ActivityKind;
  readonly counts: readonly number[];
  readonly from: number;
  readonly interval: number;
  readonly isLinked: boolean;
}

function Bars({ kind, counts, from, interval, isLinked }: BarsProps) {
  const t = useTexts(texts);
  const { number, dateTime } = useFormats();
  const most = Math.max(...counts);
  const bars = counts.map((count, index) => {
    const start = from + index * interval;
    const height = count === 0 ? LEAST : Math.max(3, (HEIGHT * count) / most);
    const path = count > 0 && isLinked ? logPathOf(kind, start, start + interval) : null;
    const bar = (
      <rect x={index * (BAR + GAP)} y={HEIGHT - height} width={BAR} height={height} rx={1}>
        <title>{t.count(number(count), dateTime(start))}</title>
      </rect>
    );
    if (path === null) return <g key={start}>{bar}</g>;
    // A shortcut for the pointer. Others have the table and the link of the card.
    return (
      <Link key={start} href={path} tabIndex={-1}>
        {bar}
      </Link>
    );
  });
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${counts.length * (BAR + GAP)} ${HEIGHT}`}
      width="100%"
      height={HEIGHT}
      preserveAspectRatio="none"
      fill={kind === 'sign-in.success' ? 'var(--mantine-primary-color-filled)' : 'var(--mantine-color-orange-filled)'}
    >
      {bars}
    </svg>
  );
}
