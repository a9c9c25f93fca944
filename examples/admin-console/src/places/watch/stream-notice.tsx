import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useMay } from '../../session/profile.js';
import type { LiveActivity, StreamState } from './follow-activity.js';
import { texts } from './texts.js';

const COLORS = { opening: 'gray', live: 'teal', cut: 'orange', away: 'orange' } as const;

/** Whether the page shows the present, and how many sessions are open. */
export function StreamNotice({
  state,
  seenAt,
  live,
}: {
  readonly state: StreamState;
  readonly seenAt: number | null;
  readonly live: LiveActivity | undefined;
}) {
  const t = useTexts(texts);
  const { dateTime, number } = useFormats();
  const mayListSessions = useMay()('api:admin:sessions:list');
  const sessions = live?.sessions;
  const countOf = ({ count, isExact }: { count: number; isExact: boolean }) =>
    isExact ? number(count) : t.moreThan(number(count));
  const text = sessions == null ? null : t.online(countOf(sessions.admin), countOf(sessions.app));
  return (
    <Group gap="md">
      <Badge variant="light" color={COLORS[state]} tt="none" role="status">
        {t.states[state]}
      </Badge>
      {state === 'cut' && seenAt !== null && <Text size="sm">{t.asOf(dateTime(seenAt))}</Text>}
      {text !== null && !mayListSessions && <Text size="sm">{text}</Text>}
      {text !== null && mayListSessions && (
        <Anchor component={Link} href="/sessions?whose=all" size="sm">
          {text}
        </Anchor>
      )}
    </Group>
  );
}
