import { Anchor, Button, Stack, Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { given } from '../../lists/filters.js';
import { List } from '../../lists/list.js';
import { useApi } from '../../service/service.js';
import { useMay } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { ActionCode, useActionNames } from './action-names.js';
import { useActorName, useNameKeeper, useTargetName } from './actor.js';
import { addressOf, useAuditFilters, useOpenRecord } from './audit-records.js';
import { ExportDialog } from './export-dialog.js';
import { AuditFilterBar } from './filters/audit-filter-bar.js';
import { OutcomeBadge } from './outcome-badge.js';
import { RecordDrawer } from './record-drawer.js';
import { texts } from './texts.js';
import { TimePresets } from './time-presets.js';
import { useVerification } from './verification.js';
import { VerificationDialog } from './verification-dialog.js';
import { VerificationPanel, VerifyButton } from './verification-panel.js';

/** The records, each with its detail; their export; the verification of the whole log. */
export default function AuditLogPage() {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const actorName = useActorName();
  const targetName = useTargetName();
  const keepNames = useNameKeeper();
  const actionNames = useActionNames();
  const may = useMay();
  const api = useApi();
  const [search] = useSearchParams();
  const { filters, found, wanted, hidesReads } = useAuditFilters();
  const { values, after } = filters;
  const mayList = may('api:admin:audit-records:list');
  const mayExport = may('api:admin:audit-records:export');
  const mayVerify = may('api:admin:audit-records:verify');
  const query = useQuery({
    queryKey: ['audit-records', found, after],
    enabled: mayList && !wanted.isLookedFor,
    async queryFn({ signal }) {
      const query = { ...found, ...given({ after }) };
      const answer = dataOf(await api.GET('/admin/audit-records', { params: { query }, signal }));
      keepNames(answer.actors);
      return answer;
    },
  });
  const open = useOpenRecord(query.data?.data, mayList);
  const verification = useVerification(mayVerify);
  const isBackwards = values.from !== undefined && values.to !== undefined && values.from >= values.to;

  return (
    <Page
      title={t.title}
      purpose={t.purpose}
      actions={
        <>
          {mayList && (
            <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
              {t.refresh}
            </Button>
          )}
          {mayExport && <ExportDialog found={found} page={query.data?.page} />}
          {mayVerify && <VerificationDialog verification={verification} />}
          {mayVerify && <VerifyButton verification={verification} />}
        </>
      }
    >
      {mayVerify && <VerificationPanel verification={verification} />}
      {(mayList || mayExport) && <TimePresets filters={filters} />}
      {(mayList || mayExport) && <AuditFilterBar filters={filters} outcome={found.outcome} hidesReads={hidesReads} />}
      {!mayList && (
        <Text size="sm" c="dimmed">
          {t.mayNotList}
        </Text>
      )}
      {mayList && (
        <List
          label={t.title}
          query={query}
          keyOf={({ id }) => id}
          cursor={filters}
          empty={
            wanted.isUnknown ? (
              t.unknownActor(values.actor ?? '')
            ) : isBackwards ? (
              t.backwards
            ) : (
              <>
                {t.empty} {hidesReads && t.emptyReads}
              </>
            )
          }
          columns={[
            { title: t.time, render: ({ occurredAt }) => dateTime(occurredAt) },
            {
              title: t.action,
              render: (record) => (
                <Stack gap={2}>
                  <Anchor component={Link} href={addressOf(record, search)} inherit>
                    {actionNames.get(record.action) ?? record.action}
                  </Anchor>
                  <ActionCode action={record.action} />
                </Stack>
              ),
            },
            {
              title: t.outcome,
              render: ({ outcome, reason }) => (
                <Stack gap={2}>
                  <OutcomeBadge outcome={outcome} />
                  {reason !== null && (
                    <Text size="xs" c="dimmed">
                      {reason}
                    </Text>
                  )}
                </Stack>
              ),
            },
            { title: t.actor, render: ({ actor }) => <span title={actor ?? undefined}>{actorName(actor)}</span> },
            {
              title: t.target,
              render: ({ target }) =>
                target && (
                  <Text size="sm" lineClamp={1} maw={200} title={target} style={{ wordBreak: 'break-all' }}>
                    {targetName(target)}
                  </Text>
                ),
            },
            { title: t.address, render: ({ clientIp }) => clientIp },
          ]}
        />
      )}
      <RecordDrawer open={open} />
    </Page>
  );
}
