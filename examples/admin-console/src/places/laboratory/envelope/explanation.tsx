import { Badge, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { useFormats } from '../../../language/formats.js';
import { useTexts } from '../../../language/language.js';
import { hexOf } from '../protocol/base64url.js';
import { partTexts } from '../texts/part-texts.js';
import type { Part } from './parts.js';

/** The pieces of a wrapped key, in bytes: SM2 in the order C1, C3, C2. */
const WRAPPED_KEY_PIECES = [
  { name: '04', length: 1 },
  { name: 'C1.x', length: 32 },
  { name: 'C1.y', length: 32 },
  { name: 'C3', length: 32 },
  { name: 'C2', length: 16 },
];

/** What a part is for, and its bytes. */
export function Explanation({ part }: { readonly part: Part }) {
  const t = useTexts(partTexts);
  const { number } = useFormats();
  const { bytes } = part;
  return (
    <Paper withBorder p="sm" my={4}>
      <Stack gap="xs">
        {/* The bytes are not announced. */}
        <Stack gap="xs" role="status">
          <Group gap="xs">
            <Badge color={part.color} variant="light" c="var(--mantine-color-text)" radius="sm">
              {part.label}
            </Badge>
            <Text fw={600} size="sm">
              {part.name}
            </Text>
            {bytes !== null && (
              <Text size="xs" c="dimmed">
                {t.bytes(number(bytes.length))}
              </Text>
            )}
          </Group>
          <Text size="sm">{part.meaning}</Text>
        </Stack>
        {bytes === null ? <Hex>{part.value}</Hex> : <Bytes part={part} bytes={bytes} />}
      </Stack>
    </Paper>
  );
}

function Bytes({ part, bytes }: { readonly part: Part; readonly bytes: Uint8Array }) {
  const t = useTexts(partTexts);
  if (bytes.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        {t.empty}
      </Text>
    );
  }
  if (part.id !== 'member-ek') return <Hex>{hexOf(bytes)}</Hex>;
  let start = 0;
  return WRAPPED_KEY_PIECES.map(({ name, length }) => {
    const piece = bytes.slice(start, start + length);
    start += length;
    return (
      <Group key={name} gap="xs" wrap="nowrap" align="flex-start">
        <Text size="xs" fw={600} miw={36}>
          {name}
        </Text>
        <Hex>{hexOf(piece)}</Hex>
      </Group>
    );
  });
}

function Hex({ children }: { readonly children: string }) {
  return <Code style={{ overflowWrap: 'anywhere' }}>{children}</Code>;
}
