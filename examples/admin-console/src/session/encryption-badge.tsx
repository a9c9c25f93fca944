import { Badge } from '@mantine/core';
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
  return (
    <Badge color={mode === 'OFF' ? 'gray' : 'teal'} variant="light" title={explanation[mode]}>
      {t[mode]}
    </Badge>
  );
}
