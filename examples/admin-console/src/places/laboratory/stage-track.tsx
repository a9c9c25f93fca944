import { Badge, Group, List, Paper, Text, ThemeIcon } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import type { StageReport, StageState } from './protocol/track.js';
import { stageTexts } from './texts/stage-texts.js';

/** Between two stages that light up, in milliseconds. */
const STEP_MILLIS = 60;

const LOOKS: Readonly<Record<StageState, { readonly sign: string; readonly color: string; readonly isLit: boolean }>> =
  {
    passed: { sign: '✓', color: 'teal', isLit: true },
    refused: { sign: '✕', color: 'red', isLit: true },
    unknown: { sign: '?', color: 'yellow', isLit: true },
    unreached: { sign: '', color: 'gray', isLit: false },
    skipped: { sign: '–', color: 'gray', isLit: false },
    waiting: { sign: '', color: 'gray', isLit: false },
  };

/** The processing order, with what the answers say of each stage. */
export function StageTrack({ track }: { readonly track: readonly StageReport[] }) {
  const t = useTexts(stageTexts);
  return (
    <List type="ordered" listStyleType="none" spacing={2} aria-label={t.title} withPadding={false}>
      {track.map((report, index) => (
        <StageItem key={report.stage} report={report} index={index} />
      ))}
    </List>
  );
}

function StageItem({ report, index }: { readonly report: StageReport; readonly index: number }) {
  const t = useTexts(stageTexts);
  const { number } = useFormats();
  const isStill = useReducedMotion();
  const { stage, state, refused } = report;
  const { sign, color, isLit } = LOOKS[state];
  const isDecisive = refused > 0;
  // The stages light up one after the other, and go out at once.
  const transition = isLit && !isStill ? `background-color 160ms ease ${index * STEP_MILLIS}ms` : 'none';
  return (
    <List.Item
      data-stage={stage}
      data-state={state}
      styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}
    >
      <Paper
        px={6}
        py={4}
        bg={isDecisive ? 'var(--mantine-color-red-light)' : 'transparent'}
        style={{ transition: isDecisive ? transition : 'none' }}
      >
        <Group gap="sm" wrap="nowrap">
          <ThemeIcon
            size={24}
            radius="xl"
            color={color}
            variant={isLit ? 'filled' : 'light'}
            aria-hidden
            style={{ transition, flexShrink: 0 }}
          >
            <Text size="xs" fw={700} span>
              {sign}
            </Text>
          </ThemeIcon>
          <div style={{ flex: 1, minWidth: 0 }}>
            <Text size="sm" fw={isLit ? 600 : 400} {...(!isLit && { c: 'dimmed' })} lh={1.3}>
              {t.stages[stage].name}
            </Text>
            <Text size="xs" c="dimmed" lh={1.3}>
              {t.stages[stage].task}
            </Text>
          </div>
          {isDecisive && state !== 'refused' ? (
            <Badge color="red" variant="dot">
              {t.ended(number(refused))}
            </Badge>
          ) : (
            <Text size="xs" {...(!isDecisive && { c: 'dimmed' })} fw={isDecisive ? 700 : 400} ta="right">
              {t.states[state]}
            </Text>
          )}
        </Group>
      </Paper>
    </List.Item>
  );
}
