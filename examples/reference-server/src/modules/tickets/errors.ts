import { TicketInvalidError, TicketUseInvalidError } from '@sallyport/auth-tokens';
import { describeRefusal } from '../../http/refusal.js';

describeRefusal(new TicketInvalidError(), {
  en: 'The ticket is not valid, or it was used.',
  'zh-CN': '票据无效或已使用。',
});

describeRefusal(new TicketUseInvalidError('purpose'), {
  en: 'No ticket can be had for this.',
  'zh-CN': '无法为此用途签发票据。',
});
