import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { defineTexts, useTexts } from '../language/language.js';
import { useConnection } from '../service/service.js';

export const encryptionTexts = defineTexts({
  en: {
    OFF:
      location.protocol === 'https:'
        ? 'TLS protects the requests. They are not sealed in envelopes.'
        : 'Requests are sent in the clear: neither TLS nor an envelope protects them.',
    OPTIONAL: 'Requests and answers are in encrypted envelopes (SM2, SM4-GCM), except files and exports.',
    REQUIRED:
      'Requests and answers are in encrypted envelopes (SM2, SM4-GCM), as the service requires, except files and exports.',
  },
  'zh-CN': {
    OFF:
      location.protocol === 'https:' ? '请求由 TLS 保护，未使用加密信封。' : '请求以明文发送：既无 TLS，也无信封保护。',
    OPTIONAL: '请求与应答使用加密信封（SM2、SM4-GCM），文件与导出除外。',
    REQUIRED: '按服务要求，请求与应答使用加密信封（SM2、SM4-GCM），文件与导出除外。',
  },
});

/** How often the page looks whether its client seals requests now: the service may have changed its mode. */
const MODE_MILLIS = 10_000;

/** How requests of this page leave it. */
export function useEncryptionMode() {
  const { client } = useConnection();
  return useQuery({
    queryKey: ['encryption'],
    queryFn: async () => (await client.encryption.bootstrap()).mode,
    staleTime: Number.POSITIVE_INFINITY,
    // The client asks the service again only where its last answer, such as OFF, no longer counts.
    refetchInterval: MODE_MILLIS,
    retry: false,
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
