import type { components } from '@sallyport/api-client';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { useConnection } from '../../service/service.js';

/** What a code may be bound to. */
export type CodePurpose = NonNullable<components['schemas']['SmsCodeRequest']['for']>;

/** A code that was asked for in this tab. */
export interface SentCode {
  readonly mobile: string;
  /** Sent along with the code: then nobody else's wrong codes count against this one. */
  readonly handle: string;
  readonly validSeconds: number;
  /** When the next may be asked for, in milliseconds since 1970. */
  readonly resendAt: number;
}

/** Why the user is asked to sign in. */
export type Notice = 'recovered' | 'password-changed' | 'sessions-ended';

/** What the screens before the sign-in know together. It is lost with the tab. */
export interface Visit {
  /** The number as it was typed. */
  readonly mobile: string;
  setMobile(mobile: string): void;
  readonly notice: Notice | null;
  setNotice(notice: Notice | null): void;
  /** Null: none was asked for with this number for this purpose. */
  sentCode(mobile: string, purpose: CodePurpose): SentCode | null;
  noteSent(purpose: CodePurpose, code: SentCode): void;
}

const VisitContext = createContext<Visit | null>(null);

export function VisitProvider({ children }: { readonly children: ReactNode }) {
  const [mobile, setMobile] = useState('');
  const [notice, setNotice] = useState<Notice | null>(null);
  const [sent, setSent] = useState<Partial<Record<CodePurpose, SentCode>>>({});
  const visit = useMemo<Visit>(
    () => ({
      mobile,
      setMobile,
      notice,
      setNotice,
      sentCode(wanted, purpose) {
        const code = sent[purpose];
        return code?.mobile === wanted ? code : null;
      },
      noteSent: (purpose, code) => setSent((last) => ({ ...last, [purpose]: code })),
    }),
    [mobile, notice, sent],
  );
  return <VisitContext value={visit}>{children}</VisitContext>;
}

export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (visit === null) throw new Error('useVisit: no VisitProvider above');
  return visit;
}

/** Signs out, and forgets the number: the next person at this device must not read it. */
export function useSignOut(): () => void {
  const connection = useConnection();
  const { setMobile } = useVisit();
  return function signOut() {
    setMobile('');
    connection.signOut();
  };
}
