import type { DefaultTheme } from 'vitepress';

/** What the theme says on Chinese pages. */
export const themeTexts: DefaultTheme.Config = {
  outline: { label: '本页目录' },
  docFooter: { prev: '上一页', next: '下一页' },
  darkModeSwitchLabel: '外观',
  lightModeSwitchTitle: '切换到浅色',
  darkModeSwitchTitle: '切换到深色',
  sidebarMenuLabel: '菜单',
  returnToTopLabel: '回到顶部',
  langMenuLabel: '切换语言',
  skipToContentLabel: '跳到正文',
  notFound: {
    title: '页面不存在',
    quote: '这里没有您要找的页面。英文版可能有。',
    linkText: '回到首页',
    linkLabel: '回到首页',
  },
};

/** What its search says there. */
export const searchTexts: DefaultTheme.LocalSearchOptions['translations'] = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: {
    displayDetails: '显示详情',
    resetButtonTitle: '清空',
    backButtonTitle: '返回',
    noResultsText: '没有结果：',
    footer: {
      selectText: '选择',
      selectKeyAriaLabel: '回车',
      navigateText: '切换',
      navigateUpKeyAriaLabel: '向上',
      navigateDownKeyAriaLabel: '向下',
      closeText: '关闭',
      closeKeyAriaLabel: 'Esc',
    },
  },
};
