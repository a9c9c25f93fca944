import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  AUDIT_UNAVAILABLE: {
    status: 503,
    retry: 'check-then-retry',
    en: 'The operation could not be recorded and is not confirmed. See whether it took effect before you try again.',
    'zh-CN': '操作未能记入审计日志，结果未确认。重试前请先核实操作是否已生效。',
  },
});

export type AuditLogRefusalCode = keyof typeof refusals;
