import { Alert, Button, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Dialog, DialogForm } from '../../feedback/dialog.js';
import { useFieldFaults } from '../../feedback/field-faults.js';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import type { ShownVerification } from './verification.js';
import { verificationTexts } from './verification-texts.js';

const FIELDS = ['checkpoint', 'publicKey'] as const;

/** Verifies the log against a checkpoint that somebody keeps. */
export function VerificationDialog({ verification: { start, query } }: { readonly verification: ShownVerification }) {
  const t = useTexts(verificationTexts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const [checkpoint, setCheckpoint] = useState('');
  const [publicKey, setPublicKey] = useState('');
  const [otherRan, setOtherRan] = useState(false);
  const labels = { checkpoint: t.note, publicKey: t.publicKey };
  const faults = useFieldFaults(isOpen ? start.error : null, labels);

  function leave(): void {
    close();
    start.reset();
  }

  function send(): void {
    setOtherRan(false);
    const given = { checkpoint, ...(publicKey.trim() !== '' && { publicKey: publicKey.trim() }) };
    start.mutate(given, {
      onSuccess(started) {
        if (started.given === null) setOtherRan(true);
        else close();
      },
    });
  }

  return (
    <>
      <Button variant="default" disabled={query.data?.state === 'running' && query.error === null} onClick={open}>
        {t.withNote}
      </Button>
      <Dialog opened={isOpen} onClose={leave} title={t.withNote} isWide>
        <DialogForm
          submit={t.verify}
          isPending={start.isPending}
          isDisabled={checkpoint.trim() === ''}
          onSubmit={send}
          onCancel={leave}
        >
          <Text size="sm">{t.withNoteWhy}</Text>
          <Textarea
            label={t.note}
            description={t.noteHint}
            error={faults.checkpoint}
            value={checkpoint}
            onChange={(event) => setCheckpoint(event.currentTarget.value)}
            rows={8}
            spellCheck={false}
            styles={{ input: { fontFamily: 'monospace' } }}
            required
          />
          <TextInput
            label={t.publicKey}
            description={t.publicKeyHint}
            error={faults.publicKey}
            value={publicKey}
            onChange={(event) => setPublicKey(event.currentTarget.value)}
            spellCheck={false}
            autoComplete="off"
          />
          {otherRan && (
            <Alert color="yellow" role="status">
              {t.otherRan}
            </Alert>
          )}
          <Refusal error={start.error} fields={FIELDS} />
        </DialogForm>
      </Dialog>
    </>
  );
}
