import { Alert, Anchor, Badge, Code, Stack, Text, Title } from '@mantine/core';
import type { components } from '@sallyport/api-client';
import { Link } from 'wouter';
import { useTexts } from '../../language/language.js';
import { RowList } from '../../lists/list.js';
import { useMay } from '../../session/profile.js';
import { policyTexts } from './policy-texts.js';
import { useReasonText } from './refusal-reasons.js';

type Simulation = components['schemas']['UploadSimulation'];

const COLORS = { passed: 'teal', refused: 'red', notApplicable: 'gray' } as const;

export interface SimulationResultProps {
  readonly simulation: Simulation;
  /** Whether the file or the values have changed since. */
  readonly isStale: boolean;
}

/** The verdict on the file, and that of every rule, in the order of the checks. */
export function SimulationResult({ simulation, isStale }: SimulationResultProps) {
  const t = useTexts(policyTexts);
  const reasonText = useReasonText();
  const may = useMay();
  const { accepted, reason, mediaType, rules } = simulation;
  return (
    <Stack gap="sm" component="section" aria-label={t.resultTitle} maw={860}>
      <Title order={2} size="h4">
        {t.resultTitle}
      </Title>
      {isStale && (
        <Alert color="yellow" role="status">
          {t.stale}
        </Alert>
      )}
      <Alert color={accepted ? 'teal' : 'red'} title={accepted ? t.accepted : t.refused} role="status">
        {mediaType !== null && <Text size="sm">{t.acceptedAs(mediaType)}</Text>}
        {reason !== null && <Text size="sm">{reasonText(reason) ?? reason}</Text>}
      </Alert>
      <RowList
        label={t.rules}
        rows={rules}
        keyOf={({ rule }) => rule}
        columns={[
          { title: t.rule, render: ({ rule }) => t.ruleNames[rule] },
          {
            title: t.outcome,
            render: ({ outcome }) => (
              <Badge variant="light" color={COLORS[outcome]} w="max-content">
                {t.outcomes[outcome]}
              </Badge>
            ),
          },
          { title: t.enforced, render: ({ enforced }) => (enforced ? t.isEnforced : t.notEnforced) },
          {
            title: t.reason,
            render: ({ reason: why, detail }) =>
              why && (
                <>
                  {reasonText(why) ?? detail} <Code>{why}</Code>
                </>
              ),
          },
        ]}
      />
      {may('api:admin:system-parameters:write') && (
        <Anchor component={Link} href="/parameters" size="sm">
          {t.toParameters}
        </Anchor>
      )}
    </Stack>
  );
}
