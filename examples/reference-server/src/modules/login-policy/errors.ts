import {
  LoginIpRefusedError,
  LoginLockedError,
  LoginNameRefusedError,
  LoginPolicyUnavailableError,
  LoginTerminalRefusedError,
} from '@sallyport/login-policy';
import { describeRefusal } from '../../http/refusal.js';

describeRefusal(new LoginLockedError(600), {
  en: 'Too many failed sign-ins. Try again later.',
  'zh-CN': '登录失败次数过多，请稍后再试。',
});

describeRefusal(new LoginIpRefusedError(), {
  en: 'Sign-in is not allowed from this address.',
  'zh-CN': '不允许从该 IP 地址登录。',
});

describeRefusal(new LoginNameRefusedError(), {
  en: 'This is not a user name.',
  'zh-CN': '用户名格式错误。',
});

describeRefusal(new LoginTerminalRefusedError(), {
  en: 'This terminal cannot sign in here.',
  'zh-CN': '不支持该登录终端。',
});

describeRefusal(new LoginPolicyUnavailableError(), {
  en: 'Sign-ins cannot be checked at the moment. Try again later.',
  'zh-CN': '暂时无法校验登录，请稍后再试。',
});
