import { Alert, Radio, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { defineTexts, useTexts } from '../language/language.js';
import { isSame, type VersionedDraft } from './versioned-draft.js';

const texts = defineTexts({
  en: {
    title: 'Somebody changed this meanwhile',
    explanation: 'Nothing of yours was saved yet. Choose a value for each field, then save again.',
    equal: 'What was saved is what you chose, too. There is nothing left to save.',
    stored: 'Saved meanwhile',
    mine: 'Yours',
  },
  'zh-CN': {
    title: '内容已被他人修改',
    explanation: '您的修改尚未保存。请为每个字段选择一个值，然后再次保存。',
    equal: '他人保存的内容与您的选择相同，无需再保存。',
    stored: '他人已保存的值',
    mine: '您的值',
  },
});

/** How the fields of a form are shown where two values meet. */
export type ConflictFields<Content> = {
  readonly [Name in keyof Content]: {
    readonly label: string;
    show(value: Content[Name], other: Content[Name]): ReactNode;
  };
};

export interface VersionConflictProps<Content> {
  readonly versioned: VersionedDraft<Content>;
  readonly fields: ConflictFields<Content>;
}

/** Shows both values of each field that somebody else changed meanwhile. The user chooses. */
export function VersionConflict<Content extends object>({ versioned, fields }: VersionConflictProps<Content>) {
  const t = useTexts(texts);
  const { conflict, draft, set } = versioned;
  if (conflict === null) return null;
  const { stored, mine } = conflict;

  function renderChoice<Name extends keyof Content>(name: Name) {
    const { label, show } = fields[name];
    const value = isSame(draft[name], mine[name]) ? 'mine' : isSame(draft[name], stored[name]) ? 'stored' : null;
    function choose(chosen: string) {
      const change: Partial<Content> = {};
      change[name] = chosen === 'mine' ? mine[name] : stored[name];
      set(change);
    }
    return (
      <Radio.Group key={String(name)} label={label} value={value} onChange={choose}>
        <Stack gap={6} mt={4}>
          <Radio value="stored" label={<Value title={t.stored}>{show(stored[name], mine[name])}</Value>} />
          <Radio value="mine" label={<Value title={t.mine}>{show(mine[name], stored[name])}</Value>} />
        </Stack>
      </Radio.Group>
    );
  }

  return (
    <Alert variant="default" title={t.title} role="alert">
      <Stack gap="sm">
        <Text size="sm">{conflict.names.length === 0 ? t.equal : t.explanation}</Text>
        {conflict.names.map(renderChoice)}
      </Stack>
    </Alert>
  );
}

function Value({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <Text span size="sm" c="dimmed">
        {title}:{' '}
      </Text>
      <Text span size="sm">
        {children}
      </Text>
    </>
  );
}
