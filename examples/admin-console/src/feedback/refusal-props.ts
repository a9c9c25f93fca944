import { defineTexts } from '../language/language.js';

export const refusalTexts = defineTexts({
  en: {
    unreachable: 'The service could not be reached. What you typed is still here. Check the connection and try again.',
    unread: 'The service could not be reached. Check the connection and try again.',
    tryAgain: 'Try again',
  },
  'zh-CN': {
    unreachable: '无法连接服务。您输入的内容仍在。请检查网络后重试。',
    unread: '无法连接服务。请检查网络后重试。',
    tryAgain: '重试',
  },
});

export interface RefusalProps {
  readonly error: Error | null;
  /** Reads again: what failed is a reading, of which nothing was typed. */
  readonly onRetry?: () => void;
  /** The fields of the request whose faults the form shows next to its inputs. */
  readonly fields?: readonly string[];
  /** The labels of other fields, where the form has other words than the console has for them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Says a fault in the words of the form. Default: as the service says it. */
  readonly rephrase?: (detail: string) => string;
}

export type ExplanationProps = RefusalProps & { readonly error: Error };
