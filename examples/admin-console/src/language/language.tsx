import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

/** The languages of the console. */
export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The texts of one part of the page: the same keys in each language. */
export type Texts<Table> = Readonly<Record<Language, Table>>;

/** Declares texts. The compiler refuses a key that one language lacks. */
export function defineTexts<Table extends Readonly<Record<string, unknown>>>(texts: {
  readonly en: Table;
  readonly 'zh-CN': NoInfer<Table>;
}): Texts<Table> {
  return texts;
}

interface LanguageChoice {
  readonly language: Language;
  choose(language: Language): void;
}

const LanguageContext = createContext<LanguageChoice | null>(null);

const KEPT_AT = 'sallyport.language';

/** The language that the user chose before, or else the browser's. */
export function preferredLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AT);
  const wanted = kept === null ? navigator.languages : [kept];
  const first = wanted.find((tag) => /^(?:en|zh)\b/i.test(tag));
  return first?.toLowerCase().startsWith('zh') === true ? 'zh-CN' : 'en';
}

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(preferredLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choice = useMemo(
    () => ({
      language,
      choose(chosen: Language) {
        localStorage.setItem(KEPT_AT, chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export function useLanguage(): LanguageChoice {
  const choice = useContext(LanguageContext);
  if (choice === null) throw new Error('useLanguage: no LanguageProvider above');
  return choice;
}

/**
 * What `make` returns for a language, made once. A formatter takes a millisecond of the page, and every row of a list
 * asks for several.
 */
export function oncePerLanguage<Made>(make: (language: Language) => Made): (language: Language) => Made {
  const made = new Map<Language, Made>();
  return (language) => {
    const known = made.get(language) ?? make(language);
    made.set(language, known);
    return known;
  };
}

/** The texts in the language of the page. */
export function useTexts<Table>(texts: Texts<Table>): Table {
  return texts[useLanguage().language];
}
