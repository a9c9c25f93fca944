import { Text } from '@mantine/core';
import { createContext, useContext, useEffect, useState } from 'react';
import { useDuration } from '../../language/durations.js';
import { useTexts } from '../../language/language.js';
import { texts } from './texts.js';

/** How far the clock of the service is ahead of this computer's, in milliseconds. */
export const ClockLead = createContext(0);

/** A smaller difference is that of the network and of whole seconds. */
const MIN_LEAD_MILLIS = 5000;

/** How far the clock of the service is ahead, by the `Date` of its answer. */
export function clockLeadOf({ headers }: Response): number {
  const lead = Date.parse(headers.get('date') ?? '') - Date.now();
  return Math.abs(lead) >= MIN_LEAD_MILLIS ? lead : 0;
}

/** Counts down to a moment of the service's clock. */
export function TimeLeft({ until }: { readonly until: number }) {
  const t = useTexts(texts);
  const duration = useDuration();
  const lead = useContext(ClockLead);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil((until - now - lead) / 1000);
  return (
    <Text span inherit role="timer" style={{ fontVariantNumeric: 'tabular-nums' }}>
      {seconds > 0 ? t.endsIn(duration(seconds)) : t.ended}
    </Text>
  );
}
