import { Badge, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { defineTexts, useTexts } from '../language/language.js';
import { useConnection } from '../service/service.js';

const texts = defineTexts({
  en: {
    OFF: 'Requests are not encrypted in envelopes. TLS protects them, where the address begins with https.',
    OPTIONAL: 'Requests and answers are encrypted in envelopes: SM2, SM4-GCM.',
    REQUIRED: 'Requests and answers are encrypted in envelopes, as the service requires: SM2, SM4-GCM.',
    badge: { OFF: 'Plain', OPTIONAL: 'Encrypted', REQUIRED: 'Encrypted' },
  },
  'zh-CN': {
    OFF: '请求未使用信封加密。若地址以 https 开头，则由 TLS 保护。',
    OPTIONAL: '请求与应答使用信封加密：SM2、SM4-GCM。',
    REQUIRED: '按服务要求，请求与应答使用信封加密：SM2、SM4-GCM。',
    badge: { OFF: '明文', OPTIONAL: '已加密', REQUIRED: '已加密' },
  },
});

/** How requests of this page leave it. */
function useEncryptionMode() {
  const { client } = useConnection();
  return useQuery({
    queryKey: ['encryption'],
    queryFn: async () => (await client.encryption.bootstrap()).mode,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** Says how requests of this page leave it. */
export function Encryption({ isShort = false }: { readonly isShort?: boolean }) {
  const t = useTexts(texts);
  const mode = useEncryptionMode();
  if (mode === undefined) return null;
  const badge = (
    <Badge color={mode === 'OFF' ? 'gray' : 'teal'} variant="light" title={t[mode]}>
      {t.badge[mode]}
    </Badge>
  );
  if (isShort) return badge;
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      {badge}
      <Text size="xs" c="dimmed">
        {t[mode]}
      </Text>
    </Group>
  );
}
