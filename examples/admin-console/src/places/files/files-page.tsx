import { Stack, Tabs } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useTexts } from '../../language/language.js';
import { useMay } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { FileList } from './file-list.js';
import { PolicyTrial } from './policy-trial.js';
import { texts } from './texts.js';
import { UploadArea } from './upload-area.js';

type View = 'list' | 'policy';

/** The stored files, their upload, and the trial of an upload policy. */
export default function FilesPage() {
  const t = useTexts(texts);
  const may = useMay();
  const [search, setSearch] = useSearchParams();
  const mayUpload = may('api:admin:storage:upload');
  const mayList = may('api:admin:storage:list');
  const views: readonly View[] = [
    ...(mayUpload || mayList ? ['list' as const] : []),
    ...(may('api:admin:storage:simulate') ? ['policy' as const] : []),
  ];
  const view = views.find((each) => each === search.get('view')) ?? views[0];

  const purpose = mayList ? t.purpose : mayUpload ? t.uploadPurpose : t.policyPurpose;

  return (
    <Page title={t.title} purpose={purpose}>
      <Tabs
        value={view ?? null}
        onChange={(chosen) => setSearch(chosen === null || chosen === views[0] ? {} : { view: chosen })}
      >
        {views.length > 1 && (
          <Tabs.List mb="md">
            {views.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {t.views[each]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        )}
        {views.includes('list') && (
          <Tabs.Panel value="list">
            <Stack gap="md">
              {mayUpload && <UploadArea isShown={view === 'list'} hasList={mayList} />}
              {mayList && <FileList />}
            </Stack>
          </Tabs.Panel>
        )}
        {/* What was chosen in it stays while the other view is shown. */}
        {views.includes('policy') && (
          <Tabs.Panel value="policy">
            <PolicyTrial isShown={view === 'policy'} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Page>
  );
}
