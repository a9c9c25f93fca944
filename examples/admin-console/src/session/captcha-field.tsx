import { Alert, Button, Group, Image, Progress, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';
import type { CaptchaKind, CaptchaState } from './captcha.js';

const KIND_TEXTS_EN: Readonly<Record<CaptchaKind, string>> = {
  image: 'Picture',
  'proof-of-work': 'Proof of work',
  both: 'Both',
  external: 'Other provider',
};
const KIND_TEXTS_ZH: Readonly<Record<CaptchaKind, string>> = {
  image: '图片',
  'proof-of-work': '工作量证明',
  both: '两者',
  external: '其他服务商',
};

const texts = defineTexts({
  en: {
    kinds: KIND_TEXTS_EN,
    choose: 'How to show that you are a person',
    picture: 'Picture with a text to read',
    code: 'Text in the picture',
    codeHint: (alphabet: string) => `7 of these, capital or small: ${alphabet}`,
    another: 'Another picture',
    working: 'Your browser is solving a puzzle. You can go on typing.',
    worked: 'Your browser has solved the puzzle.',
    external: 'This service uses a captcha of another provider, which this page does not show.',
  },
  'zh-CN': {
    kinds: KIND_TEXTS_ZH,
    choose: '选择验证方式',
    picture: '验证图片',
    code: '图片中的文字',
    codeHint: (alphabet: string) => `共 7 位，取自下列字符，不区分大小写：${alphabet}`,
    another: '换一张图片',
    working: '浏览器正在计算，您可以继续填写。',
    worked: '浏览器已完成计算。',
    external: '此服务使用其他服务商的人机验证，本页面无法显示。',
  },
});

/** The captcha of a form, with the choice of its kind. Nothing where none is asked for. */
export default function CaptchaField({ captcha: state }: { readonly captcha: CaptchaState }) {
  const t = useTexts(texts);
  const { captcha, kind, progress } = state;
  if (captcha?.enabled !== true) return null;
  const kinds = captcha.kinds ?? [];
  return (
    <Stack gap="xs">
      {kinds.length > 1 && (
        <SegmentedControl
          aria-label={t.choose}
          value={kind ?? 'image'}
          onChange={state.chooseKind}
          data={kinds.map((value) => ({ value, label: t.kinds[value] }))}
        />
      )}
      {captcha.image !== undefined && (
        <Group align="flex-end" wrap="nowrap">
          <Stack gap={4} flex={1}>
            <Image src={captcha.image} alt={t.picture} fit="contain" mah={80} radius="sm" bg="white" />
            <TextInput
              label={t.code}
              description={t.codeHint([...(captcha.alphabet ?? '')].join(' '))}
              required
              autoComplete="off"
              autoCapitalize="none"
              value={state.code}
              onChange={(event) => state.setCode(event.currentTarget.value)}
            />
          </Stack>
          <Button variant="default" onClick={state.renew} px="sm" aria-label={t.another} title={t.another}>
            ↻
          </Button>
        </Group>
      )}
      {captcha.challenge !== undefined && (
        <Stack gap={4}>
          <Text size="sm" role="status">
            {progress < 1 ? t.working : t.worked}
          </Text>
          <Progress value={progress * 100} aria-label={t.kinds['proof-of-work']} />
        </Stack>
      )}
      {kind === 'external' && <Alert color="yellow">{t.external}</Alert>}
    </Stack>
  );
}
