import { Badge, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { RefusedError } from '@sallyport/api-client';
import { CopyableText } from '../../feedback/copyable-text.js';
import { useSentence } from '../../feedback/explanation.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { reasonOf, useReasonText } from './refusal-reasons.js';
import { texts } from './texts.js';
import { hasEnded, type Upload, type UploadQueue } from './upload-queue.js';

export interface UploadListProps {
  readonly queue: UploadQueue;
  readonly uploads: readonly Upload[];
}

/** The files of this session, each with its progress, or with the reason of its refusal. */
export function UploadList({ queue, uploads }: UploadListProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const count = (kind: string) => uploads.filter(({ state }) => state.kind === kind).length;
  return (
    <Stack gap="xs" component="section" aria-label={t.uploads}>
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={2} size="h5">
            {t.uploads}
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {t.summary(number(count('stored')), number(uploads.length), count('failed'))}
          </Text>
        </Group>
        {uploads.some(hasEnded) && (
          <Button size="xs" variant="subtle" onClick={() => queue.forget()}>
            {t.forgetEnded}
          </Button>
        )}
      </Group>
      <Stack gap="xs" role="list">
        {uploads.map((upload) => (
          <UploadItem key={upload.id} queue={queue} upload={upload} />
        ))}
      </Stack>
    </Stack>
  );
}

interface UploadItemProps {
  readonly queue: UploadQueue;
  readonly upload: Upload;
}

function UploadItem({ queue, upload }: UploadItemProps) {
  const t = useTexts(texts);
  const { bytes } = useFormats();
  const { file, publicPreview, state } = upload;
  return (
    <Paper withBorder p="sm" role="listitem" aria-label={file.name}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
          <Group gap="xs" miw={0}>
            <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {file.name}
            </Text>
            <Text size="xs" c="dimmed">
              {bytes(file.size)}
            </Text>
            {publicPreview && <Badge variant="light">{t.isPublic}</Badge>}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <UploadBadge upload={upload} />
            {state.kind !== 'failed' && <UploadButtons queue={queue} upload={upload} />}
          </Group>
        </Group>
        {state.kind === 'sending' && (
          <Progress
            value={state.share * 100}
            animated={state.share === 1}
            size="sm"
            aria-label={t.progress(file.name)}
          />
        )}
        {state.kind === 'failed' && (
          <>
            <UploadFault error={state.error} />
            <Group gap="xs">
              <UploadButtons queue={queue} upload={upload} />
            </Group>
          </>
        )}
      </Stack>
    </Paper>
  );
}

function UploadButtons({ queue, upload }: UploadItemProps) {
  const t = useTexts(texts);
  const { id, file, state } = upload;
  if (!hasEnded(upload)) {
    return (
      <Button size="compact-xs" variant="default" aria-label={t.cancel(file.name)} onClick={() => queue.cancel(id)}>
        {t.cancelShort}
      </Button>
    );
  }
  return (
    <>
      {state.kind !== 'stored' && (
        <Button size="compact-xs" variant="light" aria-label={t.retry(file.name)} onClick={() => queue.retry(id)}>
          {t.retryShort}
        </Button>
      )}
      {state.kind === 'failed' && isPreviewRefusal(state.error) && (
        <Button size="compact-xs" variant="light" onClick={() => queue.retry(id, false)}>
          {t.retryPrivately}
        </Button>
      )}
      <Button size="compact-xs" variant="subtle" aria-label={t.forget(file.name)} onClick={() => queue.forget(id)}>
        {t.forgetShort}
      </Button>
    </>
  );
}

function UploadBadge({ upload: { state } }: { readonly upload: Upload }) {
  const t = useTexts(texts);
  const { percent } = useFormats();
  if (state.kind === 'sending') {
    const text = state.share < 1 ? t.sent(percent(state.share)) : t.states.checking;
    return (
      <Text size="xs" c="dimmed">
        {text}
      </Text>
    );
  }
  if (state.kind === 'failed') {
    return (
      <Badge variant="light" color="red">
        {state.error instanceof RefusedError ? t.refused : t.notStored}
      </Badge>
    );
  }
  return (
    <Badge variant="light" color={state.kind === 'stored' ? 'teal' : 'gray'}>
      {t.states[state.kind]}
    </Badge>
  );
}

/** The service's own text, then what is wrong with this file, then the request id. */
function UploadFault({ error }: { readonly error: Error }) {
  const t = useTexts(texts);
  const sentence = useSentence(error);
  const reasonText = useReasonText();
  const problem = error instanceof RefusedError ? error.problem : null;
  return (
    <Stack gap={4} role="alert">
      <Text size="sm">{sentence}</Text>
      {problem?.errors?.map(({ pointer, detail }) => {
        const reason = reasonOf(detail);
        const text = (reason === null ? null : reasonText(reason)) ?? detail;
        return text === sentence ? null : (
          <Text size="sm" key={`${pointer} ${detail}`}>
            {text}
          </Text>
        );
      })}
      {problem !== null && <CopyableText label={t.requestId} value={problem.requestId} />}
    </Stack>
  );
}

function isPreviewRefusal(error: Error): boolean {
  return error instanceof RefusedError && error.code === 'UPLOAD_PREVIEW_REFUSED';
}
