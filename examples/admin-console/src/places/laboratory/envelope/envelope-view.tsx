import { Badge, Grid, Group, Stack, Text, Title, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useTexts } from '../../../language/language.js';
import type { Sent } from '../protocol/delivery.js';
import type { SealedEnvelope } from '../protocol/envelope.js';
import { partTexts } from '../texts/part-texts.js';
import { Explanation } from './explanation.js';
import { boundParts, memberParts, type Part } from './parts.js';

/** Explains each part of an envelope when it is pointed at, focused or chosen. */
export function EnvelopeView({ sent, envelope }: { readonly sent: Sent; readonly envelope: SealedEnvelope }) {
  const t = useTexts(partTexts);
  const [chosen, setChosen] = useState('member-ek');
  const isNarrow = useMediaQuery('(max-width: 62em)', window.innerWidth < 992, { getInitialValueInEffect: false });
  const members = memberParts(envelope, t.members);
  const bound = boundParts(sent, envelope, t.boundFields);
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
