import { Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useTexts } from '../../language/language.js';
import { Section } from './section.js';
import { texts } from './texts/laboratory-texts.js';
import type { Laboratory } from './use-laboratory.js';

/** Chooses a request, and edits its content. */
export function RequestForm({ laboratory }: { readonly laboratory: Laboratory }) {
  const t = useTexts(texts);
  const isNarrow = useMediaQuery('(max-width: 36em)', window.innerWidth < 576, { getInitialValueInEffect: false });
  const { name, content, offered } = laboratory;
  return (
    <Section title={t.request} hint={name === 'payment' ? t.requestHint : undefined}>
      <SegmentedControl
        aria-label={t.choose}
        fullWidth
        orientation={isNarrow ? 'vertical' : 'horizontal'}
        value={name}
        onChange={laboratory.choose}
        data={offered.map((value) => ({ value, label: t.requests[value] }))}
      />
      {name === 'profile' ? (
        <Text size="sm" c="dimmed">
          {t.nothingToEdit}
        </Text>
      ) : (
        <Group align="flex-start" gap="sm" grow preventGrowOverflow={false}>
          <TextInput
            label={t.payee}
            autoComplete="off"
            value={content.payee}
            onChange={({ currentTarget: { value } }) => laboratory.edit({ payee: value })}
          />
          {name === 'payment' && (
            <TextInput
              label={t.amount}
              autoComplete="off"
              inputMode="decimal"
              value={content.amount}
              onChange={({ currentTarget: { value } }) => laboratory.edit({ amount: value })}
            />
          )}
        </Group>
      )}
    </Section>
  );
}
