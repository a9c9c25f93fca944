import { ActionIcon, CopyButton, Group, Text } from '@mantine/core';
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
      <Text
        component="code"
        size="xs"
        ff="monospace"
        title={value}
        style={shown === value ? { overflowWrap: 'anywhere' } : { whiteSpace: 'nowrap' }}
      >
        {shown}
      </Text>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            size="sm"
            aria-label={copied ? t.copied : t.copy(label)}
            title={t.copy(label)}
            onClick={copy}
          >
            {copied ? '✓' : <CopyIcon />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}

/** Two sheets. Few fonts have the character. */
function CopyIcon() {
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden>
      <rect x="5.75" y="5.75" width="8.5" height="8.5" rx="1.5" />
      <path d="M10.25 3.25v-.5a1 1 0 0 0-1-1h-6.5a1 1 0 0 0-1 1v6.5a1 1 0 0 0 1 1h.5" />
    </svg>
  );
}
