import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { defineTexts, useTexts } from '../language/language.js';
import { useConnection } from '../service/service.js';

export const encryptionTexts = defineTexts({
  en: {
    OFF: 'Requests are not encrypted in envelopes. TLS protects them, where the address begins with https.',
    OPTIONAL: 'Requests and answers are encrypted in envelopes: SM2, SM4-GCM.',
    REQUIRED: 'Requests and answers are encrypted in envelopes, as the service requires: SM2, SM4-GCM.',
  },
  'zh-CN': {
    OFF: '请求未使用信封加密。若地址以 https 开头，则由 TLS 保护。',
    OPTIONAL: '请求与应答使用信封加密：SM2、SM4-GCM。',
    REQUIRED: '按服务要求，请求与应答使用信封加密：SM2、SM4-GCM。',
  },
});

/** How requests of this page leave it. */
export function useEncryptionMode() {
  const { client } = useConnection();
  return useQuery({
    queryKey: ['encryption'],
    queryFn: async () => (await client.encryption.bootstrap()).mode,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** Says how requests of this page leave it. */
export function Encryption() {
  const t = useTexts(encryptionTexts);
  const mode = useEncryptionMode();
  if (mode === undefined) return null;
  return (
    <Text size="xs" c="dimmed">
      {t[mode]}
    </Text>
  );
}
