import { Badge, Button, Card, CloseButton, Group, Progress, Stack, Text } from '@mantine/core';
import { RefusedError } from '@sallyport/api-client';
import { CopyableText } from '../../feedback/copyable-text.js';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { reasonOf, useReasonText } from '../../places/files/refusal-reasons.js';
import { texts } from './texts.js';
import type { Upload, Uploads } from './uploads.js';

/** A file on its way, with what the service says of it. */
export function UploadCard({ upload, uploads }: { readonly upload: Upload; readonly uploads: Uploads }) {
  const t = useTexts(texts);
  const { bytes } = useFormats();
  const { file, state, share, error } = upload;
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
        <UploadFault error={error} />
        {error !== null && mayPass(error) && (
          <Button size="xs" variant="default" aria-label={t.retry(file.name)} onClick={() => uploads.retry(upload)}>
            {t.again}
          </Button>
        )}
      </Stack>
    </Card>
  );
}

/** Whether the same file may be stored another time. */
function mayPass(error: Error): boolean {
  if (!(error instanceof RefusedError)) return true;
  const { status } = error.problem;
  return status >= 500 || [401, 408, 409, 429].includes(status);
}

/** A file that the policy refuses needs the reason, in the language of the page, and nothing else. */
function UploadFault({ error }: { readonly error: Error | null }) {
  const t = useTexts(texts);
  const textOf = useReasonText();
  const problem = error instanceof RefusedError ? error.problem : null;
  const reasons = problem?.errors?.map(({ detail }) => textOf(reasonOf(detail) ?? '')) ?? [];
  const known = reasons.filter((reason) => reason !== null);
  if (problem === null || known.length === 0) return <Refusal error={error} />;
  return (
    <Stack gap={4} role="alert">
      <Text size="sm">{problem.detail}</Text>
      {known.map((reason) => (
        <Text key={reason} size="sm" fw={500}>
          {reason}
        </Text>
      ))}
      <CopyableText label={t.requestId} value={problem.requestId} />
    </Stack>
  );
}
