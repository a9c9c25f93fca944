import { Text } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';
import { encryptionTexts, useEncryptionMode } from './encryption.js';

const texts = defineTexts({
  en: { OFF: 'Plain', OPTIONAL: 'Encrypted', REQUIRED: 'Encrypted' },
  'zh-CN': { OFF: '明文', OPTIONAL: '已加密', REQUIRED: '已加密' },
});

/** How requests of this page leave it, in a word. */
export function EncryptionBadge() {
  const t = useTexts(texts);
  const explanation = useTexts(encryptionTexts);
  const mode = useEncryptionMode();
  if (mode === undefined) return null;
  const color = mode === 'OFF' ? 'gray' : 'teal';
  return (
    // A `Badge`, without its code: the first script of the app users' page has it.
    <Text
      size="xs"
      fw={700}
      px="sm"
      bdrs="xl"
      title={explanation[mode]}
      bg={`var(--mantine-color-${color}-light)`}
      c={`var(--mantine-color-${color}-light-color)`}
      style={{ whiteSpace: 'nowrap' }}
    >
      {t[mode]}
    </Text>
  );
}
