import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { ClearAddress, type ClearOutcome } from './clear-limits.js';
import { plainAddress } from './explanation.js';
import { texts } from './texts.js';
import { TimeLeft } from './time-left.js';

export interface ClearedProps {
  readonly outcome: ClearOutcome;
  onCleared(outcome: ClearOutcome): void;
}

/** Says what a clear has done, and which locks go on, why, and until when. */
export function Cleared({ outcome, onCleared }: ClearedProps) {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const { what, of, stillLocked } = outcome;
  if (stillLocked.length === 0) {
    return (
      <Alert color="teal" title={t.cleared(of)} role="status">
        {what === 'name' ? t.nothingLeft(of) : t.addressOpen(of)}
      </Alert>
    );
  }
  return (
    <Alert color="red" title={t.stillLocked(of)} role="alert">
      <Stack gap="sm">
        <Text size="sm">{t.stillLockedMeaning}</Text>
        {stillLocked.map(({ address, lockedUntil }) => (
          <Group key={address} gap="sm">
            <Code>{address}</Code>
            <Text size="sm">
              {dateTime(lockedUntil)} · <TimeLeft until={lockedUntil} />
            </Text>
            {address !== null && <ClearAddress address={plainAddress(address)} onCleared={onCleared} />}
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}
