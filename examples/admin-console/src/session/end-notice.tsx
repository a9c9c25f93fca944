import { Notice } from '../feedback/notice.js';
import { useEndReason } from './end-reason.js';

/** Says why there is a sign-in where a session was. */
export default function EndNotice() {
  return <Notice color="yellow" text={useEndReason()} />;
}
