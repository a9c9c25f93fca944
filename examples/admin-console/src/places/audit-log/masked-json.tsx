import { Badge, Box, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/language.js';
import { texts } from './texts.js';

/** What the audit log writes in place of a secret, and of what is too long. */
const MARKS = /(\[masked\]|\[cut\])/;

/** Whether something in the value was masked or cut. */
export function hasMarks(value: unknown): boolean {
  return MARKS.test(JSON.stringify(value) ?? '');
}

/** A JSON value as indented members. Masked parts are marked, not shown as text. */
export function MaskedJson({ value }: { readonly value: unknown }): ReactNode {
  const t = useTexts(texts);
  if (Array.isArray(value)) {
    if (value.length === 0) return <Note>{t.emptyList}</Note>;
    return <Members members={value.map((item, index) => [String(index), item])} />;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    return members.length === 0 ? <Note>{t.emptyObject}</Note> : <Members members={members} />;
  }
  if (typeof value === 'string') return value === '' ? <Note>{t.emptyText}</Note> : <MarkedText text={value} />;
  return (
    <Text ff="monospace" size="sm" component="span" fs="italic">
      {String(value)}
    </Text>
  );
}

function Members({ members }: { readonly members: readonly (readonly [string, unknown])[] }) {
  return (
    <Box component="dl" m={0}>
      {members.map(([name, member]) => {
        const isNested = typeof member === 'object' && member !== null;
        return (
          <Group key={name} gap="xs" align="baseline" wrap={isNested ? 'wrap' : 'nowrap'} py={2}>
            <Text component="dt" ff="monospace" size="sm" c="dimmed" flex="0 0 auto">
              <MarkedText text={name} />
            </Text>
            <Box component="dd" m={0} miw={0} {...(isNested && { pl: 'md', w: '100%' })}>
              <MaskedJson value={member} />
            </Box>
          </Group>
        );
      })}
    </Box>
  );
}

/** A text with its masked and cut parts as marks. */
export function MarkedText({ text }: { readonly text: string }) {
  const t = useTexts(texts);
  const parts = text.split(MARKS);
  return (
    <Text
      ff="monospace"
      size="sm"
      component="span"
      inherit
      style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
    >
      {parts.map((part, index) => {
        // The same part may occur twice: its place is its key.
        const key = `${index} ${part}`;
        if (part === '[masked]' || part === '[cut]') {
          return (
            <Badge key={key} size="sm" variant="outline" color="gray" radius="sm" component="span">
              {part === '[cut]' ? t.cut : t.masked}
            </Badge>
          );
        }
        return <span key={key}>{part}</span>;
      })}
    </Text>
  );
}

function Note({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" component="span" fs="italic">
      {children}
    </Text>
  );
}
