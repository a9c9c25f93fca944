import { Group, Text } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { type ActivityKind, logPathOf } from './activity.js';
import { neighbourOf } from './neighbour.js';
import { texts } from './texts.js';

const [BAR, GAP, HEIGHT] = [6, 2, 48];

/** A bar for nothing, so that an empty interval can be told from one that is missing. */
const LEAST = 1;

/** The labels of the axis. */
const STEPS = 4;

export interface BarsProps {
  readonly kind: ActivityKind;
  readonly counts: readonly number[];
  readonly from: number;
  readonly interval: number;
  readonly isLinked: boolean;
}

/** A bar for each interval. Those that lead to the audit log are one stop of the Tab key, and arrow keys go on. */
export function Bars({ kind, counts, from, interval, isLinked }: BarsProps) {
  const t = useTexts(texts);
  const { number, dateTime, time } = useFormats();
  const [stop, setStop] = useState<number>();
  const [shown, setShown] = useState<number>();
  const most = Math.max(...counts);
  const starts = counts.map((_, index) => from + index * interval);
  // Undefined: none is pointed at, or it has left the window.
  const shownCount = shown === undefined ? undefined : counts[starts.indexOf(shown)];
  const pathOf = (start: number) => logPathOf(kind, start, start + interval);
  const linked = starts.filter((start, index) => isLinked && counts[index]! > 0 && pathOf(start) !== null);
  // The newest one, until another one is reached: time moves on under the bars.
  const current = stop !== undefined && linked.includes(stop) ? stop : linked.at(-1);

  function move(event: KeyboardEvent<SVGSVGElement>): void {
    const next = current === undefined ? undefined : neighbourOf(linked, current, event.key);
    if (next === undefined) return;
    event.preventDefault();
    event.currentTarget.querySelector<SVGAElement>(`[data-start="${next}"]`)?.focus();
  }

  const bars = counts.map((count, index) => {
    const start = starts[index]!;
    const height = count === 0 ? LEAST : Math.max(3, (HEIGHT * count) / most);
    const label = t.count(number(count), dateTime(start));
    const bar = (
      <rect x={index * (BAR + GAP)} y={HEIGHT - height} width={BAR} height={height} rx={1}>
        <title>{label}</title>
      </rect>
    );
    if (!linked.includes(start)) return <g key={start}>{bar}</g>;
    return (
      <Link
        key={start}
        href={pathOf(start)!}
        aria-label={label}
        data-start={start}
        tabIndex={start === current ? 0 : -1}
        onFocus={() => {
          setStop(start);
          setShown(start);
        }}
      >
        {/* A low bar, too, can be pointed at in its whole column, whose frame shows the focus. */}
        <path d={`M${index * (BAR + GAP)} 0h${BAR}v${HEIGHT}h-${BAR}z`} fill="transparent" />
        {bar}
      </Link>
    );
  });
  return (
    <div>
      {/* The scale, or the bar that is pointed at. The height of one line stays, so that nothing moves. */}
      <Text size="xs" c="dimmed" truncate style={{ fontVariantNumeric: 'tabular-nums' }} data-scale>
        {shownCount === undefined ? t.most(number(most)) : t.count(number(shownCount), dateTime(shown!))}
      </Text>
      <svg
        {...(linked.length === 0 ? { 'aria-hidden': true } : { role: 'group' })}
        viewBox={`0 0 ${counts.length * (BAR + GAP)} ${HEIGHT}`}
        width="100%"
        height={HEIGHT}
        preserveAspectRatio="none"
        fill={kind === 'sign-in.success' ? 'var(--mantine-primary-color-filled)' : 'var(--mantine-color-orange-filled)'}
        onKeyDown={move}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setShown(starts[Math.floor(((clientX - left) / width) * counts.length)]);
        }}
        onPointerLeave={() => setShown(undefined)}
        onBlur={() => setShown(undefined)}
      >
        <title>{t.bars}</title>
        {bars}
      </svg>
      <Group justify="space-between" gap={4} wrap="nowrap" aria-hidden="true">
        {Array.from({ length: STEPS + 1 }, (_, step) => {
          const at = from + Math.round((counts.length * step) / STEPS) * interval;
          return (
            <Text key={step} span size="xs" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {step === STEPS ? t.now : time(at)}
            </Text>
          );
        })}
      </Group>
    </div>
  );
}
