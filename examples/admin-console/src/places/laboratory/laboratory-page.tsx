import { Alert, Grid, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { Page } from '../../shell/page.js';
import { ExperimentList } from './experiment-list.js';
import { AnswerView, MessageView } from './message-view.js';
import { trackOf, waitingTrack } from './protocol/track.js';
import { RequestForm } from './request-form.js';
import { RunLog } from './run-log.js';
import { Section } from './section.js';
import { type ServiceInfo, useServiceInfo } from './service-info.js';
import { StageTrack } from './stage-track.js';
import { useExperimentLabel } from './texts/experiment-label.js';
import { texts } from './texts/laboratory-texts.js';
import { stageTexts } from './texts/stage-texts.js';
import { useLaboratory } from './use-laboratory.js';
import { Verdict } from './verdict.js';

/** Shows how the service protects a request, by experiments. */
export default function LaboratoryPage() {
  const t = useTexts(texts);
  const service = useServiceInfo();
  return (
    <Page title={t.title} purpose={t.purpose}>
      {service.data === undefined ? (
        service.error === null ? (
          <Group role="status" gap="xs">
            <Loader size="sm" aria-hidden />
            <Text size="sm">{t.loading}</Text>
          </Group>
        ) : (
          <Refusal error={service.error} onRetry={() => void service.refetch()} />
        )
      ) : (
        <Bench service={service.data} readServiceAgain={service.refetch} />
      )}
    </Page>
  );
}

interface BenchProps {
  readonly service: ServiceInfo;
  readServiceAgain(): unknown;
}

function Bench({ service, readServiceAgain }: BenchProps) {
  const t = useTexts(texts);
  const { title, explanation } = useTexts(stageTexts);
  const { number } = useFormats();
  const labelOf = useExperimentLabel();
  const laboratory = useLaboratory(service, readServiceAgain);
  const { shown, draft } = laboratory;
  const { windowSeconds } = service.clock;
  const sent = shown?.exchanges[0].sent ?? draft;
  const track = shown === null ? waitingTrack(draft) : trackOf(shown.exchanges, windowSeconds);
  const origin = shown === null ? t.notSent : t.sentAs(number(shown.id), labelOf(shown.experiment));

  const verdict = useRef<HTMLDivElement>(null);
  const shownId = shown?.id;
  useEffect(() => {
    // On a narrow screen the answer is below the buttons.
    if (shownId !== undefined) verdict.current?.scrollIntoView({ block: 'nearest' });
  }, [shownId]);

  return (
    <Stack gap="md">
      {service.mode === 'OFF' && (
        <Alert color="gray" title={t.off.title}>
          {t.off.text}
        </Alert>
      )}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="md">
            <RequestForm laboratory={laboratory} />
            <ExperimentList laboratory={laboratory} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Section title={title} hint={explanation}>
            <div ref={verdict} style={{ scrollMarginBlock: 72 }}>
              <Verdict run={shown} windowSeconds={windowSeconds} />
            </div>
            <StageTrack track={track} />
          </Section>
        </Grid.Col>
      </Grid>
      <MessageView sent={sent} origin={origin} />
      <AnswerView answer={shown?.exchanges[0].answer ?? null} />
      <RunLog laboratory={laboratory} windowSeconds={windowSeconds} />
    </Stack>
  );
}
