import {
  ParameterChangeNotRecordedError,
  ParameterConfirmationNeededError,
  ParameterInvalidError,
  ParameterUnknownError,
  ParameterVersionConflictError,
  SystemParametersUnavailableError,
} from '@sallyport/system-parameters';
import { describeRefusal } from '../../http/refusal.js';

describeRefusal(new ParameterUnknownError(), {
  en: 'There is no such system parameter.',
  'zh-CN': '系统参数不存在。',
});

describeRefusal(new ParameterInvalidError([{ pointer: '/value', detail: 'is required' }]), {
  en: 'The change is not valid.',
  'zh-CN': '修改内容无效。',
});

describeRefusal(new ParameterVersionConflictError(), {
  en: 'The parameter was changed meanwhile. Read it again.',
  'zh-CN': '该参数已被他人修改，请重新读取。',
});

describeRefusal(new ParameterConfirmationNeededError('With it you could not sign in from your own address'), {
  en: 'The change needs to be confirmed.',
  'zh-CN': '该修改需要确认。',
});

describeRefusal(new ParameterChangeNotRecordedError(), {
  en: 'The change could not be recorded and was not made. Try again later.',
  'zh-CN': '修改无法记录，未生效，请稍后再试。',
});

describeRefusal(new SystemParametersUnavailableError(), {
  en: 'System parameters are not available at the moment. Try again later.',
  'zh-CN': '系统参数暂时不可用，请稍后再试。',
});
