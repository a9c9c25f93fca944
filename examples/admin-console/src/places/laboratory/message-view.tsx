import { Divider, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import { EnvelopeView } from './envelope/envelope-view.js';
import type { Answer, Sent } from './protocol/delivery.js';
import { prettyText, requestText } from './protocol/http-text.js';
import { Section } from './section.js';
import { texts } from './texts/laboratory-texts.js';
import { WireText } from './wire-text.js';

export interface MessageViewProps {
  readonly sent: Sent;
  /** Which request it is, for the reader. */
  readonly origin: string;
}

/** A request from its plaintext to what leaves the page. */
export function MessageView({ sent, origin }: MessageViewProps) {
  const t = useTexts(texts);
  const { envelope } = sent;
  return (
    <Section title={envelope === null ? t.plainMessage : t.message} hint={origin}>
      {envelope === null ? (
        <WireText title={t.plainOnWire}>{requestText(sent)}</WireText>
      ) : (
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <WireText title={t.plaintext}>{requestText({ ...sent, envelope: null })}</WireText>
            <WireText title={t.onWire}>{requestText(sent)}</WireText>
          </SimpleGrid>
          <Divider />
          <EnvelopeView sent={sent} envelope={envelope} />
        </Stack>
      )}
    </Section>
  );
}

/** What came back, as it traveled and as it was opened. */
export function AnswerView({ answer }: { readonly answer: Answer | null }) {
  const t = useTexts(texts);
  return (
    <Section title={t.answer}>
      {answer?.kind !== 'answered' ? (
        <Text size="sm" c="dimmed">
          {t.noAnswer}
        </Text>
      ) : answer.isSealed ? (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <WireText title={t.answerOnWire}>{answer.wireText}</WireText>
          <WireText title={t.answerOpened}>{prettyText(answer.text)}</WireText>
        </SimpleGrid>
      ) : (
        <WireText title={t.answerPlain}>{prettyText(answer.text)}</WireText>
      )}
    </Section>
  );
}
