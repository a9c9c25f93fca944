import { Button, Checkbox, Group, NativeSelect, Progress, Radio, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useRef, useState } from 'react';
import { ModalFrame } from '../../feedback/modal-frame.js';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { saveAs } from '../../service/save-as.js';
import { useSend } from '../../service/send.js';
import { useApi } from '../../service/service.js';
import type { AuditFilters } from './audit-records.js';
import { type ExportFormat, type ExportProgress, exportRecords } from './export-records.js';
import { texts } from './texts.js';

export interface ExportDialogProps {
  readonly found: AuditFilters;
  /** Says how many records there are, if the list shows its first page. */
  readonly page: { readonly total?: number; readonly totalIsExact?: boolean } | undefined;
}

/** Saves what the filters find. The page stays. */
export function ExportDialog({ found, page }: ExportDialogProps) {
  const t = useTexts(texts);
  const formats = useFormats();
  const api = useApi();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [format, setFormat] = useState<ExportFormat['format']>('csv');
  const [separator, setSeparator] = useState<'comma' | 'semicolon'>('comma');
  const [bom, setBom] = useState(false);
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const running = useRef<AbortController | null>(null);

  const save = useSend({
    async mutationFn() {
      const controller = new AbortController();
      running.current = controller;
      setProgress({ records: 0, bytes: 0 });
      const chosen: ExportFormat = format === 'csv' ? { format, bom, separator } : { format };
      const options = { found, format: chosen, signal: controller.signal, onProgress: setProgress };
      const { content, records } = await exportRecords(api, options);
      const address = URL.createObjectURL(content);
      saveAs(address, `audit-records-${new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)}.${format}`);
      // The browser has taken it when the next task runs.
      setTimeout(() => URL.revokeObjectURL(address));
      return records;
    },
    onSuccess(records) {
      notifyDone(t.exported(formats.number(records), records));
      close();
    },
    onSettled: () => setProgress(null),
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    save.mutate();
  }

  function leave() {
    running.current?.abort();
    close();
    save.reset();
  }

  const isCancelled = save.error?.name === 'AbortError';
  const { total, totalIsExact } = page ?? {};
  const percent = total === undefined || totalIsExact === false || progress === null ? null : progress.records / total;
  return (
    <>
      <Button variant="default" onClick={open}>
        {t.export}
      </Button>
      <ModalFrame opened={isOpen} onClose={leave} closeOnClickOutside={!save.isPending} title={t.export}>
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">
              {t.exportPurpose} {found.reads === false && t.exportReads}
            </Text>
            {total !== undefined && (
              <Text size="sm">{(totalIsExact === false ? t.foundMore : t.found)(formats.number(total), total)}</Text>
            )}
            <Radio.Group
              label={t.format}
              value={format}
              onChange={(value) => setFormat(value === 'ndjson' ? 'ndjson' : 'csv')}
            >
              <Group mt="xs">
                <Radio value="csv" label={t.formats.csv} />
                <Radio value="ndjson" label={t.formats.ndjson} />
              </Group>
            </Radio.Group>
            {format === 'csv' && (
              <>
                <NativeSelect
                  label={t.separator}
                  value={separator}
                  onChange={(event) => setSeparator(event.currentTarget.value === 'semicolon' ? 'semicolon' : 'comma')}
                  data={[
                    { value: 'comma', label: t.separators.comma },
                    { value: 'semicolon', label: t.separators.semicolon },
                  ]}
                />
                <Checkbox label={t.excel} checked={bom} onChange={(event) => setBom(event.currentTarget.checked)} />
              </>
            )}
            {progress !== null && (
              <Stack gap={4}>
                <Progress value={percent === null ? 100 : percent * 100} animated aria-label={t.exporting} />
                <Text size="xs" c="dimmed" role="status">
                  {t.received(formats.number(progress.records), formats.bytes(progress.bytes), progress.records)}
                </Text>
              </Stack>
            )}
            <Refusal error={isCancelled ? null : save.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={leave}>
                {t.cancel}
              </Button>
              <Button type="submit" loading={save.isPending}>
                {t.startExport}
              </Button>
            </Group>
          </Stack>
        </form>
      </ModalFrame>
    </>
  );
}
