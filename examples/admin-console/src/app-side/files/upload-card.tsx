import { Badge, Button, Card, CloseButton, Group, Progress, Stack, Text } from '@mantine/core';
import { RefusedError } from '@sallyport/api-client';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { Failure } from '../account/failure.js';
import { texts } from './texts.js';
import type { Upload, Uploads } from './uploads.js';

/** A file on its way, with what the service says of it. */
export function UploadCard({ upload, uploads }: { readonly upload: Upload; readonly uploads: Uploads }) {
  const t = useTexts(texts);
  const { bytes } = useFormats();
  const { file, state, share, error } = upload;
  const reason = useReason(error);
  const phase = state === 'sending' && share === 1 ? t.checking : t[state];
  return (
    <Card withBorder padding="sm" role="listitem">
      <Stack gap={6}>
        <Group wrap="nowrap" gap="xs">
          <Text size="sm" fw={500} flex={1} style={{ overflowWrap: 'anywhere' }}>
            {file.name}
          </Text>
          <Badge variant="light" color={state === 'done' ? 'teal' : state === 'failed' ? 'red' : 'blue'} role="status">
            {phase}
          </Badge>
          <CloseButton size="sm" aria-label={t.remove(file.name)} onClick={() => uploads.remove(upload)} />
        </Group>
        <Text size="xs" c="dimmed">
          {bytes(file.size)}
        </Text>
        {(state === 'sending' || state === 'waiting') && <Progress value={share * 100} aria-label={file.name} />}
        {reason !== null && <Text size="sm">{reason}</Text>}
        <Failure error={error} />
        {state === 'failed' && (
          <Button size="xs" variant="light" aria-label={t.retry(file.name)} onClick={() => uploads.retry(upload)}>
            {t.again}
          </Button>
        )}
      </Stack>
    </Card>
  );
}

/** The service names the reason in words for programs, at the end of its sentence. */
function useReason(error: Error | null): string | null {
  const t = useTexts(texts);
  if (!(error instanceof RefusedError)) return null;
  const word = error.problem.errors?.map(({ detail }) => /\(([A-Z_]+)\)$/.exec(detail)?.[1]).find(Boolean);
  return word === undefined ? null : (t.reasons[word] ?? null);
}
