import { Alert, Button, Stack, Text } from '@mantine/core';
import { type Problem, RefusedError } from '@sallyport/api-client';
import { EnvelopeClientError, type EnvelopeClientErrorCode } from '@sallyport/envelope-crypto/client';
import { useEffect, useRef } from 'react';
import { useDuration } from '../language/durations.js';
import { defineTexts, useTexts } from '../language/language.js';
import { useSessionState } from '../service/service.js';
import { CopyableText } from './copyable-text.js';
import { fieldOf, useFaultSentence } from './field-faults.js';
import { type ExplanationProps, refusalTexts } from './refusal-props.js';

const ENVELOPE_TEXTS_EN: Readonly<Record<EnvelopeClientErrorCode, string>> = {
  BOOTSTRAP_FAILED: 'The service did not say how it encrypts. Nothing was sent. Try again.',
  REQUEST_UNSUPPORTED: 'This request cannot be encrypted. Nothing was sent.',
  REQUEST_TOO_LARGE: 'The request is longer than the service accepts. Nothing was sent.',
  RESPONSE_REFUSED: 'The answer was not the service’s answer to this request. It was not shown. Try again.',
  ENCRYPTION_DOWNGRADE:
    'The service, or somebody between you and it, now refuses encryption. Nothing was sent in the clear. Reload the page only if you know why.',
  SERVER_KEY_UNTRUSTED: 'The key of the service is not trusted. Nothing was sent.',
};

const ENVELOPE_TEXTS_ZH: Readonly<Record<EnvelopeClientErrorCode, string>> = {
  BOOTSTRAP_FAILED: '无法获知服务的加密方式。未发送任何内容，请重试。',
  REQUEST_UNSUPPORTED: '此请求无法加密。未发送任何内容。',
  REQUEST_TOO_LARGE: '请求长度超过服务的上限。未发送任何内容。',
  RESPONSE_REFUSED: '收到的应答不是服务对此请求的应答，因此未予显示。请重试。',
  ENCRYPTION_DOWNGRADE:
    '服务（或您与服务之间的某一方）现在拒绝加密。未以明文发送任何内容。除非清楚原因，请勿重新加载页面。',
  SERVER_KEY_UNTRUSTED: '服务的密钥不受信任。未发送任何内容。',
};

const texts = defineTexts({
  en: {
    unknown: 'Something went wrong in this page. What you typed is still here. Try again.',
    notShown: 'Something went wrong in this page, and this can’t be shown. Try again.',
    failed: 'That did not work',
    requestId: 'Request id',
    retryAfter: (duration: string) => `Try again in ${duration}.`,
    signedInAgain: 'The session had ended before this was done. You are signed in again: do it again.',
    envelope: ENVELOPE_TEXTS_EN,
  },
  'zh-CN': {
    unknown: '页面出错。您输入的内容仍在，请重试。',
    notShown: '页面出错，此处内容无法显示。请重试。',
    failed: '操作未成功',
    requestId: '请求编号',
    retryAfter: (duration: string) => `请在 ${duration}后重试。`,
    signedInAgain: '操作完成前会话已结束。您已重新登录，请再操作一次。',
    envelope: ENVELOPE_TEXTS_ZH,
  },
});

/** The codes of a session that has ended. */
const ENDED_SESSION = /^(?:SESSION|TOKEN)_/;

/** The alert of a {@link Refusal}. */
export default function Explanation({ error, onRetry, fields = [], labels, rephrase }: ExplanationProps) {
  const t = useTexts(texts);
  const { tryAgain } = useTexts(refusalTexts);
  const session = useSessionState();
  const sentence = useSentence(error, onRetry !== undefined);
  const duration = useDuration();
  const alert = useRef<HTMLDivElement>(null);
  // In a long dialog it would stand out of sight.
  useEffect(() => {
    alert.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const problem = problemOf(error);
  const sentenceOn = useFaultSentence(labels);
  const faults = problem?.errors?.filter(({ pointer }) => !fields.includes(fieldOf(pointer))) ?? [];
  // The user has signed in again since: the refusal is of the session before.
  if (session === 'open' && problem !== null && ENDED_SESSION.test(problem.code)) {
    return (
      <Alert color="yellow" role="alert" ref={alert}>
        <Text size="sm">{t.signedInAgain}</Text>
      </Alert>
    );
  }
  return (
    <Alert color="red" title={t.failed} role="alert" ref={alert}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentence}</Text>
        {faults.map(({ pointer, detail }) => (
          <Text size="sm" key={`${pointer} ${detail}`}>
            {sentenceOn(pointer, rephrase?.(detail) ?? detail)}
          </Text>
        ))}
        {problem?.retryAfterSeconds !== undefined && (
          <Text size="sm">{t.retryAfter(duration(problem.retryAfterSeconds))}</Text>
        )}
        {problem !== null && <CopyableText label={t.requestId} value={problem.requestId} />}
        {onRetry !== undefined && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            {tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The refusal of the service. Null: there was none, or a proxy in front of the service answered in its place. */
function problemOf(error: Error): Problem | null {
  return error instanceof RefusedError && typeof error.problem.detail === 'string' ? error.problem : null;
}

/** The failure in a sentence for the user, who typed nothing for a reading. */
export function useSentence(error: Error, isReading = false): string {
  const t = useTexts(texts);
  const { unreachable, unread } = useTexts(refusalTexts);
  const away = isReading ? unread : unreachable;
  if (error instanceof RefusedError) return problemOf(error)?.detail ?? away;
  if (error instanceof EnvelopeClientError) return t.envelope[error.code];
  if (error instanceof TypeError) return away;
  return isReading ? t.notShown : t.unknown;
}
