import { Badge, Code, Grid, Group, Paper, Stack, Text, Title, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { decodeBase64url, encodeBase64url, hexOf } from './protocol/base64url.js';
import type { Sent } from './protocol/delivery.js';
import {
  BOUND_FIELDS,
  type BoundField,
  boundValues,
  type SealedEnvelope,
  splitCiphertext,
} from './protocol/envelope.js';
import { MEMBERS, type Member, partTexts } from './texts/part-texts.js';

/** The colors of the members. */
const COLORS: Readonly<Record<Member, string>> = {
  kid: 'gray',
  ts: 'orange',
  nonce: 'grape',
  ek: 'blue',
  iv: 'cyan',
  ct: 'teal',
  tag: 'green',
};

/** The name on the wire of each bound value. */
const FIELD_NAMES: Readonly<Record<BoundField, string>> = {
  version: 'v',
  suite: 'suite',
  kid: 'kid',
  carrier: 'carrier',
  ts: 'ts',
  nonce: 'nonce',
  method: 'METHOD',
  path: 'path',
  authorization: 'authorization',
  idempotencyKey: 'idempotency-key',
};

/** A part that can be explained: a member of the envelope, or a value that its tag binds. */
interface Part {
  readonly id: string;
  readonly label: string;
  readonly labelWidth: number;
  readonly color: string;
  readonly name: string;
  readonly meaning: string;
  readonly value: string;
  /** Null for a value that is a text. */
  readonly bytes: Uint8Array | null;
}

/** Explains each part of an envelope when it is pointed at, focused or chosen. */
export function EnvelopeView({ sent, envelope }: { readonly sent: Sent; readonly envelope: SealedEnvelope }) {
  const t = useTexts(partTexts);
  const [chosen, setChosen] = useState('member-ek');
  const isNarrow = useMediaQuery('(max-width: 62em)', window.innerWidth < 992, { getInitialValueInEffect: false });
  const members = memberParts(envelope, t.members);
  const values = boundValues(envelope, sent.request, sent.token);
  const bound = BOUND_FIELDS.map(
    (field): Part => ({
      id: `bound-${field}`,
      label: FIELD_NAMES[field],
      labelWidth: 116,
      color: 'gray',
      ...t.boundFields[field],
      value: values[field],
      bytes: field === 'authorization' && values[field] !== '-' ? decodeBase64url(values[field]) : null,
    }),
  );
  const part = [...members, ...bound].find(({ id }) => id === chosen);
  const list = (parts: readonly Part[]) =>
    parts.map((each) => (
      <div key={each.id}>
        <PartRow part={each} isChosen={each.id === chosen} onChoose={() => setChosen(each.id)} />
        {isNarrow && each.id === chosen && <Explanation part={each} />}
      </div>
    ));
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="sm">
          <div>
            <Title order={3} size="h6">
              {t.envelope}
            </Title>
            <Text size="xs" c="dimmed">
              {t.envelopeHint} {t.carriers[envelope.carrier]}
            </Text>
          </div>
          <div>{list(members)}</div>
          <div>
            <Title order={3} size="h6">
              {t.bound}
            </Title>
            <Text size="xs" c="dimmed">
              {t.boundHint}
            </Text>
          </div>
          <div>{list(bound)}</div>
        </Stack>
      </Grid.Col>
      {!isNarrow && part !== undefined && (
        <Grid.Col span={5}>
          <div style={{ position: 'sticky', top: 72 }}>
            <Explanation part={part} />
          </div>
        </Grid.Col>
      )}
    </Grid>
  );
}

type PartTable = Readonly<Record<Member, { readonly name: string; readonly meaning: string }>>;

function memberParts({ members }: SealedEnvelope, names: PartTable): readonly Part[] {
  const { ciphertext, tag } = splitCiphertext(members.ct);
  const values: Readonly<Record<Member, Pick<Part, 'value' | 'bytes'>>> = {
    kid: { value: members.kid, bytes: null },
    ts: { value: String(members.ts), bytes: null },
    nonce: { value: members.nonce, bytes: decodeBase64url(members.nonce) },
    ek: { value: members.ek, bytes: decodeBase64url(members.ek) },
    iv: { value: members.iv, bytes: decodeBase64url(members.iv) },
    ct: { value: encodeBase64url(ciphertext), bytes: ciphertext },
    tag: { value: encodeBase64url(tag), bytes: tag },
  };
  return MEMBERS.map((member) => ({
    id: `member-${member}`,
    label: member,
    labelWidth: 60,
    color: COLORS[member],
    ...names[member],
    ...values[member],
  }));
}

interface PartRowProps {
  readonly part: Part;
  readonly isChosen: boolean;
  onChoose(): void;
}

function PartRow({ part, isChosen, onChoose }: PartRowProps) {
  return (
    <UnstyledButton
      w="100%"
      px={6}
      py={3}
      aria-pressed={isChosen}
      bg={isChosen ? 'var(--mantine-color-default-hover)' : 'transparent'}
      style={{ borderRadius: 'var(--mantine-radius-sm)' }}
      onMouseEnter={onChoose}
      onFocus={onChoose}
      onClick={onChoose}
    >
      <Group gap="xs" wrap="nowrap">
        <Badge color={part.color} variant="light" c="var(--mantine-color-text)" radius="sm" w={part.labelWidth} px={4}>
          {part.label}
        </Badge>
        <VisuallyHidden>{part.name}</VisuallyHidden>
        <Text size="xs" ff="monospace" truncate miw={0} aria-hidden>
          {part.value}
        </Text>
      </Group>
    </UnstyledButton>
  );
}

/** The pieces of a wrapped key, in bytes: SM2 in the order C1, C3, C2. */
const WRAPPED_KEY_PIECES = [
  { name: '04', length: 1 },
  { name: 'C1.x', length: 32 },
  { name: 'C1.y', length: 32 },
  { name: 'C3', length: 32 },
  { name: 'C2', length: 16 },
];

function Explanation({ part }: { readonly part: Part }) {
  const t = useTexts(partTexts);
  const { number } = useFormats();
  const { bytes } = part;
  return (
    <Paper withBorder p="sm" my={4} role="status">
      <Stack gap="xs">
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
