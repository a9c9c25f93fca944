import { Button, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { Loading } from '../feedback/loading.js';
import { Refusal } from '../feedback/refusal.js';
import { useTexts } from '../language/language.js';
import { useApi } from '../service/service.js';
import { printText } from './print-text.js';
import { texts } from './texts.js';

/** A code has 29 characters. It stands in one line, if the page has the room. */
const COLUMN = 'min(100%, 29ch)';
const PLAIN_LIST = { listStyle: 'none' } as const;

/** The codes, shown once: to print or to copy. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const t = useTexts(texts);
  return (
    <Stack gap="sm" component="section" aria-label={t.codesTitle}>
      <Text size="sm">{t.codesPurpose}</Text>
      <SimpleGrid component="ul" minColWidth={COLUMN} spacing={4} m={0} p={0} ff="monospace" fz="sm" style={PLAIN_LIST}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </SimpleGrid>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => printText(t.codesTitle, codes)}>
          {t.print}
        </Button>
        <CopyButton value={codes.join('\n')}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? t.copied : t.copyAll}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}

/** The recovery codes, made right after the first factor: afterwards nobody thinks of them. */
export function FirstCodes({ onDone }: { onDone(): void }) {
  const t = useTexts(texts);
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['first-recovery-codes'],
    queryFn: async () => dataOf(await api.POST('/auth/second-factors/recovery-codes')).data,
    // Each reading would end the codes of the one before.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  return (
    <>
      {data !== undefined && <RecoveryCodes codes={data.codes} />}
      {data === undefined && error === null && <Loading />}
      <Refusal error={error} />
      <Button onClick={onDone}>{data === undefined ? t.makeLater : t.goOn}</Button>
    </>
  );
}
