import { Alert, Badge, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { RefusedError } from '@sallyport/api-client';
import { Loading } from '../../feedback/loading.js';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useActorName } from './actor.js';
import { FindingList } from './finding-list.js';
import { coveredRow, type Verdict, verdictOf } from './verdict.js';
import type { ShownVerification, Verification } from './verification.js';
import { verificationTexts } from './verification-texts.js';

interface Props {
  readonly verification: ShownVerification;
}

/** Starts a verification, or shows the one that runs already. */
export function VerifyButton({ verification: { query, start } }: Props) {
  const t = useTexts(verificationTexts);
  return (
    <Button
      loading={start.isPending}
      disabled={query.data?.state === 'running' && query.error === null}
      onClick={() => start.mutate(null)}
    >
      {t.verify}
    </Button>
  );
}

/** Progress and result of a verification. */
export function VerificationPanel({ verification: { id, query, start, close } }: Props) {
  const t = useTexts(verificationTexts);
  const { dateTime } = useFormats();
  const actorName = useActorName();
  const { data, error } = query;
  if (id === null) return <Refusal error={start.error} onRetry={() => start.mutate(null)} />;
  const isForgotten = error instanceof RefusedError && error.problem.status === 404;
  return (
    <Paper withBorder p="md" component="section" aria-label={t.title}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <div>
            <Title order={2} size="h5">
              {t.title}
            </Title>
            {data !== undefined && (
              <Text size="xs" c="dimmed">
                {t.started(actorName(data.startedBy), dateTime(data.startedAt))}
              </Text>
            )}
          </div>
          <Button size="compact-xs" variant="subtle" flex="0 0 auto" onClick={close}>
            {t.close}
          </Button>
        </Group>
        <Refusal error={start.error} />
        <Refusal error={error} {...(!isForgotten && { onRetry: () => void query.refetch() })} />
        {isForgotten && <Text size="sm">{t.forgotten}</Text>}
        {error === null && data === undefined && <Loading />}
        {data !== undefined && <Outcome verification={data} />}
      </Stack>
    </Paper>
  );
}

const COLORS: Readonly<Record<Verdict, string>> = { broken: 'red', unproven: 'yellow', intact: 'teal' };

function Outcome({ verification }: { readonly verification: Verification }) {
  const t = useTexts(verificationTexts);
  const { number, percent } = useFormats();
  const { state, rows, findingCount, findings } = verification;
  if (state === 'failed' || state === 'interrupted') {
    return (
      <Alert color="yellow" role="status" title={state === 'failed' ? t.failed : t.interrupted}>
        {state === 'failed' ? t.failedNote : t.interruptedNote}
      </Alert>
    );
  }
  if (state === 'running') {
    return (
      <Stack gap="xs">
        <Text size="sm">
          {t.running} {t.goesOn}
        </Text>
        <Progress value={verification.percent} animated aria-label={t.progress} />
        <Group gap="sm" role="status">
          <Text size="xs" c="dimmed">
            {t.soFar(percent(verification.percent / 100), number(rows))}
          </Text>
          {findingCount > 0 && (
            <Badge color="red" variant="light">
              {t.faultsSoFar(number(findingCount))}
            </Badge>
          )}
        </Group>
      </Stack>
    );
  }
  const hasTooMany = findingCount > 0 && findings.length === 0;
  const verdict = verdictOf(verification);
  const titles: Readonly<Record<Verdict, string>> = {
    broken: t.broken(number(findingCount)),
    unproven: t.unproven,
    intact: t.intact(number(coveredRow(verification) ?? 0)),
  };
  return (
    <Stack gap="sm">
      <Alert color={COLORS[verdict]} role={verdict === 'broken' ? 'alert' : 'status'} title={titles[verdict]}>
        <Stack gap={4}>
          {hasTooMany ? (
            <Text size="sm">{t.tooMany(number(findingCount))}</Text>
          ) : (
            <Range verification={verification} />
          )}
        </Stack>
      </Alert>
      {findings.length > 0 && <FindingList findings={findings} count={findingCount} />}
    </Stack>
  );
}

/** How much of the log the result speaks of. */
function Range({ verification }: { readonly verification: Verification }) {
  const t = useTexts(verificationTexts);
  const { number } = useFormats();
  const { rows, checkpoints, given } = verification;
  const covered = coveredRow(verification);
  return (
    <>
      <Text size="sm">{t.rowsRead(number(rows))}</Text>
      {given !== null && <Text size="sm">{t.givenUsed(number(given.sequence), given.origin, given.at)}</Text>}
      <Text size="sm">{covered === null ? t.uncovered : t.covered(number(covered), number(checkpoints ?? 0))}</Text>
    </>
  );
}
