import { ActionIcon, Code, CopyButton, Group, Text } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';

const texts = defineTexts({
  en: { copy: (what: string) => `Copy: ${what}`, copied: 'Copied' },
  'zh-CN': { copy: (what: string) => `复制：${what}`, copied: '已复制' },
});

export interface CopyableTextProps {
  /** What the value is. */
  readonly label: string;
  readonly value: string;
  /** What is shown of the value. Default: all of it. */
  readonly shown?: string;
  /** Whether the label stands before the value. Default true; screen readers get it in any case. */
  readonly hasLabel?: boolean;
}

/** A value that people pass on, with a button that copies it. */
export function CopyableText({ label, value, shown = value, hasLabel = true }: CopyableTextProps) {
  const t = useTexts(texts);
  return (
    <Group gap={4} wrap="nowrap">
      {hasLabel && (
        <Text size="xs" c="dimmed" flex="0 0 auto">
          {label}
        </Text>
      )}
      <Code title={value} style={{ overflowWrap: 'anywhere' }}>
        {shown}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            size="sm"
            aria-label={copied ? t.copied : t.copy(label)}
            title={t.copy(label)}
            onClick={copy}
          >
            {copied ? '✓' : '⧉'}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
