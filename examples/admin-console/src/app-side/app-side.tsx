import { AccountGate } from './account/account-gate.js';
import { CodeInputs } from './outbox/code-inputs.js';
import { Phone } from './phone/phone.js';
import { VisitProvider } from './visit/visit.js';

/** The app user's side: a phone, and next to it, in development, the messages that it would get. */
export default function AppSide() {
  return (
    <VisitProvider>
      <CodeInputs>
        <Phone>
          <AccountGate />
        </Phone>
      </CodeInputs>
    </VisitProvider>
  );
}
